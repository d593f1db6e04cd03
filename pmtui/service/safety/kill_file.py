"""The two files of the kill switch, which also work while no terminal runs.

`killed.json` locks entry for as long as it is there, whatever it holds: a file that cannot be read
locks too. `kill_answer.json` is what the running terminal says of how far it has come, for whoever
asked from outside. Both are replaced whole.
"""

from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

import msgspec

from pmtui.config.paths import replace_file

T = TypeVar("T", bound=msgspec.Struct)

KILLED = "killed.json"
ANSWER = "kill_answer.json"

Mark = tuple[int, int, int]
"""Tells one version of the file from the next."""


class Killed(msgspec.Struct, frozen=True):
    """That entry is locked, since when and by whom."""

    by: str
    """As a trader reads it: `K here`, `pmtui kill from another shell`."""
    at: str
    """ISO 8601, UTC; empty where it is not known."""
    kill_id: str = msgspec.field(default_factory=lambda: uuid4().hex)


class KillAnswer(msgspec.Struct, frozen=True):
    """How far the terminal has come with one kill."""

    kill_id: str
    cancelled: int
    """Orders that the venue said are gone."""
    left: int
    """Orders that still rest, or may."""
    is_done: bool
    """The venue lists nothing more, and nothing is on its way."""
    problem: str = ""
    """Why it is not done yet."""


UNREADABLE = Killed(by="a file that cannot be read", at="", kill_id="unreadable")


def new_kill(by: str, at: datetime) -> Killed:
    """Return a kill of its own, to be written."""
    return Killed(by=by, at=at.isoformat(timespec="seconds"))


def write_killed(state_dir: Path, killed: Killed) -> None:
    """Lock entry; it has reached the disk afterwards.

    Raises:
        OSError: the directory cannot be written.
    """
    _write(state_dir / KILLED, killed)


def read_killed(state_dir: Path) -> Killed | None:
    """Return why entry is locked; None where it is not."""
    try:
        return _read(state_dir / KILLED, Killed)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError):
        return UNREADABLE


def mark_of(state_dir: Path) -> Mark | None:
    """Return what changes with every kill and every release; None while entry is open.

    Raises:
        OSError: it cannot be told.
    """
    try:
        found = (state_dir / KILLED).stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def remove_killed(state_dir: Path) -> None:
    """Open entry again.

    Raises:
        OSError: the file cannot be removed.
    """
    (state_dir / KILLED).unlink(missing_ok=True)
    with suppress(OSError):
        (state_dir / ANSWER).unlink(missing_ok=True)


def write_answer(state_dir: Path, answer: KillAnswer) -> None:
    """Say how far it has come.

    Raises:
        OSError: the directory cannot be written.
    """
    _write(state_dir / ANSWER, answer)


def read_answer(state_dir: Path) -> KillAnswer | None:
    """Return what the terminal said last, if anything."""
    try:
        return _read(state_dir / ANSWER, KillAnswer)
    except (OSError, msgspec.MsgspecError):
        return None


def _read(path: Path, kind: type[T]) -> T:
    return msgspec.json.decode(path.read_bytes(), type=kind)


def _write(path: Path, value: msgspec.Struct) -> None:
    replace_file(path, msgspec.json.encode(value) + b"\n", is_synced=True)
