"""What the feed of books keeps of one token, and of a market whose two books are held as one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import final

from pmtui.domain.book import OrderBook
from pmtui.domain.book_check import BookCheck
from pmtui.domain.book_twins import Twins
from pmtui.domain.market_events import LevelChange
from pmtui.domain.order import TradePrint
from pmtui.domain.tape_backfill import seen_from
from pmtui.service.feeds.tape import Tape

NEVER = -1
"""Before any frame."""


@dataclass(slots=True)
class Tracked:
    """One token's book and tape."""

    book: OrderBook
    check: BookCheck = field(default_factory=BookCheck)
    tape: Tape = field(default_factory=Tape)
    heard_at: datetime | None = None
    """Of a burst within a frame its first change: a book is never older than it says."""
    told_in: int = NEVER
    """Frame for which this book is marked and queued for its check: further changes need neither."""
    pair: "Pair | None" = None
    is_past_asked: bool = False
    """Whether the trades of before are here or on their way."""
    resynced_at: float = float("-inf")
    missed_by_rest: list[tuple[str, LevelChange]] | None = None
    """Changes that came while a book is being fetched: its answer may be older than they are."""

    def want_past(self) -> bool:
        """Return whether nobody has asked for the trades of before, and note that somebody does."""
        wants, self.is_past_asked = not self.is_past_asked, True
        return wants

    def add_past(self, trades: Iterable[TradePrint]) -> None:
        """Put trades of either outcome, from before it was heard, on this token's tape."""
        token_id, tick = self.book.token_id, self.book.tick_size
        self.tape.add_past(seen_from(token_id, trade, tick=tick) for trade in trades)

    def tell_again(self) -> None:
        """Have the next change marked and queued, whatever frame it falls into."""
        self.told_in = NEVER
        if self.pair is not None:
            self.pair.told_in = NEVER


@final
class Pair:
    """The two tokens of a market while their books are exact mirrors of each other."""

    __slots__ = ("told_in", "tracked", "twins")

    def __init__(self, first: Tracked, second: Tracked) -> None:
        self.tracked = (first, second)
        self.twins = Twins(first.book, second.book)
        self.told_in = NEVER
        """Frame for which both books are marked and queued for their checks."""

    def of(self, changes: Sequence[LevelChange]) -> tuple[Tracked, Tracked]:
        """Return whose the two changes are, in their order."""
        first, second = self.tracked
        is_in_order = changes[0].asset_id == first.book.token_id
        return (first, second) if is_in_order else (second, first)
