"""Whether our book is still the venue's: hashes that came against the hash of what we hold.

Some five frames in a hundred arrive before frames the venue had applied first (recordings of May
to September 2026), so one disagreement means nothing. A book that equals none of the announced
ones for eight further frames, or for a tenth of a second, has lost a message.

Announcing costs next to nothing; checking costs one hash of the book in the usual case. How often
to check is the caller's to say, with one rule: while `is_doubtful`, at every frame and once the
stream has gone quiet.
"""

from collections import deque
from enum import Enum
from typing import final

from pmtui.domain.book import OrderBook

TOLERATED_FRAMES = 8
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
    """Holds the last announced hashes of one book."""

    __slots__ = ("_deadline_ms", "_expected", "_frames_left")

    def __init__(self) -> None:
        self._expected: deque[tuple[str, str]] = deque(maxlen=TOLERATED_FRAMES + 1)
        self._frames_left = TOLERATED_FRAMES
        self._deadline_ms: int | None = None

    @property
    def is_doubtful(self) -> bool:
        """Whether the last check found no match."""
        return self._deadline_ms is not None

    @property
    def has_news(self) -> bool:
        """Whether hashes have come that no match has covered."""
        return bool(self._expected)

    def reset(self) -> None:
        """Forget what was announced: a new snapshot is about to be applied."""
        self._expected.clear()
        self._settle()

    def announce(self, digest: str, timestamp: str) -> None:
        """Take the hash that a frame gives for the book after it.

        Args:
            digest: 40 hexadecimal digits; empty where the frame carries none.
            timestamp: of the frame in milliseconds, as sent.
        """
        if not digest:
            return
        self._expected.append((timestamp, digest))
        if self._deadline_ms is not None:
            self._frames_left -= 1

    def check(self, book: OrderBook, *, now_ms: int) -> Agreement:
        """Compare the book with what was announced; never more than nine moments.

        Args:
            book: with every frame applied that was announced.
            now_ms: of any clock that does not run backwards.
        """
        if not self._expected or book.terms is None:
            return Agreement.NOTHING_NEW
        if book.matches(reversed(self._expected)):
            self.reset()
            return Agreement.MATCH
        if self._deadline_ms is None:
            self._deadline_ms = now_ms + TOLERATED_MS
            return Agreement.DOUBT
        is_over = self._frames_left <= 0 or now_ms >= self._deadline_ms
        return Agreement.LOSS if is_over else Agreement.DOUBT

    def _settle(self) -> None:
        self._frames_left = TOLERATED_FRAMES
        self._deadline_ms = None
