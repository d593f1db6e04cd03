"""Whether a socket that is open has gone dead: it happens without a close and without a word.

How long is too long depends on how often it spoke before; a book nobody trades may say nothing
for an hour.
"""

from typing import final

from pmtui.domain.backoff import Backoff

_FRAMES_TO_JUDGE = 20
_PATIENCE_IN_GAPS = 30.0
_WEIGHT = 0.05
"""Of the newest gap in the mean: some twenty gaps are remembered."""
_LONGEST_FIRST_WAIT_S = 3600.0


@final
class Silence:
    """Watches the gaps between the data frames of one socket and its successors. Times in seconds."""

    __slots__ = ("_first_wait", "_frames", "_last", "_mean_gap", "_shortest_s")

    def __init__(self, *, shortest_s: float = 15.0, first_wait_s: float = 30.0) -> None:
        """Set the limits.

        Args:
            shortest_s: never give up sooner than this after the last frame.
            first_wait_s: give up this long after opening when nothing came at all; doubles each
                time, for tokens without a book never say anything.
        """
        self._shortest_s = shortest_s
        self._first_wait = Backoff(first_s=first_wait_s, longest_s=_LONGEST_FIRST_WAIT_S)
        self._frames = 0
        self._last = 0.0
        self._mean_gap = 0.0

    def opened(self, now: float) -> None:
        """Start over with a new socket."""
        self._frames = 0
        self._last = now

    def heard(self, now: float) -> None:
        """Note a data frame."""
        gap = now - self._last
        self._mean_gap = (
            gap if self._frames <= 1 else self._mean_gap + (gap - self._mean_gap) * _WEIGHT
        )
        self._frames += 1
        self._last = now
        self._first_wait.reset()

    def is_too_long(self, now: float) -> bool:
        """Return whether to give the socket up."""
        quiet = now - self._last
        if self._frames == 0:
            if quiet < self._first_wait.step_s:
                return False
            _ = self._first_wait.next_s()
            return True
        if self._frames < _FRAMES_TO_JUDGE:
            return False
        return quiet >= max(self._shortest_s, self._mean_gap * _PATIENCE_IN_GAPS)
