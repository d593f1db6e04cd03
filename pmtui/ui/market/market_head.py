"""The head of the trading screen: the question, the touch, and the terms for orders."""

from datetime import datetime
from typing import NamedTuple

from textual.app import ComposeResult
from textual.containers import Container
from typing_extensions import override

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.formats import exact_shares
from pmtui.domain.markets.market import Market, MarketTerms, Trading
from pmtui.domain.markets.venue_state import OF_A_MARKET, VenueState
from pmtui.domain.money import Micros, group_micros
from pmtui.service.views import Load, MarketView, StatusView
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.facts import with_star
from pmtui.ui.format import (
    format_age,
    format_money_compact,
    format_percent,
    format_price,
    format_time_left,
    read_distance,
    read_price,
)
from pmtui.ui.market.market_model import (
    market_words,
    outcome_label,
    trading_of,
    why_market_takes_none,
    why_nothing_of_ours,
)
from pmtui.ui.plain import cell_width, plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.text_line import TextLine

_LONGEST_LABEL = 16


def paint_question(view: MarketView, outcome_index: int, now: datetime, width: int) -> Line:
    """Paint the outcome, the question and the time left."""
    market = view.market
    if market is None:
        words, role = market_words(view), Role.DIM
        return fit_line((Cell(f" {words}", role),), width)
    label = outcome_label(view, outcome_index)
    tag = Cell(f" {plain(label, _LONGEST_LABEL)} ", Role.KEY, Emphasis.REVERSE)
    left = _time_left(market, now)
    room = width - line_width((tag,)) - cell_width(left) - 3
    # At every width the same name, which is that of notices, too.
    title = with_star(plain(market.distinct_name), is_starred=view.is_starred)
    question = plain(title, max(0, room))
    gap = max(1, room - cell_width(question) + 1)
    line = (
        tag, Cell(" "), Cell(question, Role.HEADING),
        Cell(" " * gap), Cell(f"{left} ", Role.DIM),
    )  # fmt: skip
    return fit_line(line, width)


class Terms(NamedTuple):
    """The terms for orders, the most important first; or why none are possible."""

    pieces: tuple[str, ...]
    role: Role = Role.DIM
    is_trouble: bool = False
    """Whether this comes first and is cropped rather than left out."""


