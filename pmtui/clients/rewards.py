"""Markets that pay for resting orders, maker rebates, and an account's earnings from its orders."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import final

import msgspec

from pmtui.clients.clob_requests import PublicRequests, SignedRequests, to_query
from pmtui.clients.http.client import HttpHost, Query
from pmtui.clients.http.paging import FetchedPage, collect
from pmtui.domain.answers import Failure
from pmtui.domain.ids import Address, ConditionId, OrderId
from pmtui.domain.markets.rewards import Earnings, Rebate, RewardedMarket
from pmtui.domain.money import Micros
from pmtui.reads.trading_routes import Auth, ClobRoutes, RouteName
from pmtui.wire import clob_rewards as wire

_PAGE_SIZE = 500


@dataclass(frozen=True, slots=True)
class RewardSearch:
    """Filters for markets with rewards; empty fields do not filter."""

    text: str = ""
    tag_slug: str = ""
    order_by: str = ""
    """A field of the rows, in the host's naming."""
    is_descending: bool = True


@final
class RewardsClient:
    """Public rewards of the trading host."""

    def __init__(self, host: HttpHost, routes: ClobRoutes) -> None:
        """Use a host and the routes of its dialect."""
        self._requests = PublicRequests(host, routes)

    def walk_rewards(self) -> AsyncIterator[FetchedPage[RewardedMarket] | Failure]:
        """Yield every market with rewards, page by page; a failure is the last thing yielded."""
        return self._requests.walk(RouteName.REWARDS, wire.decode_rewarded_markets)

    async def of_market(self, condition_id: ConditionId) -> tuple[RewardedMarket, ...] | Failure:
        """Return the rewards of one market; empty if it has none."""
        return await collect(
            self._requests.walk(
                RouteName.MARKET_REWARDS, wire.decode_rewarded_markets, identifier=condition_id
            )
        )

    def search(
        self, wanted: RewardSearch | None = None
    ) -> AsyncIterator[FetchedPage[RewardedMarket] | Failure]:
        """Yield markets with rewards that match, page by page; a failure is the last item."""
        wanted = wanted or RewardSearch()
        query = to_query(
            q=wanted.text,
            tag_slug=wanted.tag_slug,
            order_by=wanted.order_by,
            position=("DESC" if wanted.is_descending else "ASC") if wanted.order_by else None,
            page_size=str(_PAGE_SIZE),
        )
        return self._requests.walk(
            RouteName.REWARD_SEARCH, wire.decode_rewarded_markets, query=query
        )

    async def rebates(self, day: date, maker: Address) -> tuple[Rebate, ...] | Failure:
        """Return a maker's rebates of a day's fees, by market."""
        query = to_query(date=day.isoformat(), maker_address=maker)
        return await collect(
            self._requests.walk(RouteName.REBATES, wire.decode_rebates, query=query)
        )


@final
class EarningsClient:
    """Rewards of one account."""

    def __init__(self, requests: SignedRequests) -> None:
        """Send the account's requests."""
        self._requests = requests

    def walk_earnings(self, day: date) -> AsyncIterator[FetchedPage[Earnings] | Failure]:
        """Yield a day's earnings by market, page by page; a failure is the last thing yielded."""
        query = self._whose(RouteName.EARNINGS, day)
        return self._requests.walk(RouteName.EARNINGS, wire.decode_earnings, query=query)

    async def earnings(self, day: date) -> tuple[Earnings, ...] | Failure:
        """Return a day's earnings by market."""
        return await collect(self.walk_earnings(day))

    async def total_earnings(self, day: date) -> tuple[Earnings, ...] | Failure:
        """Return a day's earnings, one sum for each asset."""
        query = self._whose(RouteName.TOTAL_EARNINGS, day)
        return await self._requests.read(
            RouteName.TOTAL_EARNINGS, wire.decode_total_earnings, query=query
        )

    async def rebates(self, day: date) -> tuple[Rebate, ...] | Failure:
        """Return the rebates of a day's fees, by market; the host returns them to anybody."""
        query = to_query(date=day.isoformat(), maker_address=self._requests.account.wallet)
        return await collect(
            self._requests.walk(RouteName.REBATES, wire.decode_rebates, query=query)
        )

    async def percentages(self) -> dict[ConditionId, Micros] | Failure:
        """Return our share of current payouts, in percent, by market."""
        query = self._whose(RouteName.REWARD_PERCENTAGES)
        return await self._requests.read(
            RouteName.REWARD_PERCENTAGES, wire.decode_percentages, query=query
        )

    def walk_markets(self, day: date) -> AsyncIterator[FetchedPage[RewardedMarket] | Failure]:
        """Yield markets with rewards and their payments to us; a failure is the last item yielded."""
        query = self._whose(RouteName.MARKET_EARNINGS, day)
        return self._requests.walk(
            RouteName.MARKET_EARNINGS, wire.decode_rewarded_markets, query=query
        )

    async def is_scoring(self, order_id: OrderId) -> bool | Failure:
        """Return whether an order earns rewards now."""
        return await self._requests.read(
            RouteName.SCORING, wire.decode_scoring, identifier=order_id
        )

    async def are_scoring(self, order_ids: Sequence[OrderId]) -> dict[OrderId, bool] | Failure:
        """Return which of several orders earn rewards now."""
        body = msgspec.json.encode(list(order_ids))
        return await self._requests.read(RouteName.SCORINGS, wire.decode_scorings, body=body)

    def _whose(self, call: RouteName, day: date | None = None) -> Query:
        # A route without credentials would not know the account.
        is_public = self._requests.routes.route(call).auth is Auth.PUBLIC
        return to_query(
            date=day.isoformat() if day is not None else None,
            signature_type=self._requests.signature_type,
            maker_address=self._requests.account.wallet if is_public else None,
        )
