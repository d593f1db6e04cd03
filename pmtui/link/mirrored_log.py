"""The service's log as one terminal has read it, with notices of the terminal's own among its entries.

The terminal itself reports what a service that died can no longer report. Its notices stay until they
are read, also when another run of the service begins its log anew. Entries are numbered here in the
order in which they came, so that an own notice shifts the numbers of those after it.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from pmtui.service.views import Level, LogEntry, LogView

MOST_ENTRIES = 2_000


class MirroredLog:
    """The log of one terminal."""

    def __init__(self) -> None:
        """Begin without entries."""
        self._entries: deque[LogEntry] = deque(maxlen=MOST_ENTRIES)
        self._own: list[int] = []
        """The numbers of own notices, the oldest first."""
        self._last = 0
        self._dropped = 0
        self._read_up_to = 0
        self._view: LogView | None = None
        self._unread: int | None = None

    @property
    def last_entry(self) -> int:
        """The last entry that is known, by the service's number."""
        return self._last

    @property
    def unread(self) -> int:
        """How many notices were not read in this terminal."""
        if self._unread is None:
            self._unread = sum(
                entry.sequence > self._read_up_to and entry.level is not Level.INFO
                for entry in self._entries
            )
        return self._unread

    def view(self) -> LogView:
        """Return the log, as far as this terminal has read it."""
        if self._view is None:
            self._view = LogView(tuple(self._entries), self._dropped, self._read_up_to)
        return self._view

    def begin_anew(self, read_up_to: int) -> None:
        """Begin with the log of another run of the service; own notices that were not read stay.

        Args:
            read_up_to: the last entry that was read in any terminal of that run.
        """
        own = set(self._own)
        kept = [e for e in self._entries if e.sequence in own and e.sequence > self._read_up_to]
        self._entries.clear()
        self._own.clear()
        self._last = self._dropped = 0
        # They come first, so that nothing after them counts as read either.
        self._read_up_to = 0 if kept else read_up_to
        for entry in kept:
            self._append_own(entry)
        self._forget_views()

    def add(self, entries: Iterable[LogEntry], *, dropped: int) -> None:
        """Add entries of the service, each once.

        Args:
            entries: in order.
            dropped: how many are no longer kept before the first one that is.
        """
        new = [entry for entry in entries if entry.sequence > self._last]
        shift = len(self._own)
        self._entries.extend(replace(e, sequence=e.sequence + shift) if shift else e for e in new)
        self._last = new[-1].sequence if new else self._last
        self._dropped = dropped
        self._forget_views()

    def add_own(self, level: Level, text: str, *, at: datetime) -> None:
        """Add an entry of the terminal's own; a notice stays until it is read."""
        is_notice = level is not Level.INFO
        kind = "notice" if is_notice else "order"
        self._append_own(LogEntry(0, at, level, kind, text, until_read=is_notice))
        self._forget_views()

    def mark_read(self, sequence: int) -> bool:
        """Count everything up to this entry as read; return whether some of it was not."""
        is_news = sequence > self._read_up_to
        if is_news:
            self._read_up_to = sequence
            self._forget_views()
        return is_news

    def to_service(self, sequence: int) -> int:
        """Return the service's number of an entry, or of the last one before an own notice."""
        return sequence - bisect_right(self._own, sequence)

    def _append_own(self, entry: LogEntry) -> None:
        sequence = self._last + len(self._own) + 1
        self._own.append(sequence)
        self._entries.append(replace(entry, sequence=sequence))

    def _forget_views(self) -> None:
        self._view = self._unread = None
