"""Paints the working orders in one market, one a line.

The columns depend on the width alone, so that no row moves when an order fills.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Order, OrderStatus
from pmtui.ui.cells import Cell, Column, Line, fit_columns, fit_line, line_width
from pmtui.ui.format import format_age, format_price, format_size_ceil, format_whole_size
from pmtui.ui.plain import Align, cell_width, plain
from pmtui.ui.theme.theme import Role

_MINUTE_S = 60
_DAY_S = 86_400
_HEAD_FROM = 4
"""The least lines with column titles."""
_ABSENT = "–"
_MOST_AWAY = 999
_STATUS_WORDS = {OrderStatus.LIVE: "", OrderStatus.PARTIALLY_FILLED: ""}
"""The size column shows partial fills."""


def _columns(side: Column, *, price: int, queue: int, age: int, outcome: int) -> tuple[Column, ...]:
    return (
        side,
        Column("size", "Open", 7, align=Align.RIGHT),
        Column("price", "Price", price, align=Align.RIGHT),
        Column("away", "Away", 4, priority=1, align=Align.RIGHT),
        Column("queue", "Queue", queue, priority=1, align=Align.RIGHT),
        Column("tif", "TIF", 3, priority=2, align=Align.RIGHT),
        Column("age", "Age", age, priority=2, align=Align.RIGHT),
        Column("outcome", "", outcome, priority=2),
    )


_NARROW = _columns(Column("side", "", 1), price=5, queue=5, age=3, outcome=3)
_WIDE = _columns(Column("side", "", 1), price=6, queue=6, age=4, outcome=8)
_WIDE_FROM = 40


class WorkingOrder(NamedTuple):
    """An open order of ours, and its place on the ladder shown."""

    order: Order
    """The order that keys act on."""
    shown: Order
    """The order as the ladder shows it; mirrored if it is in the other outcome."""
    away: int | None = None
    """Ticks from the best price of its side; None without a good book."""
    ahead: Micros | None = None
    """Estimated shares ahead of it."""
    age_s: float = 0.0
    outcome: str = ""
    """The untrusted name of its outcome if that is not the one shown; else empty."""
    tick: Micros | None = None
    """Fixes the digits of prices."""


def by_ladder(orders: Iterable[WorkingOrder]) -> tuple[WorkingOrder, ...]:
    """Sort orders as on a ladder: sells above buys, each from the highest price down.

    At one price the oldest comes first, and no event in an order's life moves it.
    """

    def place(row: WorkingOrder) -> tuple[bool, int, datetime, str]:
        order = row.shown
        return order.side is Side.BUY, -order.price, order.created_at, order.order_id

    return tuple(sorted(orders, key=place))


def head_rows(height: int) -> int:
    """Return the number of title lines among so many lines."""
    return int(height >= _HEAD_FROM)


def paint_working_head(width: int) -> Line:
    """Paint the titles of the columns that fit."""
    columns = _columns_in(width)
    titles = (_place(columns[index].title, columns[index], size) for index, size in
              fit_columns(columns, width))  # fmt: skip
    return fit_line((Cell(" ".join(titles), Role.HEADING),), width)


def paint_own_orders(rows: Sequence[WorkingOrder], width: int, height: int) -> tuple[Line, ...]:
    """Paint column titles, open orders in the order given, and the number of those that do not fit.

    Args:
        rows: in the order of the lines.
        width: the cells available.
        height: the lines available.
    """
    if not rows:
        return (fit_line((Cell("No working orders.", Role.DIM),), width),)
    head = (paint_working_head(width),) if head_rows(height) else ()
    room = height - len(head)
    shown = rows if len(rows) <= room else rows[: max(0, room - 1)]
    lines = [paint_working_row(row, width) for row in shown]
    if len(shown) < len(rows):
        more = Cell(f"and {len(rows) - len(shown)} more", Role.DIM)
        lines.append(fit_line((more,), width))
    return (*head, *lines)


def paint_working_row(row: WorkingOrder, width: int) -> Line:
    """Paint one order; its status replaces its place if it may not be working."""
    columns, status = _columns_in(width), row.order.status
    word = _STATUS_WORDS.get(status, status.words)
    cells: list[Cell] = []
    for index, size in fit_columns(columns, width):
        column = columns[index]
        if word and column.priority:
            break
        cell = _cell(row, column.key, size)
        gap = " " if cells else ""
        cells.append(cell._replace(text=gap + _place(cell.text, column, size)))
    if word:
        role = Role.NOTICE_WARN if status is OrderStatus.UNKNOWN else Role.DIM
        cells.append(Cell(f" {word}", role))
        label = Cell(f" {plain(row.outcome)}", Role.DIM)
        if row.outcome and line_width((*cells, label)) <= width:
            cells.append(label)
    return fit_line(tuple(cells), width)


def paint_working_details(row: WorkingOrder, width: int) -> Line:
    """Paint what the columns of this width leave out of an order; empty when they tell all of it."""
    columns = _columns_in(width)
    told = {columns[index].key for index, _ in fit_columns(columns, width)}
    facts = {
        "tif": row.order.time_in_force.value,
        "age": f"age {_age_text(row.age_s)}",
        "outcome": plain(row.outcome),
    }
    left = [fact for key, fact in facts.items() if fact and key not in told]
    return fit_line((Cell(f"  {'  '.join(left)}", Role.DIM),), width) if left else ()


def mark_working_row(line: Line) -> Line:
    """Mark a painted order as the selected one; its numbers stay under their titles."""
    if len(line) < 2:
        return line
    side, after, *rest = line
    return (
        Cell("▸", Role.KEY), side, after._replace(text=after.text.removeprefix(" ")), *rest,
    )  # fmt: skip


def _columns_in(width: int) -> tuple[Column, ...]:
    return _WIDE if width >= _WIDE_FROM else _NARROW


def _place(text: str, column: Column, size: int) -> str:
    return text.rjust(size) if column.align is Align.RIGHT else text.ljust(size)


def _cell(row: WorkingOrder, key: str, width: int) -> Cell:
    order = row.shown
    match key:
        case "side":
            role = Role.BID if order.side is Side.BUY else Role.ASK
            return Cell(order.side.value[:width], role)
        case "size":
            return Cell(_size_text(order, width), Role.OWN_ORDER)
        case "price":
            return Cell(format_price(order.price, tick=row.tick).removesuffix("¢"))
        case "away":
            return Cell(_away_text(row.away), Role.DIM)
        case "queue":
            return Cell(_queue_text(row.ahead, width), Role.DIM)
        case "tif":
            return Cell(order.time_in_force.value, Role.DIM)
        case "age":
            return Cell(_age_text(row.age_s), Role.DIM)
        case _:
            label = plain(row.outcome)
            return Cell(label if cell_width(label) <= width else "", Role.DIM)


def _size_text(order: Order, width: int) -> str:
    """Write the open size; of a partly filled order the open and the whole size: `112/120`."""
    if order.matched_size:
        left, whole = (
            format_whole_size(size, width=width).strip()
            for size in (order.remaining_size, order.original_size)
        )
        if len(left) + len(whole) < width:
            return f"{left}/{whole}"
    return format_whole_size(order.remaining_size, width=width).strip()


def _away_text(away: int | None) -> str:
    if away is None:
        return _ABSENT
    return f"{away}t" if away <= _MOST_AWAY else f"{_MOST_AWAY}+"


def _queue_text(ahead: Micros | None, width: int) -> str:
    if ahead is None:
        return _ABSENT
    if ahead <= 0:
        return "1st"
    return f"~{format_size_ceil(ahead, width=width - 1)}"


def _age_text(age_s: float) -> str:
    if age_s < _MINUTE_S:
        return "<1m"
    days = int(age_s // _DAY_S)
    # At most three letters: a GTC order can be years old.
    return format_age(age_s) if days < 100 else f"{min(days // 7, 99)}w"
