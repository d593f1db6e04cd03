"""The own orders that a key acts on: the list's selected one, else those at the ladder's cursor."""

from dataclasses import dataclass
from typing import Protocol

from pmtui.domain.books.ladder import StopMark, orders_at, stops_at
from pmtui.domain.formats import count
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Order
from pmtui.ui.format import format_price
from pmtui.ui.market.controls.workspace import Workspace
from pmtui.ui.market.market_model import MarketModel
from pmtui.ui.market.order_news import OrderNews
from pmtui.ui.plain import plain
from pmtui.ui.ticket.protect import describe_stops

NOTHING_HERE = "No order of yours"
"""The start of a message about the cursor's price, withdrawn when the cursor moves."""
_ENDED = "That order has ended: choose another."


class OrderList(Protocol):
    """The list of own orders."""

    @property
    def has_focus(self) -> bool:
        """Whether the list has the focus."""
        ...

    @property
    def selected(self) -> Order | None:
        """The selected order; None once it has ended."""
        ...


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """A price of the ladder with own orders."""

    price: Micros
    words: str
    """The price in words: a range on a row that groups several."""
    orders: tuple[Order, ...]
    """As the ladder shows them: those of the other outcome in terms of this one."""


class OwnOrderKeys:
    """Finds the own orders for a key, and cancels them."""

    def __init__(self, workspace: Workspace, news: OrderNews, listed: OrderList) -> None:
        self._workspace = workspace
        self._line = workspace.line
        self._ladder = workspace.ladder
        self._news = news
        self._listed = listed
        self._nothing_at: Micros | None = None
        """The price at which no own order was found last."""

    @property
    def is_list_focused(self) -> bool:
        """Whether keys act on the selected order of the list."""
        return self._listed.has_focus

    def cancel(self) -> None:
        """Cancel the selected order; else those at the cursor; else the stops and targets there.

        A stop that shares its row with orders stays until the orders are gone.
        """
        model = self._workspace.reader.read()
        if self._listed.has_focus:
            self._cancel_chosen(model)
            return
        if model.cursor is not None and self.has_only_stops(model, model.cursor[0]):
            stops = self.stops_at(model.cursor[0])
            _ = self._workspace.page.run_worker(self._cancel_stops(stops))
            return
        place = self.at_cursor(model)
        if place is None:
            return
        command_id = self._workspace.commands.cancel(order.order_id for order in place.orders)
        self._line.show(f"Cancelling {count(len(place.orders), 'order')} at {place.words}.")
        more = " The stop there stays active." if self.stops_at(place.price) else ""
        work = self._news.report_cancel(command_id, f"at {place.words}", more)
        _ = self._workspace.page.run_worker(work)

    def _cancel_chosen(self, model: MarketModel) -> None:
        order = self.chosen(model)
        if order is None:
            return
        at = format_price(order.price)
        command_id = self._workspace.commands.cancel((order.order_id,))
        self._line.show(f"Cancelling the order at {at}.")
        _ = self._workspace.page.run_worker(self._news.report_cancel(command_id, f"at {at}"))

    async def _cancel_stops(self, stops: tuple[StopMark, ...]) -> None:
        words = describe_stops(stops)
        for mark in stops:
            problem = await self._workspace.commands.cancel_conditional(
                mark.conditional_id, mark.trigger
            )
            if problem:
                self._line.show(f"Not cancelled: {plain(problem)}.")
                return
        self._line.show(f"Cancelled {words}.")

    def chosen(self, model: MarketModel) -> Order | None:
        """Return the selected order of the list; show a message if there is none."""
        order = self._listed.selected
        if order is None:
            self._line.show(_ENDED if model.own_orders else "No working orders in this market.")
        return order

    def point_at(self, order: Order) -> bool:
        """Move the cursor to an order; show a message if the ladder shows the other outcome."""
        if order.token_id != self._workspace.reader.token_id:
            self._line.show("That order is in the other outcome: flip to see it.")
            return False
        self._ladder.point_at(order.price)
        return True

    def show(self, order: Order) -> None:
        """Show an order of the list on the ladder, and focus the ladder."""
        if self.point_at(order):
            _ = self._ladder.focus()

    def at_cursor(self, model: MarketModel, *, is_form: bool = False) -> OwnPlace | None:
        """Return the own orders at the cursor; show a message if there are none.

        Args:
            model: the market shown.
            is_form: whether a form would have opened, so that digits and enter are ignored for a
                moment.
        """
        say = self._line.refuse_form if is_form else self._line.show
        if self._workspace.refuse_read_only(model):
            return None
        ladder, cursor = self._ladder.ladder, model.cursor
        if ladder is None or cursor is None:
            say("Put the cursor on one of your orders first.")
            return None
        tick = ladder.axis.tick
        orders = orders_at(ladder, cursor[0], model.ladder_orders)
        if not orders:
            self._nothing_at = cursor[0]
            say(f"{NOTHING_HERE} at {format_price(cursor[0], tick=tick)}.")
            return None
        prices = sorted({order.price for order in orders})
        ends = dict.fromkeys((prices[0], prices[-1]))
        words = " to ".join(format_price(price, tick=tick) for price in ends)
        return OwnPlace(cursor[0], words, orders)

    def has_target(self, model: MarketModel) -> bool:
        """Return whether an own order, stop or target is there for a key."""
        if self._listed.has_focus:
            return self._listed.selected is not None
        ladder, cursor = self._ladder.ladder, model.cursor
        if ladder is None or cursor is None:
            return False
        found = orders_at(ladder, cursor[0], model.ladder_orders) or self.stops_at(cursor[0])
        return bool(found)

    def stops_at(self, price: Micros) -> tuple[StopMark, ...]:
        """Return the stops and targets of the outcome shown at a price."""
        return stops_at(self._ladder.ladder, price) if self._ladder.ladder is not None else ()

    def has_only_stops(self, model: MarketModel, price: Micros) -> bool:
        """Return whether stops or targets, but no own orders, are at a price."""
        ladder = self._ladder.ladder
        return bool(
            ladder is not None
            and self.stops_at(price)
            and not orders_at(ladder, price, model.ladder_orders)
        )

    def cursor_moved(self) -> None:
        """Clear the message about a price that the cursor has left."""
        cursor = self._ladder.cursor
        if cursor is None or cursor[0] != self._nothing_at:
            self._line.take_back(NOTHING_HERE)
