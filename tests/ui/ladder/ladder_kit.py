"""A ladder's book and size."""

from dataclasses import replace

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import TokenId
from pmtui.domain.money import Micros
from tests.ui import believable

SIZE = (41, 22)
"""A line of titles, twenty prices, a line of facts."""


def cents(number: float) -> Micros:
    return believable.micros(number / 100)


def book(bid: int = 50, ask: int = 52, *, tick: float = 1, **changes: object) -> BookView:
    """Return a book with three levels on each side, a cent apart."""
    bids = tuple(Level(cents(bid - i), cents(1000 * (i + 1))) for i in range(3))
    asks = tuple(Level(cents(ask + i), cents(1500 * (i + 1))) for i in range(3))
    view = BookView(TokenId("1"), BookState.LIVE, bids, asks, cents(tick), cents(bid))
    return replace(view, **changes)  # type: ignore[arg-type]
