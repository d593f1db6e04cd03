"""The account's equity over time, as a curve of samples with round amounts at its axis."""

from collections.abc import Sequence
from datetime import timedelta
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from pmtui.domain.account.pnl import EquityPoint
from pmtui.domain.money import Micros
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line
from pmtui.ui.charts.plot import Axes, Canvas, ticks_of, time_line
from pmtui.ui.format import format_money, format_past_money
from pmtui.ui.theme.theme import Role

_LEAST_SPAN = Micros(1_000_000)
"""A smaller range is not stretched to the full height, so that it does not look volatile."""
_DOTS = ((0x40, 0x80), (0x04, 0x20), (0x02, 0x10), (0x01, 0x08))
"""Bits of a braille cell from the bottom up: left and right."""
_UPPER = 2
"""The dot row, from the bottom of its cell, from which the area begins in the curve's own cell."""
_STEPS = tuple(unit * 10**power for power in range(4, 15) for unit in (1, 2, 5))
"""Distances of the amounts at the axis: from a cent to a hundred million dollars and more."""
_A_DOLLAR = 1_000_000
_LEAST_HEIGHT, _LEAST_COLUMNS = 4, 4


class _Scale(NamedTuple):
    """A row stands for a fraction of a round step, so that round amounts fall on whole rows."""

    unit: Fraction
    """What a row stands for."""
    first: int
    """The lowest row in such units."""
    apart: int
    """Rows between two labels."""

    def range(self, rows: int) -> tuple[Micros, Micros]:
        """Return the amounts of the lowest and of the highest row."""
        return (
            Micros(floor(self.first * self.unit)),
            Micros(ceil((self.first + rows - 1) * self.unit)),
        )

    def labels(self, rows: int) -> dict[int, str]:
        """Return the round amounts by their rows from the top."""
        step = int(self.unit * self.apart)
        return {
            rows - 1 - row: _amount(Micros(int((self.first + row) * self.unit)), step)
            for row in range(rows)
            if not (self.first + row) % self.apart
        }


def draw_equity(points: Sequence[EquityPoint], width: int, height: int) -> tuple[Line, ...]:
    """Draw the curve with a line where it began, and the newest value as a tag on the axis."""
    if len(points) < 2 or height < _LEAST_HEIGHT:
        few = "Sampled while pmtui or its service runs."
        words = few if len(points) < 2 else "No room for the chart."
        return (fit_line((Cell(words, Role.DIM),), width),)
    values, rows = [point.value for point in points], height - 1
    scale = _scale_of(values, rows)
    names = scale.labels(rows)
    # As in the title of its pane: rounded as the labels are, it would be one that it does not reach.
    tag = format_money(values[-1])
    digits = max(map(len, (tag, *names.values())))
    room = digits + len("┤ ") + 1
    axes = Axes(
        *scale.range(rows), points[0].at, max(points[-1].at, points[0].at + timedelta(minutes=1)),
        max(width - room, _LEAST_COLUMNS), rows, ascii_only=False,
    )  # fmt: skip
    canvas = Canvas(axes.columns, rows)
    _draw_grid(canvas, axes, names)
    for column in range(axes.columns):
        canvas.put(column, _row_of(values[0], axes), "╌", Role.DIM)
    rises = values[-1] >= values[0]
    role = Role.UP if values[-1] > values[0] else Role.DIM if rises else Role.DOWN
    _draw_steps(canvas, axes, points, role)
    ground = {Role.UP: Role.AREA_UP, Role.DOWN: Role.AREA_DOWN}.get(role)
    if ground is not None:
        _tint_area(canvas, axes, points, ground)
    tagged = _row_of(values[-1], axes)
    lines = []
    for row in range(rows):
        name = f"┤ {names[row]:>{digits}}" if row in names else ""
        label = Cell(name.ljust(room), Role.DIM)
        if row == tagged:
            label = Cell(f"  {tag:>{digits}} ", role, Emphasis.BOLD | Emphasis.REVERSE)
        lines.append((*canvas.line(row), label))
    foot = Cell(time_line(axes, room), Role.DIM)
    return (*lines, fit_line((foot,), axes.columns + room))


def _scale_of(values: Sequence[Micros], rows: int) -> _Scale:
    """Return the finest scale on which all these values fit."""
    low, high = min(values), max(values)
    if high - low < _LEAST_SPAN:
        middle = (low + high) // 2
        low, high = Micros(middle - _LEAST_SPAN // 2), Micros(middle + _LEAST_SPAN // 2)
    apart = [each for each in (2, 3, 4) if each < rows] or [1]
    units = sorted((Fraction(step, each), each) for step in _STEPS for each in apart)
    scales = (_Scale(unit, floor(low / unit), each) for unit, each in units)
    found = next(scale for scale in scales if scale.range(rows)[1] >= high)
    # What is left of the height is shared, and an account without debts does not begin below nothing.
    free = floor(found.first + rows - 1 - high / found.unit) // 2
    return found._replace(first=found.first - (min(free, found.first) if low >= 0 else free))


def _amount(value: Micros, step: int) -> str:
    """Write an amount as exactly as the labels are apart."""
    if step % _A_DOLLAR:
        return format_past_money(value)
    return format_past_money(Micros(round(value, -6))).removesuffix(".00")


def _draw_grid(canvas: Canvas, axes: Axes, rows: dict[int, str]) -> None:
    crossed = {axes.column_of(tick.at) for tick in ticks_of(axes)} - {axes.columns - 1}
    for row in rows:
        for column in range(axes.columns):
            mark = "┼" if column in crossed else "┈"
            canvas.put(column, row, mark, Role.DIM, Emphasis.DIM)


def _dot_of(value: Micros, axes: Axes) -> int:
    """Return the dot row of a value, from the bottom."""
    dots = axes.rows * len(_DOTS)
    return min((value - axes.low) * dots // max(axes.high - axes.low, 1), dots - 1)


def _row_of(value: Micros, axes: Axes) -> int:
    return axes.rows - 1 - _dot_of(value, axes) // len(_DOTS)


def _places(axes: Axes, points: Sequence[EquityPoint]) -> list[int]:
    """Return the dot row of each half of a column: a value holds until the next sample."""
    span = (axes.last - axes.first) / (2 * axes.columns)
    index, dots = 0, list[int]()
    for place in range(2 * axes.columns):
        until = axes.first + span * (place + 1)
        is_last = place + 1 == 2 * axes.columns
        while index + 1 < len(points) and (is_last or points[index + 1].at <= until):
            index += 1
        dots.append(_dot_of(points[index].value, axes))
    return dots


def _draw_steps(canvas: Canvas, axes: Axes, points: Sequence[EquityPoint], role: Role) -> None:
    places = _places(axes, points)
    for place, dot in enumerate(places):
        before = places[max(place - 1, 0)]
        for each in range(min(before, dot), max(before, dot) + 1):
            column, side = divmod(place, 2)
            row, part = divmod(each, len(_DOTS))
            text = chr(0x2800 + _DOTS[part][side])
            canvas.put(column, axes.rows - 1 - row, text, role)


def _tint_area(canvas: Canvas, axes: Axes, points: Sequence[EquityPoint], ground: Role) -> None:
    places = _places(axes, points)
    for column in range(axes.columns):
        row, part = divmod(max(places[2 * column : 2 * column + 2]), len(_DOTS))
        canvas.tint(column, range(axes.rows - row - (part >= _UPPER), axes.rows), ground)
