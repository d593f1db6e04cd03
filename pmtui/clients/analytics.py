"""The analytics host: a wallet's positions, closed positions and activity. Read-only, without credentials.

Its lists are read to their end, within limits: showing half a portfolio as the whole would be wrong,
so a failed page fails the list. The geographic check is here too: its result is displayed, and never
worked around.
"""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from pmtui.clients.http.client import HttpHost
from pmtui.clients.http.failures import unreadable
from pmtui.clients.http.paging import SkipObserver, ignore_skips, read_rows
from pmtui.clients.routes import ANALYTICS_ROUTES, AnalyticsRoutes, ListRoute, Paging
from pmtui.config.endpoints import Dialect
from pmtui.domain.account.position import Activity, ClosedPosition, Position
from pmtui.domain.answers import Failure, GeoAnswer, Listing, Value
from pmtui.domain.books.tape import MOST, PastTrades
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.markets.market import Holder
from pmtui.domain.orders.order import TradePrint
from pmtui.wire.analytics import (
    decode_activity,
    decode_closed_positions,
    decode_holders,
    decode_positions,
    decode_prints,
    decode_value,
)
from pmtui.wire.bounds import WireError
from pmtui.wire.gamma import decode_geo_answer
from pmtui.wire.rows import Rows

T = TypeVar("T")

HOLDERS = 20
"""Holders per token; the most the host returns."""
ROUTE = "geographic check"


class AnalyticsClient:
    """Implements the service's analytics port."""

    def __init__(
        self,
        host: HttpHost,
        dialect: Dialect,
        *,
        observe_skips: SkipObserver = ignore_skips,
        max_rows: int | None = None,
    ) -> None:
        """Prepare to read.

        Args:
            host: the analytics host.
            dialect: the host's dialect.
            observe_skips: called for everything left out: unreadable rows, and rows beyond the
                limit.
            max_rows: where reading a list stops, instead of at the usual limit for screens.
        """
        self._host = host
        self._max_rows = max_rows
        self._routes: AnalyticsRoutes = ANALYTICS_ROUTES[dialect]
        self._observe_skips = observe_skips

    async def positions(self, user: Address) -> Listing[Position] | Failure:
        """Return a wallet's positions, however small, and how many could not be decoded."""
        return await self._all(self._routes.positions, user, decode_positions)

    async def closed_positions(self, user: Address) -> Listing[ClosedPosition] | Failure:
        """Return a wallet's closed positions, last closed first."""
        return await self._all(self._routes.closed_positions, user, decode_closed_positions)

    async def activity(self, user: Address) -> Listing[Activity] | Failure:
        """Return a wallet's public history, newest first, as far back as the limits allow."""
        return await self._all(self._routes.activity, user, decode_activity)

    async def value(self, user: Address) -> Value | Failure:
        """Return the value of a wallet's positions."""
        route = self._routes.value
        body = await self._host.read(route, query=[("user", user)])
        if isinstance(body, Failure):
            return body
        try:
            return decode_value(body)
        except WireError as error:
            return unreadable(f"GET {route}", error)

    async def holders(self, condition_id: ConditionId) -> tuple[Holder, ...] | Failure:
        """Return the largest holders of a market's tokens."""
        query = [(self._routes.market_key, condition_id), ("limit", str(HOLDERS))]
        rows = await self._page(self._routes.holders, query, decode_holders)
        return rows if isinstance(rows, Failure) else rows.items

    async def trades(self, condition_id: ConditionId) -> tuple[TradePrint, ...] | Failure:
        """Return a market's newest trades, each once and from the taker's side, newest first."""
        # Both dialects list only the takers' sides unless told otherwise.
        query = [(self._routes.market_key, condition_id), ("limit", str(MOST))]
        rows = await self._page(self._routes.trades.path, query, decode_prints)
        return rows if isinstance(rows, Failure) else rows.items

    async def trades_since(
        self, condition_id: ConditionId, since: datetime
    ) -> PastTrades | Failure:
        """Return a market's trades from a moment on, newest first, within the route's limits."""
        start = ("start", str(int(since.timestamp())))
        named = (self._routes.market_key, condition_id)
        found = await self._walk(self._routes.trades, (named, start), decode_prints)
        if isinstance(found, Failure):
            return found
        prints = tuple(sorted(found.items, key=lambda trade: trade.at, reverse=True))
        return PastTrades(prints, found.is_whole, is_readable=not found.skipped)

    async def _all(
        self, route: ListRoute, user: Address, decode: Callable[[bytes], Rows[T]]
    ) -> Listing[T] | Failure:
        return await self._walk(route, (("user", user),), decode)

    async def _walk(
        self,
        route: ListRoute,
        about: tuple[tuple[str, str], ...],
        decode: Callable[[bytes], Rows[T]],
    ) -> Listing[T] | Failure:
        items: list[T] = []
        received = skipped = 0
        place = ""
        while True:
            query = [*about, ("limit", str(route.limit)), *route.fixed]
            if place:
                query.append((route.cursor_key, place))
            rows = await self._page(route.path, query, decode)
            if isinstance(rows, Failure):
                return rows
            overlap = _overlap(items, rows.items) if route.paging is Paging.OFFSET else 0
            items.extend(rows.items[overlap:])
            received += rows.received
            skipped += rows.skipped
            following = _following(route, place, rows)
            if following is None:
                return Listing(tuple(items), is_whole=True, skipped=skipped)
            if received >= (self._max_rows or route.max_rows):
                beyond = f"what comes after the first {len(items)} was not asked for"
                self._observe_skips(f"GET {route.path}", (beyond,))
                return Listing(tuple(items), is_whole=False, skipped=skipped)
            place = following

    async def _page(
        self, route: str, query: list[tuple[str, str]], decode: Callable[[bytes], Rows[T]]
    ) -> Rows[T] | Failure:
        return await read_rows(
            self._host, route, query, decode=decode, observe_skips=self._observe_skips
        )


def _following(route: ListRoute, place: str, rows: Rows[T]) -> str | None:
    if route.paging is Paging.CURSOR:
        return rows.next_cursor if rows.next_cursor != place else None
    if rows.received < route.limit:
        return None
    # One row is requested twice, so that a list that grew meanwhile shows by how much it moved.
    return str(int(place or "0") + rows.received - 1)


def _overlap(known: list[T], page: tuple[T, ...]) -> int:
    """Return how many rows at the start of a page repeat the end of the known ones.

    Rows have no id and equal ones occur (docs/wire.md#analytics-host), so they are distinguished by position:
    a set would lose the second of two equal trades.
    """
    for count in range(1, min(len(known), len(page)) + 1):
        if known[-count] == page[0] and tuple(known[-count:]) == page[:count]:
            return count
    return 0


class GeoblockClient:
    """Implements our geographic port."""

    def __init__(self, host: HttpHost) -> None:
        """Use a host whose address is the full URL of the check."""
        self._host = host

    async def check(self) -> GeoAnswer | Failure:
        """Return the venue's view of our location."""
        body = await self._host.read("", route=ROUTE)
        if isinstance(body, Failure):
            return body
        try:
            return decode_geo_answer(body)
        except WireError as error:
            return unreadable(f"GET {ROUTE}", error)
