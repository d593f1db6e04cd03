"""`python -m tests.bench.ladder_app ours|calm|repaint|table UPDATES`: one ladder and nothing else.

It shows the same changes of the same book in each variant: as we do, as a widget that repaints
itself, and as Textual's table. It leaves when all are shown.
"""

import sys

from textual.app import ComposeResult
from textual.widgets import DataTable
from typing_extensions import override

from pmtui.domain.books.book_view import BookView
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.terminal.terminal_app import TerminalApp
from tests.ui.moving_market import TICK, YES, MovingMarket
from tests.ui.stage import Themed

SIZE = (60, 42)
UPDATES_PER_SECOND = 20
CHANGES = 2
"""Steps of the book in an update: about four rows differ."""
SETTLING_S = 0.5
SIGN = b"\x1b]2;now\x07"
"""Written where the updates begin and end: a title, which costs no cell."""


class Stepping(Themed):
    """Steps the book by the clock."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, updates: int) -> None:
        super().__init__()
        self.market = MovingMarket()
        self._left = updates

    @property
    def book(self) -> BookView:
        return self.market.service.books[YES]

    def show(self) -> None:
        raise NotImplementedError

    def prepare(self) -> None:
        """Set up what is not there at once."""

    def on_mount(self) -> None:
        self.prepare()
        self.show()
        self.set_timer(SETTLING_S, self._begin)

    def _begin(self) -> None:
        self._sign()
        self._timer = self.set_interval(1 / UPDATES_PER_SECOND, self._step)

    def _step(self) -> None:
        if self._left == 0:
            self._timer.stop()
            self._sign()
            self.exit()
            return
        self._left -= 1
        for _ in range(CHANGES):
            self.market.step()
        self.market.publish()
        self.show()

    def _sign(self) -> None:
        assert self._driver is not None
        self._driver.write(SIGN.decode())


class Repainting(Stepping):
    """Textual's display, and a widget that repaints all of itself."""

    @override
    def compose(self) -> ComposeResult:
        yield LadderPane()

    @override
    def show(self) -> None:
        ladder = self.query_one(LadderPane)
        ladder.show(self.book)
        ladder.refresh()


class Ours(TerminalApp, Stepping):
    """What the program does."""

    @override
    def compose(self) -> ComposeResult:
        yield LadderPane()

    @override
    def show(self) -> None:
        self.query_one(LadderPane).show(self.book)


class Calm(Ours):
    """The same without what flashes and fades."""

    @override
    def prepare(self) -> None:
        self.query_one(LadderPane).repaint.is_calm = True


class Tabled(Stepping):
    """Textual's table; cells that changed are updated."""

    CSS = "DataTable { height: 1fr; }"

    @override
    def compose(self) -> ComposeResult:
        yield DataTable(cursor_type="row")

    @override
    def prepare(self) -> None:
        table = self.query_one(DataTable)
        for name in ("Bids", "Price", "Asks"):
            table.add_column(name, key=name, width=16)
        middle = (self.book.best_bid or 0) // TICK
        self._prices = [TICK * (middle + row) for row in range(20, -21, -1)]
        self._shown = {(price, side): "" for price in self._prices for side in ("Bids", "Asks")}
        for price in self._prices:
            table.add_row("", f"{price / 10_000:g}", "", key=str(price))

    @override
    def show(self) -> None:
        table = self.query_one(DataTable)
        for side, levels in (("Bids", self.book.bids), ("Asks", self.book.asks)):
            sizes = {level.price: f"{level.size / 1_000_000:,.2f}" for level in levels}
            for price in self._prices:
                text = sizes.get(price, "")  # type: ignore[call-overload]  # a price is a number
                if self._shown[price, side] != text:
                    self._shown[price, side] = text
                    table.update_cell(str(price), side, text)


if __name__ == "__main__":
    variants = {"ours": Ours, "calm": Calm, "repaint": Repainting, "table": Tabled}
    variants[sys.argv[1]](int(sys.argv[2])).run()
