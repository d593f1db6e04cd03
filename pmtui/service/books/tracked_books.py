"""What is kept of a token that is watched: its book, its tape, and the book of its market that it may share.

The tape of a token has its newest trades, how much traded at each price, and where trades are missing.
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
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint
from pmtui.service.views import TapeView

TAPE_LENGTH = 200
MOST_HOLES = 20
MOST_PRICES = 20_000
"""At which trades are added up: twice the prices of the finest tick. A host that invents others gets no further."""
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
        """Add a trade."""
        self._prints.appendleft(trade)
        self._count += 1
        self._add_volume(trade)
        if self._open is not None:
            self._open.known.append(trade)
            if len(self._open.known) > MOST_KNOWN and self._open.gap.before is not None:
                _ = self.close_gap(_UNKNOWN)
        self._view = None

    def add_past(self, trades: Iterable[TradePrint]) -> None:
        """Add trades from before the subscription; those received meanwhile are not counted twice."""
        self._weave(missing_prints(self._prints, trades))

    def forget_after(self, at: datetime) -> None:
        """Forget what happened after a moment: a replay was moved back, and repeats it."""
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

    def close_gap(self, past: PastTrades) -> TapeGap | None:
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
            self._add_volume(trade)
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
    """Whether a time in milliseconds, as sent, is earlier than another."""
    return (len(one), one) < (len(other), other)


@dataclass(slots=True)
class Tracked:
    """One token's book and tape."""

    book: OrderBook
    check: BookCheck = field(default_factory=BookCheck)
    tape: Tape = field(default_factory=Tape)
    changed_at: datetime | None = None
    """When it changed first within this frame: a book is never older than it says."""
    marked_in: int = NEVER
    """Frame for which this book is marked and queued for its check: further changes need neither."""
    pair: "Pair | None" = None
    is_past_asked: bool = False
    """Whether the trades of before are here or on their way."""
    is_whole: bool = False
    """Whether a whole book has come since its line was last opened."""
    is_fed: bool = False
    """Whether the stream has sent anything of it since then."""
    resynced_at: float = float("-inf")
    missed_by_rest: list[tuple[str, LevelChange]] | None = None
    """Changes that came while a book is being fetched: its answer may be older than they are."""

    def is_late(self, timestamp: str) -> bool:
        """Whether a whole book of that time is of before the last change that is here.

        Frames change places on their way. Such a book has the hash that it states, and is the venue's no more.
        """
        announced = self.book.announced
        last = announced[-1] if announced else self.check.newest
        is_followed = self.is_whole and self.is_fed and self.book.has_levels
        return is_followed and last is not None and is_before(timestamp, last[0])

    def mark_disconnected(self) -> None:
        """Note that its socket is closed, or that a replay was moved: a whole book is needed first."""
        self.is_whole = self.is_fed = False
        self.mark_again()

    def claim_past(self) -> bool:
        """Return whether its past trades were not requested yet; from now on they are."""
        wants, self.is_past_asked = not self.is_past_asked, True
        return wants

    def add_past(self, trades: Iterable[TradePrint]) -> None:
        """Add the trades of either outcome from before the subscription to this token's tape."""
        token_id, tick = self.book.token_id, self.book.tick_size
        self.tape.add_past(to_tape_of(token_id, trade, tick=tick) for trade in trades)

    def mark_again(self) -> None:
        """Queue the next change even if one was queued in this frame."""
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
        """Frame for which both books are marked and queued for their checks."""

    def of(self, changes: Sequence[LevelChange]) -> tuple[Tracked, Tracked]:
        """Return whose the two changes are, in their order."""
        first, second = self.tracked
        is_in_order = changes[0].asset_id == first.book.token_id
        return (first, second) if is_in_order else (second, first)


@final
class MarketBooks:
    """Which tokens share a market, and which of their books are held as one."""

    def __init__(self, tracked: Mapping[TokenId, Tracked]) -> None:
        """Refer to the tracked books, which change over time."""
        self._tracked = tracked
        self._tokens: dict[ConditionId, list[TokenId]] = {}
        self.pairs: dict[ConditionId, Pair] = {}

    def tokens(self, condition_id: ConditionId, token_id: TokenId) -> Sequence[TokenId]:
        """Return the known tokens of a market; at least the one that is named."""
        return self._tokens.get(condition_id, [token_id])

    def add(self, condition_id: ConditionId, token_id: TokenId) -> None:
        """Note that a token belongs to a market."""
        tokens = self._tokens.setdefault(condition_id, [])
        if token_id not in tokens:
            tokens.append(token_id)

    def join(self, condition_id: ConditionId) -> None:
        """Hold the books of a market as one if that is what they are."""
        tokens = self._tokens.get(condition_id, [])
        both = [tracked for token in tokens if (tracked := self._tracked.get(token)) is not None]
        if len(both) == 2 and both[1].book.is_mirror_of(both[0].book):
            pair = self.pairs[condition_id] = Pair(both[0], both[1])
            for tracked in both:
                tracked.pair = pair

    def part(self, tracked: Tracked) -> None:
        """Forget a book that is not subscribed any more; its sister goes on alone."""
        condition_id = tracked.book.condition_id
        if tracked.pair is not None:
            tracked.pair.twins.split()
            self.pairs.pop(condition_id, None)
        tokens = self._tokens.get(condition_id, [])
        if tracked.book.token_id in tokens:
            tokens.remove(tracked.book.token_id)
            if not tokens:
                del self._tokens[condition_id]
