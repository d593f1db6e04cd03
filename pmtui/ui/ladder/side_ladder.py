"""A ladder beside the main one: another outcome of the event, to watch and to switch to."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from typing_extensions import override

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Market, Trading
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Order
from pmtui.ui.cells import Cell, Line, fit_line, line_width
from pmtui.ui.format import format_price
from pmtui.ui.keys.actions import bindings_of
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.ladder.ladder_state import paint_ending, state_word
from pmtui.ui.plain import cell_width, plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.panel import Panel
from pmtui.ui.widgets.text_line import TextLine

_LONGEST_LABEL = 8
_UNKNOWN = frozenset({BookState.LOADING, BookState.NO_BOOK})
"""States in which the touch is unknown, not empty."""


def paint_side_title(market: Market, outcome_index: int, width: int) -> tuple[Line, Line]:
    """Paint the name of a market and of the outcome shown. Both are untrusted."""
    label = plain(market.outcomes[outcome_index].label, _LONGEST_LABEL)
    name = plain(market.title, max(width - cell_width(label), 0))
    return (Cell(name, Role.HEADING),), (Cell(label, Role.KEY),)


def paint_side_state(
    book: BookView,
    now: datetime,
    width: int,
    *,
    trading: Trading = Trading.OPEN,
) -> Line:
    """Paint the state of the book and its touch: the bid, then the ask.

    The layout is the same for all ticks, so that adjacent ladders line up; the widest touch fits
    beside the longest word.
    """
    word = state_word(book, now, trading)
    is_good = book.state.is_good and trading is Trading.OPEN
    if book.state in _UNKNOWN:
        return fit_line((word,), width)

    def price(value: Micros | None, missing: str, role: Role) -> Cell:
        if value is None:
            return Cell(missing, Role.DIM)
        text = format_price(value, tick=book.tick_size)
        return Cell(text, role if is_good else Role.STALE)

    quote = (
        price(book.best_bid, "no bid", Role.BID), Cell(" / ", Role.DIM),
        price(book.best_ask, "no ask", Role.ASK), Cell(" "),
    )  # fmt: skip
    gap = width - line_width((word, *quote))
    if gap < 0:
        return fit_line((word,), width)
    return (word, Cell(" " * gap), *quote)


SIDE_WIDTH = 44
"""The least width in which bars have ten cells, and one at the edge."""
_INNER = SIDE_WIDTH - 2
"""The width inside the frame."""


class SideRows(LadderPane, inherit_bindings=False):
    """Rows with their own cursor. Picking one switches to its outcome and never trades."""

    DEFAULT_CSS = "SideRows { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of(
        "global.open", "ladder.recentre", "ladder.hold", "ladder.move_up", "ladder.move_down",
        "ladder.page_up", "ladder.page_down", "ladder.move_to_top", "ladder.move_to_end",
    )  # fmt: skip

    @dataclass
    class Chosen(Message):
        """The trader wants to switch to this outcome, optionally at a price."""

        price: Micros | None

    @override
    def focus_on_click(self) -> bool:
        # A click switches to the outcome, and the focus follows.
        return False

    def action_open(self) -> None:
        """Switch to the outcome at the cursor's price, if there is a cursor."""
        self.post_message(self.Chosen(None if self.cursor is None else self.cursor[0]))

    @override
    def on_click(self, event: events.Click) -> None:
        # The second click would hit the market that takes this place.
        event.prevent_default()
        event.stop()
        offset = event.get_content_offset(self)
        if offset is None or event.chain != 1:
            return
        price = self.viewport.price_at_line(offset.y)
        # Rows that just moved were not what was aimed at: switch without a price.
        if price is not None and self.viewport.was_other_price(offset.y, price, self.line_lag_s):
            price = None
        self.post_message(self.Chosen(price))


class SideLadder(Panel):
    """An outcome's book with its name and state. A click or enter makes it the main one."""

    DEFAULT_CSS = f"SideLadder {{ width: {SIDE_WIDTH}; height: 100%; }}"

    @dataclass
    class Picked(Message):
        """The trader wants this outcome on the main ladder."""

        condition_id: ConditionId
        price: Micros | None
        """Where to put its cursor."""

    def __init__(self) -> None:
        """Start without a market."""
        self._state_line = TextLine()
        self._ladder = SideRows()
        super().__init__(Vertical(self._state_line, self._ladder), classes="-tight -split")
        self._market: Market | None = None
        self.token_id: TokenId | None = None
        """The token whose book is shown."""

    @property
    def market(self) -> Market | None:
        """The market whose outcome is shown."""
        return self._market

    @property
    def ladder(self) -> LadderPane:
        """The rows."""
        return self._ladder

    def is_of(self, condition_id: ConditionId | None) -> bool:
        """Return whether an outcome of this market is shown."""
        return self._market is not None and self._market.condition_id == condition_id

    def set_market(self, market: Market | None, outcome_index: int) -> None:
        """Switch to an outcome of a market and clear what was shown of another."""
        has_outcome = market is not None and outcome_index < len(market.outcomes)
        self._market = market if has_outcome else None
        self.display = has_outcome
        token_id = None
        if self._market is not None:
            token_id = self._market.outcomes[outcome_index].token_id
            self.show_title_in_width(partial(paint_side_title, self._market, outcome_index))
        if token_id != self.token_id:
            self.token_id = token_id
            self._ladder.clear_cursor()
            self._ladder.show(BookView(token_id or TokenId(""), BookState.LOADING))

    def show(self, book: BookView, orders: tuple[Order, ...], now: datetime) -> None:
        """Show the book and own orders in it."""
        tick = self._market.tick_size if self._market is not None else None
        self._ladder.show(book, tick=tick, orders=orders, ending=paint_ending(self._market))
        self.show_state(now)

    def show_state(self, now: datetime) -> None:
        """Show the state of the book as of now."""
        book = self._ladder.book
        if book is not None:
            trading = self._market.trading if self._market is not None else Trading.OPEN
            line = paint_side_state(
                book, now, self._state_line.size.width or _INNER, trading=trading
            )
            self._state_line.show(line)

    def on_click(self, event: events.Click) -> None:
        """Switch to the outcome."""
        event.stop()
        self._pick(None)

    @on(SideRows.Chosen)
    def _pick_price(self, message: SideRows.Chosen) -> None:
        message.stop()
        self._pick(message.price)

    @on(LadderPane.CursorMoved)
    def _keep_to_itself(self, message: LadderPane.CursorMoved) -> None:
        # Charts and hints follow the main ladder only.
        message.stop()

    def _pick(self, price: Micros | None) -> None:
        if self._market is not None and self._market.condition_id is not None:
            self.post_message(self.Picked(self._market.condition_id, price))
