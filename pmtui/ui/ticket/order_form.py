"""The base of forms that end in orders: a frame, subscriptions, and keys.

It parses and rounds nothing itself, and a card asks for confirmation
before anything is sent. The prices it is about stay visible, and those of one market show its draft.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from typing import ClassVar, TypeVar

from textual import events, on
from textual.binding import BindingType
from textual.getters import query_one
from typing_extensions import override

from pmtui.domain.books.ladder import Ghost
from pmtui.domain.ids import CommandId, ConditionId, TokenId
from pmtui.domain.markets.market import MarketTerms
from pmtui.domain.orders.order import OrderIntent, Rejected, Verdict
from pmtui.service.surface import MOST_IN_BATCH, PreparedOrder, Subscription
from pmtui.service.topics import AccountTopic, BookTopic, FillsTopic, MarketTopic, Topic
from pmtui.ui.cells import Cell
from pmtui.ui.frame import if_agreed, is_live
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.market.market_model import outcome_label, title_of, token_id_of
from pmtui.ui.modal import Modal
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import CardScreen
from pmtui.ui.ticket.fields import EntryLabel, NumberField, TextBlock
from pmtui.ui.ticket.paint_ticket import paint_touch, wrap_line
from pmtui.ui.widgets.text_line import KeyLine, TextLine, answer_keys

ResultT = TypeVar("ResultT")
Draw = Callable[[tuple[Ghost, ...]], None]
"""Shows a draft on a ladder."""
_MOST_SAID = 3


def draw_nothing(_: tuple[Ghost, ...]) -> None:
    """Draw nothing, because there is no ladder below."""


class OrderForm(Modal[ResultT]):
    """Entries about one market in a frame; enter opens a card, escape closes the form."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)

    DEFAULT_CSS = """
    OrderForm #state { height: auto; min-height: 1; }
    """

    state = query_one("#state", TextBlock)
    """What is wrong with the entries, or the result of the orders."""

    def __init__(
        self, surface: Surface, condition_id: ConditionId, draw: Draw = draw_nothing, *,
        outcome_index: int = 0,
    ) -> None:  # fmt: skip
        """Open for one market.

        Args:
            surface: the service and the user's choices.
            condition_id: the market.
            draw: shows the draft on a ladder.
            outcome_index: the outcome, in a form about one.
        """
        super().__init__()
        self._draw = draw
        self._surface = surface
        self._condition_id = condition_id
        self._outcome_index = outcome_index
        self._subscription: Subscription | None = None

    @abstractmethod
    def show(self) -> None:
        """Show the current state; called whenever a watched topic changes."""

    def on_unmount(self) -> None:
        """Unsubscribe; the service owns what was sent."""
        self._draw(())
        if self._subscription is not None:
            self._subscription.close()

    @on(events.DescendantFocus)
    @on(events.ScreenResume)
    @on(events.ScreenSuspend)
    def mark_entry(self) -> None:
        """Mark the focused entry; behind a card none is."""
        focused = self.focused if self.app.screen is self else None
        entry = focused.id if focused is not None else None
        for label in self.query(EntryLabel):
            label.mark(is_here=label.entry == entry)

    @override
    def fit(self) -> None:
        super().fit()
        self.show()

    def action_decline(self) -> None:
        """Close; pending orders continue."""
        _ = self.dismiss()

    @property
    def terms(self) -> MarketTerms | None:
        """The terms for orders; None until they are known."""
        return self._surface.queries.market(self._condition_id).terms

    @property
    def token_id(self) -> TokenId | None:
        """The outcome's token; None until it is known."""
        view = self._surface.queries.market(self._condition_id)
        return token_id_of(view, self._outcome_index)

    @property
    def outcome(self) -> str:
        """The outcome's name, sanitized."""
        view = self._surface.queries.market(self._condition_id)
        return plain(outcome_label(view, self._outcome_index), 16)

    def field(self, name: str) -> NumberField:
        """Return the entry with this id."""
        return self.query_one(f"#{name}", NumberField)

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


class LegOrders:
    """The legs of a form: prepared together, asked about on one card, sent, and followed."""

    def __init__(
        self, form: OrderForm[None], surface: Surface, *, on_end: Callable[[], None] | None = None
    ) -> None:
        """Start with nothing sent; the form shows what becomes of the legs.

        Args:
            form: whose legs.
            surface: the service and the user's choices.
            on_end: called once every leg has a verdict.
        """
        self._form = form
        self._on_end = on_end
        self._surface = surface
        self.sent: tuple[PreparedOrder, ...] = ()
        self.verdicts: tuple[Verdict, ...] = ()
        """Those of the first legs, while others are awaited."""

    @property
    def ends(self) -> tuple[tuple[PreparedOrder, Verdict | None], ...]:
        """Each leg with its verdict."""
        return tuple(zip_longest(self.sent, self.verdicts))

    def forget(self) -> None:
        """Stop showing what was sent; the account has it."""
        self.sent, self.verdicts = (), ()

    async def ask(
        self, intents: Sequence[OrderIntent], card: Callable[[Sequence[PreparedOrder]], CardScreen]
    ) -> None:
        """Show the card of these legs, or why one cannot be sent."""
        orders: list[PreparedOrder] = []
        for order in await self._surface.commands.prepare_many(intents):
            if isinstance(order, Rejected):
                self._form.show_reason(order.reason, Role.NOTICE_BAD)
                return
            orders.append(order)
        send = partial(self._send, tuple(orders))
        _ = self._form.app.push_screen(card(orders), if_agreed(send))

    def _send(self, orders: tuple[PreparedOrder, ...]) -> None:
        batches = [orders[n : n + MOST_IN_BATCH] for n in range(0, len(orders), MOST_IN_BATCH)]
        place = self._surface.commands.place_many
        placed = [place(order.order_id for order in batch) for batch in batches]
        self.sent, self.verdicts = orders, ()
        self._form.show()
        _ = self._form.run_worker(self._await(placed, orders))

    # A closed screen loses only the messages: the service owns the orders.
    async def _await(self, placed: list[CommandId], orders: tuple[PreparedOrder, ...]) -> None:
        for command_id in placed:
            verdicts = await self._surface.commands.batch_verdict(command_id)
            if not is_live(self._form) or self.sent != orders:
                return
            self.verdicts += verdicts
            self._form.show()
        if self._on_end is not None:
            self._on_end()
