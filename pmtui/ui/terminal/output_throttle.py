"""Decides when the connection to the terminal has room for another frame.

Buffers on the way hold far more than the connection carries: the kernel's some 20 kB, those of SSH
hundreds. Only the terminal knows what it has received, so each frame ends with a query for the
cursor position, which every terminal since the VT100 answers. While a reply is late nothing is
painted, and then the latest state at once: a slow connection shows fewer frames, never older ones.
"""

from collections.abc import Callable
from threading import Event

QUESTION = "\x1b[6n"
SLACK_S = 0.15
"""How much later than usual a reply may come before frames wait for it."""
TAKING_S = 0.05
"""How long the kernel may take for a frame before further ones wait."""
BRISK_S = 0.06
"""A reply that comes no later than this after the usual time was to a frame of little cost."""
BRISK_FOR_S = 2.0
"""So long the line must have been brisk to carry more than is needed."""
SLOWEST_S = 2.0
"""After this time without a reply a frame is painted anyway, because the reply may be lost. Each
such frame doubles the wait, and so does a long round trip: on a connection that is merely slow,
frames sent ahead of replies would pile up without end."""
SLOW_TRIP_S = 0.03
"""A round trip of this length or more counts as slow."""
LONGEST_S = 30.0
"""The longest that a frame waits."""
GIVE_UP_S = 15.0
"""A reply this late counts as lost, unless frames wait longer anyway; another is requested."""
NARROW = 3
"""After a late reply only one frame is pending at a time, until so many replies came in time."""
LOST = 3
"""After so many lost replies in a row the terminal counts as silent."""
STILL_S = 2.0
"""A line whose terminal has confirmed nothing for longer than this stands still."""
CATCH_UP_S = 1.0
"""How long after that a key may still have been meant for the picture of before."""
MUTE_S = 1.0
"""The least interval of frames for a terminal that stopped replying: it may be stuck."""


