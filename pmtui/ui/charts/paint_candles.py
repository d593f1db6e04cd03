"""Candles in cells: a thin line for what was traded, a heavy one from open to close.

A cell holds two halves of a candle, so that a body half a row high is seen.
"""

from collections.abc import Sequence

from pmtui.domain.markets.history import Candle, PricePoint, candle_length, candles_of
from pmtui.domain.money import Micros
from pmtui.ui.charts.canvas import Canvas
from pmtui.ui.charts.plot import Axes
from pmtui.ui.theme.theme import Role

_CELLS_EACH = 2
_MARKS = (
    (" ", "╷", "╻"),
    ("╵", "│", "╽"),
    ("╹", "╿", "┃"),
)
"""By what the upper half holds, then the lower: nothing, a wick, a body."""
_NOTHING, _WICK, _BODY = range(3)


def draw_candles(canvas: Canvas, axes: Axes, points: Sequence[PricePoint]) -> None:
    """Lay the candles of a series; in ASCII `+` rose, `#` fell, `|` is the wick."""
    length = candle_length(axes.last - axes.first, max(axes.columns // _CELLS_EACH, 1))
    usable = [point for point in points if axes.low <= point.price <= axes.high]
    for candle in candles_of(usable, length):
        column = axes.column_of(min(max(candle.at + length / 2, axes.first), axes.last))
        if column is not None:
            _draw(canvas, axes, candle, column)


def _draw(canvas: Canvas, axes: Axes, candle: Candle, column: int) -> None:
    role = Role.UP if candle.has_risen else Role.DOWN
    high, low = _half(candle.high, axes), _half(candle.low, axes)
    upper, lower = sorted((_half(candle.opened, axes), _half(candle.closed, axes)))

    def part(half: int) -> int:
        if upper <= half <= lower:
            return _BODY
        return _WICK if high <= half <= low else _NOTHING

    for row in range(high // 2, low // 2 + 1):
        parts = part(2 * row), part(2 * row + 1)
        text = _MARKS[parts[0]][parts[1]]
        if axes.ascii_only:
            body = "+" if candle.has_risen else "#"
            text = body if _BODY in parts else "|"
        canvas.put(column, row, text, role)


def _half(price: Micros, axes: Axes) -> int:
    """Return the half row of a price, from the top."""
    last = 2 * axes.rows - 1
    return (2 * (axes.high - price) * last + (axes.high - axes.low)) // (2 * (axes.high - axes.low))
