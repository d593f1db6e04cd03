"""Immediate fills in words: the average price and the cash, not just the limit.

An order fills at its limit or better. The limit is what was asked for, so it comes second.
"""

from pmtui.domain.formats import format_shares
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.amounts import to_finest_tick
from pmtui.domain.orders.order import Accepted, OrderStatus
from pmtui.service.surface import PreparedOrder
from pmtui.ui.format import format_past_money, format_price
from pmtui.ui.plain import plain

_LABEL = 14


def describe_traded(verdict: Accepted, order: PreparedOrder) -> str:
    """Return what an order bought or sold at once, and what becomes of the rest.

    `Bought 500 Yes @ 87.36¢ avg for $436.80, fee $2.18 (limit 89¢).`
    """
    verb = "Bought" if order.intent.side is Side.BUY else "Sold"
    size = format_shares(verdict.filled_size)
    if verdict.status is not OrderStatus.FILLED:
        size = f"{size} of {format_shares(order.size)}"
    traded = f"{verb} {size} {plain(order.outcome, _LABEL)}"
    traded += describe_fill_price(verdict)
    limit = format_price(order.price)
    if verdict.status is OrderStatus.PARTIALLY_FILLED:
        return f"{traded}; the rest is working @ {limit}."
    if verdict.average != order.price:
        traded += f" (limit {limit})"
    return (
        f"{traded}." if verdict.status is OrderStatus.FILLED else f"{traded}; the rest cancelled."
    )


def describe_fill_price(verdict: Accepted) -> str:
    """Return the average price, the cash and the fee of a fill; empty when unknown."""
    average = verdict.average
    if average is None:
        return ""
    price = format_price(to_finest_tick(average))
    fee = f", fee {format_past_money(verdict.filled_fee)}" if verdict.filled_fee else ""
    return f" @ {price} avg for {format_past_money(verdict.filled_cash)}{fee}"
