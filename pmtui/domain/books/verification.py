"""Verification of our book: the hashes that the venue announces against the hash of our levels.

The hash is SHA-1 over one exact JSON text, verified by reproducing every recorded book (August
2026): ten keys in a fixed order, the hash empty, levels with the best price last, the last trade
price with three decimals or empty.

About five in a hundred frames arrive out of the order in which the venue applied them (recordings
of May to September 2026), so one mismatch means nothing. A book that matches none of the announced
hashes for eight further frames, or for a tenth of a second, has lost a message. A check usually
costs one hash of the book. The caller decides how often to check, with one rule: while
`is_doubtful`, at every frame and once the stream has gone quiet.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from hashlib import sha1
from json import dumps
from typing import Protocol, final

from pmtui.domain.books.market_events import BookSnapshot
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros

MIN_ORDER_SIZE = "5"
"""The same in every market recorded up to September 2026; the stream's books omit it."""


@dataclass(frozen=True, slots=True)
class HashTerms:
    """The inputs of a book's hash besides its levels."""

    min_order_size: str
    tick_size: str
    neg_risk: bool | None
    """None if unknown: then both are possible until one of them gives the hash."""

    def alternatives(self) -> "tuple[HashTerms, ...]":
        """Return the fully known terms that are possible."""
        if self.neg_risk is not None:
            return (self,)
        return (replace(self, neg_risk=False), replace(self, neg_risk=True))


def levels_text(levels: Iterable[tuple[str, str]]) -> str:
    """Return (price, size) texts as they are hashed, in the order given: best last."""
    return ",".join([f'{{"price":"{price}","size":"{size}"}}' for price, size in levels])


def hash_of(
    condition_id: ConditionId,
    token_id: TokenId,
    timestamp: str,
    *,
    bids: str,
    asks: str,
    terms: HashTerms,
    last_trade_price: str,
) -> str:
    """Return the hash of a book whose sides are already serialized.

    Args:
        condition_id: of the market.
        token_id: of the book.
        timestamp: milliseconds, as sent.
        bids: from `levels_text`, prices ascending.
        asks: from `levels_text`, prices descending.
        terms: the market's, fully known.
        last_trade_price: three decimals, or empty if nothing ever traded.
    """
    neg_risk = "true" if terms.neg_risk else "false"
    text = (
        f'{{"market":{_quoted(condition_id)},"asset_id":{_quoted(token_id)},'
        f'"timestamp":{_quoted(timestamp)},"hash":"","bids":[{bids}],"asks":[{asks}],'
        f'"min_order_size":{_quoted(terms.min_order_size)},"tick_size":{_quoted(terms.tick_size)},'
        f'"neg_risk":{neg_risk},"last_trade_price":{_quoted(last_trade_price)}}}'
    )
    return sha1(text.encode(), usedforsecurity=False).hexdigest()


def terms_of(snapshot: BookSnapshot, known: HashTerms | None = None) -> HashTerms | None:
    """Return a snapshot's terms, completed with known ones; None without any tick size."""
    tick_size = snapshot.tick_size or (known.tick_size if known else "")
    if not tick_size:
        return None
    min_size = snapshot.min_order_size or (known.min_order_size if known else MIN_ORDER_SIZE)
    neg_risk = snapshot.neg_risk
    if neg_risk is None and known is not None:
        neg_risk = known.neg_risk
    return HashTerms(min_size, tick_size, neg_risk)


def trade_price_text(price: Micros) -> str:
    """Return a last trade price as it is hashed: three decimals, at any tick size."""
    thousandths = (price + 500) // 1000
    return f"{thousandths // 1000}.{thousandths % 1000:03d}"


def _quoted(text: str) -> str:
    # Identifiers and numbers hardly ever need escaping; then quoting is enough.
    return f'"{text}"' if text.isalnum() else dumps(text, ensure_ascii=False)


ANNOUNCED = 9
"""Hashes that are kept: frames arrive up to seven too early (recordings of 2026)."""
TOLERATED_FRAMES = ANNOUNCED - 1
TOLERATED_MS = 100


class HashedBook(Protocol):
    """The parts of a book that a check needs."""

    @property
    def announced(self) -> deque[tuple[str, str]]:
        """Timestamps with the hashes that the venue announced for them; newest last."""
        ...

    @property
    def terms(self) -> HashTerms | None:
        """The inputs of the hash besides the levels; None while unknown."""
        ...

    def matches(self, expected: Iterable[tuple[str, str]]) -> bool:
        """Return whether one of some announced hashes matches the current book."""
        ...


class Agreement(Enum):
    """The result of a check."""

    NOTHING_NEW = "nothing new"
    """No hash has arrived since the last match, or the terms of the book are unknown."""
    MATCH = "match"
    """The book holds exactly the state of some announced moment."""
    DOUBT = "doubt"
    """No match, but reordering may still explain it."""
    LOSS = "loss"
    """No match for longer than reordering explains: fetch the book again."""


@final
class BookCheck:
    """How long one book has disagreed with its announced hashes."""

    __slots__ = ("_deadline_ms", "_frames_left", "newest")

    def __init__(self) -> None:
        self._frames_left = TOLERATED_FRAMES
        self._deadline_ms: int | None = None
        self.newest: tuple[str, str] | None = None
        """The last timestamp announced before the last check, with its hash."""

    @property
    def is_doubtful(self) -> bool:
        """Whether the last check found no match."""
        return self._deadline_ms is not None

    def reset(self) -> None:
        """Start over: a new snapshot has arrived, or is about to."""
        self._frames_left = TOLERATED_FRAMES
        self._deadline_ms = None

    def check(self, book: HashedBook, *, now_ms: int) -> Agreement:
        """Compare a book with its announced hashes; never more than nine of them.

        Args:
            book: always the same one.
            now_ms: by a monotonic clock, which stands still while no frame can arrive.
        """
        announced = book.announced
        if not announced or book.terms is None:
            return Agreement.NOTHING_NEW
        is_further_frame = announced[-1] is not self.newest
        self.newest = announced[-1]
        if book.matches(reversed(announced)):
            announced.clear()
            self.reset()
            return Agreement.MATCH
        if self._deadline_ms is None:
            self._deadline_ms = now_ms + TOLERATED_MS
            return Agreement.DOUBT
        self._frames_left -= is_further_frame
        is_over = self._frames_left <= 0 or now_ms >= self._deadline_ms
        return Agreement.LOSS if is_over else Agreement.DOUBT
