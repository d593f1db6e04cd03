"""Asks for the price an order is to be moved to, where no ladder is on the screen."""

from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.amounts import is_on_tick
from pmtui.domain.market import MarketTerms
from pmtui.domain.money import Micros
from pmtui.domain.order import Order
from pmtui.domain.ticket_reading import format_cents, parse_cents
from pmtui.service.surface import Subscription
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, Topic
from pmtui.ui.action import Context
from pmtui.ui.actions import bindings_for, footer_entries
from pmtui.ui.cells import Cell, Emphasis
from pmtui.ui.market_facts import title_of
from pmtui.ui.moves import prepare_moves, say_crossing
from pmtui.ui.paint.action_cards import Move, say_resting
from pmtui.ui.paint.ticket import paint_touch
from pmtui.ui.plain import plain
from pmtui.ui.screens.action_cards import MoveCard
from pmtui.ui.surface import Surface
from pmtui.ui.theme import Role
from pmtui.ui.widgets.key_line import KeyLine
from pmtui.ui.widgets.text_line import TextLine
from pmtui.ui.widgets.ticket_fields import NumberField

WIDTH = 56


class MovePrompt(ModalScreen[tuple[Move, ...] | None]):
    """Takes a price, shows the card, and answers with what was agreed to."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)
    DEFAULT_CSS = """
    MovePrompt { align: center middle; }
    MovePrompt > #prompt {
        width: 60; max-width: 100%; height: auto; background: $panel; border: heavy $primary;
        padding: 0 1;
    }
    MovePrompt .row { height: 1; }
    MovePrompt .label { width: 10; }
    MovePrompt NumberField { width: 10; }
    """

    price = query_one("#move-price", NumberField)
    touch = query_one("#move-touch", TextLine)
    state = query_one("#move-state", TextLine)

    def __init__(self, surface: Surface, order: Order) -> None:
        """Ask where an open order is to go."""
        super().__init__()
        self._surface = surface
        self._order = order
        self._subscription: Subscription | None = None

    @override
    def compose(self) -> ComposeResult:
        options = self._surface.options
        ascii_only = options.ascii_only
        title = plain(title_of(self._surface.queries, self._order.condition_id), WIDTH)
        what = say_resting(self._order, ascii_only=ascii_only)
        with Vertical(id="prompt"):
            yield TextLine(
                (Cell(f"Move {what}", Role.HEADING, Emphasis.BOLD),), ascii_only=ascii_only
            )
            yield TextLine((Cell(title, Role.DIM),), ascii_only=ascii_only)
            with Horizontal(classes="row"):
                yield TextLine((Cell("To cents"),), classes="label", ascii_only=ascii_only)
                yield NumberField(id="move-price", characters="0-9.¢")
                yield TextLine(id="move-touch", ascii_only=ascii_only)
            yield TextLine(id="move-state", ascii_only=ascii_only)
            entries = tuple(
                replace(entry, label="Review") if entry.id == "confirm.accept" else entry
                for entry in footer_entries(Context.CONFIRM, keymap=options.keymap)
            )
            yield KeyLine(entries, options, width=WIDTH)

    def on_mount(self) -> None:
        """Start from the price it has, and fetch what a new one must obey."""
        order = self._order
        self.price.value = format_cents(order.price)
        _ = self.price.focus()
        topics: list[Topic] = [
            MarketTopic(order.condition_id),
            BookTopic(order.token_id),
            AccountTopic(),
        ]
        self._subscription = self._surface.subscriptions.subscribe(topics, self._hear)

    def on_unmount(self) -> None:
        """Stop listening."""
        if self._subscription is not None:
            self._subscription.close()

    def action_accept(self) -> None:
        """Show the card of the move, or why there is none."""
        price, terms = parse_cents(self.price.value or "-"), self._terms
        if price is None or terms is None:
            reason = "A price in cents is needed" if terms else "The market's terms are loading"
            self._say(reason)
            return
        account = self._surface.queries.account()
        known = tuple(o for o in account.open_orders if o.order_id == self._order.order_id)
        moves = prepare_moves(self._surface, known, price, terms=terms, available=account.available)
        if isinstance(moves, str):
            self._say(moves)
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - the toolkit's callback
            if is_agreed:
                _ = self.dismiss(moves)

        doubt = say_crossing(moves, self._surface.queries.book(self._order.token_id))
        _ = self.app.push_screen(MoveCard(moves, surface=self._surface, doubt=doubt), decide)

    def action_decline(self) -> None:
        """Leave the order where it is."""
        _ = self.dismiss(None)

    @on(Input.Changed)
    def _on_typed(self) -> None:
        self.state.show(())

    @on(NumberField.Stepped)
    def _on_stepped(self, event: NumberField.Stepped) -> None:
        price, terms = parse_cents(self.price.value or "-"), self._terms
        if price is None or terms is None:
            return
        stepped = Micros(price + event.step * terms.tick_size)
        if is_on_tick(stepped, terms.tick_size):
            self.price.value = format_cents(stepped)
            self.price.cursor_position = len(self.price.value)

    @property
    def _terms(self) -> MarketTerms | None:
        return self._surface.queries.market(self._order.condition_id).terms

    def _hear(self, _: Topic) -> None:
        self.call_next(self._show)

    def _show(self) -> None:
        if self.is_mounted:
            terms, ascii_only = self._terms, self._surface.options.ascii_only
            book = self._surface.queries.book(self._order.token_id)
            tick = terms.tick_size if terms is not None else None
            self.touch.show(paint_touch(book, tick, ascii_only=ascii_only))

    def _say(self, reason: str) -> None:
        self.state.show((Cell(plain(reason, WIDTH), Role.NOTICE_WARN),))
