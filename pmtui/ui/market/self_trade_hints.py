"""What of ours is in the way of a key's order: which key clears it, and what a sale of all cancelled."""

from collections.abc import Sequence

from pmtui.domain.formats import count
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.flattening import FlattenPlan
from pmtui.domain.orders.order import Order, OrderStatus
from pmtui.domain.orders.single_keys import OneKey
from pmtui.service.views import AccountView
from pmtui.ui.facts import key_of
from pmtui.ui.keys.actions import Keymap


def say_what_clears(
    met: Order | None, key: OneKey, on_ladder: Sequence[Order], keymap: Keymap
) -> str:
    """Say after a refusal which key cancels the own order that is in the way.

    Args:
        met: the order; None where something else is the matter.
        key: what was pressed.
        on_ladder: own orders on show, in terms of the outcome on show.
        keymap: the user's.
    """
    if met is None:
        return ""
    if met.order_id not in {order.order_id for order in on_ladder}:
        # It rests in the book of the other outcome, which is not on show here.
        return f": {key_of(keymap, 'market.cancel_market')} cancels all"
    side = "asks" if key.side is Side.BUY else "bids"
    return f": {key_of(keymap, f'market.cancel_{side}')} cancels your {side}"


def say_what_sells(keymap: Keymap) -> str:
    """Say what to do where own orders that stayed kept a position from being sold."""
    again, ticket = (key_of(keymap, f"market.{name}") for name in ("flatten_now", "sell"))
    return f"{again} to retry, {ticket} to sell by ticket"


def say_clearing(plan: FlattenPlan | None, said: str) -> str:
    """Say what a sale of all cancels first; what is said of any order where that is nothing."""
    if plan is None or not plan.in_the_way:
        return said
    what = _say(len(plan.bids), len(plan.sales))
    return f"Cancelling {what}; then {said.removeprefix('Sent ')}"


def say_cleared(plan: FlattenPlan | None, account: AccountView) -> str:
    """Say what a sale of all has cancelled, by what is known of each; empty for nothing."""
    if plan is None:
        return ""
    stayed = {order.order_id for order in account.open_orders}
    stayed |= {o.order_id for o in account.recent if o.status is OrderStatus.FILLED}
    bids, sales = (
        sum(order.order_id not in stayed for order in orders) for orders in (plan.bids, plan.sales)
    )
    return f"cancelled {_say(bids, sales)}" if bids or sales else ""


def _say(bids: int, asks: int) -> str:
    found = [(bids, "bid"), (asks, "ask")]
    return ", ".join(count(number, noun) for number, noun in found if number)
