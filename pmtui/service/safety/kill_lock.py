"""The kill lock: whether order entry is locked by the kill switch, even from another shell.

Two files work even while no terminal runs. `killed.json` locks entry for as long as it exists,
whatever it contains: an unreadable file also locks. `kill_answer.json` reports the running
terminal's progress to whoever threw the switch from outside. Both are replaced atomically.

The file is authoritative: it is checked before every order, so a kill from outside takes effect
when it is written, and it outlives the program. If the file cannot be written, this session is
locked all the same.
"""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

import msgspec

from pmtui.config.paths import replace_file
from pmtui.service.clock import Clock

T = TypeVar("T", bound=msgspec.Struct)

KILLED = "killed.json"
ANSWER = "kill_answer.json"

Mark = tuple[int, int, int]
"""Identifies one version of the file."""


class Killed(msgspec.Struct, frozen=True):
    """A lock of order entry, since when and by whom."""

    by: str
    """As a trader reads it: `K in the terminal`, `pmtui kill in another shell`."""
    at: str
    """ISO 8601, UTC; empty if unknown."""
    kill_id: str = msgspec.field(default_factory=lambda: uuid4().hex)


class KillAnswer(msgspec.Struct, frozen=True):
    """The terminal's progress with one kill."""

    kill_id: str
    cancelled: int
    """Orders that the venue reported as cancelled."""
    left: int
    """Orders that still rest, or may rest."""
    is_done: bool
    """Whether the venue lists no more orders, and none is on its way."""
    problem: str = ""
    """Why it is not done yet."""


UNREADABLE = Killed(by="a file that cannot be read", at="", kill_id="unreadable")


def new_kill(by: str, at: datetime) -> Killed:
    """Return a new kill with its own id, to be written."""
    return Killed(by=by, at=at.isoformat(timespec="seconds"))


def write_killed(state_dir: Path, killed: Killed) -> None:
    """Lock order entry; on return it has reached the disk.

    On a full disk an empty file takes its place: an unreadable file also locks.

    Raises:
        OSError: the directory cannot be written.
    """
    try:
        _write(state_dir / KILLED, killed)
    except OSError:
        (state_dir / KILLED).touch(mode=0o600)


def read_killed(state_dir: Path) -> Killed | None:
    """Return the lock of order entry; None if it is not locked."""
    try:
        return _read(state_dir / KILLED, Killed)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError):
        return UNREADABLE


def mark_of(state_dir: Path) -> Mark | None:
    """Return a mark that changes with every kill and every release; None while entry is open.

    Raises:
        OSError: it cannot be determined.
    """
    try:
        found = (state_dir / KILLED).stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def remove_killed(state_dir: Path) -> None:
    """Unlock order entry.

    Raises:
        OSError: the file cannot be removed.
    """
    (state_dir / KILLED).unlink(missing_ok=True)
    with suppress(OSError):
        (state_dir / ANSWER).unlink(missing_ok=True)


def write_answer(state_dir: Path, answer: KillAnswer) -> None:
    """Write the terminal's progress.

    Raises:
        OSError: the directory cannot be written.
    """
    _write(state_dir / ANSWER, answer)


def read_answer(state_dir: Path) -> KillAnswer | None:
    """Return the terminal's last report, if there is one."""
    try:
        return _read(state_dir / ANSWER, KillAnswer)
    except (OSError, msgspec.MsgspecError):
        return None


def _read(path: Path, kind: type[T]) -> T:
    return msgspec.json.decode(path.read_bytes(), type=kind)


def _write(path: Path, value: msgspec.Struct) -> None:
    replace_file(path, msgspec.json.encode(value) + b"\n", is_synced=True)


UNTOLD: Mark = (-1, -1, -1)


class KillLock:
    """The kill lock of one profile."""

    def __init__(self, clock: Clock, state_dir: Path | None) -> None:
        """Create the lock, locked if the last session or another shell locked it.

        Args:
            clock: provides the time.
            state_dir: of the profile; None keeps the lock for this session only.
        """
        self._clock = clock
        self._state_dir = state_dir
        self._mark: Mark | None = None
        self._killed: Killed | None = None
        _ = self.refresh()

    @property
    def killed(self) -> Killed | None:
        """The lock as of the last refresh; None if entry is open."""
        return self._killed

    @property
    def reason(self) -> str:
        """Why no order may be entered, in words; empty while orders may."""
        return "" if self._killed is None else f"Trading locked since {_describe(self._killed)}"

    def refresh(self) -> bool:
        """Check whether entry was locked or unlocked from outside; return whether it was."""
        if self._state_dir is None:
            return False
        try:
            mark = mark_of(self._state_dir)
        except OSError:
            # If its existence cannot be determined, it counts as locked.
            is_news = self._killed is None
            self._killed, self._mark = self._killed or UNREADABLE, UNTOLD
            return is_news
        if mark == self._mark:
            return False
        self._mark = mark
        self._killed = None if mark is None else read_killed(self._state_dir)
        return True

    def close(self, by: str) -> str:
        """Lock entry now; return why the lock would not outlive this session, or "" if it does."""
        self._killed = new_kill(by, self._clock.now())
        if self._state_dir is None:
            return ""
        try:
            write_killed(self._state_dir, self._killed)
            self._mark = mark_of(self._state_dir)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def keep(self) -> None:
        """Retry writing a lock that could not be written."""
        if self._state_dir is None or self._killed is None or self._mark is not None:
            return
        with suppress(OSError):
            write_killed(self._state_dir, self._killed)
            self._mark = mark_of(self._state_dir)

    def open(self) -> str:
        """Unlock entry; return why it stays locked, or "" on success."""
        if self._state_dir is not None:
            try:
                remove_killed(self._state_dir)
            except OSError as error:
                return error.strerror or str(error)
        self._mark = self._killed = None
        return ""


def _describe(killed: Killed) -> str:
    try:
        at = datetime.fromisoformat(killed.at).astimezone(UTC)
    except ValueError:
        return f"an unknown time by {killed.by}"
    return f"{at:%Y-%m-%d %H:%M:%S} UTC by {killed.by}"
