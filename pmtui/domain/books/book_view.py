"""The public view of an order book: immutable levels, summary and depth."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, StrEnum
from typing import NamedTuple

from pmtui.domain.ids import TokenId
from pmtui.domain.money import ONE, ZERO, Micros, complement, midpoint, spread


@dataclass(frozen=True, slots=True)
class Level:
    """The total resting size at one price."""

    price: Micros
    size: Micros


class BookState(StrEnum):
    """Whether a book may be used for trading. Only LIVE and VERIFIED are good."""

    LOADING = "loading"
    """No snapshot yet."""
    LIVE = "live"
    """Fed by the stream; its hash has not been confirmed lately."""
    VERIFIED = "verified"
    """The hash over our own levels equals the one the venue sent."""
    STALE = "stale"
    """The stream is down or silent; the levels are old."""
    OVERDUE = "overdue"
    """The stream is up but has not sent this book; what REST returned may be old."""
    CROSSED = "crossed"
    """A bid at or above an ask: a message was missed."""
    LOSSY = "lossy"
    """Hashes have disagreed for longer than reordering explains."""
    TICK_CHANGED = "tick_changed"
    """The tick size changed; waiting for levels on the new grid."""
    NO_BOOK = "no book"
    """The venue has no book for this token."""

    @property
    def words(self) -> str:
        """The state as displayed, in at most ten cells."""
        return "new tick" if self is BookState.TICK_CHANGED else self.value

    @property
    def is_good(self) -> bool:
        """Whether its prices may be used without a warning."""
        return self in (BookState.LIVE, BookState.VERIFIED)


class BookSummary(NamedTuple):
    """The parts of a book other than its levels; size changes behind the touch do not affect it."""

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
    """When we last received an update; the venue's own time stamp may be minutes old."""
    version: int = 0
    """Incremented by every change."""
    own_last: Micros | None = None
    """The last trade price in terms of this token, if a trade stated its token."""

    @property
    def best_bid(self) -> Micros | None:
        """The highest price that is bid."""
        return self.bids[0].price if self.bids else None

    @property
    def best_ask(self) -> Micros | None:
        """The lowest price that is asked."""
        return self.asks[0].price if self.asks else None

    @property
    def midpoint(self) -> Micros | None:
        """The midpoint of best bid and best ask; None if a side is empty. May fall between ticks."""
        return midpoint(self.best_bid, self.best_ask)

    @property
    def spread(self) -> Micros | None:
        """Best ask minus best bid."""
        return spread(self.best_bid, self.best_ask)

    @property
    def own_last_price(self) -> Micros | None:
        """The last trade price in terms of this token.

        The venue states one price for both tokens of a market, in terms of the token that was
        traded. If no trade stated which, the price or its complement is used, whichever is nearer
        to the midpoint.
        """
        if self.own_last is not None:
            return self.own_last
        last, mid = self.last_trade_price, self.midpoint
        if last is None or mid is None:
            return last
        return min(last, complement(last), key=lambda price: abs(price - mid))

    @property
    def summary(self) -> BookSummary:
        """The parts other than its levels."""
        return BookSummary(
            self.token_id, self.state, self.best_bid, self.best_ask, self.own_last_price,
            self.tick_size,
        )  # fmt: skip


def mirrored_view(book: BookView, token_id: TokenId) -> BookView:
    """Return the book in terms of the other outcome: its asks are bids here.

    The venue matches a purchase of one outcome with one of the other when the prices add up to a
    dollar.
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
    """The distance from the midpoint that a depth chart covers; the value is in cents."""

    TWO = 2
    FIVE = 5
    TEN = 10
    TWENTY = 20
    EVERYTHING = 100

    def shifted(self, steps: int) -> "Reach":
        """Return a narrower or a wider one, stopping at the ends."""
        every = list(Reach)
        return every[min(max(every.index(self) + steps, 0), len(every) - 1)]


@dataclass(frozen=True, slots=True)
class Span:
    """The price range of a depth chart."""

    low: Micros
    high: Micros

    def edge(self, part: int, parts: int) -> Micros:
        """Return the price at an edge when the span is divided into equal parts."""
        return Micros(self.low + (self.high - self.low) * part // parts)

    def part_of(self, price: Micros, parts: int) -> int | None:
        """Return the part that contains a price; None if it is outside the span."""
        if not self.low <= price <= self.high:
            return None
        return min((price - self.low) * parts // (self.high - self.low), parts - 1)


@dataclass(frozen=True, slots=True)
class DepthCurve:
    """Cumulative sizes on both sides, best price first."""

    bids: tuple[Level, ...]
    asks: tuple[Level, ...]

    def bid_depth(self, price: Micros) -> Micros:
        """Return the total bid size at a price or better: what can be sold without going lower."""
        count = bisect_right(self.bids, -price, key=lambda level: -level.price)
        return self.bids[count - 1].size if count else Micros(0)

    def ask_depth(self, price: Micros) -> Micros:
        """Return the total ask size at a price or better: what can be bought without going higher."""
        count = bisect_right(self.asks, price, key=lambda level: level.price)
        return self.asks[count - 1].size if count else Micros(0)

    def bid_steps(self, span: Span, parts: int) -> tuple[Micros, ...]:
        """Return, for each part of a span, the bid depth at its lower edge."""
        return tuple(self.bid_depth(span.edge(part, parts)) for part in range(parts))

    def ask_steps(self, span: Span, parts: int) -> tuple[Micros, ...]:
        """Return, for each part of a span, the ask depth at its upper edge."""
        return tuple(self.ask_depth(span.edge(part + 1, parts)) for part in range(parts))


def depth_curve(book: BookView) -> DepthCurve:
    """Return the depth curve of a book."""
    return DepthCurve(_added_up(book.bids), _added_up(book.asks))


_LEVELS_OF_A_SHAPE = 16
"""Levels around the midpoint that are enough to show a shape."""


def default_reach(book: BookView) -> Reach:
    """Return the smallest reach whose levels show the shape of a book."""
    middle = _middle(book)
    for reach in Reach:
        width = reach.value * _CENT
        near = (level for level in (*book.bids, *book.asks) if abs(level.price - middle) <= width)
        if sum(1 for _ in near) >= _LEVELS_OF_A_SHAPE:
            return reach
    return Reach.TEN


def depth_within(book: BookView, distance: Micros) -> tuple[Micros, Micros]:
    """Return the bid size within a distance of the best bid, and the ask size within it of the best ask."""
    bid, ask = book.best_bid or ZERO, book.best_ask or ZERO
    bids = sum(level.size for level in book.bids if bid - level.price <= distance)
    asks = sum(level.size for level in book.asks if level.price - ask <= distance)
    return Micros(bids), Micros(asks)


def span_around(book: BookView, reach: Reach) -> Span:
    """Return the price range around the midpoint; it moves in steps, so that it rarely changes."""
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
