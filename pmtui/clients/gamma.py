"""The metadata host: events, markets, tags and comments. Read-only, without credentials."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import quote

from pmtui.clients.http.client import HttpHost
from pmtui.clients.http.failures import unreadable
from pmtui.clients.http.paging import read_rows
from pmtui.config.endpoints import Dialect
from pmtui.domain.answers import Failure, FailureKind, Page
from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.markets.market import Comment, Event, Market, MarketSort, Tag
from pmtui.reads.routes import Pages, Paging, Route, by_offset
from pmtui.wire.bounds import WireError
from pmtui.wire.gamma import (
    decode_comments,
    decode_event,
    decode_events,
    decode_markets,
    decode_search,
    decode_tags,
)
from pmtui.wire.rows import Rows

T = TypeVar("T")

EVENTS = {
    Dialect.SEED: Route("GET /events", by_offset(50)),
    Dialect.LIVE: Route("GET /events/keyset", Pages(Paging.CURSOR, "after_cursor", 50)),
}
"""See docs/wire.md#dialects and #metadata-host; the dialects share the other routes."""
EVENT = "/events/{id}"
MARKETS = "/markets"
SEARCH = "/public-search"
EVENT_ORDER = {
    MarketSort.VOLUME_24H: ("volume24hr", "false"),
    MarketSort.VOLUME: ("volume", "false"),
    MarketSort.LIQUIDITY: ("liquidity", "false"),
    MarketSort.NEWEST: ("createdAt", "false"),
    MarketSort.ENDING_SOON: ("endDate", "true"),
}
"""`order` and `ascending` of the event lists: field names in camel case (docs/wire.md#metadata-host)."""
PAGE_OF_TAGS = 100
PAGE_OF_COMMENTS = 40
HITS = 20


class GammaClient:
    """Implements the service's metadata port."""

    def __init__(self, host: HttpHost, dialect: Dialect, *, now: Callable[[], datetime]) -> None:
        self._host = host
        self._events = EVENTS[dialect]
        self._now = now

    async def list_events(
        self,
        *,
        sort: MarketSort,
        tag_slug: str,
        include_closed: bool,
        cursor: str | None,
        is_reversed: bool = False,
    ) -> Page[Event] | Failure:
        """Return a page of events with their markets; `cursor` is None for the first."""
        route, pages = self._events, self._events.pages
        assert pages is not None
        ends_after, place = self._place(sort, cursor)
        order, ascending = EVENT_ORDER[sort]
        if is_reversed:
            ascending = "false" if ascending == "true" else "true"
        query = [("limit", str(pages.size)), ("order", order), ("ascending", ascending)]
        if not include_closed:
            query.append(("closed", "false"))
        if tag_slug:
            query.append(("tag_slug", tag_slug))
        if ends_after:
            query.append(("end_date_min", ends_after))
        if place:
            query.append((pages.key, place))
        rows = await self._rows(route.path, query, decode_events)
        if isinstance(rows, Failure):
            return rows
        following = _following(pages, place, rows)
        if following is not None and ends_after:
            following = f"{ends_after} {following}"
        return Page(items=rows.items, next_cursor=following, skipped=rows.skipped)

    async def event(self, event_id: EventId) -> Event | Failure:
        """Return one event with its markets."""
        body = await self._host.read(EVENT.format(id=quote(event_id, safe="")), route=EVENT)
        if isinstance(body, Failure):
            return body
        try:
            return decode_event(body)
        except WireError as error:
            return unreadable(f"GET {EVENT}", error)

    async def market(self, condition_id: ConditionId) -> Market | Failure:
        """Return one market, including closed ones.

        The host hides closed markets unless only those are requested, so it may take two requests.
        """
        for closed in ("false", "true"):
            query = [("condition_ids", condition_id), ("closed", closed)]
            rows = await self._rows(MARKETS, query, decode_markets)
            if isinstance(rows, Failure):
                return rows
            for market in rows.items:
                if market.condition_id == condition_id:
                    return market
        return Failure(FailureKind.NOT_FOUND, f"GET {MARKETS}", "no such market")

    async def search(self, text: str) -> Page[Event] | Failure:
        """Return the venue's search result: the best events, each with all its markets."""
        query = [("q", text), ("limit_per_type", str(HITS)), ("keep_closed_markets", "1")]
        return _to_page(await self._rows(SEARCH, query, decode_search))

    async def tags(self) -> Page[Tag] | Failure:
        """Return the first page of tags."""
        query = [("limit", str(PAGE_OF_TAGS))]
        return _to_page(await self._rows("/tags", query, decode_tags))

    async def comments(self, event_id: EventId) -> Page[Comment] | Failure:
        """Return the newest comments of an event."""
        query = [
            ("parent_entity_type", "Event"),
            ("parent_entity_id", event_id),
            ("limit", str(PAGE_OF_COMMENTS)),
            ("order", "createdAt"),
            ("ascending", "false"),
        ]
        return _to_page(await self._rows("/comments", query, decode_comments))

    def _place(self, sort: MarketSort, cursor: str | None) -> tuple[str, str]:
        # Hundreds of events are open past their end date (docs/wire.md#metadata-host) and would
        # lead the list. The time belongs to the host's cursor, so it is stored inside ours.
        if sort is not MarketSort.ENDING_SOON:
            return "", cursor or ""
        if cursor is None:
            return self._now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), ""
        ends_after, _, place = cursor.partition(" ")
        return ends_after, place

    async def _rows(
        self, route: str, query: list[tuple[str, str]], decode: Callable[[bytes], Rows[T]]
    ) -> Rows[T] | Failure:
        return await read_rows(self._host, route, query, decode=decode)


def _following(pages: Pages, place: str, rows: Rows[Event]) -> str | None:
    if pages.paging is Paging.CURSOR:
        # A host that ignores the cursor would send the first page forever.
        return rows.next_cursor if rows.next_cursor != place else None
    offset = int(place or "0") + rows.received
    is_full = rows.received >= pages.size
    return str(offset) if is_full and offset < pages.most else None


def _to_page(rows: Rows[T] | Failure) -> Page[T] | Failure:
    return rows if isinstance(rows, Failure) else rows.to_page()
