"""Whether our book is still the venue's: hashes that came against the hash of what we hold.

Some five frames in a hundred arrive before frames the venue had applied first (recordings of May
to September 2026), so one disagreement means nothing. A book that equals none of the announced
ones for eight further frames, or for a tenth of a second, has lost a message.

The book remembers what was announced; checking costs one hash of the book in the usual case. How
often to check is the caller's to say, with one rule: while `is_doubtful`, at every frame and once
the stream has gone quiet.
"""

from enum import Enum
from typing import final

from pmtui.domain.books.book import ANNOUNCED, OrderBook

TOLERATED_FRAMES = ANNOUNCED - 1
TOLERATED_MS = 100


class Agreement(Enum):
    """What a check says."""

    NOTHING_NEW = "nothing new"
    """No hash has come since the last match, or the terms of the book are not known."""
    MATCH = "match"
    """Everything up to some announced moment is in the book, and nothing else."""
    DOUBT = "doubt"
    """No match, which reordering may explain still."""
    LOSS = "loss"
    """No match for longer than reordering explains: fetch the book again."""


@final
class BookCheck:
    """How long one book has disagreed with what was announced of it."""

    __slots__ = ("_deadline_ms", "_frames_left", "_newest")

    def __init__(self) -> None:
        self._frames_left = TOLERATED_FRAMES
        self._deadline_ms: int | None = None
        self._newest: tuple[str, str] | None = None

    @property
    def is_doubtful(self) -> bool:
        """Whether the last check found no match."""
        return self._deadline_ms is not None

    def reset(self) -> None:
        """Start over: a new snapshot has come, or is about to."""
        self._frames_left = TOLERATED_FRAMES
        self._deadline_ms = None

    def check(self, book: OrderBook, *, now_ms: int) -> Agreement:
        """Compare a book with what was announced of it; never more than nine moments.

        Args:
            book: always the same one.
            now_ms: of any clock that does not run backwards.
        """
        announced = book.announced
        if not announced or book.terms is None:
            return Agreement.NOTHING_NEW
        if book.matches(reversed(announced)):
            announced.clear()
            self.reset()
            return Agreement.MATCH
        is_further_frame = announced[-1] is not self._newest
        self._newest = announced[-1]
        if self._deadline_ms is None:
            self._deadline_ms = now_ms + TOLERATED_MS
            return Agreement.DOUBT
        self._frames_left -= is_further_frame
        is_over = self._frames_left <= 0 or now_ms >= self._deadline_ms
        return Agreement.LOSS if is_over else Agreement.DOUBT
