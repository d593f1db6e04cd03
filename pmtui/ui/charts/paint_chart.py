"""The price chart of one outcome: its title, its words where there is no curve, and the curve."""

from collections.abc import Sequence
from datetime import datetime

from pmtui.domain.markets.history import LineEnd, PriceLine, PricePoint
from pmtui.domain.money import Micros, round_price
from pmtui.service.views import HistoryView, Load
from pmtui.ui.cells import Cell, Line, fit_line
from pmtui.ui.charts.plot import axes_over, plot_curve
from pmtui.ui.format import format_age, format_price, format_price_change
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role

MIN_WIDTH = 16
MIN_HEIGHT = 4
_OLD_S = 60
"""Seconds from which on the end of a line is old."""
_FINEST = Micros(100)
"""Every tick size is a multiple of it; what a history says beyond it is arithmetic."""


def paint_chart_title(
    view: HistoryView, curve: PriceLine, now: datetime, width: int, *, ascii_only: bool = False
) -> Line:
    """Name the interval, the prices at both ends of what is drawn, and the change between them.

    A line that ends before now says when.
    """
    line = [Cell("Price ", Role.HEADING), Cell(f"{view.interval.value} ", Role.KEY)]
    if curve.points:
        first, last = curve.points[0].price, curve.points[-1].price
        role = Role.UP if last > first else Role.DOWN if last < first else Role.DIM
        ends = [format_price(_readable(price), ascii_only=ascii_only) for price in (first, last)]
        moved = Micros(_readable(last) - _readable(first))
        change = format_price_change(moved, ascii_only=ascii_only)
        # Both ends: the venue counts a change of its own, over other times.
        line += [Cell(f" from {ends[0]} to {ends[1]} ", Role.DIM), Cell(f"{change} ", role)]
        age_s = (now - curve.points[-1].at).total_seconds()
        if curve.end is LineEnd.RESULT:
            line.append(Cell("resolved ", Role.DIM))
        elif curve.end is LineEnd.DATA and age_s >= _OLD_S:
            line.append(Cell(f"{format_age(age_s)} old ", Role.STALE))
    return fit_line(tuple(line), width, ascii_only=ascii_only)


def _readable(price: Micros) -> Micros:
    return round_price(price, _FINEST)


def chart_words(view: HistoryView, curve: PriceLine, width: int, height: int) -> str:
    """Say why there is no curve; empty when there is one."""
    if curve.is_drawable:
        small = width < MIN_WIDTH or height < MIN_HEIGHT
        return "No room for the chart." if small else ""
    match view.load:
        case Load.FAILED:
            return f"No history: {plain(view.problem) or 'no answer'}."
        case Load.LOADING | Load.EMPTY:
            return "Loading the history…"
        case Load.READY:
            return "No prices for this interval."


def draw_chart(
    points: Sequence[PricePoint],
    width: int,
    height: int,
    *,
    until: datetime | None = None,
    ascii_only: bool = False,
) -> tuple[Line, ...]:
    """Draw at least two points in exactly `height` lines of `width` cells; for a thread."""
    axes = axes_over(points, width, height, until=until, ascii_only=ascii_only)
    role = Role.UP if points[-1].price >= points[0].price else Role.DOWN
    rows = plot_curve(points, axes, "*" if ascii_only else "braille")
    return tuple(
        _place(row, axes.gutter, width, role=Role.DIM if y == height - 1 else role)
        for y, row in enumerate(rows)
    )


def _place(row: str, gutter: int, width: int, *, role: Role) -> Line:
    return fit_line((Cell(row[:gutter], Role.DIM), Cell(row[gutter:], role)), width)
