"""The data of a watched token: its book, its tape, and the book that it may share with its market.

A token's tape has its newest trades, the volume at each price, and where trades are missing.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import final

from pmtui.domain.books.book import MirroredBooks, OrderBook
from pmtui.domain.books.market_events import LevelChange
from pmtui.domain.books.tape import (
    MARGIN,
    SAME_MOMENT,
    PastTrades,
    TapeGap,
    merge_prints,
    missing_prints,
    remaining_gap,
    to_tape_of,
)
from pmtui.domain.books.verification import BookCheck
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.price_path import PricePath
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint
from pmtui.service.views import TapeView

TAPE_LENGTH = 200
MOST_HOLES = 20
MOST_PRICES = 20_000
"""Prices with a volume: twice the prices of the finest tick. A host that invents others cannot exceed it."""
MOST_KNOWN = 2_000
"""Trades kept to fill a gap: if it is not filled by then, it stays."""
_UNKNOWN = PastTrades((), is_whole=False)


@dataclass(slots=True)
class _OpenGap:
    """A gap for which more trades may be fetched."""

    gap: TapeGap
    floor: datetime
    """Trades older than this are of no use for the gap."""
    known: list[TradePrint]
    """The tape when the gap began and everything since: the tape itself may be too short for that."""


@final
class Tape:
    """The newest trades of a token, and the volume at each price of all known trades."""

    __slots__ = ("_count", "_holes", "_open", "_prints", "_sound_until", "_view", "_volume", "path")

    def __init__(self) -> None:
        self.path = PricePath()
        """The prices of all known trades, also of those that the tape has dropped."""
        self._prints: deque[TradePrint] = deque(maxlen=TAPE_LENGTH)
        self._count = 0
        self._volume: dict[Micros, int] = {}
        self._view: TapeView | None = None
        self._open: _OpenGap | None = None
        self._holes: deque[TapeGap] = deque(maxlen=MOST_HOLES)
        self._sound_until: datetime | None = None

    @property
    def is_half_new(self) -> bool:
        """Whether the number of trades received has reached another half of the tape."""
        return self._count % (TAPE_LENGTH // 2) == 0

    @property
    def gap(self) -> TapeGap | None:
        """The gap for which more trades may be fetched."""
        return self._open.gap if self._open is not None else None

    def add(self, trade: TradePrint) -> None:
        """Add a trade."""
        self._prints.appendleft(trade)
        self._count += 1
        self._add_volume(trade)
        self.path.add(trade.at, trade.price, trade.size)
        if self._open is not None:
            self._open.known.append(trade)
            if len(self._open.known) > MOST_KNOWN and self._open.gap.before is not None:
                _ = self.close_gap(_UNKNOWN)
        self._view = None

    def add_past(self, trades: Iterable[TradePrint]) -> None:
        """Add trades from before the subscription; those received meanwhile are not counted twice."""
        self._weave(missing_prints(self._prints, trades))

    def forget_after(self, at: datetime) -> None:
        """Forget the trades after a moment, because a replay was moved back and repeats them."""
        kept = [trade for trade in self._prints if trade.at <= at]
        for trade in self._prints:
            if trade.at > at:
                self._volume[trade.price] = self._volume.get(trade.price, 0) - trade.size
        self._volume = {price: size for price, size in self._volume.items() if size > 0 and kept}
        self.path.forget_after(at)
        self._prints = deque(kept, maxlen=TAPE_LENGTH)
        self._open, self._sound_until, self._view = None, None, None
        self._holes = deque((h for h in self._holes if h.after <= at), maxlen=MOST_HOLES)

    def mark_complete(self) -> None:
        """Record that no trade is missing so far, as the market's book is verified."""
        self._sound_until = self._newest_at()

    def start_gap(self, now: datetime) -> None:
        """Begin a gap: no trades are received from now on, until `resume`."""
        newest = self._newest_at()
        self._begin_gap(newest or now, floor=newest or now - MARGIN)

    def doubt(self, now: datetime) -> None:
        """Assume missed trades since the book was last verified, although more are received."""
        if self._open is None:
            sound = self._sound_until or now - MARGIN
            self._begin_gap(sound, floor=sound)
        self.resume(now)

    def resume(self, now: datetime) -> bool:
        """Record that trades are received again; return whether there is a gap before that."""
        if self._open is None:
            return False
        self._open.gap = replace(self._open.gap, before=now)
        self._view = None
        return True

    def fill(self, trades: Iterable[TradePrint]) -> None:
        """Add the history's trades to a gap; those already known are not counted twice."""
        if self._open is not None:
            # Trades before the gap are matched too: equal trades are paired in their order.
            missing = missing_prints(self._open.known, trades)
            self._weave(tuple(trade for trade in missing if trade.at >= self._open.floor))

    def close_gap(self, past: PastTrades) -> TapeGap | None:
        """Stop fetching for the gap; return what is left of it."""
        left = remaining_gap(self._open.gap, past) if self._open is not None else None
        self._open, self._view = None, None
        if left is not None:
            self._holes.append(left)
        return left

    def view(self) -> TapeView:
        """Return an immutable view; the same object until something changes."""
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
            # Not filled yet: the gap continues.
            self._open.gap = replace(self._open.gap, before=None)
            return
        floor -= SAME_MOMENT
        if len(self._prints) == TAPE_LENGTH:
            # Older trades were dropped, and would be counted twice.
            floor = max(floor, self._prints[-1].at)
        self._open = _OpenGap(TapeGap(after), floor, list(self._prints))

    def _weave(self, missing: tuple[TradePrint, ...]) -> None:
        self._prints = deque(merge_prints(self._prints, missing)[:TAPE_LENGTH], maxlen=TAPE_LENGTH)
        for trade in missing:
            self._add_volume(trade)
            self.path.add(trade.at, trade.price, trade.size)
        if self._open is not None:
            self._open.known.extend(missing)
        self._view = None

    def _add_volume(self, trade: TradePrint) -> None:
        known = self._volume.get(trade.price)
        if known is not None or len(self._volume) < MOST_PRICES:
            self._volume[trade.price] = (known or 0) + trade.size

    def _newest_at(self) -> datetime | None:
        return max((trade.at for trade in self._prints), default=None)


