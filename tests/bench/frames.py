"""What an update of a ladder costs on the line, beside the least, a repaint and Textual's table."""

import sys
import tempfile
from pathlib import Path

from tests.bench.ladder_app import SIGN, SIZE
from tests.bench.row import Row, at_least, at_most
from tests.bench.smallest import Smallest
from tests.journeys.terminal import Terminal

UPDATES = 100
SMALLEST_GOAL = 1.3
REPAINT_GOAL, TABLE_GOAL = 5.0, 10.0


def rows() -> list[Row]:
    """Return bytes an update, in a terminal that can show whole frames."""
    before, ours = _output("ours")
    smallest = Smallest(*SIZE)
    smallest.feed(before)
    costs = list(smallest.costs(ours))
    fewest = sum(least for _, least in costs)
    each = len(ours) / UPDATES
    rivals = {name: len(_output(name)[1]) / UPDATES for name in ("calm", "repaint", "table")}
    return [
        at_most("bytes an update of the ladder, over the fewest for these cells",
                [(each, fewest / UPDATES)], SMALLEST_GOAL),
        at_least("the same of a widget that repaints itself, over ours", rivals["repaint"], each,
                 REPAINT_GOAL),
        at_least("the same of Textual's table, over ours in calm mode", rivals["table"],
                 rivals["calm"], TABLE_GOAL),
    ]  # fmt: skip


def _output(variant: str) -> tuple[bytes, bytes]:
    """Return what was written before the updates, and for them."""
    command = (sys.executable, "-m", "tests.bench.ladder_app", variant, str(UPDATES))
    with (
        tempfile.TemporaryDirectory() as home,
        Terminal(command, home=Path(home), size=SIZE) as terminal,
    ):
        assert terminal.exit_code() == 0
        before, during, _ = bytes(terminal.output).split(SIGN)
        return before, during