def paint_facts(view: MarketView, book: BookView | None, terms: Terms, width: int) -> Line:
    """Paint the touch and the terms for orders in one line; or first why none are possible."""
    if terms.is_trouble:
        trouble = paint_terms(terms, width)
        return fit_line((*trouble, *paint_quote(view, book, width - line_width(trouble))), width)
    # The first half of the terms has priority: the ladder shows most of the rest.
    half = paint_terms(terms, max(width // 2 + 4, 0))
    quote = paint_quote(view, book, width - line_width(half))
    more = paint_terms(terms, width - line_width(quote))
    gap = width - line_width(quote) - line_width(more)
    return fit_line((*quote, Cell(" " * gap), *more), width)


def paint_quote(view: MarketView, book: BookView | None, width: int) -> Line:
    """Paint the touch, all of it from one book; what does not fit is left out from the end."""
    if book is None:
        words = Cell(f" {market_words(view)}", Role.DIM)
        return (words,) if words.text.strip() and line_width((words,)) <= width else ()

    def price(value: Micros | None) -> str:
        if value is None:
            # A book that has not loaded is not an empty one.
            return "–" if book.state is BookState.LOADING else "none"
        return read_price(value, tick=book.tick_size)

    apart = "none" if book.spread is None else read_distance(book.spread, tick=book.tick_size)
    if book.state is BookState.LOADING:
        apart = "–"
    market, last = view.market, book.own_last_price
    # What stands in the book of a market that takes no orders is no offer to anybody.
    is_good = book.state.is_good and trading_of(view) is Trading.OPEN
    numbers = [
        ("bid", price(book.best_bid), Role.BID if is_good else Role.STALE),
        ("ask", price(book.best_ask), Role.ASK if is_good else Role.STALE),
        ("mid", price(book.midpoint), Role.TEXT if is_good else Role.STALE),
        ("last", price(last), Role.DIM if last is None else Role.LAST_TRADE),
        ("spread", apart, Role.TEXT if is_good else Role.STALE),
    ]
    if market is not None and market.closed and not (book.bids or book.asks):
        # The book of a closed market stays empty.
        numbers = [number for number in numbers if number[0] == "last"]
    if market is not None:
        numbers += _market_numbers(market)
    line: list[Cell] = []
    used = 0
    for name, text, role in numbers:
        gap = "" if name.startswith(",") else " "
        piece = (Cell(f"{gap}{name} ", Role.DIM), Cell(text, role))
        size = line_width(piece)
        if used + size >= width:
            break
        between = (Cell(" "),) if line and gap else ()
        line += (*between, *piece)
        used += len(between) + size
    return tuple(line)


def _market_numbers(market: Market) -> list[tuple[str, str, Role]]:
    """Return volumes from the venue's metadata, with their periods."""
    numbers = []
    if market.volume is not None:
        numbers.append(("volume", format_money_compact(market.volume), Role.TEXT))
    if market.volume_24h is not None:
        name = ", 24h" if numbers else "24h volume"
        numbers.append((name, format_money_compact(market.volume_24h), Role.TEXT))
    # No day's change: it would differ from the chart's, which uses another last price.
    return numbers


def find_terms(view: MarketView, status: StatusView, now: datetime) -> Terms:
    """Return the terms for orders, or why none are possible."""
    # A lock or a lost service is shown elsewhere and does not replace the terms.
    gone = "" if status.is_gone else why_nothing_of_ours(status)
    trouble = why_market_takes_none(view) or gone
    if trouble:
        return Terms((trouble,), Role.NOTICE_WARN, is_trouble=True)
    terms = view.terms
    if terms is None:
        return Terms((market_words(view) or "Loading the trading terms…",))
    pieces = _terms(terms)
    states = [fact.state for fact in view.venue if fact.state in OF_A_MARKET]
    if VenueState.DELAYED in states:
        # Before the terms that never change, because it affects how one trades here.
        delay = f" {terms.seconds_delay}s" if terms.seconds_delay else ""
        pieces.insert(0, f"taker orders delayed{delay}")
    if VenueState.MARKET_NOT_READY in states:
        pieces.insert(0, "market not ready for orders")
    if view.load is Load.FAILED and view.as_of is not None:
        age = format_age((now - view.as_of).total_seconds())
        pieces.insert(0, f"{age} old: {plain(view.problem, 40)}")
    role = Role.NOTICE_WARN if VenueState.MARKET_NOT_READY in states else Role.DIM
    return Terms(tuple(pieces), role)


def paint_terms(terms: Terms, width: int) -> Line:
    """Paint the terms for orders as far as they fit, or why none are possible."""
    if terms.is_trouble:
        line: Line = (Cell(f" {terms.pieces[0]}", terms.role),)
        return fit_line(line, min(width, line_width(line)))
    text = ""
    for piece in terms.pieces:
        longer = f"{text} {chr(0xB7)} {piece}" if text else f" {piece}"
        if cell_width(longer) + 1 > width:
            break
        text = longer
    return (Cell(f"{text} ", terms.role),) if text else ()


def _terms(terms: MarketTerms) -> list[str]:
    tick = format_price(terms.tick_size)
    pieces = [f"tick {tick}", f"min {group_micros(terms.min_order_size)}"]
    if terms.fee.rate:
        power = f"^{terms.fee.exponent}" if terms.fee.exponent != 1 else ""
        who = "taker fee" if terms.fee.is_taker_only else "fee"
        formula = f"p(1-p){power}" if not power else f"(p(1-p)){power}"
        pieces.append(f"{who} {format_percent(terms.fee.rate)} of {formula}")
    else:
        pieces.append("no fee")
    if terms.neg_risk:
        pieces.append("one winner (neg-risk)")
    if terms.rewards is not None:
        band = format_price(terms.rewards.max_spread)
        shares = exact_shares(terms.rewards.min_size)
        pieces.append(f"LP rewards: {shares} within {band} of mid")
    return pieces


def _time_left(market: Market, now: datetime) -> str:
    if market.closed:
        return "closed"
    if market.end_at is None:
        return "no end date"
    seconds = (market.end_at - now).total_seconds()
    left = format_time_left(seconds)
    # Less than a second is left: there is no time to show.
    return left if seconds < 1 else f"{left} left"


class MarketHead(Container):
    """The market's question, its touch, and the terms for orders."""

    DEFAULT_CSS = "MarketHead { height: auto; layout: vertical; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        """Start empty."""
        super().__init__(id=id)
        self._question = TextLine(id="question")
        self._quote = TextLine(id="quote")
        self._terms: Terms | None = None

    @override
    def compose(self) -> ComposeResult:
        yield self._question
        yield self._quote

    def show(
        self, view: MarketView, status: StatusView, now: datetime, *, outcome_index: int, width: int
    ) -> None:
        """Show the market; the quote is updated separately."""
        self._question.show(paint_question(view, outcome_index, now, width))
        self._terms = find_terms(view, status, now)

    def show_quote(self, view: MarketView, book: BookView | None, width: int) -> None:
        """Show the touch."""
        if self._terms is not None:
            self._quote.show(paint_facts(view, book, self._terms, width))
