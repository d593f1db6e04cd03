"""The two lines above a ladder beside the main one: whose it is, and what it is worth now."""

from datetime import datetime

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.markets.market import Market, Trading
from pmtui.domain.money import Micros
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.format import format_price
from pmtui.ui.ladder.ladder_state import state_word
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role

_LONGEST_LABEL = 8
_UNKNOWN = frozenset({BookState.LOADING, BookState.NO_BOOK})
"""Nothing is known of the touch: it is not told to be empty."""


def paint_side_name(market: Market, outcome_index: int, width: int) -> Line:
    """Name an outcome of a market. Both are untrusted."""
    label = plain(market.outcomes[outcome_index].label, _LONGEST_LABEL)
    tag = Cell(f" {label} ", Role.KEY, Emphasis.REVERSE)
    room = max(0, width - line_width((tag,)) - 1)
    name = plain(market.title, room)
    return fit_line((tag, Cell(f" {name}", Role.HEADING)), width)


def paint_side_state(
    book: BookView,
    now: datetime,
    width: int,
    *,
    trading: Trading = Trading.OPEN,
) -> Line:
    """Say what the book is worth, and its touch as a market is quoted: the bid, then the ask.

    One form, so that ladders beside each other read alike whatever their ticks; the widest touch
    fits beside the longest word.
    """
    word = state_word(book, now, trading)
    if book.state in _UNKNOWN:
        return fit_line((word,), width)

    def price(value: Micros | None, missing: str, role: Role) -> Cell:
        if value is None:
            return Cell(missing, Role.DIM)
        text = format_price(value, tick=book.tick_size)
        return Cell(text, role if book.state.is_good else Role.STALE)

    quote = (
        price(book.best_bid, "no bid", Role.BID), Cell(" / ", Role.DIM),
        price(book.best_ask, "no ask", Role.ASK), Cell(" "),
    )  # fmt: skip
    gap = width - line_width((word, *quote))
    if gap < 0:
        return fit_line((word,), width)
    return (word, Cell(" " * gap), *quote)
