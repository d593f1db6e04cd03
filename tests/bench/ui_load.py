"""Ten seconds of a busy venue with the terminal on a market's screen: does anything fall behind.

Sender and terminal are processes of their own; the terminal is told on a local socket to say what
it has used, read and holds.
"""

import json
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import median
from time import sleep
from typing import IO, Any, NamedTuple

from pmtui.domain.books.book_view import BookState
from tests.bench.busy_terminal import TITLE, book_text
from tests.bench.session import Session, make_session
from tests.bench.socket_load import (
    CORE_GOAL,
    LAG_GOAL_MS,
    MARKETS,
    PACE_GOAL,
    PER_SECOND,
    SECONDS,
    SETTLING_S,
    as_file,
    row,
)
from tests.journeys.terminal import Terminal

SIZE = (120, 36)
SHOWN_SHARE = 0.2
"""Of the messages for the market on screen: the fastest recorded ones have as many a second."""
FRAME_START = b"\x1b[?2026h"
CONTROL = "control"
_NAME = f"{PER_SECOND:,} messages/s, {2 * MARKETS} tokens, a market on screen"


class Measured(NamedTuple):
    """What ten seconds have shown."""

    core_share: float
    """Of the whole terminal: sockets, books, screen."""
    usual_lag_ms: float
    """How long after its sending a message is applied: the median of twenty looks. It would grow
    from look to look if the terminal could not follow; a single look tells of the machine too."""
    last_lag_ms: float
    """Between the last message sent and the last one applied."""
    per_second: float
    equal_books: int
    """Books that equal the sender's and are verified by its hashes."""
    paints: float
    """Pictures sent to the screen in a second."""
    screen_bytes: float
    """A second."""


def rows() -> list[dict[str, Any]]:
    """Return what the load costs with the screen included, and what was lost."""
    session = make_session(
        Random(12), markets=MARKETS, messages=PER_SECOND * SECONDS, first_share=SHOWN_SHARE
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.json"
        path.write_bytes(as_file(session))
        found = _measure(session, path)
    return [
        row(f"{_NAME}: sent a second", found.per_second, f"≥ {PACE_GOAL:,}",
            met=found.per_second >= PACE_GOAL),
        row(f"{_NAME}: share of a core", found.core_share, f"≤ {CORE_GOAL}",
            met=found.core_share <= CORE_GOAL),
        row(f"{_NAME}: ms behind, median", found.usual_lag_ms, f"≤ {LAG_GOAL_MS:.0f}",
            met=found.usual_lag_ms <= LAG_GOAL_MS),
        row(f"{_NAME}: ms behind in the end", found.last_lag_ms, "", met=None),
        row(f"{_NAME}: books right", found.equal_books, f"= {2 * MARKETS}",
            met=found.equal_books == 2 * MARKETS),
        row(f"{_NAME}: paints a second", found.paints, "", met=None),
        row(f"{_NAME}: bytes a second to the screen", found.screen_bytes, "", met=None),
    ]  # fmt: skip


def _measure(session: Session, path: Path) -> Measured:
    with sender_process(path) as (say, hear):
        command = terminal_command(path, int(hear.readline()))
        with Terminal(command, home=path.parent, size=SIZE) as terminal:
            terminal.until_text(TITLE)
            terminal.press("enter")
            terminal.until_text("number 1 ")
            terminal.press("enter")
            terminal.until_text("50¢")
            with _read_all_along(terminal), _questions(path.with_name(CONTROL)) as ask:
                ask("watch")
                while ask("loading"):
                    sleep(0.05)
                sleep(SETTLING_S)
                return _run(session, terminal, ask=ask, say=say, hear=hear)


def terminal_command(path: Path, port: int) -> tuple[str | Path, ...]:
    """Return how to start the terminal for the venue at a port."""
    url = f"ws://127.0.0.1:{port}/ws/market"
    return sys.executable, "-m", "tests.bench.busy_terminal", path, url, path.with_name(CONTROL)


def _run(session: Session, terminal: Terminal, *, ask: Any, say: Any, hear: IO[bytes]) -> Measured:
    say()
    hear.readline()
    before = ask("now")
    offset = terminal.byte_count
    say()
    told = json.loads(hear.readline())
    after = ask(f"after {before['frames'] + told['sent']}")
    painted = bytes(terminal.output[offset:])
    sleep(SETTLING_S)
    books = ask("books")
    say()
    lasted = told["finished"] - told["started"]
    return Measured(
        core_share=(after["cpu"] - before["cpu"]) / (after["at"] - told["started"]),
        usual_lag_ms=_usual_lag_s(after["looks"], before["frames"], told) * 1_000,
        last_lag_ms=(after["at"] - told["finished"]) * 1_000,
        per_second=len(session.frames) / lasted,
        equal_books=sum(books[token] == text for token, text in _expected(session)),
        paints=painted.count(FRAME_START) / lasted,
        screen_bytes=len(painted) / lasted,
    )


def _usual_lag_s(looks: list[tuple[float, int]], before: int, told: dict[str, Any]) -> float:
    """Return the median age of the message that is applied, which were sent at an even pace."""
    pace = told["sent"] / (told["finished"] - told["started"])
    ages: list[float] = [
        at - (told["started"] + (frames - before) / pace)
        for at, frames in looks
        if told["started"] <= at <= told["finished"]
    ]
    return median(ages)


def _expected(session: Session) -> Iterator[tuple[str, list[Any]]]:
    for token, book in session.books.items():
        _, *sides = book_text(book.view(datetime.fromtimestamp(0, tz=UTC)))
        yield token, [BookState.VERIFIED.value, *sides]


@contextmanager
def sender_process(path: Path) -> Iterator[tuple[Any, IO[bytes]]]:
    """Start a venue that has a session ready; to be told when to begin, and to be heard."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.sender", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # It may be left in the middle of a sentence.
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    mouth = process.stdin

    def say() -> None:
        mouth.write(b"\n")
        mouth.flush()

    try:
        yield say, process.stdout
    finally:
        process.kill()
        process.wait()
        mouth.close()
        process.stdout.close()


@contextmanager
def _questions(path: Path) -> Iterator[Any]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        with connection.makefile("rw", encoding="utf-8") as line:

            def ask(question: str) -> Any:
                line.write(question + "\n")
                line.flush()
                return json.loads(line.readline())

            yield ask


@contextmanager
def _read_all_along(terminal: Terminal) -> Iterator[None]:
    """Read what the program writes, as a terminal does, while something else goes on."""
    is_over = threading.Event()

    def read() -> None:
        while not is_over.is_set():
            terminal.pump(0.05)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield
    finally:
        is_over.set()
        reader.join()
