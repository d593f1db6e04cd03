"""The trading host's public reads. Every method returns a value or a `Failure`."""

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import TypeVar, final

import msgspec

from pmtui.clients.clob_requests import PublicRequests
from pmtui.clients.http.client import HttpHost, Query
from pmtui.clients.http.paging import FetchedPage, walk
from pmtui.domain.answers import Failure, Page
from pmtui.domain.books.market_events import BookSnapshot
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import ListedMarket, MarketTerms, Side
from pmtui.domain.money import Micros
from pmtui.reads.trading_routes import ClobRoutes, RouteName
from pmtui.wire import clob as wire
from pmtui.wire.clob import decode_version

T = TypeVar("T")

LISTINGS = frozenset(
    {
        RouteName.MARKETS,
        RouteName.SIMPLIFIED_MARKETS,
        RouteName.SAMPLING_MARKETS,
        RouteName.SAMPLING_SIMPLIFIED_MARKETS,
    }
)
"""The host's four market lists: all or those with rewards, full rows or short ones."""

_FIDELITY_MINUTES = {
    Interval.HOUR: 1,
    Interval.SIX_HOURS: 1,
    Interval.DAY: 5,
    Interval.WEEK: 30,
    Interval.MONTH: 180,
    Interval.MAX: 1440,
}
"""Keeps every chart within about 300 to 1,000 points."""
_POINTS = 500
"""The number of points that a chart can use."""


@final
class ClobClient:
    """Public market data of the trading host."""

    def __init__(self, host: HttpHost, routes: ClobRoutes) -> None:
        """Use a host and the routes of its dialect."""
        self._requests = PublicRequests(host, routes)
        self._routes = routes

    async def server_time(self) -> datetime | Failure:
        """Return the host's clock, to the second."""
        return await self._requests.read(RouteName.TIME, wire.decode_time)

    async def book(self, token_id: TokenId) -> BookSnapshot | Failure:
        """Return one token's book."""
        return await self._requests.read(
            RouteName.BOOK, wire.decode_book, query=_of_token(token_id)
        )

    async def books(self, token_ids: Sequence[TokenId]) -> tuple[BookSnapshot, ...] | Failure:
        """Return several books, in no particular order, without those that do not exist."""
        parts = await self._in_parts(RouteName.BOOKS, wire.decode_books, _token_rows(token_ids))
        return parts if isinstance(parts, Failure) else tuple(chain.from_iterable(parts))

    async def market_terms(self, condition_id: ConditionId) -> MarketTerms | Failure:
        """Return the trading host's rules for orders in a market."""
        return await self._requests.read(
            RouteName.MARKET_TERMS, wire.decode_market_terms, identifier=condition_id
        )

    async def market_of_token(self, token_id: TokenId) -> wire.MarketOfToken | Failure:
        """Return a token's market."""
        return await self._requests.read(
            RouteName.MARKET_OF_TOKEN, wire.decode_market_of_token, identifier=token_id
        )

    async def prices_history(
        self, token_id: TokenId, interval: Interval
    ) -> tuple[PricePoint, ...] | Failure:
        """Return the price history of a token over an interval, oldest first."""
        query = (
            # The only route on which `market` is a token id.
            ("market", token_id),
            ("interval", interval.value),
            ("fidelity", str(_FIDELITY_MINUTES[interval])),
        )
        return await _history(self._requests, query)

    async def price(self, token_id: TokenId, side: Side) -> Micros | Failure:
        """Return the best bid for BUY, the best ask for SELL; sources disagree on this: prefer the book."""
        query = (("token_id", token_id), ("side", side.value))
        return await self._requests.read(RouteName.PRICE, wire.decode_price, query=query)

    async def prices(
        self, wanted: Sequence[tuple[TokenId, Side]]
    ) -> dict[TokenId, dict[Side, Micros]] | Failure:
        """Return several best prices; there is no fallback to another route."""
        rows = [{"token_id": token, "side": side.value} for token, side in wanted]
        parts = await self._in_parts(RouteName.PRICES, wire.decode_prices, rows)
        if isinstance(parts, Failure):
            return parts
        found: dict[TokenId, dict[Side, Micros]] = {}
        for token, sides in chain.from_iterable(part.items() for part in parts):
            found.setdefault(token, {}).update(sides)
        return found

    async def midpoint(self, token_id: TokenId) -> Micros | Failure:
        """Return the midpoint of best bid and best ask."""
        return await self._requests.read(
            RouteName.MIDPOINT, wire.decode_midpoint, query=_of_token(token_id)
        )

    async def midpoints(self, token_ids: Sequence[TokenId]) -> dict[TokenId, Micros] | Failure:
        """Return several midpoints."""
        return await self._by_token(RouteName.MIDPOINTS, wire.decode_amounts, token_ids)

    async def spread(self, token_id: TokenId) -> Micros | Failure:
        """Return best ask minus best bid."""
        return await self._requests.read(
            RouteName.SPREAD, wire.decode_spread, query=_of_token(token_id)
        )

    async def spreads(self, token_ids: Sequence[TokenId]) -> dict[TokenId, Micros] | Failure:
        """Return several spreads."""
        return await self._by_token(RouteName.SPREADS, wire.decode_amounts, token_ids)

    async def last_trade(self, token_id: TokenId) -> wire.LastTrade | Failure:
        """Return a token's last trade."""
        return await self._requests.read(
            RouteName.LAST_TRADE, wire.decode_last_trade, query=_of_token(token_id)
        )

    async def last_trades(
        self, token_ids: Sequence[TokenId]
    ) -> dict[TokenId, wire.LastTrade] | Failure:
        """Return several last trades; tokens that never traded are absent."""
        return await self._by_token(RouteName.LAST_TRADES, wire.decode_last_trades, token_ids)

    async def tick_size(self, token_id: TokenId) -> Micros | Failure:
        """Return a token's tick size."""
        return await self._requests.read(
            RouteName.TICK_SIZE, wire.decode_tick_size, query=_of_token(token_id)
        )

    async def neg_risk(self, token_id: TokenId) -> bool | Failure:
        """Return whether a token's market uses the negative-risk exchange."""
        return await self._requests.read(
            RouteName.NEG_RISK, wire.decode_neg_risk, query=_of_token(token_id)
        )

    async def fee_rate(self, token_id: TokenId) -> int | Failure:
        """Return the old fee in basis points; the current one is part of the market terms."""
        return await self._requests.read(
            RouteName.FEE_RATE, wire.decode_fee_rate, query=_of_token(token_id)
        )

    async def listed_market(self, condition_id: ConditionId) -> ListedMarket | Failure:
        """Return one market in the form of the lists."""
        return await self._requests.read(
            RouteName.MARKET, wire.decode_listed_market, identifier=condition_id
        )

    async def listed_markets(
        self, listing: RouteName = RouteName.MARKETS, *, cursor: str | None = None
    ) -> Page[ListedMarket] | Failure:
        """Return one page of one of the four market lists.

        Raises:
            ValueError: the call is not one of the four lists.
        """
        if listing not in LISTINGS:
            raise ValueError(f"no list of markets: {listing}")
        query = ((self._routes.cursor_name, cursor),) if cursor else ()
        return await self._requests.read(listing, wire.decode_market_page, query=query)

    def all_listed_markets(
        self, listing: RouteName = RouteName.MARKETS
    ) -> AsyncIterator[FetchedPage[ListedMarket] | Failure]:
        """Yield every page of a market list; a failure is the last thing yielded."""
        return walk(
            lambda cursor: self.listed_markets(listing, cursor=cursor), self._routes.route(listing)
        )

    async def _by_token(
        self,
        call: RouteName,
        decode: Callable[[bytes], dict[TokenId, T]],
        token_ids: Sequence[TokenId],
    ) -> dict[TokenId, T] | Failure:
        parts = await self._in_parts(call, decode, _token_rows(token_ids))
        if isinstance(parts, Failure):
            return parts
        return dict(chain.from_iterable(part.items() for part in parts))

    async def _in_parts(
        self, call: RouteName, decode: Callable[[bytes], T], rows: Sequence[object]
    ) -> list[T] | Failure:
        """Query more items than one request allows, in several requests."""
        parts: list[T] = []
        step = self._routes.max_books
        for start in range(0, len(rows), step):
            body = msgspec.json.encode(rows[start : start + step])
            part = await self._requests.read(call, decode, body=body)
            if isinstance(part, Failure):
                return part
            parts.append(part)
        return parts


