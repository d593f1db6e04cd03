"""The head of the trading screen: the question, the touch, and the terms for orders."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from textual.app import ComposeResult
from textual.containers import Container
from typing_extensions import override

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.formats import exact_shares
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import Market, MarketTerms, Trading
from pmtui.domain.markets.venue_state import OF_A_MARKET, VenueState
from pmtui.domain.money import ONE, Micros, group_micros, round_price
from pmtui.service.views import Load, MarketView, StatusView
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.facts import with_star
from pmtui.ui.format import (
    TENTH_OF_CENT,
    format_age,
    format_money_compact,
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
_GAP = 2
"""The least number of blanks before the terms, besides the one they begin with."""
_HUNDREDTH_OF_CENT = Micros(100)


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
    urgent: int = 0
    """How many pieces come before the quote: they change how one trades here now."""
    brief: int = 0
    """How many pieces come before the volumes: what every order must obey."""

    def first(self, count: int) -> "Terms":
        """Return the terms with the first pieces alone."""
        return self._replace(pieces=self.pieces[:count])


def paint_facts(view: MarketView, book: BookView | None, terms: Terms, width: int) -> Line:
    """Paint the touch and the terms for orders in one line; or first why none are possible."""
    if terms.is_trouble:
        trouble = paint_terms(terms, width)
        return fit_line((*trouble, *paint_quote(view, book, width - line_width(trouble))), width)
    # Left out in this order: other terms, volumes, tick and minimum, what the touch ends with.
    urgent = paint_terms(terms.first(terms.urgent), width)
    touch = paint_quote(view, book, width - line_width(urgent), has_volumes=False)
    brief = paint_terms(terms.first(terms.brief), width - line_width(touch) - _GAP)
    quote = paint_quote(view, book, width - line_width(brief) - _GAP)
    right = paint_terms(terms, width - line_width(quote) - _GAP)
    gap = width - line_width(quote) - line_width(right)
    return fit_line((*quote, Cell(" " * gap), *right), width)


def paint_quote(
    view: MarketView, book: BookView | None, width: int, *, has_volumes: bool = True
) -> Line:
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
    # A midpoint may lie between two ticks: room for one more digit, so that nothing behind it moves.
    half = None if book.tick_size is None else Micros(book.tick_size // 2)
    mid = "none"
    if book.midpoint is not None:
        room = len(read_price(book.midpoint, tick=half))
        mid = read_price(book.midpoint, tick=TENTH_OF_CENT).ljust(room)
    numbers = [
        _Number("bid", price(book.best_bid), Role.BID if is_good else Role.STALE),
        _Number("ask", price(book.best_ask), Role.ASK if is_good else Role.STALE),
        _Number("mid", "–" if book.state is BookState.LOADING else mid, _good(is_good=is_good)),
        _Number("last", price(last), Role.DIM if last is None else Role.LAST_TRADE),
        _Number("spread", apart, _good(is_good=is_good)),
    ]
    if market is not None and market.closed and not (book.bids or book.asks):
        # The book of a closed market stays empty.
        numbers = [number for number in numbers if number.name == "last"]
    elif is_good and book.midpoint is not None and view.terms is not None:
        numbers += _fee_numbers(view.terms, book.midpoint)
    if market is not None and has_volumes:
        numbers += _market_numbers(market)
    return _fitting(numbers, width)


def _fitting(numbers: Iterable["_Number"], width: int) -> Line:
    line: list[Cell] = []
    used = 0
    for number in numbers:
        lead = "" if not line else " │ " if number.begins_group else "  "
        piece = (Cell(f"{lead or ' '}{number.name} ", Role.DIM), Cell(number.text, number.role))
        size = line_width(piece)
        if used + size >= width:
            break
        line += piece
        used += size
    return tuple(line)


class _Number(NamedTuple):
    """A figure of the quote line, with its name."""

    name: str
    text: str
    role: Role = Role.TEXT
    begins_group: bool = False
    """Whether a rule stands before it, because what follows is of another kind."""


def _good(*, is_good: bool) -> Role:
    return Role.TEXT if is_good else Role.STALE


def _fee_numbers(terms: MarketTerms, price: Micros) -> list[_Number]:
    """Return what taking one share at the midpoint costs in fees; nothing where it costs nothing."""
    fee = taker_fee(ONE, price, terms.fee)
    if not fee:
        return []
    name = "taker fee" if terms.fee.is_taker_only else "fee"
    return [
        _Number(
            name,
            f"{format_price(round_price(fee, _HUNDREDTH_OF_CENT), tick=_HUNDREDTH_OF_CENT)}",
            Role.DIM,
        )
    ]


def _market_numbers(market: Market) -> list[_Number]:
    """Return volumes from the venue's metadata, with their periods."""
    # No day's change: it would differ from the chart's, which uses another last price.
    known = (("vol", market.volume), ("vol 24h", market.volume_24h))
    numbers = [
        _Number(n, format_money_compact(amount)) for n, amount in known if amount is not None
    ]
    return [number._replace(begins_group=not at) for at, number in enumerate(numbers)]


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
    needed, more = _terms(terms)
    urgent: list[str] = []
    states = [fact.state for fact in view.venue if fact.state in OF_A_MARKET]
    if VenueState.DELAYED in states:
        # Before the terms that never change, because it affects how one trades here.
        delay = f" {terms.seconds_delay}s" if terms.seconds_delay else ""
        urgent.insert(0, f"taker orders delayed{delay}")
    if VenueState.MARKET_NOT_READY in states:
        urgent.insert(0, "market not ready for orders")
    if view.load is Load.FAILED and view.as_of is not None:
        age = format_age((now - view.as_of).total_seconds())
        urgent.insert(0, f"{age} old: {plain(view.problem, 40)}")
    role = Role.NOTICE_WARN if VenueState.MARKET_NOT_READY in states else Role.DIM
    return Terms(
        (*urgent, *needed, *more), role, urgent=len(urgent), brief=len(urgent) + len(needed)
    )


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


def _terms(terms: MarketTerms) -> tuple[list[str], list[str]]:
    """Return what every order must obey, and what else applies."""
    needed = ["no fee"] if not terms.fee.rate else []
    needed += [f"tick {format_price(terms.tick_size)}", f"min {group_micros(terms.min_order_size)}"]
    more: list[str] = []
    if terms.neg_risk:
        more.append("one winner (neg-risk)")
    if terms.rewards is not None:
        band = format_price(terms.rewards.max_spread)
        shares = exact_shares(terms.rewards.min_size)
        more.append(f"LP rewards: {shares} within {band} of mid")
    return needed, more


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
