"""In calm mode a change is painted once, and nothing is painted after it."""

from dataclasses import replace

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import TokenId
from pmtui.domain.money import SCALE, Micros
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.surface import Options
from tests.ui.stage import Stage, painted
from tests.ui.wait import settle

CENT = 10_000


def book(size: int) -> BookView:
    bids = (Level(Micros(50 * CENT), Micros(size * SCALE)),)
    return BookView(TokenId("1"), BookState.LIVE, bids, (), Micros(CENT), version=size)


async def _colours(*, is_calm: bool) -> set[object]:
    """Return the backgrounds of the ladder right after a level has changed."""
    ladder = LadderPane()
    ladder.repaint.is_calm = is_calm
    async with Stage(ladder).run_test(size=(60, 20)) as pilot:
        ladder.show(book(10))
        await settle(pilot)
        ladder.show(replace(book(25)))
        return {
            segment.style.bgcolor
            for strip in painted(ladder)
            for segment in strip
            if segment.style is not None
        }


async def test_a_change_stands_out_unless_the_trader_wants_calm() -> None:
    assert len(await _colours(is_calm=False)) == len(await _colours(is_calm=True)) + 1


def test_motion_is_on_unless_asked_otherwise() -> None:
    assert not Options().is_calm
