from collections.abc import Awaitable, Callable
from threading import get_ident

import pytest

from pmtui.clients.http.paging import LONG_ANSWER, FetchedPage, collect, read_rows, walk
from pmtui.domain.answers import Failure, FailureKind, Page
from pmtui.reads.trading_routes import ClobRoute
from pmtui.wire.bounds import WireError
from pmtui.wire.rows import Rows
from tests.clients.raw_server import answering, serving

ROUTE = ClobRoute("GET", "/numbers")
LOST = Failure(FailureKind.LOST, "GET /numbers", "gone")


def reading(
    pages: dict[str | None, Page[int] | Failure], asked: list[str | None]
) -> Callable[[str | None], Awaitable[Page[int] | Failure]]:
    async def read_page(cursor: str | None) -> Page[int] | Failure:
        asked.append(cursor)
        return pages[cursor]

    return read_page


async def test_a_walk_counts_what_it_has_seen() -> None:
    pages: dict[str | None, Page[int] | Failure] = {
        None: Page((1, 2), "b", 0, 5),
        "b": Page((3,), "c", 1, 5),
        "c": Page((4, 5), None, 0, 5),
    }
    asked: list[str | None] = []
    steps = [step async for step in walk(reading(pages, asked), ROUTE)]
    assert steps == [
        FetchedPage((1, 2), 2, 1, 0, 5),
        FetchedPage((3,), 3, 2, 1, 5),
        FetchedPage((4, 5), 5, 3, 0, 5),
    ]
    assert asked == [None, "b", "c"]


async def test_a_walk_can_be_left_early() -> None:
    asked: list[str | None] = []
    steps = walk(reading({None: Page((1,), "b")}, asked), ROUTE)
    assert isinstance(await anext(steps), FetchedPage)
    assert asked == [None]


async def test_a_failure_ends_a_walk_and_spoils_a_collection() -> None:
    pages: dict[str | None, Page[int] | Failure] = {None: Page((1,), "b"), "b": LOST}
    steps = [step async for step in walk(reading(pages, []), ROUTE)]
    assert steps[-1] is LOST
    assert await collect(walk(reading(pages, []), ROUTE)) is LOST


@pytest.mark.parametrize("names", [("a", "a"), ("a", "b", "a")])
async def test_cursors_that_go_in_circles_end_the_walk(names: tuple[str, ...]) -> None:
    pages: dict[str | None, Page[int] | Failure] = {}
    cursor: str | None = None
    for name in names:
        pages[cursor] = Page((1,), name)
        cursor = name
    assert await collect(walk(reading(pages, []), ROUTE)) == (1,) * len(pages)


async def test_ever_new_cursors_end_in_a_failure() -> None:
    async def read_page(cursor: str | None) -> Page[int] | Failure:
        return Page((1,), f"{cursor}x")

    told = await collect(walk(read_page, ROUTE, max_pages=3))
    assert isinstance(told, Failure)
    assert (told.kind, told.text) == (FailureKind.CANCELLED, "more than 3 pages")


async def test_a_page_says_how_many_were_seen_so_far() -> None:
    pages: dict[str | None, Page[int] | Failure] = {None: Page((1, 2), "b"), "b": Page((3,), None)}
    pages_read = [each async for each in walk(reading(pages, []), ROUTE)]
    assert [each.seen for each in pages_read if isinstance(each, FetchedPage)] == [2, 3]


@pytest.mark.parametrize(("size", "is_aside"), [(LONG_ANSWER - 1, False), (LONG_ANSWER, True)])
async def test_a_long_answer_does_not_hold_up_the_loop(size: int, is_aside: bool) -> None:
    def decode(body: bytes) -> Rows[bool]:
        return Rows((get_ident() != here, len(body) == size), skipped=1, reasons=("odd",))

    here, told = get_ident(), list[tuple[str, tuple[str, ...]]]()
    async with serving(answering(b"x" * size)) as server:
        rows = await read_rows(
            server.host(), "/rows", (), decode=decode, observe_skips=lambda *each: told.append(each)
        )
    assert isinstance(rows, Rows)
    assert rows.items == (is_aside, True)
    assert told == [("GET /rows", ("odd",))]


async def test_a_long_answer_that_cannot_be_read_is_a_failure() -> None:
    def decode(_: bytes) -> Rows[bool]:
        raise WireError("rows", "missing")

    async with serving(answering(b"x" * LONG_ANSWER)) as server:
        rows = await read_rows(
            server.host(), "/rows", (), decode=decode, observe_skips=lambda *_: None
        )
    assert isinstance(rows, Failure)
    assert rows.kind is FailureKind.SERVER
