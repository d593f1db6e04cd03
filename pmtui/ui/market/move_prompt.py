"""Asks for the price and the size an order is to have, where no ladder is on the screen."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.formats import format_cents, parse_cents, parse_size
from pmtui.domain.money import SCALE, Micros, format_micros
from pmtui.domain.orders.order import Order
from pmtui.domain.ticket.draft import step_cents
from pmtui.ui.account.action_cards import Move, MoveCard, describe_resting
from pmtui.ui.cells import Cell, Emphasis
from pmtui.ui.market.moves import describe_crossing, prepare_moves
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.fields import NumberField, TextBlock
from pmtui.ui.ticket.order_form import OrderForm
from pmtui.ui.widgets.text_line import TextLine

_SIZE_STEP = 10 * SCALE


class MovePrompt(OrderForm[tuple[Move, ...] | None]):
    """Takes a price and a size, shows the card, and answers with what was agreed to."""

    WIDTH = 56
    DEFAULT_CSS = """
    MovePrompt > .frame { width: 60; }
    MovePrompt .label { width: 10; }
    MovePrompt NumberField { width: 10; }
    """

    price = query_one("#move-price", NumberField)
    amount = query_one("#move-size", NumberField)
    touch = query_one("#move-touch", TextLine)

    def __init__(self, surface: Surface, order: Order) -> None:
        """Ask where an open order is to go."""
        super().__init__(surface, order.condition_id)
        self._order = order

    @override
    def compose(self) -> ComposeResult:
        what = describe_resting(self._order)
        title = self.market_title(self.WIDTH)
        with Vertical(classes="frame"):
            yield TextLine((Cell(f"Move {what}", Role.HEADING, Emphasis.BOLD),))
            yield TextLine((Cell(title, Role.DIM),))
            with Horizontal(classes="row"):
                yield TextLine((Cell("To ¢"),), classes="label")
                yield NumberField(id="move-price", characters="0-9.¢")
                yield TextLine(id="move-touch")
            with Horizontal(classes="row"):
                yield TextLine((Cell("Size"),), classes="label")
                yield NumberField(id="move-size", characters="0-9.,")
                yield TextLine((Cell(" shares", Role.DIM),))
            yield TextBlock(id="state")
            yield self.keys()

    def on_mount(self) -> None:
        """Start from the price it has, and fetch what a new one must obey."""
        self.price.value = format_cents(self._order.price)
        self.amount.value = format_micros(self._order.remaining_size)
        _ = self.price.focus()
        self.watch_market(self._order.token_id)

    async def action_accept(self) -> None:
        """Show the card of the move, or why there is none."""
        price, terms = parse_cents(self.price.value), self.terms
        if price is None or terms is None:
            reason = "Enter a price in cents" if terms else "The trading terms are loading"
            self.show_reason(reason)
            return
        size = parse_size(self.amount.value)
        if size is None:
            self.show_reason("Enter a size in shares")
            return
        account = self._surface.queries.account()
        known = tuple(o for o in account.open_orders if o.order_id == self._order.order_id)
        moves = await prepare_moves(
            self._surface, known, price, terms=terms, available=account.available,
            size=None if size == self._order.remaining_size else size,
        )  # fmt: skip
        if isinstance(moves, str):
            self.show_reason(moves)
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                _ = self.dismiss(moves)

        doubt = describe_crossing(moves, self._surface.queries.book(self._order.token_id))
        _ = self.app.push_screen(MoveCard(moves, surface=self._surface, doubt=doubt), decide)

    @override
    def show(self) -> None:
        self.show_touch(self.touch, self._order.token_id)

    @on(Input.Changed)
    def _on_typed(self) -> None:
        self.state.show(())

    @on(NumberField.Stepped)
    def _on_stepped(self, event: NumberField.Stepped) -> None:
        if self.terms is None:
            return
        if event.field is self.amount:
            least = self.terms.min_order_size
            size = (parse_size(self.amount.value) or least) + event.step * _SIZE_STEP
            event.field.write(format_micros(Micros(max(size, least))))
        else:
            event.field.write(step_cents(self.price.value, event.step, self.terms.tick_size))
