"""What was added to the levels of a book and pulled from them a moment ago.

It compares what a book shows with what it showed before. Whether size went because it traded or because
somebody cancelled it, no book tells.
"""

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from pmtui.domain.books.book_view import BookView
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros

WINDOW_MS = 5_000
"""So long a change is told."""
Places: TypeAlias = Mapping[tuple[Side, Micros], Micros]
"""Changes of size in shares, below zero where it shrank, by side and price."""


def level_changes(before: BookView, after: BookView) -> Places:
    """Return by how much the size of each level has changed; only the levels that differ."""
    found: dict[tuple[Side, Micros], Micros] = {}
    sides = ((Side.BUY, before.bids, after.bids), (Side.SELL, before.asks, after.asks))
    for side, olds, news in sides:
        if olds is news:
            continue
        was = {level.price: level.size for level in olds}
        now = {level.price: level.size for level in news}
        for price in was.keys() | now.keys():
            change = now.get(price, 0) - was.get(price, 0)
            if change:
                found[side, price] = Micros(change)
    return found


class _Noted(NamedTuple):
    at_ms: int
    changes: Places


class Flow:
    """The changes of the last seconds of one book, added up by level."""

    def __init__(self) -> None:
        """Start with nothing changed."""
        self._noted: deque[_Noted] = deque()
        self._net: dict[tuple[Side, Micros], int] = {}

    @property
    def net(self) -> Places:
        """By how much each level differs from what it was at the beginning of the window."""
        return {place: Micros(change) for place, change in self._net.items()}

    def note(self, changes: Places, now_ms: int) -> None:
        """Add changes of this moment. Moments never go back."""
        if changes:
            self._noted.append(_Noted(now_ms, changes))
            self._add(changes, 1)
        self.expire(now_ms)

    def expire(self, now_ms: int) -> None:
        """Forget what is older than the window."""
        while self._noted and self._noted[0].at_ms <= now_ms - WINDOW_MS:
            self._add(self._noted.popleft().changes, -1)

    def forget(self) -> None:
        """Begin anew: another book is on show, or a snapshot replaced all of it."""
        self._noted.clear()
        self._net.clear()

    def _add(self, changes: Places, sign: int) -> None:
        for place, change in changes.items():
            total = self._net.get(place, 0) + sign * change
            if total:
                self._net[place] = total
            else:
                self._net.pop(place, None)
