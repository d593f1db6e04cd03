"""One market of a made-up venue on a terminal's screen: what it writes, what it uses, how fast it is."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from tests.bench.busy_terminal import TITLE
from tests.bench.session import Session, make_session
from tests.bench.socket_load import as_file
from tests.bench.ui_load import sender_process, terminal_command
from tests.journeys.processes import cpu_seconds
from tests.journeys.terminal import Terminal

SIZE = (160, 45)
SETTLING_S = 1.5


class Used(NamedTuple):
    """What a while has cost."""

    screen_bytes: float
    """A second."""
    core_share: float


class WatchedMarket:
    """A terminal with a market in front, and a venue that has changes ready for it."""

    def __init__(self, terminal: Terminal, start: Callable[[], None], lasts_s: float) -> None:
        self.terminal = terminal
        self.start = start
        """Let the changes begin."""
        self.lasts_s = lasts_s

    def use(self, duration_s: float) -> Used:
        """Read as a terminal does for a while."""
        began, cpu = time.perf_counter(), cpu_seconds(self.terminal.pid)
        count = self.terminal.byte_count
        self.terminal.pump_for(duration_s)
        elapsed = time.perf_counter() - began
        return Used(
            (self.terminal.byte_count - count) / elapsed,
            (cpu_seconds(self.terminal.pid) - cpu) / elapsed,
        )


@contextmanager
def watched_market(
    session: Session, *, per_second: int, variant: str = ""
) -> Iterator[WatchedMarket]:
    """Start venue and terminal, and open the market."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "session.json"
        content = json.loads(as_file(session)) | {"per_second": per_second}
        path.write_bytes(msgspec.json.encode(content))
        with sender_process(path) as (say, hear):
            command = terminal_command(path, int(hear.readline()))
            command = (*command, variant) if variant else command
            with Terminal(command, home=path.parent, size=SIZE) as terminal:
                terminal.until_text(TITLE)
                terminal.press("enter")
                terminal.until_text("number 0 ")
                terminal.press("enter")
                terminal.until_text("50¢")
                terminal.pump_for(SETTLING_S)
                say()
                hear.readline()
                yield WatchedMarket(terminal, say, len(session.frames) / per_second)


def one_market(per_second: int, seconds: float) -> Session:
    """Return changes of one market, each of both its books."""
    return make_session(Random(5), markets=1, messages=round(per_second * seconds))
