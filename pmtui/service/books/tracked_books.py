"""What the feed of books keeps of one token, and of a market whose two books are held as one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import final

from pmtui.domain.books.book import MirroredBooks, OrderBook
from pmtui.domain.books.market_events import LevelChange
from pmtui.domain.books.tape import to_tape_of
from pmtui.domain.books.verification import BookCheck
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.orders.order import TradePrint
from pmtui.service.books.tape import Tape

NEVER = -1
"""Before any frame."""


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

    def mark_disconnected(self) -> None:
        """Note that its socket is closed."""
        self.is_whole = self.is_fed = False
        self.mark_again()

    def claim_past(self) -> bool:
        """Return whether its past trades were not requested yet; from now on they are."""
        wants, self.is_past_asked = not self.is_past_asked, True
        return wants

    def add_past(self, trades: Iterable[TradePrint]) -> None:
        """Put trades of either outcome, from before the subscription, on this token's tape."""
        token_id, tick = self.book.token_id, self.book.tick_size
        self.tape.add_past(to_tape_of(token_id, trade, tick=tick) for trade in trades)

    def mark_again(self) -> None:
        """Have the next change marked and queued, whatever frame it falls into."""
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
        """Know the books of what is tracked, whatever that comes to be."""
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
