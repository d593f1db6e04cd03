"""Whether orders may be entered at all: closed by the kill switch, also from another shell.

What counts is the file: it is looked at before every order, so a kill from outside holds from the
moment it is written, and it outlives the program. Where the file cannot be written, this session
is locked all the same.
"""

from datetime import UTC, datetime
from pathlib import Path

from pmtui.service.ports import Clock
from pmtui.service.safety.kill_file import (
    UNREADABLE,
    Killed,
    Mark,
    mark_of,
    new_kill,
    read_killed,
    remove_killed,
    write_killed,
)

UNTOLD: Mark = (-1, -1, -1)


class EntryLock:
    """One profile's lock."""

    def __init__(self, clock: Clock, state_dir: Path | None) -> None:
        """Build it, locked where the last session or another shell left it so.

        Args:
            clock: what the time is.
            state_dir: of the profile; None keeps the lock for this session only.
        """
        self._clock = clock
        self._state_dir = state_dir
        self._mark: Mark | None = None
        self._killed: Killed | None = None
        _ = self.look()

    @property
    def killed(self) -> Killed | None:
        """Why entry is locked, as known from the last look."""
        return self._killed

    @property
    def reason(self) -> str:
        """Why no order may be entered, in words; empty while it may."""
        return "" if self._killed is None else f"Trading locked since {_say(self._killed)}"

    def look(self) -> bool:
        """See whether somebody locked or released it from outside; return whether so."""
        if self._state_dir is None:
            return False
        try:
            mark = mark_of(self._state_dir)
        except OSError:
            # Whether it is there cannot be told: then it is.
            is_news = self._killed is None
            self._killed, self._mark = self._killed or UNREADABLE, UNTOLD
            return is_news
        if mark == self._mark:
            return False
        self._mark = mark
        self._killed = None if mark is None else read_killed(self._state_dir)
        return True

    def close(self, by: str) -> str:
        """Lock entry now; return why that would not outlive this session, "" if it does."""
        self._killed = new_kill(by, self._clock.now())
        if self._state_dir is None:
            return ""
        try:
            write_killed(self._state_dir, self._killed)
            self._mark = mark_of(self._state_dir)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def open(self) -> str:
        """Release entry; return why it stays locked, "" if it does not."""
        if self._state_dir is not None:
            try:
                remove_killed(self._state_dir)
            except OSError as error:
                return error.strerror or str(error)
        self._mark = self._killed = None
        return ""


def _say(killed: Killed) -> str:
    try:
        at = datetime.fromisoformat(killed.at).astimezone(UTC)
    except ValueError:
        return f"an unknown time by {killed.by}"
    return f"{at:%Y-%m-%d %H:%M:%S} UTC by {killed.by}"
