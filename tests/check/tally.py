"""When the hashes that were announced of a book become those of the book as it is played."""

from dataclasses import dataclass

from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.verification import TOLERATED_FRAMES


@dataclass
class HashCount:
    """How many hashes were met, and when."""

    in_order: int = 0
    after_later: int = 0
    never: int = 0

    @property
    def total(self) -> int:
        return self.in_order + self.after_later + self.never


@dataclass
class _Waiting:
    timestamp: str
    digest: str
    count: HashCount
    tries: int = 0


class Tally:
    """Counts one token's hashes by when they become that of its book.

    A message may come before others that the venue has hashed with it, or before the trade whose
    price it has; once they are in, it fits.
    """

    def __init__(self, book: OrderBook) -> None:
        self._book = book
        self._waiting: list[_Waiting] = []

    def expect(
        self, timestamp: str, digest: str, count: HashCount, *, is_further: bool = True
    ) -> None:
        """Count the hash of a message that the book has just taken.

        Args:
            timestamp: of the message.
            digest: its hash.
            count: where it counts.
            is_further: whether it wears out the patience with those that wait.
        """
        for waiting in self._waiting:
            waiting.tries += is_further
        self.try_again()
        if self._book.matches([(timestamp, digest)]):
            count.in_order += 1
        else:
            self._waiting.append(_Waiting(timestamp, digest, count))

    def try_again(self) -> None:
        """Look which of those that wait fit by now, and give up the oldest."""
        still = []
        for waiting in self._waiting:
            if self._book.matches([(waiting.timestamp, waiting.digest)]):
                waiting.count.after_later += 1
            elif waiting.tries > TOLERATED_FRAMES:
                waiting.count.never += 1
            else:
                still.append(waiting)
        self._waiting = still

    def finish(self) -> None:
        """Give up what still waits: the recording ends."""
        for waiting in self._waiting:
            waiting.count.never += 1
        self._waiting.clear()
