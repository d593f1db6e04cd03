"""Runs the trading screen over a moving book: `python -m tests.ui.demo_market [CHANGES] [THEME]`.

CHANGES is how many changes of the book a second there are; they are announced ten times a second,
as the service does. Nothing is sent anywhere.
"""

import resource
import sys
import time
from collections.abc import Sequence
from datetime import timedelta

from textual.screen import Screen

from pmtui.service.topics import StatusTopic
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.theme.theme import DEFAULT_THEME
from tests.ui.demo import ScreenApp
from tests.ui.moving_market import CONDITION, MovingMarket

FRAMES = 10


class MarketDemo(ScreenApp):
    """The screen over a book that moves by itself."""

    def __init__(
        self, changes: int, *, theme: str = DEFAULT_THEME, ascii_only: bool = False
    ) -> None:
        self.market = MovingMarket()
        super().__init__(Screen(), theme=theme)
        self.is_ascii = ascii_only
        self._surface = self.market.service.surface(ascii_only=ascii_only)
        self._changes = changes
        self._frame = 0

    def on_mount(self) -> None:
        # Pushed as the program does it: Textual reads no stylesheet of a first screen.
        _ = self.push_screen(MarketScreen(self._surface, CONDITION))
        if self._changes:
            self.set_interval(1 / FRAMES, self._step)

    def _step(self) -> None:
        self._frame += 1
        for _ in range(max(1, self._changes // FRAMES)):
            self.market.step()
        self.market.publish()
        if self._frame % FRAMES == 0:
            self.market.service.at += timedelta(seconds=1)
            self.market.service.announce(StatusTopic())


def main(arguments: Sequence[str]) -> None:
    """Run until quit."""
    changes = int(arguments[0]) if arguments else 20
    theme = arguments[1] if len(arguments) > 1 else DEFAULT_THEME
    started = time.monotonic()
    app = MarketDemo(changes, theme=theme, ascii_only="ascii" in arguments)
    app.run()
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"cpu {used.ru_utime + used.ru_stime:.2f}s of {time.monotonic() - started:.1f}s")


if __name__ == "__main__":
    main(sys.argv[1:])
