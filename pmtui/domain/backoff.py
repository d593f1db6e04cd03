"""Exponential backoff: the wait before the next attempt grows until an attempt succeeds."""

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
            first_s: the shortest pause.
            longest_s: the longest pause.
            jitter: returns numbers from 0 to 1 that spread each pause over the upper half of its
                step, so that clients do not all return at once; None for whole steps.
        """
        self._first_s = first_s
        self._longest_s = longest_s
        self._jitter = jitter
        self.step_s = first_s
        """The next pause, before jitter."""

    @property
    def is_reset(self) -> bool:
        """Whether there was no pause since the start or the last reset."""
        return self.step_s == self._first_s

    def next_s(self) -> float:
        """Return the pause to take now; the next pause is longer."""
        step = self.step_s
        self.step_s = min(step * 2, self._longest_s)
        return step if self._jitter is None else step * (0.5 + self._jitter() / 2)

    def reset(self) -> None:
        """Start again with the shortest pause."""
        self.step_s = self._first_s
