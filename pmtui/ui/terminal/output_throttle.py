"""When the line to the terminal has room for another picture.

Between us and the eye lie buffers that take far more than the line carries: the kernel's some 20 kB,
an SSH connection's hundreds. Only the terminal knows what has come through, so a picture asks it for
its cursor, which every terminal since the VT100 tells. While an answer is late nothing is painted,
and then the newest state at once: a slow line makes pictures rarer, never older.
"""

from collections.abc import Callable
from threading import Event

QUESTION = "\x1b[6n"
SLACK_S = 0.15
"""How much later than usual an answer may come before pictures wait for it."""
TAKING_S = 0.05
"""How long the kernel may take a picture before the next ones wait."""
SLOWEST_S = 2.0
"""A picture is due this long after the last one although no answer has come: it may be lost. Each
such picture doubles the wait, and so does a long way: on a line that only is slow, pictures sent
ahead of answers would pile up without end."""
SLOW_TRIP_S = 0.03
"""An answer that takes so long has come a long way."""
LONGEST_S = 30.0
"""No picture waits for longer."""
GIVE_UP_S = 15.0
"""An answer so late is lost, unless pictures wait for long anyway; another one is asked for."""
NARROW = 3
"""After a late answer one picture is on its way at a time, until so many answers came in time."""
LOST = 3
"""After so many lost answers in a row nobody may be there who gives them."""
MUTE_S = 1.0
"""How far apart pictures are for a terminal that answered once and does no more: it may be stuck."""


class OutputThrottle:
    """Counts what is on its way; the same for every kind of terminal, also one that is mute."""

    def __init__(self, now: Callable[[], float]) -> None:
        """Take a clock in seconds."""
        self._now = now
        self._is_answering = False
        self._has_answered = False
        self._lost = 0
        self._narrow = 0
        self._patience = SLOWEST_S
        self._best_trip: float | None = None
        self._asked_at: float | None = None
        self._painted_at = 0.0
        self._given_at: float | None = None
        self._is_quiet = Event()
        self._is_quiet.set()

    def question(self) -> str:
        """Return what to add to what is sent now; empty while an answer is awaited."""
        if self._asked_at is not None:
            return ""
        self._asked_at = self._now()
        self._is_quiet.clear()
        return QUESTION

    def painted(self) -> None:
        """Note that a picture was handed over."""
        now = self._now()
        if self._is_answering and self._must_wait(now):
            self._patience = min(2 * self._patience, LONGEST_S)
        self._painted_at = now

    def answered(self) -> None:
        """Note that the terminal has shown everything up to the last question."""
        asked_at, self._asked_at = self._asked_at, None
        self._is_quiet.set()
        if asked_at is None:
            return
        trip = self._now() - asked_at
        is_late = self._best_trip is not None and trip > self._best_trip + SLACK_S
        self._narrow = NARROW if is_late else max(0, self._narrow - 1)
        # The first answer after a silence may belong to an older question.
        if (self._is_answering and not self._lost) or self._best_trip is None:
            self._best_trip = min(self._best_trip or trip, trip)
        self._patience = min(max(SLOWEST_S, 2 * trip), LONGEST_S)
        self._is_answering = self._has_answered = True
        self._lost = 0

    def given(self) -> None:
        """Note that the writer has something to write, unless it had before."""
        if self._given_at is None:
            self._given_at = self._now()

    def taken(self) -> None:
        """Note that the kernel has taken all of it."""
        self._given_at = None

    def is_behind(self) -> bool:
        """Whether a picture painted now would be old before it is seen."""
        now = self._now()
        if self._given_at is not None and now - self._given_at > TAKING_S:
            return True
        if not self._is_answering:
            return self._has_answered and now - self._painted_at < MUTE_S
        if self._asked_at is None:
            return False
        if now - self._asked_at > self._longest_wait():
            self._asked_at, self._lost = None, self._lost + 1
            self._is_answering = self._lost < LOST
            return False
        return self._must_wait(now) and now - self._painted_at < self._patience

    def may_be_answered(self) -> bool:
        """Whether an answer may arrive any moment."""
        if self._asked_at is None:
            return False
        waited = self._now() - self._asked_at
        return waited <= (self._longest_wait() if self._is_answering else SLOWEST_S)

    def is_slow(self) -> bool:
        """Whether answers take long enough to be torn, as far as is known."""
        return self._best_trip is None or self._best_trip >= SLOW_TRIP_S

    def lag_s(self) -> float:
        """Return how long a picture and an answer to it take, as far as is known."""
        asked_at = self._asked_at if self._is_answering else None
        waited = 0.0 if asked_at is None else self._now() - asked_at
        return min(max(waited, self._best_trip or 0.0), SLOWEST_S)

    def wait_for_answer(self, timeout_s: float) -> None:
        """Wait, in another thread than the one that hears answers, until none is on its way."""
        if self._is_answering:
            self._is_quiet.wait(timeout_s)

    def _must_wait(self, now: float) -> bool:
        if self._asked_at is None:
            return False
        return bool(self._narrow) or now - self._asked_at > (self._best_trip or 0.0) + SLACK_S

    def _longest_wait(self) -> float:
        return max(GIVE_UP_S, 2 * self._patience)
