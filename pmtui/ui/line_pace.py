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
"""A picture is due this long after the last one although no answer has come: it may be lost."""
SLOW_TRIP_S = 0.03
"""An answer that takes so long has come a long way."""
GIVE_UP_S = 15.0
"""An answer so late is lost, and so may be whoever gave them."""


class LinePace:
    """Counts what is on its way; the same for every kind of terminal, also one that is mute."""

    def __init__(self, now: Callable[[], float]) -> None:
        """Take a clock in seconds."""
        self._now = now
        self._is_answering = False
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
        self._painted_at = self._now()

    def answered(self) -> None:
        """Note that the terminal has shown everything up to the last question."""
        asked_at, self._asked_at = self._asked_at, None
        self._is_quiet.set()
        if asked_at is None:
            return
        trip = self._now() - asked_at
        # The first answer after a silence may belong to an older question.
        if self._is_answering or self._best_trip is None:
            self._best_trip = min(self._best_trip or trip, trip)
        self._is_answering = True

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
        if self._asked_at is None or not self._is_answering:
            return False
        waited = now - self._asked_at
        if waited > GIVE_UP_S:
            self._asked_at, self._is_answering = None, False
            return False
        is_late = waited > (self._best_trip or 0.0) + SLACK_S
        return is_late and now - self._painted_at < SLOWEST_S

    def may_be_answered(self) -> bool:
        """Whether an answer may arrive any moment."""
        if self._asked_at is None:
            return False
        waited = self._now() - self._asked_at
        return waited <= (GIVE_UP_S if self._is_answering else SLOWEST_S)

    def is_slow(self) -> bool:
        """Whether answers take long enough to be torn, as far as is known."""
        return self._best_trip is None or self._best_trip >= SLOW_TRIP_S

    def lag_s(self) -> float:
        """Return how long a picture and an answer to it take, as far as is known."""
        waited = (
            0.0
            if self._asked_at is None or not self._is_answering
            else (self._now() - self._asked_at)
        )
        return min(max(waited, self._best_trip or 0.0), SLOWEST_S)

    def wait_for_answer(self, timeout_s: float) -> None:
        """Wait, in another thread than the one that hears answers, until none is on its way."""
        if self._is_answering:
            self._is_quiet.wait(timeout_s)
