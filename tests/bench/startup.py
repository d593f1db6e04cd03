"""Cold start to first paint and to the first list, through a real pty, beside empty apps.

Two references: the least app of Textual, and the same with the one import that settings cost
anyway. The first says what a trader waits for, the second what of it is ours. Ours reads them in a
child beside it: processor time counts both, and wall time is only as good as the cores are free.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.bench import empty_app
from tests.bench.row import Row, plain
from tests.journeys.processes import cpu_seconds
from tests.journeys.terminal import PROGRAM, Terminal

TURNS = 5
SIZE = (120, 36)
EMPTY = (sys.executable, "-m", empty_app.__name__)
EMPTY_WITH_SETTINGS = (*EMPTY, "pydantic_settings")
LISTED, CACHED = "¢", "cached"


def rows() -> list[Row]:
    """Return first paint over both references, and the first lists; times in milliseconds."""
    bare: list[tuple[float, float]] = []
    loaded: list[tuple[float, float]] = []
    work: list[tuple[float, float]] = []
    starts: list[tuple[float, float]] = []
    agains: list[tuple[float, float]] = []
    sizes: list[float] = []
    with tempfile.TemporaryDirectory() as compiled:
        for turn in range(TURNS + 1):
            with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as other:
                least, _ = _first_paint(EMPTY, Path(other), compiled)
                least_loaded, least_work = _first_paint(EMPTY_WITH_SETTINGS, Path(other), compiled)
                painted, listed, size, cpu_ms = _cold_start(Path(home), compiled, then=LISTED)
                again, cached, *_ = _cold_start(Path(home), compiled, then=CACHED)
            # The first turn compiles, as an installer does, and does not count.
            if turn:
                bare.append((painted, least))
                loaded.append((painted, least_loaded))
                work.append((cpu_ms, least_work))
                starts.append((painted, listed))
                agains.append((again, cached))
                sizes.append(size)
    new = median(listed for _, listed in starts)
    return [
        plain(
            "cold start to first paint over an empty app, ms",
            median(ours for ours, _ in bare),
            median(theirs for _, theirs in bare),
        ),
        plain(
            "the same over an empty app that imports pydantic-settings, ms",
            median(ours for ours, _ in loaded),
            median(theirs for _, theirs in loaded),
        ),
        plain(
            "processor time until then, over the same, ms",
            median(ours for ours, _ in work),
            median(theirs for _, theirs in work),
        ),
        plain("cold start to the markets of a new paper venue, ms", new),
        plain(
            "cold start to the last session's list, over the above, ms",
            median(cached for _, cached in agains),
            new,
        ),
        plain("bytes to the terminal until the first markets", median(sizes)),
    ]


def _first_paint(command: Sequence[str | Path], home: Path, compiled: str) -> tuple[float, float]:
    """Return milliseconds to the first paint, and of processor time."""
    with _terminal(command, home, compiled) as terminal:
        terminal.until(lambda: empty_app.SIGN.encode() in terminal.output, empty_app.SIGN)
        return _elapsed_ms(terminal), _cpu_ms(terminal)


def _cold_start(home: Path, compiled: str, *, then: str) -> tuple[float, float, float, float]:
    """Return milliseconds to the first paint and to a later text, bytes by then, processor time."""
    with _terminal((PROGRAM, "--standalone"), home, compiled) as terminal:
        terminal.until(lambda: b"PAPER" in terminal.output, "PAPER")
        painted, cpu_ms = _elapsed_ms(terminal), _cpu_ms(terminal)
        terminal.until_text(then)
        found = (painted, _elapsed_ms(terminal), terminal.byte_count, cpu_ms)
        # Left as a trader leaves, so that the next start finds what was seen.
        terminal.until_text(LISTED)
        terminal.press("q")
        _ = terminal.exit_code()
        return found


def _terminal(command: Sequence[str | Path], home: Path, compiled: str) -> Terminal:
    # An empty value is none: bytecode is kept, apart from that of the checkout.
    env = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": compiled}
    return Terminal(command, home=home, size=SIZE, env=env, is_controlling=False)


def _elapsed_ms(terminal: Terminal) -> float:
    return (time.perf_counter() - terminal.started_at) * 1_000


def _cpu_ms(terminal: Terminal) -> float:
    return cpu_seconds(terminal.pid, with_ended_children=True) * 1_000
