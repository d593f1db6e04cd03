"""Withdraw resting orders on their owner's word, or when their time is up."""

from collections.abc import Iterable

from pmtui.domain.ids import ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.orders.order import CancelResult
from pmtui.sim.engine import refusals
from pmtui.sim.engine.book import RestingOrder
from pmtui.sim.engine.floor import Floor
from pmtui.sim.engine.terms import LiveStatus, Refusal, TradingMode


def cancel_named(
    floor: Floor, order_ids: Iterable[OrderId], owner: ApiKey
) -> CancelResult | Refusal:
    """Cancel these orders; repeated ids count once, and other owners' orders do not exist."""
    if floor.mode is TradingMode.DISABLED:
        return refusals.TRADING_DISABLED
    canceled: list[OrderId] = []
    refused: list[tuple[OrderId, str]] = []
    for order_id in dict.fromkeys(order_ids):
        order = floor.orders.by_id.get(order_id)
        if order is not None and order.owner == owner:
            floor.cancel(order, LiveStatus.CANCELED)
            canceled.append(order_id)
        else:
            refused.append((order_id, _why_not(floor, order_id)))
    return CancelResult(tuple(canceled), tuple(refused))


def cancel_where(
    floor: Floor,
    owner: ApiKey,
    *,
    condition_id: ConditionId | None = None,
    token_id: TokenId | None = None,
) -> CancelResult | Refusal:
    """Cancel an owner's orders, all or those of a market, a token, or both."""
    if floor.mode is TradingMode.DISABLED:
        return refusals.TRADING_DISABLED
    chosen = [
        order
        for order in floor.orders.of_owner(owner)
        if condition_id in (None, order.condition_id) and token_id in (None, order.token_id)
    ]
    for order in chosen:
        floor.cancel(order, LiveStatus.CANCELED)
    return CancelResult(tuple(order.order_id for order in chosen))


def expire(floor: Floor) -> int:
    """Remove the GTD orders that are due and say how many there were."""
    due: list[RestingOrder] = floor.orders.take_due(floor.journal.now_ms)
    for order in due:
        floor.cancel(order, LiveStatus.EXPIRED)
    return len(due)


def _why_not(floor: Floor, order_id: OrderId) -> str:
    if floor.orders.known.get(order_id) == LiveStatus.MATCHED:
        return refusals.ALREADY_MATCHED
    return refusals.NOT_FOUND
