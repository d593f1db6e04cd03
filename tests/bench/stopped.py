"""A minute at a thousand changes a second, with a terminal that is stopped and one that is used.

Sender, service and terminals are processes of their own. The service's memory is compared with what
it was after its first seconds of the same. `PMTUI_BENCH_SHORT` shortens the minute to ten seconds.
"""

import os
import signal
import tempfile
from pathlib import Path
from random import Random

from tests.bench.busy_venue import Busy, busy_venue
from tests.bench.memory import held
from tests.bench.row import Row, at_most, plain
from tests.bench.session import make_session
from tests.journeys.processes import cpu_seconds
from tests.journeys.terminal import Terminal

LONG_S, SHORT_S = 60.0, 10.0
WARMING_S = 60.0
"""Until what is remembered of prices and sizes is full."""
PER_SECOND = 1_000
GROWTH_MB = 1.0
SHARE_GOAL_PERCENT = 14.0
"""Of a core, for the service and the terminal that is used: as for 200 changes a second."""


def rows() -> list[Row]:
    """Return what the service grew by, and what it and the terminal that is used have cost."""
    is_short = bool(os.environ.get("PMTUI_BENCH_SHORT"))
    stopped_s, warming_s = (SHORT_S, SHORT_S) if is_short else (LONG_S, WARMING_S)
    seconds = warming_s + stopped_s + 1
    session = make_session(Random(5), markets=1, messages=round(PER_SECOND * seconds))
    with tempfile.TemporaryDirectory() as name, busy_venue(Path(name), session, PER_SECOND) as busy:
        used, stopped = busy.terminals
        busy.start()
        used.pump_for(warming_s)
        return _measure(busy, used, stopped, stopped_s)


def _measure(busy: Busy, used: Terminal, stopped: Terminal, stopped_s: float) -> list[Row]:
    stopped.send_signal(signal.SIGSTOP)
    before, pids = held(busy.pid), (busy.pid, used.pid)
    cpu_before, bytes_before = sum(map(cpu_seconds, pids)), used.byte_count
    used.pump_for(stopped_s)
    after, cpu = held(busy.pid), sum(map(cpu_seconds, pids)) - cpu_before
    stopped.send_signal(signal.SIGCONT)
    name = f"{PER_SECOND:,} changes/s beside a stopped terminal"
    grown = max(after.private - before.private, 0.0)
    return [
        at_most(f"{name}: private memory the service grew by, MB", [(grown, GROWTH_MB)], 1.0),
        at_most(
            f"{name}: service and the other terminal, % of a core",
            [(100 * cpu / stopped_s, SHARE_GOAL_PERCENT)], 1.0,
        ),
        plain(f"{name}: bytes/s to the other's screen", (used.byte_count - bytes_before) / stopped_s),
    ]  # fmt: skip
