"""Lists read over several pages, and lists whose rows are decoded one by one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pmtui.clients.http.client import HttpHost, Query
from pmtui.clients.http.failures import unreadable
from pmtui.domain.answers import MAX_PAGES, Failure, Listing, Named, Page
from pmtui.reads.routes import Pages, Paging
from pmtui.reads.trading_routes import ClobRoute
from pmtui.wire.bounds import WireError
from pmtui.wire.rows import Rows

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

LONG_ANSWER = 100_000
"""Bytes. Decoding a page of events takes longer than a key may wait, so it runs in a thread."""

SkipObserver = Callable[[str, tuple[str, ...]], None]
"""Called with the route and the reasons if rows of a reply could not be decoded."""


@dataclass(frozen=True, slots=True)
class FetchedPage(Generic[T_co]):
    """One page of a walk."""

    items: tuple[T_co, ...]
    seen: int
    """Items so far, including this page."""
    pages: int
    """Pages so far, including this one."""
    skipped: int
    """Rows of this page that could not be decoded."""
    total: int | None
    """Items in the whole list, if the host states it."""
    unread: tuple[Named, ...] = ()
    """Orders named by the skipped rows."""
    is_cut: bool = False
    """Whether the list continues but will not be read further."""


ReadPage = Callable[[str | None], Awaitable[Page[T] | Failure]]
"""Reads the page of a cursor; None is the first page."""


async def walk(
    read_page: ReadPage[T], route: ClobRoute, *, max_pages: int = MAX_PAGES
) -> AsyncIterator[FetchedPage[T] | Failure]:
    """Yield every page of a list; a failure is the last item yielded.

    A repeated cursor ends the walk: a cursor names a position, so the rest is known.
    """
    cursor: str | None = None
    met: set[str] = set()
    seen = 0
    for pages in range(1, max_pages + 1):
        page = await read_page(cursor)
        if isinstance(page, Failure):
            yield page
            return
        seen += len(page.items)
        cursor = page.next_cursor
        is_last = cursor is None or cursor in met
        is_cut = not is_last and pages == max_pages
        yield FetchedPage(page.items, seen, pages, page.skipped, page.total, page.unread, is_cut)
        if is_last or cursor is None:
            return
        met.add(cursor)
    yield route.withheld(f"more than {max_pages} pages")


async def collect(steps: AsyncIterator[FetchedPage[T] | Failure]) -> tuple[T, ...] | Failure:
    """Return the whole list, or why there is none: part of a list must not be shown as the whole."""
    found: list[T] = []
    async for step in steps:
        if isinstance(step, Failure):
            return step
        found.extend(step.items)
    return tuple(found)


async def collect_listing(steps: AsyncIterator[FetchedPage[T] | Failure]) -> Listing[T] | Failure:
    """Return the whole list, or as much of it as the page limit allows, and what is missing."""
    found: list[T] = []
    unread: list[Named] = []
    skipped, is_whole = 0, True
    async for step in steps:
        if isinstance(step, Failure):
            return step
        found.extend(step.items)
        unread.extend(step.unread)
        skipped += step.skipped
        if step.is_cut:
            is_whole = False
            break
    return Listing(tuple(found), skipped, is_whole, tuple(unread))


async def walk_rows(
    fetch: Callable[[Query], Awaitable[Rows[T] | Failure]],
    pages: Pages | None,
    *,
    most_on_page: int,
) -> AsyncIterator[Rows[T] | Failure]:
    """Yield the pages of a list, each without rows that repeat those before; a failure is the last item.

    Args:
        fetch: requests a page, given the query for its size and place.
        pages: how the list is paged; None if all of it is one page.
        most_on_page: rows wanted on a page; the route's own limit also applies.
    """
    if pages is None:
        yield await fetch(())
        return
    size = min(most_on_page, pages.size)
    known: tuple[T, ...] = ()
    place = ""
    while True:
        at = ((pages.key, place),) if place else ()
        rows = await fetch(((pages.size_key, str(size)), *at))
        if isinstance(rows, Failure):
            yield rows
            return
        moved = _overlap(known, rows.items) if pages.paging is Paging.OFFSET else 0
        items = rows.items[moved:]
        known = (*known, *items)[-max(size, len(rows.items)) :]
        following = _following(pages, place, rows, size)
        yield replace(rows, items=items, next_cursor=following)
        if following is None:
            return
        place = following


def _following(pages: Pages, place: str, rows: Rows[T], size: int) -> str | None:
    match pages.paging:
        case Paging.CURSOR:
            # A host that ignores the cursor would send the first page forever.
            return rows.next_cursor if rows.next_cursor != place else None
        case Paging.NUMBER:
            return str(int(place or "1") + 1) if rows.next_cursor is not None else None
        case Paging.OFFSET:
            if rows.received < size:
                return None
            # One row is requested twice, so that a list that grew meanwhile shows by how much it
            # moved.
            return str(int(place or "0") + max(rows.received - 1, 1))


def _overlap(known: tuple[T, ...], page: tuple[T, ...]) -> int:
    """Return how many rows at the start of a page repeat the end of the known ones.

    Rows have no id and equal ones occur (docs/wire.md#analytics-host), so they are distinguished by position:
    a set would lose the second of two equal trades.
    """
    for count in range(1, min(len(known), len(page)) + 1):
        if known[-count] == page[0] and known[-count:] == page[:count]:
            return count
    return 0


def ignore_skips(_route: str, _reasons: tuple[str, ...]) -> None:
    """Ignore skipped rows; they are still counted on the page."""


async def read_rows(
    host: HttpHost,
    route: str,
    query: Query,
    *,
    decode: Callable[[bytes], Rows[T]],
    observe_skips: SkipObserver = ignore_skips,
) -> Rows[T] | Failure:
    """Request one list and decode its rows."""
    body = await host.read(route, query=query)
    if isinstance(body, Failure):
        return body
    try:
        is_long = len(body) >= LONG_ANSWER
        rows = await asyncio.to_thread(decode, body) if is_long else decode(body)
    except WireError as error:
        return unreadable(f"GET {route}", error)
    if rows.skipped:
        observe_skips(f"GET {route}", rows.reasons)
    return rows
