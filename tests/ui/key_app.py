"""A program that answers every key with its name and a running number, while a feed paints.

Run as `python -m tests.ui.key_app ours|stock|hidden`; the last asks for a hidden line at the key P. `KEY_COUNT_FILE` names a file that is told the number
of keys as well, for when nobody reads the terminal.
"""

import os
import sys
from pathlib import Path

from textual import events
from textual.app import App, ComposeResult
from typing_extensions import override

from pmtui.ui.cells import Cell
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.theme import role_variables
from pmtui.ui.widgets.text_line import TextLine


class Stock(App[None]):
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        self.keys = 0
        self.ticks = 0

    @override
    def get_theme_variable_defaults(self) -> dict[str, str]:
        return role_variables(self.current_theme)

    @override
    def compose(self) -> ComposeResult:
        yield TextLine((Cell("ready"),), id="answer")
        yield TextLine(id="feed")

    def on_mount(self) -> None:
        if "feed" in sys.argv:
            self.set_interval(1 / 20, self._tick)

    def _tick(self) -> None:
        self.ticks += 1
        self.query_one("#feed", TextLine).show((Cell(f"tick {self.ticks}"),))

    def on_key(self, event: events.Key) -> None:
        self.keys += 1
        self.query_one("#answer", TextLine).show((Cell(f"{self.keys}:{event.key}. {self.size}"),))
        if path := os.environ.get("KEY_COUNT_FILE"):
            Path(path).write_text(str(self.keys))


class Ours(TerminalApp, Stock):
    """The same on a terminal of ours."""


class Hidden(Ours):
    """One that asks for a line that nobody sees; at the key E it is told to end meanwhile."""

    @override
    def on_key(self, event: events.Key) -> None:
        if event.key in ("P", "E"):
            if event.key == "E":
                self.set_timer(0.2, self.exit)
            self.run_worker(self._ask())
        super().on_key(event)

    async def _ask(self) -> None:
        given = await self.hidden_prompt.ask("Key: ")
        text = f"given {len(given)}" if given else "given nothing"
        self.query_one("#answer", TextLine).show((Cell(text),))


if __name__ == "__main__":
    {"ours": Ours, "stock": Stock, "hidden": Hidden}[sys.argv[1]]().run()
