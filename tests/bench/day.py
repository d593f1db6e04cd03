"""A day in one: hopping between screens and markets at twenty times the ordinary pace.

A still screen says little about what lists, charts and books keep. The terminal, its service and the
venue are processes of their own; each is compared with what it held at rest on one market, and the
venue, whose trading goes on, with itself half-way. `PMTUI_BENCH_SHORT` shortens the walk to one
minute, which proves only that it can be walked.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.bench.memory import held
from tests.bench.row import Row, at_most
from tests.journeys import trader
from tests.journeys.processes import service_pid
from tests.journeys.terminal import PROGRAM, Terminal
from tests.sim.process import hosts_in_env, venue_process

LONG_S, SHORT_S = 1_200.0, 60.0
SPEED = "20"
SIZE = (160, 45)
RESTING_S = 25.0
KEY_S, LOOKING_S = 0.15, 1.5
"""Between keys of a way, and at the place it leads to."""
TERMINAL_GOAL, SERVICE_GOAL, VENUE_GOAL = 1.25, 1.5, 1.05
SEED = 11
PROCESSES = ("terminal", "service", "venue")


class Walked(NamedTuple):
    """Resident megabytes of the three processes at one moment."""

    terminal: float
    service: float
    venue: float


def rows() -> list[Row]:
    """Return what each process holds after the walk, over what it held before."""
    walk_s = SHORT_S if os.environ.get("PMTUI_BENCH_SHORT") else LONG_S
    with tempfile.TemporaryDirectory() as name, venue_process("--speed", SPEED) as venue:
        home = Path(name)
        command = (PROGRAM, "--profile", "live")
        with Terminal(command, home=home, size=SIZE, env=hosts_in_env(venue.urls)) as terminal:
            terminal.until_text("¢")
            trader.open_first_market(terminal)
            terminal.pump_for(RESTING_S)

            def look() -> Walked:
                pids = terminal.pid, service_pid(home), venue.process.pid
                return Walked(*(held(pid).resident for pid in pids))

            at_rest = look()
            keys = _ways(Random(SEED))
            half_way = _walk(terminal, keys, walk_s / 2, look)
            at_end = _walk(terminal, keys, walk_s / 2, look)
    return _rows(walk_s, at_rest, half_way, at_end)


def _rows(walk_s: float, at_rest: Walked, half_way: Walked, at_end: Walked) -> list[Row]:
    name = f"hopping for {walk_s / 60:g} minutes"
    return [
        at_most(
            f"{name}: memory of the terminal over that at rest, MB",
            [(at_end.terminal, at_rest.terminal)], TERMINAL_GOAL,
        ),
        at_most(
            f"{name}: of its service over that at rest, MB",
            [(at_end.service, at_rest.service)], SERVICE_GOAL,
        ),
        at_most(
            f"{name}: of the local venue over that half-way, MB",
            [(at_end.venue, half_way.venue)], VENUE_GOAL,
        ),
    ]  # fmt: skip


def _walk(
    terminal: Terminal, keys: Iterator[str], walk_s: float, look: Callable[[], Walked]
) -> Walked:
    """Press keys for so long, and return what the processes hold then."""
    left_s = walk_s
    for key in keys:
        if left_s <= 0:
            break
        terminal.press(key)
        pause_s = LOOKING_S if key in {"enter", "right", "p", "w", "l", "C"} else KEY_S
        terminal.pump_for(pause_s)
        left_s -= pause_s
    return look()


def _ways(random: Random) -> Iterator[str]:
    """Yield keys for ever: to markets by the list and by arrows, through their panes, and around."""
    while True:
        yield from ("escape", "escape", "escape", "m")
        yield from ["down"] * random.randrange(12)
        yield "enter"
        yield from ["down"] * random.randrange(4)
        yield "enter"
        for _ in range(random.randrange(1, 4)):
            yield from ("right", "d", "]", "d", "o", "c")
        yield from ("b", "escape", "tab", "down", "W", "W")
        if random.random() < 1 / 2:
            yield from ("p", "]", "]", "]", "escape", "w", "escape", "l", "escape", "C", "escape")
