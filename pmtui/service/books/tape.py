"""One token's tape: its newest trades, how much traded at each price, and where trades are missing."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import final

from pmtui.domain.books.tape import (
    MARGIN,
    SAME_MOMENT,
    PastTrades,
    TapeGap,
    merge_prints,
    missing_prints,
    remaining_gap,
)
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint
from pmtui.service.views import TapeView

TAPE_LENGTH = 200
MOST_HOLES = 20
MOST_KNOWN = 2_000
"""Trades kept to fill a gap: one that was not filled until then stays as it is."""
_UNKNOWN = PastTrades((), is_whole=False)


@dataclass(slots=True)
class _OpenGap:
    """A hole for which more may be fetched."""

    gap: TapeGap
    floor: datetime
    """Older trades than this are of no use to it."""
    known: list[TradePrint]
    """The tape at its beginning and all since: the tape itself may be too short for all of it."""


@final
class Tape:
    """The newest trades of a token, and how much traded at each price of all that is known."""

    __slots__ = ("_count", "_holes", "_open", "_prints", "_sound_until", "_view", "_volume")

    def __init__(self) -> None:
        self._prints: deque[TradePrint] = deque(maxlen=TAPE_LENGTH)
        self._count = 0
        self._volume: dict[Micros, int] = {}
        self._view: TapeView | None = None
        self._open: _OpenGap | None = None
        self._holes: deque[TapeGap] = deque(maxlen=MOST_HOLES)
        self._sound_until: datetime | None = None

    @property
    def gap(self) -> TapeGap | None:
        """The hole that more may be fetched for."""
        return self._open.gap if self._open is not None else None

    def add(self, trade: TradePrint) -> None:
        """Take in a trade."""
        self._prints.appendleft(trade)
        self._count += 1
        self._volume[trade.price] = self._volume.get(trade.price, 0) + trade.size
        if self._open is not None:
            self._open.known.append(trade)
            if len(self._open.known) > MOST_KNOWN and self._open.gap.before is not None:
                _ = self.settle(_UNKNOWN)
        self._view = None

    def add_past(self, trades: Iterable[TradePrint]) -> None:
        """Add trades from before the subscription; those received meanwhile are not counted twice."""
        self._weave(missing_prints(self._prints, trades))

    def forget_after(self, at: datetime) -> None:
        """Forget what happened after a moment: a replay was moved back, and tells it again."""
        kept = [trade for trade in self._prints if trade.at <= at]
        for trade in self._prints:
            if trade.at > at:
                self._volume[trade.price] = self._volume.get(trade.price, 0) - trade.size
        self._volume = {price: size for price, size in self._volume.items() if size > 0 and kept}
        self._prints = deque(kept, maxlen=TAPE_LENGTH)
        self._open, self._sound_until, self._view = None, None, None
        self._holes = deque((h for h in self._holes if h.after <= at), maxlen=MOST_HOLES)

    def mark_complete(self) -> None:
        """Note that no trade is missing so far: the market's book is verified."""
        self._sound_until = self._newest_at()

    def start_gap(self, now: datetime) -> None:
        """Begin a gap: no trades are received from now on, until `resume`."""
        newest = self._newest_at()
        self._begin_gap(newest or now, floor=newest or now - MARGIN)

    def doubt(self, now: datetime) -> None:
        """Assume that trades were missed since the book was verified, though more are received."""
        if self._open is None:
            sound = self._sound_until or now - MARGIN
            self._begin_gap(sound, floor=sound)
        self.resume(now)

    def resume(self, now: datetime) -> bool:
        """Note that trades are received from now on; return whether there is a gap before that."""
        if self._open is None:
            return False
        self._open.gap = replace(self._open.gap, before=now)
        self._view = None
        return True

    def fill(self, trades: Iterable[TradePrint]) -> None:
        """Add what the history knows of a gap; trades that are known already are not counted twice."""
        if self._open is not None:
            # Those before it are matched too: equal trades tell of one another in their order.
            missing = missing_prints(self._open.known, trades)
            self._weave(tuple(trade for trade in missing if trade.at >= self._open.floor))

    def settle(self, past: PastTrades) -> TapeGap | None:
        """Fetch no more for the hole; return what is left of it."""
        left = remaining_gap(self._open.gap, past) if self._open is not None else None
        self._open, self._view = None, None
        if left is not None:
            self._holes.append(left)
        return left

    def view(self) -> TapeView:
        """Return what everyone else sees; the same object until something changes."""
        if self._view is None:
            volume = tuple((price, Micros(size)) for price, size in self._volume.items())
            self._view = TapeView(tuple(self._prints), self._count, volume, self._gaps())
        return self._view

    def _gaps(self) -> tuple[TapeGap, ...]:
        is_full = len(self._prints) == TAPE_LENGTH
        oldest = self._prints[-1].at if is_full else None
        shown = [hole for hole in self._holes if oldest is None or hole.after >= oldest]
        if self._open is not None:
            shown.append(self._open.gap)
        return tuple(sorted(shown, key=lambda gap: gap.after, reverse=True))

    def _begin_gap(self, after: datetime, *, floor: datetime) -> None:
        self._view = None
        if self._open is not None:
            # Not filled yet: it goes on.
            self._open.gap = replace(self._open.gap, before=None)
            return
        floor -= SAME_MOMENT
        if len(self._prints) == TAPE_LENGTH:
            # What is older was forgotten, and would be counted twice.
            floor = max(floor, self._prints[-1].at)
        self._open = _OpenGap(TapeGap(after), floor, list(self._prints))

    def _weave(self, missing: tuple[TradePrint, ...]) -> None:
        self._prints = deque(merge_prints(self._prints, missing)[:TAPE_LENGTH], maxlen=TAPE_LENGTH)
        for trade in missing:
            self._volume[trade.price] = self._volume.get(trade.price, 0) + trade.size
        if self._open is not None:
            self._open.known.extend(missing)
        self._view = None

    def _newest_at(self) -> datetime | None:
        return max((trade.at for trade in self._prints), default=None)
