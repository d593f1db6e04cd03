"""The events of the commands since they were last collected, and the moment they happen at."""

from pmtui.sim.engine.events import Event


class Journal:
    """Collects events in order; every command first sets `now_ms`."""

    __slots__ = ("_events", "now_ms")

    def __init__(self) -> None:
        self.now_ms = 0
        self._events: list[Event] = []

    def add(self, event: Event) -> None:
        """Append what just happened."""
        self._events.append(event)

    def drain(self) -> tuple[Event, ...]:
        """Hand over the collected events and forget them."""
        events = tuple(self._events)
        self._events.clear()
        return events
