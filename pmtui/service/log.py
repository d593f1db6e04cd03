"""The trader's log: notices, orders, requests and stream events, numbered and bounded.

Texts may contain the venue's text: they are stored as received and sanitised when painted.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from pmtui.domain.ids import OrderId
from pmtui.service.clock import Clock
from pmtui.service.hub import Hub
from pmtui.service.topics import LogTopic, RequestsTopic, StatusTopic
from pmtui.service.views import EntryFacts, Level, LogEntry, LogView, RequestEntry, RequestsView

CAPACITY = 2_000


MOST_REQUESTS = 500
"""Enough for some minutes of a busy session."""


class RequestLog:
    """A separate ring buffer of requests, so that they push no order and no notice out of the log."""

    def __init__(self, hub: Hub, clock: Clock) -> None:
        self._hub = hub
        self._clock = clock
        self._entries: deque[RequestEntry] = deque(maxlen=MOST_REQUESTS)
        self._sequence = 0

    def add(self, route: str, status: int | None, elapsed_ms: int, *, text: str = "") -> None:
        """Record how a request ended.

        Args:
            route: method and path template.
            status: of the reply; None if there was none.
            elapsed_ms: from the first byte to the last.
            text: the error, if any.
        """
        self._sequence += 1
        now = self._clock.now()
        self._entries.append(RequestEntry(self._sequence, now, route, status, elapsed_ms, text))
        self._hub.mark(RequestsTopic())

    def view(self) -> RequestsView:
        """Return the stored requests."""
        return RequestsView(tuple(self._entries), self._sequence - len(self._entries))


class Log:
    """A ring buffer of entries with sequence numbers; dropped entries are counted."""

    def __init__(self, hub: Hub, clock: Clock) -> None:
        self._hub = hub
        self._clock = clock
        self._entries: deque[LogEntry] = deque(maxlen=CAPACITY)
        self._sequence = 0
        self._read_up_to = 0
        self._unread = 0

    def add(
        self, level: Level, kind: str, text: str, *, order_id: OrderId | None = None,
        until_read: bool = False, facts: EntryFacts | None = None, cause: str = "",
    ) -> None:  # fmt: skip
        """Append an entry; a `notice` or `order` above INFO counts as unread."""
        self._sequence += 1
        self._entries.append(
            LogEntry(
                sequence=self._sequence,
                at=self._clock.now(),
                level=level,
                kind=kind,
                text=text,
                order_id=order_id,
                until_read=until_read,
                facts=facts,
                cause=cause,
            )
        )
        if level is not Level.INFO:
            self._unread += 1
            self._hub.mark(StatusTopic())
        self._hub.mark(LogTopic())

    def restore(self, entries: Iterable[LogEntry]) -> None:
        """Start with the entries of an earlier session; none of them is unread."""
        for entry in entries:
            self._sequence += 1
            self._entries.append(replace(entry, sequence=self._sequence))
        self._hub.mark(LogTopic())

    def notice(
        self, level: Level, text: str, *, order_id: OrderId | None = None,
        until_read: bool = False, cause: str = "",
    ) -> None:  # fmt: skip
        """Add a notice, which is shown briefly, or stays until it is read or its cause ends."""
        self.add(
            level, "notice", text, order_id=order_id, until_read=until_read, cause=cause
        )  # fmt: skip

    def mark_read(self, sequence: int) -> None:
        """Mark everything up to this entry as read."""
        if sequence > self._read_up_to:
            self._read_up_to = min(sequence, self._sequence)
            self._unread = sum(
                1
                for e in self._entries
                if e.sequence > self._read_up_to and e.level is not Level.INFO
            )
            self._hub.mark(StatusTopic())
            self._hub.mark(LogTopic())

    @property
    def unread(self) -> int:
        """Unread entries above INFO."""
        return self._unread

    def view(self) -> LogView:
        """Return the stored entries."""
        return LogView(
            entries=tuple(self._entries),
            dropped=self._sequence - len(self._entries),
            read_up_to=self._read_up_to,
        )
