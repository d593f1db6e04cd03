"""Own orders for questions, cards and the message line: what rests, and what became of them."""

from collections.abc import Callable, Sequence

from pmtui.domain.formats import count, format_shares
from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import write_fee
from pmtui.domain.orders.amounts import to_finest_tick
from pmtui.domain.orders.order import (
    Accepted,
    CancelVerdict,
    Order,
    OrderStatus,
    Rejected,
    Unknown,
    Verdict,
)
from pmtui.domain.orders.own_orders import reserved_cash
from pmtui.service.surface import PreparedOrder
from pmtui.ui.cells import Cell, Line, line_width
from pmtui.ui.format import format_cost, format_past_money, format_price
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role

MOST_LISTED = 6
LINE_WIDTH = 62
"""Fits an order and the beginning of its market's name."""
LEAST_TITLE = 8


def paint_resting_orders(
    orders: Sequence[Order], title_of: Callable[[ConditionId], str] | None = None
) -> tuple[Line, ...]:
    """Paint orders and the cash they reserve, the first few by name.

    Args:
        orders: the orders to list.
        title_of: returns a market's name, untrusted; None if all orders are in one named market.
    """
    lines: list[Line] = [
        (
            Cell(f"{count(len(orders), 'order')}, "),
            Cell(format_cost(reserved_cash(orders))),
            Cell(" reserved"),
        )
    ]
    lines += [
        paint_order(order, title_of(order.condition_id) if title_of else "")
        for order in orders[:MOST_LISTED]
    ]
    if len(orders) > MOST_LISTED:
        lines.append((Cell(f"  and {len(orders) - MOST_LISTED} more", Role.DIM),))
    return tuple(lines)


def paint_order(order: Order, title: str) -> Line:
    """Paint an order: side, remaining size, outcome, price, whether unconfirmed, and its market."""
    role = Role.BID if order.side is Side.BUY else Role.ASK
    cells = [
        Cell(f"  {order.side.value:<4} ", role),
        Cell(f"{format_shares(order.remaining_size)} "),
        Cell(f"{plain(order.outcome, 14)} @ {format_price(order.price)}"),
    ]
    if order.status is OrderStatus.UNKNOWN:
        cells.append(Cell("  unconfirmed", Role.NOTICE_WARN))
    room = LINE_WIDTH - line_width(tuple(cells)) - 2
    if title and room >= LEAST_TITLE:
        cells.append(Cell(f"  {plain(title, room)}", Role.DIM))
    return tuple(cells)


def describe_cancelled(verdict: CancelVerdict, where: str) -> str:
    """Return how the cancellation of some orders ended."""
    if verdict.result.unanswered:
        return f"Cancel unconfirmed: {plain(verdict.problem, 60)}"
    if verdict.problem:
        return f"Not cancelled: {plain(verdict.problem, 60)}"
    gone, stayed = verdict.result.canceled, verdict.result.not_canceled
    if stayed and gone:
        reason = plain(stayed[0][1], 60)
        return f"Cancelled {len(gone)} of {len(gone) + len(stayed)} {where}; not: {reason}"
    if stayed:
        return f"Not cancelled: {plain(stayed[0][1], 60)}"
    return f"Cancelled {count(len(gone), 'order')} {where}."


def format_verdict(verdict: Verdict, order: PreparedOrder) -> str:
    """Return how an order ended that no ticket waits for."""
    match verdict:
        case Accepted() if verdict.average is not None:
            return describe_traded(verdict, order)
        case Accepted() if verdict.status is OrderStatus.DELAYED:
            what = "purchase" if order.intent.side is Side.BUY else "sale"
            shares = f"{format_shares(order.size)} {plain(order.outcome, 14)}"
            return f"Accepted, delayed by the venue: {what} of {shares}. Its fill shows here."
        case Accepted() if verdict.status is OrderStatus.LIVE:
            shares = f"{format_shares(order.size)} {plain(order.outcome, 14)}"
            return f"Working: {order.intent.side.value} {shares} @ {format_price(order.price)}."
        case Accepted():
            verb = "Bought" if order.intent.side is Side.BUY else "Sold"
            size = f"{format_shares(verdict.filled_size)} of {format_shares(order.size)}"
            return f"{verb} {size} {plain(order.outcome, 14)}: {plain(verdict.text, 50)}"
        case Rejected():
            return f"Refused: {plain(verdict.reason, 80)}"
        case Unknown():
            return f"Unconfirmed, checking: {plain(verdict.reason, 70)}"


_NOT_SETTLED = frozenset({OrderStatus.PENDING, OrderStatus.SENT, OrderStatus.UNKNOWN})


def paint_unknown_orders(orders: Sequence[Order]) -> tuple[Line, ...]:
    """Paint how many orders the venue has not confirmed; empty when there are none."""
    count = sum(order.status in _NOT_SETTLED for order in orders)
    if not count:
        return ()
    text = f"{count} unconfirmed: may be at the venue; checked again at the next start."
    return ((Cell(text, Role.NOTICE_WARN),),)


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
    fee = f", fee {write_fee(verdict.filled_fee)}" if verdict.filled_fee else ""
    return f" @ {price} avg for {format_past_money(verdict.filled_cash)}{fee}"