def _of_token(token_id: TokenId) -> Query:
    return (("token_id", token_id),)


def _token_rows(token_ids: Sequence[TokenId]) -> list[dict[str, TokenId]]:
    return [{"token_id": token_id} for token_id in token_ids]


async def _history(requests: PublicRequests, query: Query) -> tuple[PricePoint, ...] | Failure:
    answer = await requests.read(RouteName.PRICES_HISTORY, wire.decode_prices_history, query=query)
    return answer if isinstance(answer, Failure) else answer.items


@final
class HistoryClient:
    """Price histories of several tokens at once, and of one token between two times."""

    def __init__(self, host: HttpHost, routes: ClobRoutes) -> None:
        """Use a host and the routes of its dialect."""
        self._requests = PublicRequests(host, routes)
        self._routes = routes

    async def histories(
        self, token_ids: Sequence[TokenId], interval: Interval, *, fidelity_minutes: int
    ) -> dict[TokenId, tuple[PricePoint, ...]] | Failure:
        """Return several price histories over one interval, each oldest first."""
        found: dict[TokenId, tuple[PricePoint, ...]] = {}
        step = self._routes.max_histories
        for start in range(0, len(token_ids), step):
            body = msgspec.json.encode(
                {
                    "markets": token_ids[start : start + step],
                    "interval": interval.value,
                    "fidelity": fidelity_minutes,
                }
            )
            part = await self._requests.read(
                RouteName.PRICES_HISTORIES, wire.decode_prices_histories, body=body
            )
            if isinstance(part, Failure):
                return part
            found |= part
        return found

    async def between(
        self, token_id: TokenId, start: datetime, end: datetime
    ) -> tuple[PricePoint, ...] | Failure:
        """Return the price history of a token between two times, oldest first."""
        minutes = max(1, (end - start) // timedelta(minutes=_POINTS))
        query = (
            ("market", token_id),
            ("startTs", str(int(start.timestamp()))),
            ("endTs", str(int(end.timestamp()))),
            ("fidelity", str(minutes)),
        )
        return await _history(self._requests, query)


@final
class HostCheck:
    """Checks of the trading host itself."""

    def __init__(self, host: HttpHost, routes: ClobRoutes) -> None:
        """Use a host and the routes of its dialect."""
        self._requests = PublicRequests(host, routes)

    async def reach(self) -> Failure | None:
        """Return why the host cannot be reached; any reply counts as success."""
        answer = await self._requests.read(RouteName.CHECK, len)
        return answer if isinstance(answer, Failure) else None

    async def order_version(self) -> int | Failure:
        """Return the version of orders that the host accepts; ours is the second."""
        return await self._requests.read(RouteName.VERSION, decode_version)
