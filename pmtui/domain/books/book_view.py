"""What everyone but the book itself sees of an order book: an immutable view, and its depth."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, StrEnum
from typing import NamedTuple

from pmtui.domain.ids import TokenId
from pmtui.domain.money import ONE, ZERO, Micros, complement


@dataclass(frozen=True, slots=True)
class Level:
    """All resting size at one price."""

    price: Micros
    size: Micros


class BookState(StrEnum):
    """Whether a book may be traded from. Only LIVE and VERIFIED are good."""

    LOADING = "loading"
    """No snapshot yet."""
    LIVE = "live"
    """Fed by the stream; its hash not confirmed lately."""
    VERIFIED = "verified"
    """The hash over our own levels equals the one the venue sent."""
    STALE = "stale"
    """The stream is down or silent; the levels are old."""
    OVERDUE = "overdue"
    """The stream is up and has not sent this book, or nothing of it; what REST told may be old."""
    CROSSED = "crossed"
    """A bid at or above an ask: something was missed."""
    LOSSY = "lossy"
    """Hashes disagree for longer than reordering explains."""
    TICK_CHANGED = "tick_changed"
    """The tick size changed; waiting for levels on the new grid."""
    NO_BOOK = "no book"
    """The venue has no book for this token."""

    @property
    def words(self) -> str:
        """The state as it is shown, in ten cells at most."""
        return "new tick" if self is BookState.TICK_CHANGED else self.value

    @property
    def is_good(self) -> bool:
        """Whether prices may be taken from it without saying so."""
        return self in (BookState.LIVE, BookState.VERIFIED)


class BookSummary(NamedTuple):
    """What is told of a book beside its levels; a change of a size behind the touch leaves it as it is."""

    token_id: TokenId
    state: BookState
    best_bid: Micros | None
    best_ask: Micros | None
    last: Micros | None
    tick_size: Micros | None


@dataclass(frozen=True, slots=True)
class BookView:
    """Both sides of one token's book, best level first."""

    token_id: TokenId
    state: BookState
    bids: tuple[Level, ...] = ()
    asks: tuple[Level, ...] = ()
    tick_size: Micros | None = None
    last_trade_price: Micros | None = None
    as_of: datetime | None = None
    """When we last heard of this book, not the venue's time stamp: that one may be minutes old."""
    version: int = 0
    """Grows with every change."""
    own_last: Micros | None = None
    """The last trade's price as this token's own, where a trade told whose it was."""

    @property
    def best_bid(self) -> Micros | None:
        """Highest price somebody pays."""
        return self.bids[0].price if self.bids else None

    @property
    def best_ask(self) -> Micros | None:
        """Lowest price somebody asks."""
        return self.asks[0].price if self.asks else None

    @property
    def midpoint(self) -> Micros | None:
        """Halfway between the two; None with a side empty. May fall between ticks."""
        if not self.bids or not self.asks:
            return None
        return Micros((self.bids[0].price + self.asks[0].price) // 2)

    @property
    def spread(self) -> Micros | None:
        """Best ask minus best bid."""
        if not self.bids or not self.asks:
            return None
        return Micros(self.asks[0].price - self.bids[0].price)

    @property
    def own_last_price(self) -> Micros | None:
        """The last trade's price as this token's own.

        The venue states one price for both tokens of a market, in terms of the token that was
        taken. Where no trade told which, of the price and its complement the one nearer to the
        midpoint is taken for ours.
        """
        if self.own_last is not None:
            return self.own_last
        last, mid = self.last_trade_price, self.midpoint
        if last is None or mid is None:
            return last
        return min(last, complement(last), key=lambda price: abs(price - mid))

    @property
    def summary(self) -> BookSummary:
        """What is told of it beside its levels."""
        return BookSummary(
            self.token_id, self.state, self.best_bid, self.best_ask, self.own_last_price,
            self.tick_size,
        )  # fmt: skip


def mirrored_view(book: BookView, token_id: TokenId) -> BookView:
    """Return the same book in terms of the other outcome: who asks here bids there.

    The venue matches a purchase of one outcome with one of the other where the prices come to a dollar.
    """

    def turned(levels: Iterable[Level]) -> tuple[Level, ...]:
        return tuple(Level(complement(level.price), level.size) for level in levels)

    last = book.own_last_price
    return replace(
        book, token_id=token_id, bids=turned(book.asks), asks=turned(book.bids),
        own_last=None if last is None else complement(last),
    )  # fmt: skip


_CENT = 10_000


class Reach(Enum):
    """How far from the middle one looks; the value is the distance in cents."""

    TWO = 2
    FIVE = 5
    TEN = 10
    TWENTY = 20
    EVERYTHING = 100

    def shifted(self, steps: int) -> "Reach":
        """Return a narrower or a wider one; the last of its kind stays."""
        every = list(Reach)
        return every[min(max(every.index(self) + steps, 0), len(every) - 1)]


@dataclass(frozen=True, slots=True)
class Span:
    """The prices that are looked at."""

    low: Micros
    high: Micros

    def edge(self, part: int, parts: int) -> Micros:
        """Return the price where a part ends when the span is cut into equal parts."""
        return Micros(self.low + (self.high - self.low) * part // parts)

    def part_of(self, price: Micros, parts: int) -> int | None:
        """Return the part that a price lies in; None outside."""
        if not self.low <= price <= self.high:
            return None
        return min((price - self.low) * parts // (self.high - self.low), parts - 1)


@dataclass(frozen=True, slots=True)
class DepthCurve:
    """Sizes added up, best price first, on both sides."""

    bids: tuple[Level, ...]
    asks: tuple[Level, ...]

    def bid_depth(self, price: Micros) -> Micros:
        """Return what is bid at a price or better: what could be sold without going lower."""
        count = bisect_right(self.bids, -price, key=lambda level: -level.price)
        return self.bids[count - 1].size if count else Micros(0)

    def ask_depth(self, price: Micros) -> Micros:
        """Return what is asked at a price or better: what could be bought without going higher."""
        count = bisect_right(self.asks, price, key=lambda level: level.price)
        return self.asks[count - 1].size if count else Micros(0)

    def bid_steps(self, span: Span, parts: int) -> tuple[Micros, ...]:
        """Return for each part of a span the depth of the bids down to where it begins."""
        return tuple(self.bid_depth(span.edge(part, parts)) for part in range(parts))

    def ask_steps(self, span: Span, parts: int) -> tuple[Micros, ...]:
        """Return for each part of a span the depth of the asks up to where it ends."""
        return tuple(self.ask_depth(span.edge(part + 1, parts)) for part in range(parts))


def depth_curve(book: BookView) -> DepthCurve:
    """Add up a book."""
    return DepthCurve(_added_up(book.bids), _added_up(book.asks))


_TELLING_LEVELS = 16
"""So many levels around the middle make a shape."""


def telling_reach(book: BookView) -> Reach:
    """Return how far from the middle the levels that matter lie: the nearest few of both sides."""
    middle = _middle(book)
    for reach in Reach:
        width = reach.value * _CENT
        near = (level for level in (*book.bids, *book.asks) if abs(level.price - middle) <= width)
        if sum(1 for _ in near) >= _TELLING_LEVELS:
            return reach
    return Reach.TEN


def depth_within(book: BookView, distance: Micros) -> tuple[Micros, Micros]:
    """Return what is bid within a distance of the best bid, and what is offered so near to the best ask."""
    bid, ask = book.best_bid or ZERO, book.best_ask or ZERO
    bids = sum(level.size for level in book.bids if bid - level.price <= distance)
    asks = sum(level.size for level in book.asks if level.price - ask <= distance)
    return Micros(bids), Micros(asks)


def span_around(book: BookView, reach: Reach) -> Span:
    """Return the prices around the middle; it moves in steps, so that it mostly stands still."""
    width = reach.value * _CENT
    if width >= ONE:
        return Span(Micros(0), ONE)
    step = width // 2
    low = (2 * (_middle(book) - width) + step) // (2 * step) * step
    low = min(max(low, 0), ONE - 2 * width)
    return Span(Micros(low), Micros(low + 2 * width))


def _middle(book: BookView) -> int:
    known = (book.midpoint, book.best_bid, book.best_ask, book.own_last_price)
    return next((price for price in known if price is not None), ONE // 2)


def _added_up(levels: Iterable[Level]) -> tuple[Level, ...]:
    total = 0
    added: list[Level] = []
    for level in levels:
        total += level.size
        added.append(Level(level.price, Micros(total)))
    return tuple(added)
