"""Walking a list by the cursors of the trading host, page by page, with how far one is."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pmtui.clients.routes_clob import Route
from pmtui.domain.answers import Page
from pmtui.domain.failure import Failure

T = TypeVar("T")

MAX_PAGES = 500
"""A host that names ever new cursors must not keep us for ever."""


@dataclass(frozen=True, slots=True)
class Step(Generic[T]):
    """One page of a walk."""

    items: tuple[T, ...]
    seen: int
    """Items so far, these included."""
    pages: int
    """Pages so far, this one included."""
    skipped: int
    """Rows of this page that could not be read."""
    total: int | None
    """Items of the whole list, where the host says so."""


ReadPage = Callable[[str | None], Awaitable[Page[T] | Failure]]
"""Reads the page of a cursor, the first one for None."""


async def walk(
    read_page: ReadPage[T], route: Route, *, max_pages: int = MAX_PAGES
) -> AsyncIterator[Step[T] | Failure]:
    """Yield every page of a list; a failure is the last thing yielded.

    A cursor that was met before ends the walk: cursors name places, so the rest is known.
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
        yield Step(page.items, seen, pages, page.skipped, page.total)
        cursor = page.next_cursor
        if cursor is None or cursor in met:
            return
        met.add(cursor)
    yield route.withheld(f"more than {max_pages} pages")


async def collect(
    steps: AsyncIterator[Step[T] | Failure],
    *,
    on_step: Callable[[Step[T]], None] = lambda _step: None,
) -> tuple[T, ...] | Failure:
    """Return the whole list, or why there is none: half of it shown as the whole would be a lie."""
    found: list[T] = []
    async for step in steps:
        if isinstance(step, Failure):
            return step
        found.extend(step.items)
        on_step(step)
    return tuple(found)
