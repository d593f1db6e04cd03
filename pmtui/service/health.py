"""Tracks for every source whether it replies and when it last did."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import HealthState, Link, LinkState, RequestQueue, Source, SourceHealth
from pmtui.service.clock import Clock
from pmtui.service.hub import Hub
from pmtui.service.log import Log, RequestLog
from pmtui.service.topics import StatusTopic
from pmtui.service.views import Level

# A refusal is also a reply: the source is up.
_ALIVE = frozenset({FailureKind.REFUSED, FailureKind.NOT_FOUND, FailureKind.BUSY})


# A stream may be quiet: its client pings it, and reports if no pong comes back.
_STREAMS = frozenset({Source.MARKET_STREAM, Source.USER_STREAM})


ROUND_TRIPS = 5
"""The round trip is the fastest of this many replies: the others may have taken long to compute."""
_ON_DEMAND = frozenset({Source.METADATA, Source.ANALYTICS, Source.RELAYER})
"""Sources requested only for data on a screen."""
_NEEDED_FOR_S = 35
"""A watched source is requested twice a minute: an older reply means that no screen watches it."""


class Health:
    """The state of every source."""

    def __init__(self, hub: Hub, log: Log, clock: Clock) -> None:
        self._hub = hub
        self._log = log
        self._clock = clock
        self._sources = {s: SourceHealth(source=s, state=HealthState.IDLE) for s in Source}
        self._lines: dict[Source, dict[str, int]] = {s: {} for s in Source}
        self._listeners: list[Callable[[SourceHealth, SourceHealth], None]] = []
        self._gone = ""
        self._round_trips: dict[Source, deque[int]] = {s: deque(maxlen=ROUND_TRIPS) for s in Source}
        self.requests = RequestLog(hub, clock)
        """The requests to every host."""

    def on_change(self, listener: Callable[[SourceHealth, SourceHealth], None]) -> None:
        """Call `listener` with the states before and after each report of a source."""
        self._listeners.append(listener)

    def note_answer(self, source: Source, *, elapsed_ms: int | None = None) -> None:
        """Record that a source replied or sent data."""
        times = self._round_trips[source]
        if elapsed_ms is not None:
            times.append(elapsed_ms)
        self._put(
            SourceHealth(
                source=source,
                state=HealthState.LIVE,
                as_of=None if source in _STREAMS else self._clock.now(),
                round_trip_ms=min(times, default=None),
                waiting=self._sources[source].waiting,
            )
        )

    def note_failure(self, source: Source, failure: Failure) -> None:
        """Record that a request failed."""
        if failure.kind in _ALIVE:
            self.note_answer(source)
            return
        if failure.kind is not FailureKind.CANCELLED:
            self.note_down(source, failure.text or failure.kind.value)

    def note_waiting(self, source: Source, waiting: RequestQueue) -> None:
        """Record the queue of one route of a source."""
        lines = self._lines[source]
        lines[waiting.route] = waiting.count
        self._put(replace(self._sources[source], waiting=sum(lines.values())))

    def note_down(self, source: Source, reason: str) -> None:
        """Record that a source cannot be reached."""
        known = self._sources[source]
        reason = self._gone or reason
        if known.state is not HealthState.DOWN:
            self._log.add(Level.WARNING, "stream", f"{source.value} down: {reason}")
        self._put(replace(known, state=HealthState.DOWN, reason=reason))

    def note_gone(self, why: str, what_to_do: str) -> None:
        """Record that the sources have ended permanently; from now on this is why they are down."""
        self._gone = why
        self._log.notice(Level.BAD, what_to_do)
        for known in self._sources.values():
            if known.state is HealthState.DOWN:
                self._put(replace(known, reason=why))

    def note_connecting(self, source: Source) -> None:
        """Record that a source is being connected."""
        known = self._sources[source]
        if known.state is not HealthState.DOWN:
            self._put(replace(known, state=HealthState.CONNECTING, reason=""))

    def note_idle(self, source: Source) -> None:
        """Record that a source is not needed now: its state is unknown."""
        self._put(replace(self._sources[source], state=HealthState.IDLE, reason=""))

    def link_listener(self, source: Source) -> Callable[[Link], None]:
        """Return a callback that records a stream's link as this source's health."""

        def listen(link: Link) -> None:
            match link.state:
                case LinkState.OPEN:
                    self.note_answer(source)
                case LinkState.CONNECTING:
                    self.note_connecting(source)
                case LinkState.SILENT:
                    # Books become stale until the next socket has sent data; a really lost
                    # connection is reported as down when its ping or the next connect fails.
                    self.note_connecting(source)
                case LinkState.IDLE:
                    self.note_idle(source)
                case LinkState.DOWN:
                    self.note_down(source, link.reason or "connection lost")

        return listen

    def is_up(self, source: Source) -> bool:
        """Whether a source's last report was a success."""
        return self._sources[source].state is HealthState.LIVE

    def view(self) -> tuple[SourceHealth, ...]:
        """Return every source in a fixed order; one not requested for a while counts as idle."""
        now = self._clock.now()
        return tuple(
            replace(health, state=HealthState.IDLE) if _is_unasked(health, now) else health
            for health in self._sources.values()
        )

    def _put(self, health: SourceHealth) -> None:
        before = self._sources[health.source]
        self._sources[health.source] = health
        self._hub.mark(StatusTopic())
        for listener in self._listeners:
            listener(before, health)


def _is_unasked(health: SourceHealth, now: datetime) -> bool:
    # A request without a reply fails within this time and is reported as down.
    return (
        health.source in _ON_DEMAND
        and health.state is HealthState.LIVE
        and not health.waiting
        and health.as_of is not None
        and (now - health.as_of).total_seconds() > _NEEDED_FOR_S
    )
