"""The two books of one market kept as one, for as long as every change is told for both.

A bid of one outcome is an ask of the other, so the venue has one book and announces each change of
it twice (every recorded frame does). Held once, a change is applied once. This never shows: books
share their levels only while they are exact mirrors, and part before anything would change one
of them alone. Each still has its own hashes, which are checked as ever.
"""

from collections import deque
from typing import final

from pmtui.domain.books.book import ANNOUNCED, OrderBook
from pmtui.domain.books.level_texts import MIRRORS, mirror_text
from pmtui.domain.books.levels import Levels
from pmtui.domain.books.market_events import PriceChanges
from pmtui.domain.money import MoneyError


@final
class Twins:
    """Two books with the same levels; they hold until they `part`, and do not come together again."""

    __slots__ = ("_first", "_first_id", "_levels", "_recent", "_second", "_second_id")

    def __init__(self, first: OrderBook, second: OrderBook) -> None:
        """Let two books share one set of levels.

        Args:
            first: one token's book.
            second: its mirror, see `OrderBook.is_mirror_of`.
        """
        self._first, self._first_id = first, first.token_id
        self._second, self._second_id = second, second.token_id
        self._recent: deque[tuple[str, str, str]] = deque(maxlen=ANNOUNCED)
        """Moments and both hashes of which the books have not been told yet."""
        self._levels: Levels | None = first.share(self)
        second.follow(self._levels, self)

    def apply(self, event: PriceChanges) -> bool:
        """Apply changes that both books undergo alike; return False, with nothing done, for others."""
        levels, changes = self._levels, event.changes
        if levels is None or len(changes) != 2:
            return False
        mine, other = changes
        if mine.asset_id != self._first_id:
            mine, other = other, mine
            if mine.asset_id != self._first_id:
                return False
        price, size = mine.price, mine.size
        try:
            if (
                other.price != (MIRRORS.get(price) or mirror_text(price))
                or other.size != size
                or other.side == mine.side
                or other.asset_id != self._second_id
            ):
                return False
            levels.put(mine.side, price, size)
        except MoneyError:
            return False
        # Not the event itself: keeping thousands of those would cost more than applying them.
        self._recent.append((event.timestamp, mine.hash, other.hash))
        return True

    def announce(self) -> None:
        """Tell both books of the hashes that came since the last time."""
        for timestamp, first_hash, second_hash in self._recent:
            self._first.announce(timestamp, first_hash)
            self._second.announce(timestamp, second_hash)
        self._recent.clear()

    def part(self) -> None:
        """Give each book levels of its own."""
        if self._levels is not None:
            self.announce()
            self._first.own(self._levels)
            self._second.own(self._levels.mirrored())
            self._levels = None
