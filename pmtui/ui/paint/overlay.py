"""The leading outcomes of an event over each other: a curve each, told apart by its number.

Colour is only a help: the number stands at the end of each curve, in ASCII the curve is made of it.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.money import Micros
from pmtui.service.views import HistoryView, Load
from pmtui.ui.cells import Cell, Line, fit_line, join_runs
from pmtui.ui.charts.chart_cursor import row_of_price
from pmtui.ui.charts.plot import Axes, axes_over, plot_curve
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role

MOST_CURVES = 4
MIN_HEIGHT = 8
"""With its title: less than this tells nothing of several curves."""
_MIN_WIDTH = 30
_ENDS_WIDTH = 2
"""For the numbers at the ends of the curves."""
_ROLES = (Role.KEY, Role.LAST_TRADE, Role.TEXT, Role.DIM)
_BRAILLE = range(0x2800, 0x2900)
_LEAST_NAME = 6


class Curve(NamedTuple):
    """One outcome's history, with the number it is known by here."""

    number: int
    """From 1, by likelihood."""
    points: Sequence[PricePoint]

    @property
    def role(self) -> Role:
        """How it looks."""
        return _ROLES[(self.number - 1) % len(_ROLES)]


def curves_of(views: Sequence[HistoryView]) -> tuple[Curve, ...]:
    """Return what can be drawn: a history of one point is none."""
    return tuple(Curve(n, view.points) for n, view in enumerate(views, 1) if len(view.points) > 1)


def say_coming(views: Sequence[HistoryView]) -> str:
    """Say how many histories are here while others are still on their way; empty after that."""
    waiting = sum(v.load in (Load.EMPTY, Load.LOADING) and len(v.points) < 2 for v in views)
    return f"loading, {len(views) - waiting} of {len(views)} here " if waiting else ""


def paint_overlay_title(
    interval: Interval, names: Sequence[str], width: int, *, coming: str = "",
    ascii_only: bool = False,
) -> Line:  # fmt: skip
    """Name the interval and which number is which outcome, as far as there is room."""
    line = [Cell("Price ", Role.HEADING), Cell(f"{interval.value} ", Role.KEY)]
    if coming:
        line.append(Cell(coming, Role.STALE))
    used = sum(len(cell.text) for cell in line)
    room = (width - used) // max(len(names), 1) - len(" 1  ")
    for number, name in enumerate(names, 1):
        short = plain(name, max(room, _LEAST_NAME))
        line += [Cell(f" {number} ", Curve(number, ()).role), Cell(f"{short} ", Role.DIM)]
    return fit_line(tuple(line), width, ascii_only=ascii_only)


def overlay_words(views: Sequence[HistoryView], width: int, height: int) -> str:
    """Say why there is no curve; empty when there is one."""
    if curves_of(views):
        return "" if width >= _MIN_WIDTH and height >= MIN_HEIGHT - 1 else "No room for the chart."
    failed = next((view for view in views if view.load is Load.FAILED), None)
    if failed is not None:
        return f"No history: {plain(failed.problem) or 'no answer'}."
    if all(view.load is Load.READY for view in views):
        return "No prices for this interval." if views else "Nothing to draw."
    return "Loading the histories…"


def draw_overlay(
    curves: Sequence[Curve],
    width: int,
    height: int,
    *,
    until: datetime | None = None,
    ascii_only: bool = False,
) -> tuple[Line, ...]:
    """Draw at least one curve in exactly `height` lines of `width` cells; for a thread."""
    every = [point for curve in curves for point in curve.points]
    axes = axes_over(every, width - _ENDS_WIDTH, height, until=until, ascii_only=ascii_only)
    ends = _place_ends(curves, axes)
    # The likeliest comes last and so stands above the others.
    layers = [
        (curve.role, plot_curve(curve.points, axes, str(curve.number) if ascii_only else "braille"))
        for curve in reversed(curves)
    ]
    lines = []
    for y in range(height):
        texts = [(role, rows[y].ljust(axes.width)[: axes.width]) for role, rows in layers]
        gutter = texts[0][1][: axes.gutter]
        merged = _merge([(role, text[axes.gutter :]) for role, text in texts])
        is_times = y == height - 1
        canvas = (Cell(texts[0][1][axes.gutter :], Role.DIM),) if is_times else join_runs(merged)
        end = ends.get(y)
        number = Cell(f" {end.number}", end.role) if end else Cell("  ")
        lines.append(fit_line((Cell(gutter, Role.DIM), *canvas, number), width))
    return tuple(lines)


def _merge(texts: Sequence[tuple[Role, str]]) -> list[tuple[Role, str]]:
    """Lay texts over each other; dots of several curves in one cell are all kept."""
    cells: list[tuple[Role, str]] = [(Role.DIM, " ")] * len(texts[0][1])
    for role, text in texts:
        for x, mark in enumerate(text):
            if mark in " \N{BRAILLE PATTERN BLANK}":
                continue
            below = ord(cells[x][1])
            both = ord(mark) in _BRAILLE and below in _BRAILLE
            cells[x] = (role, chr(ord(mark) | below) if both else mark)
    return cells


def _place_ends(curves: Sequence[Curve], axes: Axes) -> dict[int, Curve]:
    """Return where each number stands: at its last price, or as near as there is room."""
    rows = axes.height - 1
    placed: dict[int, Curve] = {}
    for curve in curves:
        wanted = row_of_price(Micros(curve.points[-1].price), (axes.low, axes.high), rows)
        free = [row for row in range(rows) if row not in placed]
        if wanted is not None and free:
            placed[min(free, key=lambda row: (abs(row - wanted), row))] = curve
    return placed
