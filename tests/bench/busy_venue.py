"""A busy venue, a service that reads its streams, and two installed terminals on one market."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tests.bench.busy_terminal import TITLE
from tests.bench.session import Session
from tests.bench.socket_load import as_file
from tests.bench.ui_load import sender_process
from tests.journeys.terminal import PROGRAM, Terminal

SIZE = (160, 45)
SETTLING_S = 1.0


@dataclass(frozen=True, slots=True)
class Busy:
    """A service whose market is about to become busy, and the terminals that show it."""

    pid: int
    """Of the service."""
    terminals: tuple[Terminal, Terminal]
    start: Callable[[], None]
    """Lets the changes begin."""
    wait_for_end: Callable[[], None]
    """Returns when the last one has been sent."""


@contextmanager
def busy_venue(folder: Path, session: Session, per_second: int) -> Iterator[Busy]:
    """Run sender, service and terminals until the block ends, with a market of the session in front."""
    path, home = folder / "session.json", folder / "home"
    content = json.loads(as_file(session)) | {"per_second": per_second}
    path.write_bytes(msgspec.json.encode(content))
    (folder / "books.json").write_bytes(msgspec.json.encode({"books": content["books"]}))
    home.mkdir(mode=0o700)
    with ExitStack() as stack:
        say, hear = stack.enter_context(sender_process(path))
        url = f"ws://127.0.0.1:{int(hear.readline())}/ws/market"
        pid = stack.enter_context(_service(folder / "books.json", url, home))
        terminals = [
            stack.enter_context(_attach(home, is_first=is_first)) for is_first in (True, False)
        ]

        def start() -> None:
            say()
            hear.readline()
            say()

        def wait_for_end() -> None:
            hear.readline()

        yield Busy(pid, (terminals[0], terminals[1]), start, wait_for_end)


@contextmanager
def _service(books: Path, url: str, home: Path) -> Iterator[int]:
    command = (sys.executable, "-m", "tests.bench.busy_service", books, url, home)
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            process.stdout.readline()
            yield process.pid
        finally:
            process.kill()


def _attach(home: Path, *, is_first: bool) -> Terminal:
    terminal = Terminal((PROGRAM, "attach"), home=home, size=SIZE)
    if is_first:
        terminal.until_text(TITLE)
        terminal.press("enter")
        terminal.until_text("number 0 ")
        terminal.press("enter")
    # Every other one comes back to where the last one was.
    terminal.until_text("LADDER")
    terminal.pump_for(SETTLING_S)
    return terminal
