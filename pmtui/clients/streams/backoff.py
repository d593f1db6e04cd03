"""How long to wait before the next attempt: doubling, jittered, and never reset too early."""

from random import Random
from typing import final

FIRST_S = 0.25
LONGEST_S = 30.0
"""Both as in the venue's own client (SDK 0.14.0)."""
SETTLED_S = 10.0
"""A connection that lived shorter does not count as one: a host that accepts and closes at once
would be called in a loop."""


@final
class Backoff:
    """Delays between attempts at one socket."""

    __slots__ = ("_first_s", "_longest_s", "_next_s", "_random")

    def __init__(
        self, random: Random, *, first_s: float = FIRST_S, longest_s: float = LONGEST_S
    ) -> None:
        """Start with the shortest delay."""
        self._random = random
        self._first_s = first_s
        self._longest_s = longest_s
        self._next_s = first_s

    def delay_s(self, lived_s: float) -> float:
        """Return how long to wait now: between half of the step and all of it.

        Args:
            lived_s: how long the last connection was up; zero where none came about.
        """
        if lived_s >= SETTLED_S:
            self._next_s = self._first_s
        step = self._next_s
        self._next_s = min(step * 2, self._longest_s)
        return step * (0.5 + self._random.random() / 2)
