"""What the forms over a screen share that end in orders: a frame, what they watch, their keys.

A form is about one market. It reads and rounds nothing itself, and what it leads to is asked about
on a card of its own before anything is sent.
"""

from abc import abstractmethod
from typing import ClassVar, TypeVar

from textual.binding import BindingType
from textual.getters import query_one
from textual.screen import ModalScreen

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import MarketTerms
from pmtui.service.surface import Subscription
from pmtui.service.topics import AccountTopic, BookTopic, FillsTopic, MarketTopic, Topic
from pmtui.ui.cells import Cell
from pmtui.ui.frame import is_live
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.market.market_facts import title_of
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.fields import TextBlock
from pmtui.ui.ticket.paint_ticket import paint_touch
from pmtui.ui.widgets.key_line import KeyLine, answer_keys
from pmtui.ui.widgets.text_line import TextLine

ResultT = TypeVar("ResultT")


class OrderForm(ModalScreen[ResultT]):
    """Entries about one market in a frame; enter goes on to a card, escape leaves."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)
    WIDTH: ClassVar[int] = 64
    """Cells inside the frame."""

    DEFAULT_CSS = """
    OrderForm { align: center middle; }
    OrderForm > .frame {
        width: 68; max-width: 100%; height: auto; max-height: 100%; background: $panel;
        border: heavy $primary; padding: 0 1;
    }
    OrderForm .row { height: 1; }
    OrderForm #state { height: auto; min-height: 1; }
    """

    state = query_one("#state", TextBlock)
    """What is wrong with the entries, or what became of them."""

    def __init__(self, surface: Surface, condition_id: ConditionId) -> None:
        """Open for one market."""
        super().__init__()
        self._surface = surface
        self._condition_id = condition_id
        self._subscription: Subscription | None = None

    @abstractmethod
    def show(self) -> None:
        """Show things as they are now; called whenever something watched has changed."""

    def on_unmount(self) -> None:
        """Stop listening; what was sent is the service's."""
        if self._subscription is not None:
            self._subscription.close()

    def action_decline(self) -> None:
        """Leave; orders on their way go on."""
        _ = self.dismiss()

    @property
    def terms(self) -> MarketTerms | None:
        """What orders of this market must obey; None until it is known."""
        return self._surface.queries.market(self._condition_id).terms

    def market_title(self, width: int) -> str:
        """Return the market's name on one line."""
        return plain(title_of(self._surface.queries, self._condition_id), width)

    def keys(self) -> KeyLine:
        """Return the line of keys that ends a form."""
        return answer_keys("Review", self._surface.options, width=self.WIDTH)

    def watch_market(self, token_id: TokenId | None) -> None:
        """Hear of the account, the market, and the book of a token where there is one."""
        topics: list[Topic] = [MarketTopic(self._condition_id), AccountTopic(), FillsTopic()]
        if token_id is not None:
            topics.append(BookTopic(token_id))
        self._subscription = self._surface.subscriptions.subscribe(topics, self._hear)

    def show_touch(self, line: TextLine, token_id: TokenId) -> None:
        """Show the best prices of a token."""
        terms, book = self.terms, self._surface.queries.book(token_id)
        tick = terms.tick_size if terms is not None else None
        line.show(paint_touch(book, tick))

    def say(self, reason: str, role: Role = Role.NOTICE_WARN) -> None:
        """Say why it does not go on."""
        self.state.show(((Cell(plain(reason, self.WIDTH), role),),))

    def _hear(self, _: Topic) -> None:
        self.call_next(self._show_mounted)

    def _show_mounted(self) -> None:
        if is_live(self):
            self.show()
