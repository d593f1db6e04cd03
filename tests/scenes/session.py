"""The session that the README shows: found, looked at, bought, and seen in the portfolio.

It is played with the installed program on its own venue, so no two recordings are alike.
"""

import time
from pathlib import Path

from tests.journeys import trader
from tests.journeys.terminal import PROGRAM, Terminal
from tests.journeys.venue import PaperVenue
from tests.scenes.animation import Frame, Row, Run, animate

SIZE = (120, 36)
LOOKED_AT_S = 1.0
"""How far apart two looks at the screen are."""
TYPED_S = 0.12


class Recorder:
    """Looks at a terminal from time to time."""

    def __init__(self, terminal: Terminal) -> None:
        """Begin with what it shows now."""
        self._terminal = terminal
        self._began = time.monotonic()
        self.frames: list[Frame] = []
        self._look()

    def watch(self, duration_s: float) -> None:
        """Let time pass, as one who reads the screen does."""
        end = time.monotonic() + duration_s
        while (left := end - time.monotonic()) > 0:
            self._terminal.pump_for(min(left, LOOKED_AT_S))
            self._look()

    def type(self, *keys: str) -> None:
        """Press keys as fast as fingers do."""
        for key in keys:
            self._terminal.press(key)
            self._terminal.pump_for(TYPED_S)
            self._look()

    @property
    def length_s(self) -> float:
        """How long it has lasted."""
        return time.monotonic() - self._began

    def _look(self) -> None:
        rows = tuple(runs_of(line) for line in self._terminal.cells())
        at_s = self.length_s if self.frames else 0.0
        if not self.frames or rows != self.frames[-1].rows:
            self.frames.append(Frame(at_s, rows))


def runs_of(cells: list[tuple[str, str, str, bool]]) -> Row:
    """Join neighbouring cells of one look."""
    runs: list[Run] = []
    for x, (text, *look) in enumerate(cells):
        color, ground, is_bold = look
        last = runs[-1] if runs else None
        if last is not None and last[2:] == (color, ground, is_bold):
            runs[-1] = last._replace(text=last.text + text)
        else:
            runs.append(Run(x, text, str(color), str(ground), bool(is_bold)))
    return tuple(runs)


def record(home: Path) -> str:
    """Play the session in a home of its own; returns the picture."""
    env = {"COLORTERM": "truecolor"}
    command = (PROGRAM, "--standalone")
    with Terminal(command, home=home, size=SIZE, env=env) as terminal:
        trader.wait_for_markets(terminal)
        market = PaperVenue(home).busy_markets()[0]
        film = Recorder(terminal)
        film.watch(2.5)
        film.type("/", *market.question[:24])
        film.watch(1.5)
        film.type("enter")
        trader.wait_for_ladder(terminal, market)
        film.watch(4.0)
        film.type("b")
        film.watch(0.8)
        film.type("5", "0")
        film.watch(1.5)
        film.type("enter")
        film.watch(2.5)
        film.type("enter")
        film.watch(3.0)
        film.type("escape")
        film.watch(3.0)
        film.type("p")
        film.watch(3.5)
        return animate(film.frames, SIZE[0], length_s=film.length_s)
