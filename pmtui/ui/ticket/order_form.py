"""The base of forms that end in orders: a frame, subscriptions, and keys.

A form is about one market. It parses and rounds nothing itself, and a card asks for confirmation
before anything is sent. Over a ladder it stands at the side if it fits: the prices it is about stay
visible, with the draft drawn among them.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, TypeVar

from textual.binding import BindingType
from textual.getters import query_one
from textual.screen import ModalScreen

from pmtui.domain.books.ladder import Ghost
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import MarketTerms
from pmtui.service.surface import Subscription
from pmtui.service.topics import AccountTopic, BookTopic, FillsTopic, MarketTopic, Topic
from pmtui.ui.cells import Cell
from pmtui.ui.frame import is_live, ladder_edge
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.market.market_model import title_of
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.fields import EntryLabel, TextBlock
from pmtui.ui.ticket.paint_ticket import paint_touch, wrap_line
from pmtui.ui.widgets.text_line import KeyLine, TextLine, answer_keys

ResultT = TypeVar("ResultT")
Draw = Callable[[tuple[Ghost, ...]], None]
"""Shows a draft on a ladder."""
_FRAME = 4
"""Columns of border and padding."""
_ROOMY = 56
"""The width from which explanations stand beside the entries."""
_MOST_SAID = 3


def draw_nothing(_: tuple[Ghost, ...]) -> None:
    """Draw nothing, because there is no ladder below."""


class OrderForm(ModalScreen[ResultT]):
    """Entries about one market in a frame; enter opens a card, escape closes the form."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)
    WIDTH: ClassVar[int] = 64
    """The most cells inside the frame."""
    NARROWEST: ClassVar[int] = 60
    """The fewest cells inside the frame: with fewer beside a ladder, the form covers it."""

    DEFAULT_CSS = """
    OrderForm { align: center middle; }
    OrderForm.-beside { align: right middle; background: transparent; }
    OrderForm > .frame {
        width: 68; max-width: 100%; height: auto; max-height: 100%; background: $panel;
        border: heavy $primary; padding: 0 1;
    }
    OrderForm .row { height: 1; }
    OrderForm #state { height: auto; min-height: 1; }
    """

    state = query_one("#state", TextBlock)
    """What is wrong with the entries, or the result of the orders."""

    def __init__(
        self, surface: Surface, condition_id: ConditionId, draw: Draw = draw_nothing
    ) -> None:
        """Open for one market.

        Args:
            surface: the service and the user's choices.
            condition_id: the market.
            draw: shows the draft on a ladder.
        """
        super().__init__()
        self._draw = draw
        self._surface = surface
        self._condition_id = condition_id
        self._subscription: Subscription | None = None

    @abstractmethod
    def show(self) -> None:
        """Show the current state; called whenever a watched topic changes."""

    def on_unmount(self) -> None:
        """Unsubscribe; the service owns what was sent."""
        self._draw(())
        if self._subscription is not None:
            self._subscription.close()

    def on_screen_resume(self) -> None:
        """Move aside so that the ladder below stays visible."""
        self._stand_aside()

    def on_descendant_focus(self) -> None:
        """Mark the focused entry."""
        focused = self.focused.id if self.focused is not None else None
        for label in self.query(EntryLabel):
            label.mark(is_here=label.entry == focused)

    def on_resize(self) -> None:
        """Move aside on a screen of another size."""
        _ = self.call_after_refresh(self._stand_aside)

    def _stand_aside(self) -> None:
        if is_live(self):
            self.set_class(self.is_beside, "-beside")
            self.set_class(self.inner < _ROOMY, "-narrow")
            self.query_one(".frame").styles.width = self.inner + _FRAME
            self.show()

    @property
    def is_beside(self) -> bool:
        """Whether it stands beside the ladder below."""
        kept = self._columns_kept
        return kept > 0 and self.app.size.width - kept - _FRAME >= self.NARROWEST

    @property
    def inner(self) -> int:
        """The current width inside the frame."""
        if not self.is_beside:
            return min(self.WIDTH, self.app.size.width - _FRAME)
        return min(self.WIDTH, self.app.size.width - self._columns_kept - _FRAME)

    @property
    def _columns_kept(self) -> int:
        """The columns at the left that the ladder below takes; 0 without a ladder."""
        return ladder_edge(self.app)

    def action_decline(self) -> None:
        """Close; pending orders continue."""
        _ = self.dismiss()

    @property
    def terms(self) -> MarketTerms | None:
        """The terms for orders; None until they are known."""
        return self._surface.queries.market(self._condition_id).terms

    def market_title(self, width: int) -> str:
        """Return the market's name on one line."""
        return plain(title_of(self._surface.queries, self._condition_id), width)

    def keys(self) -> KeyLine:
        """Return the form's line of keys."""
        return answer_keys("Review", self._surface.options, width=self.inner)

    def watch_market(self, token_id: TokenId | None) -> None:
        """Subscribe to the account, the market, and the token's book if there is one."""
        topics: list[Topic] = [MarketTopic(self._condition_id), AccountTopic(), FillsTopic()]
        if token_id is not None:
            topics.append(BookTopic(token_id))
        self._subscription = self._surface.subscriptions.subscribe(topics, self._follow)

    def show_touch(self, line: TextLine, token_id: TokenId) -> None:
        """Show the best prices of a token."""
        terms, book = self.terms, self._surface.queries.book(token_id)
        tick = terms.tick_size if terms is not None else None
        line.show(paint_touch(book, tick))

    def show_reason(self, reason: str, role: Role = Role.NOTICE_WARN) -> None:
        """Show why the form does not continue."""
        lines = wrap_line((Cell(plain(reason), role),), self.inner, most=_MOST_SAID)
        self.state.show(lines)

    def _follow(self, _: Topic) -> None:
        self.call_next(self._show_mounted)

    def _show_mounted(self) -> None:
        if is_live(self):
            self.show()
