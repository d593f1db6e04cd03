"""How far a working order stands from the touch, in ticks of its market."""

from pmtui.domain.books.book_view import BookView
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Order


def ticks_away(order: Order, book: BookView, tick: Micros | None) -> int | None:
    """Return how many ticks an order stands behind the best price of its own side.

    Args:
        order: a working order.
        book: of its token.
        tick: of its market; None while it is not known.

    Returns:
        0 at the touch or better; None where the book proves nothing.
    """
    best = book.best_bid if order.side is Side.BUY else book.best_ask
    if best is None or not tick or not book.state.is_good:
        return None
    behind = best - order.price if order.side is Side.BUY else order.price - best
    return max(-(-behind // tick), 0)