class OutputThrottle:
    """Tracks pending output; works for every kind of terminal, including one that never replies."""

    def __init__(self, now: Callable[[], float]) -> None:
        """Use a clock in seconds."""
        self._now = now
        self._is_answering = False
        self._has_answered = False
        self._lost = 0
        self._narrow = 0
        self._patience = SLOWEST_S
        self._best_trip: float | None = None
        self._asked_at: float | None = None
        self._dragged_at = 0.0
        """When a reply last came later than on a brisk line."""
        self._unanswered_since: float | None = None
        """When the first query left to which, or to a later one, no reply has come."""
        self._beat_at: float | None = None
        """When the program itself was last known to run; None before."""
        self._moved_on: tuple[float, float] | None = None
        """When the line last went on after it had stood still, and for how long it had."""
        self._painted_at = 0.0
        self._given_at: float | None = None
        self._is_quiet = Event()
        self._is_quiet.set()

    def question(self) -> str:
        """Return the query to append to the output; empty while a reply is pending."""
        if self._asked_at is not None:
            return ""
        self._asked_at = self._now()
        if self._unanswered_since is None:
            self._unanswered_since = self._asked_at
        self._is_quiet.clear()
        return QUESTION

    def beat(self) -> None:
        """Note that the program runs; called several times within `STILL_S`."""
        self._note_going_on(self._beat_at)
        self._beat_at = self._now()

    def painted(self) -> None:
        """Note that a frame was written."""
        now = self._now()
        if self._is_answering and self._must_wait(now):
            self._patience = min(2 * self._patience, LONGEST_S)
        self._painted_at = now

    def answered(self) -> None:
        """Note that the terminal has shown everything up to the last query."""
        asked_at, self._asked_at = self._asked_at, None
        if self._has_answered:
            self._note_going_on(self._unanswered_since)
        self._unanswered_since = None
        self._is_quiet.set()
        if asked_at is None:
            return
        trip = self._now() - asked_at
        usual = trip if self._best_trip is None else self._best_trip
        is_late = trip > usual + SLACK_S
        if trip > usual + BRISK_S:
            self._dragged_at = self._now()
        self._narrow = NARROW if is_late else max(0, self._narrow - 1)
        # The first reply after a silence may belong to an older query.
        if (self._is_answering and not self._lost) or self._best_trip is None:
            self._best_trip = min(self._best_trip or trip, trip)
        self._patience = min(max(SLOWEST_S, 2 * trip), LONGEST_S)
        self._is_answering = self._has_answered = True
        self._lost = 0

    def given(self) -> None:
        """Note that output was queued, unless some was before."""
        if self._given_at is None:
            self._given_at = self._now()

    def taken(self) -> None:
        """Note that the kernel has taken all output."""
        given_at, self._given_at = self._given_at, None
        self._note_going_on(given_at)

    def is_behind(self) -> bool:
        """Return whether a frame painted now would be outdated before it is seen."""
        now = self._now()
        if self._given_at is not None and now - self._given_at > TAKING_S:
            return True
        if not self._is_answering:
            if self._has_answered and self._asked_at is not None:
                # The query may have been lost on its way: it is asked again, ever so rarely.
                is_lost = now - self._asked_at > self._longest_wait()
                self._asked_at = None if is_lost else self._asked_at
            return self._has_answered and now - self._painted_at < MUTE_S
        if self._asked_at is None:
            return False
        if now - self._asked_at > self._longest_wait():
            self._asked_at, self._lost = None, self._lost + 1
            self._is_answering = self._lost < LOST
            return False
        return self._must_wait(now) and now - self._painted_at < self._patience

    def may_be_answered(self) -> bool:
        """Return whether a reply may still arrive."""
        if self._asked_at is None:
            return False
        waited = self._now() - self._asked_at
        return waited <= (self._longest_wait() if self._is_answering else SLOWEST_S)

    def is_slow(self) -> bool:
        """Return whether replies are slow enough to be split, as far as is known."""
        return self._best_trip is None or self._best_trip >= SLOW_TRIP_S

    def is_brisk(self) -> bool:
        """Return whether frames have lately been shown at once, so that there is room for more."""
        if not self._is_answering or self._best_trip is None or self._given_at is not None:
            return False
        now = self._now()
        if self._asked_at is not None and now - self._asked_at > self._best_trip + BRISK_S:
            return False
        return now - self._dragged_at > BRISK_FOR_S

    def lag_s(self) -> float:
        """Return the round trip of a frame in seconds, as far as is known."""
        since = self._unanswered_since if self._has_answered else None
        waited = 0.0 if since is None else self._now() - since
        return min(max(waited, self._best_trip or 0.0), SLOWEST_S)

    def stood_still_s(self) -> float:
        """Return for how long the line stood still as of the picture that a key is meant for.

        Zero while the terminal confirms what is sent within `STILL_S`. Of a terminal that never
        replies only what the kernel holds is known; it is believed as long as that is taken. It is
        the same to the trader where not the line but this program stood still.
        """
        now = self._now()
        unanswered = self._unanswered_since if self._has_answered else None
        since = (unanswered, self._given_at, self._beat_at)
        still_s = max((now - each for each in since if each is not None), default=0.0)
        if still_s > STILL_S:
            return still_s
        if self._moved_on is not None and now - self._moved_on[0] < CATCH_UP_S:
            return self._moved_on[1]
        return 0.0

    def wait_for_answer(self, timeout_s: float) -> None:
        """Wait until no reply is pending; not in the thread that receives replies."""
        if self._is_answering:
            self._is_quiet.wait(timeout_s)

    def _note_going_on(self, since: float | None) -> None:
        now = self._now()
        if since is not None and now - since > STILL_S:
            self._moved_on = now, now - since

    def _must_wait(self, now: float) -> bool:
        if self._asked_at is None:
            return False
        return bool(self._narrow) or now - self._asked_at > (self._best_trip or 0.0) + SLACK_S

    def _longest_wait(self) -> float:
        return max(GIVE_UP_S, 2 * self._patience)
