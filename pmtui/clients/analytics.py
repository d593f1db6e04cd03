"""The analytics host: a wallet's positions, closed positions and activity. Read-only, without credentials.

Its lists are read to their end, within limits: showing half a portfolio as the whole would be wrong,
so a failed page fails the list. The geographic check is here too: its result is displayed, and never
worked around.
"""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from pmtui.clients.http.client import HttpHost, Query
from pmtui.clients.http.failures import unreadable
from pmtui.clients.http.paging import SkipObserver, ignore_skips, read_rows, walk_rows
from pmtui.config.endpoints import Dialect
from pmtui.domain.account.position import Activity, ClosedPosition, Position
from pmtui.domain.answers import Failure, GeoAnswer, Listing, Value
from pmtui.domain.books.tape import MOST, PastTrades
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.markets.market import Holder
from pmtui.domain.orders.order import TradePrint
from pmtui.reads.routes import ANALYTICS_ROUTES, Route
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

LARGEST_PAGE = 500
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
        self._routes = ANALYTICS_ROUTES[dialect]
        self._observe_skips = observe_skips

    async def positions(self, user: Address) -> Listing[Position] | Failure:
        """Return a wallet's positions, however small, and how many could not be decoded."""
        return await self._all(
            self._routes.positions, decode_positions, ("user", user), most=10_000
        )

    async def closed_positions(self, user: Address) -> Listing[ClosedPosition] | Failure:
        """Return a wallet's closed positions, last closed first."""
        return await self._all(
            self._routes.closed_positions, decode_closed_positions, ("user", user), most=1_000
        )

    async def activity(self, user: Address) -> Listing[Activity] | Failure:
        """Return a wallet's public history, newest first, as far back as the limits allow."""
        return await self._all(self._routes.activity, decode_activity, ("user", user), most=2_000)

    async def value(self, user: Address) -> Value | Failure:
        """Return the value of a wallet's positions."""
        route = self._routes.value
        body = await self._host.read(route.path, query=[("user", user)])
        if isinstance(body, Failure):
            return body
        try:
            return decode_value(body)
        except WireError as error:
            return unreadable(route.label, error)

    async def holders(self, condition_id: ConditionId) -> tuple[Holder, ...] | Failure:
        """Return the largest holders of a market's tokens."""
        query = ((self._routes.market_key, condition_id), *self._routes.holders.fixed)
        rows = await self._page(self._routes.holders, query, decode_holders)
        return rows if isinstance(rows, Failure) else rows.items

    async def trades(self, condition_id: ConditionId) -> tuple[TradePrint, ...] | Failure:
        """Return a market's newest trades, each once and from the taker's side, newest first."""
        query = ((self._routes.market_key, condition_id), ("limit", str(MOST)))
        rows = await self._page(self._routes.trades, query, decode_prints)
        return rows if isinstance(rows, Failure) else rows.items

    async def trades_since(
        self, condition_id: ConditionId, since: datetime
    ) -> PastTrades | Failure:
        """Return a market's trades from a moment on, newest first, within the route's limits."""
        named = (self._routes.market_key, condition_id)
        start = ("start", str(int(since.timestamp())))
        found = await self._all(self._routes.trades, decode_prints, named, start, most=2_000)
        if isinstance(found, Failure):
            return found
        prints = tuple(sorted(found.items, key=lambda trade: trade.at, reverse=True))
        return PastTrades(prints, found.is_whole, is_readable=not found.skipped)

    async def _all(
        self,
        route: Route,
        decode: Callable[[bytes], Rows[T]],
        *about: tuple[str, str],
        most: int,
    ) -> Listing[T] | Failure:
        """Read a list to its end, but no further than `most` rows, so that no host keeps us busy forever."""

        async def fetch(page: Query) -> Rows[T] | Failure:
            return await self._page(route, (*about, *route.fixed, *page), decode)

        items: list[T] = []
        received = skipped = 0
        async for rows in walk_rows(fetch, route.pages, most_on_page=LARGEST_PAGE):
            if isinstance(rows, Failure):
                return rows
            items.extend(rows.items)
            received += rows.received
            skipped += rows.skipped
            if rows.next_cursor is not None and received >= (self._max_rows or most):
                beyond = f"what comes after the first {len(items)} was not asked for"
                self._observe_skips(route.label, (beyond,))
                return Listing(tuple(items), is_whole=False, skipped=skipped)
        return Listing(tuple(items), is_whole=True, skipped=skipped)

    async def _page(
        self, route: Route, query: Query, decode: Callable[[bytes], Rows[T]]
    ) -> Rows[T] | Failure:
        return await read_rows(
            self._host, route.path, query, decode=decode, observe_skips=self._observe_skips
        )


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
