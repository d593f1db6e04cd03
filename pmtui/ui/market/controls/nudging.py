"""Nudging own orders by ticks: keys add up, and after a pause one replacement goes out.

It goes the way of every move, prepared, checked against the limits and journaled. The card is left out
only while single keys are armed, from a good book, where the new price neither crosses nor is one that
the ticket would warn of.
"""

from dataclasses import dataclass

from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.money import Micros
from pmtui.domain.orders.moving import nudged_price, why_not_movable
from pmtui.domain.orders.order import Order
from pmtui.ui.account.action_cards import MoveCard
from pmtui.ui.account.paint_action_cards import describe_resting
from pmtui.ui.facts import count
from pmtui.ui.market.controls.moving import Moving
from pmtui.ui.market.controls.own_orders import OwnOrders
from pmtui.ui.market.controls.workspace import Workspace
from pmtui.ui.market.market_model import MarketModel
from pmtui.ui.market.moves import describe_crossing, needs_move_card, prepare_moves
from pmtui.ui.plain import plain

PAUSE_S = 0.3
"""Keys that follow each other faster are one move."""


@dataclass(frozen=True, slots=True)
class Nudge:
    """Orders on their way, and how far the keys have taken them."""

    order_ids: tuple[OrderId, ...]
    token_id: TokenId
    origin: Micros
    price: Micros


class Nudging:
    """Moves the orders at the cursor tick by tick."""

    def __init__(self, workspace: Workspace, own: OwnOrders, moving: Moving) -> None:
        self._workspace = workspace
        self._line = workspace.line
        self._page = workspace.page
        self._own = own
        self._moving = moving
        self._nudge: Nudge | None = None
        self._pressed = 0

    def forget(self) -> None:
        """Let go of what was on its way, because another market comes: nothing is sent."""
        self._nudge = None

    def nudge(self, ticks: int) -> None:
        """Take the orders at the cursor so many ticks up, or down."""
        model = self._workspace.reader.read()
        if self._page.do_keys_rest or self._moving.is_moving:
            self._line.show("Finish the ticket or the move first.")
            return
        pending = self._nudge or self._begin(model)
        if pending is None or model.terms is None:
            return
        price = nudged_price(pending.price, ticks, model.terms.tick_size)
        self._nudge = Nudge(pending.order_ids, pending.token_id, pending.origin, price)
        self._workspace.ladder.point_at(price)
        origin, to = (self._workspace.price(each) for each in (pending.origin, price))
        self._line.show(f"Move {count(len(pending.order_ids), 'order')} {origin} → {to}")
        self._pressed += 1
        pressed = self._pressed

        def settle() -> None:
            # Only the last key of a burst has a pause behind it.
            if pressed == self._pressed and self._nudge is not None:
                _ = self._page.run_worker(self.send())

        _ = self._page.set_timer(PAUSE_S, settle)

    async def send(self) -> None:
        """Send one replacement for each order, or ask first where a card is due."""
        nudge, self._nudge = self._nudge, None
        model = self._workspace.reader.read()
        if nudge is None or model.terms is None or nudge.token_id != model.token_id:
            return
        orders = tuple(o for o in model.account.open_orders if o.order_id in nudge.order_ids)
        if nudge.price == nudge.origin:
            self._line.show("Back where it was: nothing was moved.")
            return
        moves = await prepare_moves(
            self._workspace.surface, orders, nudge.price,
            terms=model.terms, available=model.account.available, shown=model.token_id,
        )  # fmt: skip
        if isinstance(moves, str):
            self._line.show(f"Not moved: {plain(moves, 90)}.")
            return
        model = self._workspace.reader.read()
        doubt = describe_crossing(moves, model.book)
        if not needs_move_card(self._workspace.surface, model, moves, doubt=doubt):
            self._workspace.commands.touch_arming()
            self._moving.send(moves)
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                self._moving.send(moves)

        def again(ticks: int) -> None:
            self._nudge = nudge
            self.nudge(ticks)

        card = MoveCard(moves, surface=self._workspace.surface, doubt=doubt, nudge=again)
        self._page.ask(card, decide)

    def _begin(self, model: MarketModel) -> Nudge | None:
        orders = self._orders(model)
        if not orders or model.token_id is None:
            return None
        if (reason := model.why_no_form) or model.terms is None:
            self._line.show(reason)
            return None
        price = orders[0].price
        same = tuple(order for order in orders if order.price == price)
        for order in same:
            if problem := why_not_movable(order, model.terms, model.now):
                self._line.show(f"{describe_resting(order)}: {problem}.")
                return None
        return Nudge(tuple(order.order_id for order in same), model.token_id, price, price)

    def _orders(self, model: MarketModel) -> tuple[Order, ...]:
        if self._own.is_list_focused:
            order = self._own.chosen(model)
            return () if order is None or not self._own.point_at(order) else (order,)
        place = self._own.at_cursor(model)
        return () if place is None else place.orders
