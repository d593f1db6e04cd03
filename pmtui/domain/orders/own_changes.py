"""What became of own orders between two looks, by price: what a ladder flashes. Pure."""

from collections.abc import Iterable
from enum import StrEnum

from pmtui.domain.ids import OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order, TradeStatus


class OwnChange(StrEnum):
    """What happened to an order; of several at one price the later one here is told."""

    PLACED = "placed"
    CANCELLED = "cancelled"
    FILLED = "filled"


Place = tuple[Micros, Side]
"""Where own orders stand."""


def own_changes(
    before: Iterable[Order], after: Iterable[Order], fills: Iterable[Fill]
) -> dict[Place, OwnChange]:
    """Compare the open orders of two looks; fills tell how an order that is gone has ended."""
    old = {order.order_id: order for order in before}
    new = {order.order_id: order for order in after}
    found: dict[Place, OwnChange] = {}

    def note(order: Order, change: OwnChange) -> None:
        place = (order.price, order.side)
        ranks = list(OwnChange)
        found[place] = max(found.get(place, change), change, key=ranks.index)

    for order_id, order in new.items():
        known = old.get(order_id)
        if known is None:
            note(order, OwnChange.PLACED)
        elif order.matched_size > known.matched_size:
            note(order, OwnChange.FILLED)
    gone = {order_id for order_id in old if order_id not in new}
    filled = _filled(fills, gone) if gone else {}
    for order_id in gone:
        known = old[order_id]
        is_filled = filled.get(order_id, 0) > known.matched_size
        note(known, OwnChange.FILLED if is_filled else OwnChange.CANCELLED)
    return found


def _filled(fills: Iterable[Fill], wanted: set[OrderId]) -> dict[OrderId, int]:
    sums: dict[OrderId, int] = {}
    for fill in fills:
        if fill.order_id in wanted and fill.status is not TradeStatus.FAILED:
            sums[fill.order_id] = sums.get(fill.order_id, 0) + fill.size
    return sums
