"""Own orders as lines, for questions and cards."""

from collections.abc import Sequence

from pmtui.domain.market import Side
from pmtui.domain.money import Micros, notional_ceil
from pmtui.domain.order import Order, OrderStatus
from pmtui.ui.cells import Cell, Line
from pmtui.ui.format import format_money, format_price, format_size
from pmtui.ui.plain import plain
from pmtui.ui.theme import Role

MOST_LISTED = 6


def paint_resting_orders(orders: Sequence[Order]) -> tuple[Line, ...]:
    """List orders and what they tie up, the first few by name."""
    tied = sum(notional_ceil(o.price, o.remaining_size) for o in orders if o.side is Side.BUY)
    lines: list[Line] = [
        (
            Cell(f"{len(orders)} order{'s' if len(orders) != 1 else ''}, "),
            Cell(format_money(Micros(tied))),
            Cell(" of cash in purchases"),
        )
    ]
    lines += [paint_order(order) for order in orders[:MOST_LISTED]]
    if len(orders) > MOST_LISTED:
        lines.append((Cell(f"  and {len(orders) - MOST_LISTED} more", Role.DIM),))
    return tuple(lines)


def paint_order(order: Order) -> Line:
    """Show one order: side, size left, outcome, price, and doubt in words."""
    role = Role.BID if order.side is Side.BUY else Role.ASK
    cells = [
        Cell(f"  {order.side.value:<4} ", role),
        Cell(f"{format_size(order.remaining_size)} "),
        Cell(f"{plain(order.outcome, 20)} at {format_price(order.price)}"),
    ]
    if order.status is OrderStatus.UNKNOWN:
        cells.append(Cell("  unknown, checking", Role.NOTICE_WARN))
    return tuple(cells)


_NOT_SETTLED = frozenset({OrderStatus.PENDING, OrderStatus.SENT, OrderStatus.UNKNOWN})


def paint_unknown_orders(orders: Sequence[Order]) -> tuple[Line, ...]:
    """Say how many orders the venue has not spoken of yet; nothing where there are none."""
    count = sum(order.status in _NOT_SETTLED for order in orders)
    if not count:
        return ()
    text = f"{count} may or may not be at the venue; the next start goes on checking."
    return ((Cell(text, Role.NOTICE_WARN),),)
