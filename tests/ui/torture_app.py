"""A program that puts a terminal through everything: one step for each `n` pressed.

Run as `python -m tests.ui.torture_app diff|stock|surprise`. When there is nothing left to paint the
window's title is set to the number of steps and the size (`settled`), however long that took.
"""

import sys
from typing import ClassVar

from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.driver import Driver
from textual.screen import ModalScreen
from textual.widgets import DataTable, Static
from typing_extensions import override

from pmtui.ui.terminal.cell_diff import CellDisplay
from pmtui.ui.terminal.terminal_app import TerminalApp
from tests.ui.stage import Themed

STEPS = 12
CHECK_PERIOD_S = 0.01
CALM_LOOKS = 5
"""Looks in a row that find nothing to do, before a step counts as painted."""


def settled(step: int, columns: int, rows: int) -> bytes:
    """Return what is written when a step has been painted in a size."""
    return f"\x1b]2;step {step} {columns}x{rows}\x07".encode()


class Card(ModalScreen[None]):
    CSS = """
    Card { align: center middle; }
    #card { width: 44; height: 9; border: thick $primary; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [("n", "app.step", "")]

    @override
    def compose(self) -> ComposeResult:
        with Vertical(id="card"):
            yield Static("Confirm 買い order? ✅ café e\u0301")
            yield Static("size 12.5", id="size")


class Stock(Themed):
    CSS = """
    #top { height: 1; width: 100%; }
    DataTable { height: 1fr; width: 1fr; scrollbar-size: 1 1; }
    VerticalScroll { height: 1fr; width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [("n", "step", ""), ("ctrl+l", "redraw", "")]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__(theme="harbour")
        self.done = 0
        self._calm = 0
        self._told = b""

    @override
    def compose(self) -> ComposeResult:
        yield Static("step 0", id="top")
        with Horizontal():
            yield DataTable()
            with VerticalScroll(can_focus=False):
                for i in range(40):
                    yield Static(
                        f"line {i} {'─' * (i % 30)} [b red]bold[/] [dim]dim[/] [u]under[/]"
                    )

    def on_mount(self) -> None:
        table = self.query_one(DataTable)
        table.add_columns("Market 市場", "Price")
        for i in range(80):
            table.add_row(f"あい row {i} 😀", f"0.{i:03d}")
        table.cursor_type = "row"
        self.set_interval(CHECK_PERIOD_S, self._tell_when_settled)

    def _tell_when_settled(self) -> None:
        screen = self.screen
        nodes = [node for each in self.screen_stack for node in each.walk_children()]
        signs = (
            screen._dirty_widgets,
            screen._layout_required,
            screen._scroll_required,
            screen._repaint_required,
            isinstance(self, TerminalApp) and self.terminal.is_behind,
            *(node._message_queue.values for node in nodes),
            *(node._next_callbacks for node in nodes),
        )
        self._calm = 0 if any(signs) else self._calm + 1
        words = settled(self.done, *self.size)
        if self._calm >= CALM_LOOKS and words != self._told and self._driver is not None:
            self._told = words
            self._driver.write(words.decode())
            self._driver.flush()

    async def action_step(self) -> None:
        table: DataTable[str] = self.screen_stack[0].query_one(DataTable)
        lines = self.screen_stack[0].query_one(VerticalScroll)
        match self.done:
            case 0:
                table.scroll_to(y=15, animate=False)
            case 1 | 10:
                await self.push_screen(Card())
            case 2:
                self.screen.query_one("#size", Static).update("size 日本 99")
            case 3:
                await self.pop_screen()
            case 4:
                lines.scroll_to(y=9, animate=False)
            case 5:
                table.update_cell_at((16, 1), "9.999")  # type: ignore[arg-type]
            case 6:
                self.theme = "daylight"
            case 7:
                lines.children[10].update("changed 日本 \U0001f469\u200d")  # type: ignore[attr-defined]
            case 8:
                self.theme = "ansi"
            case 9:
                self.theme = "meridian"
            case _:
                self.screen.query_one("#size", Static).update("[reverse]last[/]")
        self.done += 1
        self.screen_stack[0].query_one("#top", Static).update(f"step {self.done}")


class Diffed(TerminalApp, Stock):
    def action_redraw(self) -> None:
        self.terminal.redraw()


class SurprisedDisplay(CellDisplay):
    """What a release with another inside would make of the difference."""

    @override
    def encode(self, driver: Driver, renderable: ChopsUpdate | LayoutUpdate) -> str:
        frame = super().encode(driver, renderable)
        raise AttributeError(f"no chops in {frame[:0]!r}")


class Surprised(Diffed):
    def __init__(self) -> None:
        super().__init__()
        self.terminal = SurprisedDisplay(self, on_room=self.catch_up)


if __name__ == "__main__":
    {"diff": Diffed, "stock": Stock, "surprise": Surprised}[sys.argv[1]]().run()