NEVER = -1
"""Before any frame."""


def is_before(one: str, other: str) -> bool:
    """Whether one time, in milliseconds as sent, is earlier than another."""
    return (len(one), one) < (len(other), other)


@dataclass(slots=True)
class Tracked:
    """One token's book and tape."""

    book: OrderBook
    check: BookCheck = field(default_factory=BookCheck)
    tape: Tape = field(default_factory=Tape)
    changed_at: datetime | None = None
    """When it first changed within this frame: a book is never older than it states."""
    marked_in: int = NEVER
    """Frame in which this book is already marked and queued for its check."""
    pair: "Pair | None" = None
    is_past_asked: bool = False
    """Whether the earlier trades are loaded or requested."""
    is_whole: bool = False
    """Whether a whole book has arrived since its connection was last opened."""
    is_fed: bool = False
    """Whether the stream has sent anything for it since then."""
    resynced_at: float = float("-inf")
    missed_by_rest: list[tuple[str, LevelChange]] | None = None
    """Changes received while a book is being fetched: the reply may be older than they are."""

    def is_late(self, timestamp: str) -> bool:
        """Whether a whole book of that time is older than the last change received.

        Frames can arrive out of order. Such a book matches its own hash, but is no longer the venue's.
        """
        announced = self.book.announced
        last = announced[-1] if announced else self.check.newest
        is_followed = self.is_whole and self.is_fed and self.book.has_levels
        return is_followed and last is not None and is_before(timestamp, last[0])

    def mark_disconnected(self) -> None:
        """Record that its socket is closed, or that a replay was moved: a whole book is needed first."""
        self.is_whole = self.is_fed = False
        self.mark_again()

    def claim_past(self) -> bool:
        """Return whether its past trades were not requested yet, and mark them as requested."""
        wants, self.is_past_asked = not self.is_past_asked, True
        return wants

    def add_past(self, trades: Iterable[TradePrint]) -> None:
        """Add earlier trades of either outcome to this token's tape."""
        token_id, tick = self.book.token_id, self.book.tick_size
        self.tape.add_past(to_tape_of(token_id, trade, tick=tick) for trade in trades)

    def mark_again(self) -> None:
        """Queue the next change even if one was already queued in this frame."""
        self.marked_in = NEVER
        if self.pair is not None:
            self.pair.marked_in = NEVER


@final
class Pair:
    """The two tokens of a market while their books are exact mirrors of each other."""

    __slots__ = ("marked_in", "tracked", "twins")

    def __init__(self, first: Tracked, second: Tracked) -> None:
        self.tracked = (first, second)
        self.twins = MirroredBooks(first.book, second.book)
        self.marked_in = NEVER
        """Frame in which both books are already marked and queued for their checks."""

    def of(self, changes: Sequence[LevelChange]) -> tuple[Tracked, Tracked]:
        """Return the tokens that two changes belong to, in their order."""
        first, second = self.tracked
        is_in_order = changes[0].asset_id == first.book.token_id
        return (first, second) if is_in_order else (second, first)


@final
class MarketBooks:
    """Which tokens share a market, and which of their books share levels."""

    def __init__(self, tracked: Mapping[TokenId, Tracked]) -> None:
        """Use the tracked books, which change over time."""
        self._tracked = tracked
        self._tokens: dict[ConditionId, list[TokenId]] = {}
        self.pairs: dict[ConditionId, Pair] = {}

    def tokens(self, condition_id: ConditionId, token_id: TokenId) -> Sequence[TokenId]:
        """Return the known tokens of a market; at least the given one."""
        return self._tokens.get(condition_id, [token_id])

    def add(self, condition_id: ConditionId, token_id: TokenId) -> None:
        """Record that a token belongs to a market."""
        tokens = self._tokens.setdefault(condition_id, [])
        if token_id not in tokens:
            tokens.append(token_id)

    def join(self, condition_id: ConditionId) -> None:
        """Share the levels of a market's books if they are exact mirrors."""
        tokens = self._tokens.get(condition_id, [])
        both = [tracked for token in tokens if (tracked := self._tracked.get(token)) is not None]
        if len(both) == 2 and both[1].book.is_mirror_of(both[0].book):
            pair = self.pairs[condition_id] = Pair(both[0], both[1])
            for tracked in both:
                tracked.pair = pair

    def part(self, tracked: Tracked) -> None:
        """Forget a book that is no longer subscribed; the other one continues alone."""
        condition_id = tracked.book.condition_id
        if tracked.pair is not None:
            tracked.pair.twins.split()
            self.pairs.pop(condition_id, None)
        tokens = self._tokens.get(condition_id, [])
        if tracked.book.token_id in tokens:
            tokens.remove(tracked.book.token_id)
            if not tokens:
                del self._tokens[condition_id]
