"""What the terminal keeps in memory with a live book in front, beside empty apps in the same run.

Resident memory counts pages of libraries that all programs share; the proportional size counts each
with its share, the private size only what nobody else has. Beside the least app of Textual
stands one that also imports the libraries the terminal is made with, whole, and does nothing.
The terminal's own venue is a process of its own, and has a row.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.bench import empty_app
from tests.bench.row import Row, at_most, plain
from tests.journeys import trader
from tests.journeys.processes import venues_of
from tests.journeys.terminal import PROGRAM, Terminal
from tests.journeys.venue import PaperVenue

TURNS = 3
SIZE = (160, 45)
MOST_MB = 90.0
"""Resident, with a live book, the venue apart."""
LIBRARIES = (
    "coincurve", "httpx", "msgspec", "plotext", "pydantic_settings", "sha3", "sqlite3",
    "websockets.asyncio.client",
)  # fmt: skip
EMPTY = (sys.executable, "-m", empty_app.__name__)
SETTLING_S = 3.0
WATCHING_S = 25.0
"""Until the lists are there and what making them took has been given back."""


class Held(NamedTuple):
    """Megabytes of a process."""

    resident: float
    peak: float
    """Resident, at its most."""
    proportional: float
    private: float


def rows() -> list[Row]:
    """Return each kind of memory over the empty app, and resident memory over its bound."""
    least: list[Held] = []
    whole: list[Held] = []
    ours: list[Held] = []
    venue: list[Held] = []
    with tempfile.TemporaryDirectory() as compiled:
        for turn in range(TURNS + 1):
            with tempfile.TemporaryDirectory() as home:
                found = (
                    _empty(EMPTY, Path(home), compiled),
                    _empty((*EMPTY, *LIBRARIES), Path(home), compiled),
                    *_market(Path(home), compiled, watching_s=WATCHING_S if turn else 0),
                )
            # The first turn compiles, as an installer does, and does not count.
            if turn:
                for kept, one in zip((least, whole, ours, venue), found, strict=True):
                    kept.append(one)
    return [
        at_most(
            "resident memory with a live book, over the bound, MB",
            [(one.resident, MOST_MB) for one in ours],
            1.0,
        ),
        *(
            _over(f"{name} memory, over an empty app, MB", ours, least, name)
            for name in Held._fields
        ),
        *(
            _over(f"{name} memory, over an empty app with our libraries, MB", ours, whole, name)
            for name in Held._fields
        ),
        plain(
            "resident memory of the local venue beside it, MB", median(v.resident for v in venue)
        ),
    ]


def _over(text: str, ours: Sequence[Held], others: Sequence[Held], name: str) -> Row:
    mine, theirs = (median(getattr(one, name) for one in side) for side in (ours, others))
    return plain(text, mine, theirs)


def _empty(command: Sequence[str], home: Path, compiled: str) -> Held:
    with _terminal(command, home, compiled) as terminal:
        terminal.until_text(empty_app.SIGN)
        terminal.pump_for(SETTLING_S)
        return held(terminal.pid)


def _market(home: Path, compiled: str, *, watching_s: float) -> tuple[Held, Held]:
    """Return what the terminal holds, and its venue, while a market's book moves."""
    with _terminal((PROGRAM, "--standalone"), home, compiled) as terminal:
        terminal.until_text("¢")
        trader.find_market(terminal, PaperVenue(home).busy_markets()[0])
        terminal.until_text("verified")
        terminal.pump_for(watching_s)
        (venue,) = venues_of(home)
        return held(terminal.pid), held(venue)


def _terminal(command: Sequence[str | Path], home: Path, compiled: str) -> Terminal:
    # An empty value is none: bytecode is kept, apart from that of the checkout.
    env = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": compiled}
    return Terminal(command, home=home, size=SIZE, env=env, is_controlling=False)


def held(pid: int) -> Held:
    """Return what a process holds, by its id."""
    folder = Path(f"/proc/{pid}")
    lines = (folder / "smaps_rollup").read_text().splitlines()[1:]
    lines += (folder / "status").read_text().splitlines()
    sizes = {line.split()[0]: int(line.split()[1]) for line in lines if line.endswith(" kB")}
    private = sizes["Private_Clean:"] + sizes["Private_Dirty:"]
    kilobytes = (sizes["Rss:"], sizes["VmHWM:"], sizes["Pss:"], private)
    return Held(*(each / 1024 for each in kilobytes))
