"""What moves on a ladder: levels that changed flash and fade, the last trade pulses, recent flow is told.

All of it ends by itself, so that a book at rest sends nothing. In calm mode, and on a line that is too
slow for it, nothing moves at all.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.ladder import Axis, Flow, level_changes, row_of
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.ui.ladder.paint_ladder import Fresh

STAGE_S = 0.3
"""A flash stands out for so long, and fades for as long again."""
_STAGES = 2
_MOST_AT_ONCE = 12
"""More levels than these changed together are a new picture and no event."""


class Moves(NamedTuple):
    """What moves on the rows of one axis now."""

    fresh: dict[tuple[Side, int], Fresh]
    """By side and row."""
    flow: dict[tuple[Side, int], int]
    pulse: int
    """How fresh the last trade is."""


class LadderMotion:
    """Follows one book from picture to picture."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Take a clock in seconds."""
        self._now = now
        self._flow = Flow()
        self._fresh: dict[tuple[Side, Micros], tuple[float, bool]] = {}
        """Until when a level is fresh, and whether it grew."""
        self._pulse_until = 0.0
        self._last: tuple[Micros | None, object] | None = None

    @property
    def is_live(self) -> bool:
        """Whether something will look different by itself."""
        return bool(self._fresh or self._flow.net) or self._pulse_until > self._now()

    def forget(self) -> None:
        """Begin anew."""
        self._flow.forget()
        self._fresh.clear()
        self._pulse_until, self._last = 0.0, None

    def follow(self, before: BookView | None, after: BookView, *, traded: object) -> None:
        """Note how a book differs from the one that was on show.

        Args:
            before: what was on show; None for nothing.
            after: what is on show now.
            traded: tells one last trade from the next.
        """
        now = self._now()
        last, self._last = self._last, (after.own_last_price, traded)
        is_same = before is not None and before.token_id == after.token_id
        if before is None or not is_same or not (before.state.is_good and after.state.is_good):
            self.forget()
            self._last = (after.own_last_price, traded)
            return
        changes = level_changes(before, after)
        if len(changes) > _MOST_AT_ONCE:
            self._flow.forget()
            return
        self._flow.note(changes, int(now * 1_000))
        end = now + _STAGES * STAGE_S
        for place, change in changes.items():
            self._fresh[place] = (end, change > 0)
        if last is not None and last != self._last and after.own_last_price is not None:
            self._pulse_until = end

    def moves(self, axis: Axis) -> Moves:
        """Return what moves now; what has ended is forgotten."""
        now = self._now()
        self._flow.expire(int(now * 1_000))
        self._fresh = {place: each for place, each in self._fresh.items() if each[0] > now}
        fresh = {
            (side, row_of(axis, price, side)): Fresh(self._stage(until, now), is_more)
            for (side, price), (until, is_more) in self._fresh.items()
        }
        flow: dict[tuple[Side, int], int] = {}
        for (side, price), change in self._flow.net.items():
            row = side, row_of(axis, price, side)
            flow[row] = flow.get(row, 0) + change
        return Moves(fresh, flow, self._stage(self._pulse_until, now))

    def _stage(self, until: float, now: float) -> int:
        return 0 if until <= now else min(_STAGES, 1 + int((until - now) / STAGE_S))
