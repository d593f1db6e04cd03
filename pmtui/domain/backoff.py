"""How long to wait before the next attempt: longer each time, until something has worked."""

from collections.abc import Callable
from typing import final


@final
class Backoff:
    """Pauses that double up to a limit."""

    __slots__ = ("_first_s", "_jitter", "_longest_s", "step_s")

    def __init__(
        self, *, first_s: float, longest_s: float, jitter: Callable[[], float] | None = None
    ) -> None:
        """Start with the shortest pause.

        Args:
            first_s: the shortest.
            longest_s: the longest.
            jitter: numbers from 0 to 1 that spread each pause over the upper half of its step, so
                that many clients do not come back at once; None for whole steps.
        """
        self._first_s = first_s
        self._longest_s = longest_s
        self._jitter = jitter
        self.step_s = first_s
        """The next pause, before it is spread."""

    @property
    def is_reset(self) -> bool:
        """Whether no pause was taken since the start or the last reset."""
        return self.step_s == self._first_s

    def next_s(self) -> float:
        """Return how long to pause now; the next pause is longer."""
        step = self.step_s
        self.step_s = min(step * 2, self._longest_s)
        return step if self._jitter is None else step * (0.5 + self._jitter() / 2)

    def reset(self) -> None:
        """Start again with the shortest pause."""
        self.step_s = self._first_s
