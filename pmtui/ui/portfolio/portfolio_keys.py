"""The portfolio's own keys, by tab."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from pmtui.domain.account.position import Position
from pmtui.domain.orders.amounts import size_floor
from pmtui.domain.orders.order import Order
from pmtui.ui.facts import key_of
from pmtui.ui.keys.action_table import Need
from pmtui.ui.market.market_model import why_no_entry, why_nothing_of_ours
from pmtui.ui.message_line import MessageLine
from pmtui.ui.portfolio.order_keys import OrderKeys
from pmtui.ui.portfolio.own_rows import OwnRows
from pmtui.ui.portfolio.paint_portfolio import Tab
from pmtui.ui.portfolio.settle_actions import SettleAction, SettleActions, settlement_of
from pmtui.ui.rows.flattening import Flattening
from pmtui.ui.surface import Surface


class PortfolioKeys:
    """Dispatches each key to the selected item, or shows which tab it belongs to."""

    def __init__(
        self, surface: Surface, rows: OwnRows, *, orders: OrderKeys, settle_actions: SettleActions,
        flattening: Flattening, line: MessageLine, changed: Callable[[], None],
    ) -> None:  # fmt: skip
        """Act on the rows of the portfolio.

        Args:
            surface: the service and the user's choices.
            rows: the rows and the selected one.
            orders: cancels and moves orders.
            settle_actions: turns positions into cash.
            flattening: sells whole positions.
            line: shows why a key does nothing.
            changed: called when rows must be repainted.
        """
        self._surface = surface
        self._rows = rows
        self._orders = orders
        self._settle_actions = settle_actions
        self._flattening = flattening
        self._line = line
        self._changed = changed

    @property
    def actions(self) -> Mapping[str, Callable[[], Awaitable[None] | None]]:
        """The handlers of the actions in the registry's portfolio context."""
        return {
            "mark_order": self._mark,
            "cancel_order": self._cancel,
            "cancel_marked": self._orders.cancel_marked,
            "flatten_marked": self._flatten,
            "move_order": partial(self._orders.move, self._order_at_cursor),
            **{wish.value.replace(" ", "_"): partial(self._settle, wish) for wish in SettleAction},
        }

    def missing(self) -> frozenset[Need]:
        """Return the needs of these keys that neither the selected row nor its tab meets."""
        item, account = self._rows.at_cursor, self._surface.queries.account()
        open_ids = {order.order_id for order in account.open_orders}
        is_position = isinstance(item, Position)
        found = (
            settlement_of(self._surface.queries.wallet(), item.condition_id)
            if isinstance(item, Position)
            else None
        )
        is_open = not why_no_entry(self._surface.queries.status())
        is_resolved = found is not None and found.is_resolved
        has_net = any(size_floor(account.unpaired(p.token_id)) > 0 for p in self._rows.to_flatten)
        there = {
            Need.ORDER: isinstance(item, Order),
            Need.MOVABLE: isinstance(item, Order) and is_open,
            Need.MARKED_ORDERS: not self._orders.marked.isdisjoint(open_ids),
            Need.MARKABLE: is_position or isinstance(item, Order),
            Need.POSITIONS: self._rows.tab is Tab.POSITIONS and has_net and is_open,
            Need.PAYOUT: is_resolved or (is_position and bool(self._settle_actions.marked)),
            Need.BOTH_OUTCOMES: found is not None and bool(found.mergeable),
        }
        return frozenset(need for need, is_there in there.items() if not is_there)

    def _mark(self) -> None:
        item = self._rows.at_cursor
        if isinstance(item, Position):
            found = settlement_of(self._surface.queries.wallet(), item.condition_id)
            if not item.is_redeemable and (found is None or not found.is_resolved):
                self._rows.mark_to_sell(item)
            elif not self._settle_actions.mark(item.condition_id):
                return
            self._changed()
            self._rows.table.action_move_down()
            return
        order = self._order_at_cursor()
        if order is not None:
            self._orders.mark(order)
            self._rows.table.action_move_down()

    def _cancel(self) -> None:
        order = self._order_at_cursor()
        if order is not None:
            self._orders.cancel(frozenset({order.order_id}))

    async def _flatten(self) -> None:
        """Sell the marked positions, or all of them, after a card that lists each."""
        if self._rows.tab is not Tab.POSITIONS:
            self._line.show("Only positions are flattened: they have a tab of their own.")
            return
        await self._flattening.ask(self._rows.to_flatten)
        self._rows.unmark_sales()
        self._changed()

    def _settle(self, wish: SettleAction) -> None:
        if self._rows.tab is not Tab.POSITIONS:
            self._line.show("Only positions are settled: they have a tab of their own.")
            return
        item = self._rows.at_cursor
        self._settle_actions.take(wish, item if isinstance(item, Position) else None)
        self._changed()

    def _order_at_cursor(self) -> Order | None:
        item = self._rows.at_cursor
        if reason := why_nothing_of_ours(self._surface.queries.status()):
            self._line.show(reason)
        elif isinstance(item, Order):
            return item
        elif self._rows.tab is Tab.ORDERS:
            self._line.show("No working order here.")
        else:
            onward = key_of(self._surface.options.keymap, "portfolio.next_tab")
            self._line.show(
                f"Only working orders are moved or cancelled; {onward} goes to their tab."
            )
        return None
