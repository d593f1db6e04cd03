"""Cold start to first paint, through a real pty, in turns with an empty app of the same toolkit."""

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.bench import empty_app
from tests.bench.row import Row, at_most, plain
from tests.journeys.terminal import PROGRAM, Terminal

TURNS = 5
FIRST_PAINT_GOAL = 1.2
SIZE = (120, 36)
EMPTY = (sys.executable, "-m", empty_app.__name__)


def rows() -> list[Row]:
    """Return first paint over an empty app, and the first markets; times in milliseconds."""
    paints: list[tuple[float, float]] = []
    markets: list[float] = []
    sizes: list[float] = []
    with tempfile.TemporaryDirectory() as compiled:
        for turn in range(TURNS + 1):
            reference, _, _ = _cold_start(EMPTY, empty_app.SIGN, compiled)
            ours, listed, size = _cold_start((PROGRAM,), "PAPER", compiled, then="¢")
            # The first turn compiles, as an installer does, and does not count.
            if turn:
                paints.append((ours, reference))
                markets.append(listed)
                sizes.append(size)
    return [
        at_most("cold start to first paint over an empty app, ms", paints, FIRST_PAINT_GOAL),
        plain("cold start to markets of a new paper venue, ms", median(markets)),
        plain("bytes to the terminal until then", median(sizes)),
    ]


def _cold_start(
    command: Sequence[str | Path], sign: str, compiled: str, *, then: str = ""
) -> tuple[float, float, float]:
    """Return milliseconds to a first sign and to a later one, and the bytes written by then."""
    # An empty value is none: bytecode is kept, apart from that of the checkout.
    env = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": compiled}
    with (
        tempfile.TemporaryDirectory() as home,
        Terminal(command, home=Path(home), size=SIZE, env=env, is_controlling=False) as terminal,
    ):
        terminal.until(lambda: sign.encode() in terminal.output, sign)
        first = _elapsed_ms(terminal)
        if then:
            terminal.until_text(then)
        return first, _elapsed_ms(terminal), terminal.byte_count


def _elapsed_ms(terminal: Terminal) -> float:
    return (time.perf_counter() - terminal.started_at) * 1_000
