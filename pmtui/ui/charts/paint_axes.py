"""The axes of a chart: a light grid, prices beside it, round times below."""

from pmtui.domain.money import Micros, round_price
from pmtui.ui.cells import Emphasis
from pmtui.ui.charts.canvas import Canvas
from pmtui.ui.charts.plot import Axes
from pmtui.ui.charts.time_ticks import Tick, time_ticks
from pmtui.ui.theme.theme import Role
from pmtui.ui.units import read_price, zone_at

FINEST = Micros(100)
"""Every tick size is a multiple of it; what a history says beyond it is arithmetic."""
_LABEL_EVERY_CELLS = 10
_LEAST_GAP = 2
"""Blanks between two times."""


def ticks_of(axes: Axes) -> tuple[Tick, ...]:
    """Return the moments that are named below a canvas."""
    return time_ticks(axes.first, axes.last, max(1, axes.columns // _LABEL_EVERY_CELLS))


def draw_grid(canvas: Canvas, axes: Axes, *, top: int = 0) -> None:
    """Lay a dotted line at each labelled price, with a cross at each named moment.

    Args:
        canvas: what to draw on.
        axes: what it reaches over.
        top: the row of the canvas at which these axes begin.
    """
    crossed = {axes.column_of(tick.at) for tick in ticks_of(axes)}
    for price in axes.levels:
        row = axes.row_of(price)
        if row is None:
            continue
        for column in range(axes.columns):
            is_cross = column in crossed
            mark = "┼" if is_cross else "┈"
            canvas.put(column, top + row, mark, Role.DIM, Emphasis.DIM)


def price_names(axes: Axes) -> dict[int, str]:
    """Return the labels of an axis by their rows, from the top."""
    named = {row: price for price in axes.levels if (row := axes.row_of(price)) is not None}
    return {row: axis_price(price) for row, price in named.items()}


def axis_price(price: Micros) -> str:
    """Write a price beside a chart."""
    return read_price(round_price(price, FINEST))


def time_line(axes: Axes, room: int) -> str:
    """Write the named moments below a canvas, and after them the zone of their clock.

    Args:
        axes: what the canvas reaches over.
        room: the cells beside the canvas; where the zone does not fit in there, it stands below it.
    """
    width = axes.columns + room
    zone = zone_at(axes.last)
    is_beside = len(zone) < room
    end = axes.columns if is_beside else max(width - len(zone) - _LEAST_GAP, 0)
    text = _placed(axes, end)
    if is_beside:
        return f"{text.ljust(axes.columns)} {zone}".ljust(width)[:width]
    return f"{text.ljust(width - len(zone))}{zone}"[:width]


def _placed(axes: Axes, end: int) -> str:
    """Write each moment under its column, as far as there is room; a round hour beats none."""
    text = ""
    for tick in ticks_of(axes):
        column = axes.column_of(tick.at)
        if column is None:
            continue
        start = min(max(column - len(tick.label) // 2, 0), max(end - len(tick.label), 0))
        free = len(text) + (_LEAST_GAP if text else 0)
        if start >= free and start + len(tick.label) <= end:
            text = text.ljust(start) + tick.label
    return text
