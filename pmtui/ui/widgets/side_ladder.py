"""A ladder beside the main one: another outcome of the event, to look at and to go to."""

from datetime import datetime

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from typing_extensions import override

from pmtui.domain.book_view import BookState, BookView
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.market import Market
from pmtui.domain.order import Order
from pmtui.domain.records import dataclass
from pmtui.ui.paint.side_ladder import paint_side_name, paint_side_state
from pmtui.ui.widgets.ladder_view import LadderView
from pmtui.ui.widgets.text_line import TextLine

_WIDTH = 30


class _Rows(LadderView):
    """Rows that follow the spread, whatever their size."""

    DEFAULT_CSS = "_Rows { height: 1fr; }"

    def on_resize(self) -> None:
        """Centre anew for the new size."""
        self._top = None
        self._forget_painted()
        self._rebuild(self.axis)


class SideLadder(Vertical):
    """One outcome's book with its name and its worth. A click makes it the main one."""

    DEFAULT_CSS = f"SideLadder {{ width: {_WIDTH}; height: 100%; padding-left: 1; }}"

    @dataclass
    class Picked(Message):
        """The trader wants this outcome on the main ladder."""

        condition_id: ConditionId

    def __init__(self, *, ascii_only: bool = False) -> None:
        """Start without a market."""
        super().__init__()
        self._ascii_only = ascii_only
        self._title_line = TextLine(ascii_only=ascii_only)
        self._state_line = TextLine(ascii_only=ascii_only)
        self._ladder = _Rows(ascii_only=ascii_only)
        self._market: Market | None = None
        self.token_id: TokenId | None = None
        """Whose book is on show."""

    @property
    def ladder(self) -> LadderView:
        """The rows."""
        return self._ladder

    @override
    def compose(self) -> ComposeResult:
        yield self._title_line
        yield self._state_line
        yield self._ladder

    def set_market(self, market: Market | None, outcome_index: int) -> None:
        """Belong to an outcome of a market; what was shown of another one goes."""
        has_outcome = market is not None and outcome_index < len(market.outcomes)
        self._market = market if has_outcome else None
        self.display = has_outcome
        token_id = None
        if self._market is not None:
            token_id = self._market.outcomes[outcome_index].token_id
            self._title_line.show(
                paint_side_name(
                    self._market, outcome_index, _WIDTH - 1, ascii_only=self._ascii_only
                )
            )
        if token_id != self.token_id:
            self.token_id = token_id
            self._ladder.show(BookView(token_id or TokenId(""), BookState.LOADING))

    def show(self, book: BookView, orders: tuple[Order, ...], now: datetime) -> None:
        """Show the book and what is ours in it."""
        tick = self._market.tick_size if self._market is not None else None
        self._ladder.show(book, tick=tick, orders=orders)
        self.show_state(now)

    def show_state(self, now: datetime) -> None:
        """Say what the book on show is worth by now."""
        book = self._ladder.book
        if book is not None:
            line = paint_side_state(book, now, _WIDTH - 1, ascii_only=self._ascii_only)
            self._state_line.show(line)

    def on_click(self, event: events.Click) -> None:
        """Go there."""
        if self._market is not None and self._market.condition_id is not None:
            event.stop()
            self.post_message(self.Picked(self._market.condition_id))
