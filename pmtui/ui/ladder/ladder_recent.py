"""What a ladder showed a moment ago: an answer to it may still be on its way.

Between a picture and the click or key that answers it lie the line, the eye and the hand. A book that
moved in between would give the same click another price, and the same key another side.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from pmtui.domain.books.ladder import Ladder
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros

SEEING_S = 0.3
"""Nobody answers what has been shown for less than this: so long take eye and hand."""
SLOW_S = 0.25
"""On a line this slow a price may have gone before it was seen."""
_MOST = 8
"""More pictures than these are not looked back at; on a slow line they are rarer."""


class _Shown(NamedTuple):
    until: float
    ladder: Ladder
    top: int | None


class RecentLadders:
    """Pictures of one book that may still be answered."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Take a clock in seconds."""
        self.now = now
        self._shown: deque[_Shown] = deque(maxlen=_MOST)
        self._moved_at = float("-inf")

    def replaced(self, ladder: Ladder, top: int | None, lag_s: float) -> None:
        """Note what was on show until now; what nobody can answer any more is let go."""
        _ = self._recent(lag_s)
        self._shown.append(_Shown(self.now(), ladder, top))

    def moved_by_hand(self) -> None:
        """Note that the trader has moved the rows, and knows it."""
        self._moved_at = self.now()

    def forget(self) -> None:
        """Another book is on show."""
        self._shown.clear()

    def prices_at(self, row: int, lag_s: float) -> set[Micros]:
        """Return the prices that a row, counted from the first price, was shown at."""
        found: set[Micros] = set()
        for shown in self._recent(lag_s):
            if shown.top is not None and shown.until > self._moved_at:
                axis, index = shown.ladder.axis, shown.top - row
                if axis.first <= index <= axis.last:
                    found.add(axis.price_at(index))
        return found

    def sides_at(self, price: Micros, lag_s: float) -> set[Side]:
        """Return what `enter` was said to do at a price."""
        return {shown.ladder.side_at(price) for shown in self._recent(lag_s)}

    def touch_seen(self, lag_s: float) -> tuple[Micros | None, Micros | None] | None:
        """Return best bid and ask as the trader saw them last; None where they are those on show."""
        since = self.now() - lag_s
        shown = next((each for each in self._shown if each.until > since), None)
        return None if shown is None else shown.ladder.touch

    def _recent(self, lag_s: float) -> list[_Shown]:
        since = self.now() - SEEING_S - lag_s
        while self._shown and self._shown[0].until <= since:
            self._shown.popleft()
        return list(self._shown)
