"""How much could be traded up to each price: both sides of a book, added up from the touch. Pure."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from pmtui.domain.books.book_view import BookView, Level
from pmtui.domain.money import ONE, Micros

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
