"""The two lines above a ladder beside the main one: whose it is, and what it is worth now."""

from datetime import datetime

from pmtui.domain.book_view import BookView
from pmtui.domain.market import Market
from pmtui.domain.money import Micros
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.format import format_price
from pmtui.ui.paint.ladder_state import state_word
from pmtui.ui.plain import plain
from pmtui.ui.theme import Role

_LONGEST_LABEL = 8


def paint_side_name(
    market: Market, outcome_index: int, width: int, *, ascii_only: bool = False
) -> Line:
    """Name an outcome of a market. Both are untrusted."""
    label = plain(market.outcomes[outcome_index].label, _LONGEST_LABEL, ascii_only=ascii_only)
    tag = Cell(f" {label} ", Role.KEY, Emphasis.REVERSE)
    room = max(0, width - line_width((tag,)) - 1)
    name = plain(market.title, room, ascii_only=ascii_only)
    return fit_line((tag, Cell(f" {name}", Role.HEADING)), width, ascii_only=ascii_only)


def paint_side_state(
    book: BookView, now: datetime, width: int, *, ascii_only: bool = False
) -> Line:
    """Say what the book is worth, and its touch."""

    def price(value: Micros | None) -> str:
        if value is None:
            return "none"
        return format_price(value, tick=book.tick_size, ascii_only=ascii_only)

    is_good = book.state.is_good
    word = state_word(book, now)
    bid = Cell(price(book.best_bid), Role.BID if is_good else Role.STALE)
    ask = Cell(price(book.best_ask), Role.ASK if is_good else Role.STALE)
    named = (Cell("bid ", Role.DIM), bid, Cell(" ask ", Role.DIM), ask, Cell(" "))
    # As a market is quoted: the bid, then the ask.
    short = (bid, Cell(" / ", Role.DIM), ask, Cell(" "))
    for quote in (named, short):
        gap = width - line_width((word, *quote))
        if gap >= 0:
            return (word, Cell(" " * gap), *quote)
    return fit_line((word,), width, ascii_only=ascii_only)
