"""How much of the program one change of a book goes through, until it is on the screen."""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import FrameType

from textual.pilot import Pilot

import pmtui
from pmtui.domain.books.book_view import Level
from pmtui.domain.money import SCALE, Micros
from pmtui.service.topics import BookTopic
from pmtui.ui.market.market import MarketScreen
from tests.ui.demo_market import MarketDemo
from tests.ui.moving_market import YES
from tests.ui.wait import settle, until

PACKAGE = str(Path(pmtui.__file__).parent)
DEEP = 4
MOST_FILES, MOST_CALLS = 30, 900


class Calls:
    """Counts calls of the program's own functions by file."""

    def __init__(self) -> None:
        self.by_file = Counter[str]()

    def __enter__(self) -> "Calls":
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(PACKAGE):
            self.by_file[file] += 1


def add_behind_touch(app: MarketDemo, shares: int) -> None:
    """Announce more shares at a price that is not the best one."""
    service = app.market.service
    book = service.books[YES]
    bids = list(book.bids)
    bids[DEEP] = Level(bids[DEEP].price, Micros(bids[DEEP].size + shares * SCALE))
    service.books[YES] = replace(book, bids=tuple(bids), version=book.version + 1)
    service.announce(BookTopic(YES))


async def on_ladder(pilot: Pilot[None], app: MarketDemo) -> None:
    """Wait until the row has the size of the newest book."""
    screen, newest = app.screen, app.market.service.books[YES]
    assert isinstance(screen, MarketScreen)
    await until(pilot, lambda: screen.ladder.book is newest, "the newest book is on the ladder")
    await settle(pilot)


async def test_a_change_behind_the_touch_goes_through_few_files() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(160, 45)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, MarketScreen), "the screen opens")
        await on_ladder(pilot, app)
        add_behind_touch(app, 1)
        await on_ladder(pilot, app)
        with Calls() as calls:
            add_behind_touch(app, 1)
            await on_ladder(pilot, app)
    assert len(calls.by_file) <= MOST_FILES, calls.by_file
    assert calls.by_file.total() <= MOST_CALLS, calls.by_file
