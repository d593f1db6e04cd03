"""Which markets pay for resting orders, and what makers got back: readable by anybody."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date
from typing import final

from pmtui.clients.clob_requests import PublicRequests
from pmtui.clients.http.client import HttpHost
from pmtui.clients.http.page_reading import named
from pmtui.clients.http.paging import Step, collect
from pmtui.clients.routes_clob import Call, ClobRoutes
from pmtui.domain.answers import Failure
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.markets.rewards import Rebate, RewardedMarket
from pmtui.wire import clob_rewards as wire

_PAGE_SIZE = 500


@dataclass(frozen=True, slots=True)
class RewardSearch:
    """What to look for among the markets with rewards; what is empty does not narrow."""

    text: str = ""
    tag_slug: str = ""
    order_by: str = ""
    """A field of the rows, in the host's spelling."""
    is_descending: bool = True


@final
class RewardsClient:
    """Public rewards of the trading host."""

    def __init__(self, host: HttpHost, routes: ClobRoutes) -> None:
        """Take the host and the dialect it speaks."""
        self._requests = PublicRequests(host, routes)

    def walk_rewards(
        self, *, is_sponsored: bool | None = None
    ) -> AsyncIterator[Step[RewardedMarket] | Failure]:
        """Yield every market with rewards, page by page; a failure is the last thing yielded."""
        sponsored = None if is_sponsored is None else str(is_sponsored).lower()
        query = named(sponsored=sponsored)
        return self._requests.walk(Call.REWARDS, wire.decode_rewarded_markets, query=query)

    async def rewards(self) -> tuple[RewardedMarket, ...] | Failure:
        """Return every market with rewards."""
        return await collect(self.walk_rewards())

    async def of_market(self, condition_id: ConditionId) -> tuple[RewardedMarket, ...] | Failure:
        """Return the rewards of one market; empty where it has none."""
        return await collect(
            self._requests.walk(
                Call.MARKET_REWARDS, wire.decode_rewarded_markets, identifier=condition_id
            )
        )

    def search(
        self, wanted: RewardSearch | None = None
    ) -> AsyncIterator[Step[RewardedMarket] | Failure]:
        """Yield markets with rewards that match, page by page; a failure is the last thing."""
        wanted = wanted or RewardSearch()
        query = named(
            q=wanted.text,
            tag_slug=wanted.tag_slug,
            order_by=wanted.order_by,
            position=("DESC" if wanted.is_descending else "ASC") if wanted.order_by else None,
            page_size=str(_PAGE_SIZE),
        )
        return self._requests.walk(Call.REWARD_SEARCH, wire.decode_rewarded_markets, query=query)

    async def rebates(self, day: date, maker: Address) -> tuple[Rebate, ...] | Failure:
        """Return what a maker got back of a day's fees, by market."""
        query = named(date=day.isoformat(), maker_address=maker)
        return await collect(self._requests.walk(Call.REBATES, wire.decode_rebates, query=query))
