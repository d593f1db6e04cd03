"""The newest trades of every market, written down so that a restart does not empty the tape.

Most of them are between simulated traders and worth nothing but looking at, so they are written
some seconds late and in one go: a kill costs the last few lines of a tape, never anybody's trade,
which the exchange's own books keep.
"""

from collections.abc import Iterable

from pmtui.sim.engine.events import Event, Trade, TradeMatched
from pmtui.sim.venue import Venue

PERIOD_MS = 5_000


class PublicTape:
    """Writes trades behind the venue's back; `tick` is called by whoever keeps time."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._unwritten: list[Trade] = []
        self._due_ms = venue.clock.now_ms() + PERIOD_MS
        venue.subscribe(self._notice)

    def tick(self) -> None:
        """Write once in a while."""
        if self._venue.clock.now_ms() >= self._due_ms:
            self.write()

    def write(self) -> None:
        """Write what has traded since the last time."""
        self._due_ms = self._venue.clock.now_ms() + PERIOD_MS
        if self._unwritten:
            self._venue.write_tape(self._unwritten)
            self._unwritten = []

    def _notice(self, events: Iterable[Event]) -> None:
        self._unwritten.extend(event.trade for event in events if isinstance(event, TradeMatched))
