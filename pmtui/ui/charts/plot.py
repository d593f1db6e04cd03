"""Curves on a grid of cells: the canvas, the bands of a broken axis, its labels, and the plot."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import groupby, pairwise
from math import ceil, floor
from threading import Lock
from typing import NamedTuple

from pmtui.domain.markets.history import PricePoint, columns_of
from pmtui.domain.money import ONE, Micros, round_price
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.charts.time_ticks import Tick, time_ticks
from pmtui.ui.format import TENTH_OF_CENT, read_distance, read_price, zone_at
from pmtui.ui.theme.theme import Role, sign_role

BLANKS = " \N{BRAILLE PATTERN BLANK}"
_BRAILLE = range(0x2800, 0x2900)


_UPPER_DOTS = 0x1B
"""The dots of a braille pattern in the upper half of its cell."""


def _is_high(text: str) -> bool:
    return ord(text) in _BRAILLE and bool(ord(text) & _UPPER_DOTS)


class Mark(NamedTuple):
    """One character of a chart."""

    text: str = " "
    role: Role = Role.DIM
    emphasis: Emphasis = Emphasis.NONE
    ground: Role | None = None


class Canvas:
    """Rows of characters; later characters overwrite earlier ones."""

    def __init__(self, columns: int, rows: int) -> None:
        """Start with an empty canvas."""
        self.columns, self.rows = columns, rows
        self._marks = [[Mark()] * columns for _ in range(rows)]

    def put(
        self, column: int, row: int, text: str, role: Role, emphasis: Emphasis = Emphasis.NONE
    ) -> None:
        """Draw one character; outside the canvas it is dropped."""
        if 0 <= column < self.columns and 0 <= row < self.rows:
            below = self._marks[row][column]
            both = ord(text) in _BRAILLE and ord(below.text) in _BRAILLE
            shown = chr(ord(text) | ord(below.text)) if both else text
            self._marks[row][column] = Mark(shown, role, emphasis, below.ground)

    def draw(
        self, lines: Sequence[str], role: Role, *, emphasis: Emphasis = Emphasis.NONE, top: int = 0
    ) -> None:
        """Draw lines of characters; blanks are transparent."""
        for row, line in enumerate(lines):
            for column, text in enumerate(line):
                if text not in BLANKS:
                    self.put(column, row + top, text, role, emphasis)

    def tint_below(self, lines: Sequence[str], ground: Role) -> None:
        """Tint the area below the topmost mark of each column of these lines.

        The cell of the mark belongs to it where the mark is in the upper half.
        """
        for column in range(self.columns):
            texts = [line[column : column + 1] or " " for line in lines]
            top = next((row for row, text in enumerate(texts) if text not in BLANKS), None)
            if top is not None:
                first = top + (not _is_high(texts[top]))
                self.tint(column, range(first, len(lines)), ground)

    def tint(self, column: int, rows: Iterable[int], ground: Role) -> None:
        """Tint some rows of a column."""
        for row in rows:
            self._marks[row][column] = self._marks[row][column]._replace(ground=ground)

    def line(self, row: int) -> Line:
        """Return a row as cells, joining neighbours of the same style."""
        runs = groupby(self._marks[row], key=lambda mark: mark[1:])
        return tuple(
            Cell("".join(mark.text for mark in marks), role, emphasis, ground)
            for (role, emphasis, ground), marks in runs
        )


class Drawing(NamedTuple):
    """Lines of a chart, and the geometry for marking a price on them."""

    lines: tuple[Line, ...]
    prices: tuple[Micros, Micros]
    """The lowest and the highest price shown."""
    rows: int
    """The lines, from the top, that these prices span; volume and times stand below."""
    axis: int
    """The width of the price axis, or of the labels, at the right."""
    ends: tuple[tuple[int, int], ...] = ()
    """Rows of labels, each with the number of the curve that ends there."""


def cropped(line: Line, width: int) -> list[Cell]:
    """Return the left part of a line; every character of a chart is one cell wide."""
    kept: list[Cell] = []
    for cell in line:
        room = width - sum(len(each.text) for each in kept)
        if room <= 0:
            break
        kept.append(cell._replace(text=cell.text[:room]))
    return kept


def row_of_price(price: Micros, prices: tuple[Micros, Micros], rows: int) -> int | None:
    """Return the row of a price on a canvas of `rows` rows, from the top; None out of range."""
    low, high = prices
    if rows < 1 or not low <= price <= high or low == high:
        return None
    return (2 * (high - price) * (rows - 1) + (high - low)) // (2 * (high - low))


MIN_ROWS = 3
"""The least rows of one band."""
_MOST_BANDS = 3
_DESERT = 3
"""A gap of this fraction of the whole range, or more, is left out."""


class Band(NamedTuple):
    """A part of a broken axis and its rows."""

    low: Micros
    high: Micros
    top: int
    """Its first row, from the top of the canvas."""
    rows: int


def bands_of(ranges: Sequence[tuple[Micros, Micros]], rows: int) -> tuple[Band, ...]:
    """Return the bands of a broken axis, from the top, one row apart.

    Args:
        ranges: the lowest and the highest price of each curve, at least one.
        rows: the rows available for all bands.
    """
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    parts = _parts(ranges, desert=(high - low) // _DESERT)
    while len(parts) > 1 and (len(parts) > _MOST_BANDS or rows < _needed(len(parts))):
        parts = _joined(parts)
    free = rows - _needed(len(parts))
    spans = [top - bottom for bottom, top in parts]
    bands: list[Band] = []
    at = 0
    for index, (bottom, top) in enumerate(reversed(parts)):
        share = free * (top - bottom) // sum(spans) if index < len(parts) - 1 else rows - at
        height = share + MIN_ROWS if index < len(parts) - 1 else share
        bands.append(Band(bottom, top, at, height))
        at += height + 1
    return tuple(bands)


def _needed(parts: int) -> int:
    return parts * MIN_ROWS + parts - 1


def _parts(ranges: Sequence[tuple[Micros, Micros]], *, desert: int) -> list[tuple[Micros, Micros]]:
    """Group ranges that are closer than `desert`, in ascending order."""
    parts: list[tuple[Micros, Micros]] = []
    for low, high in sorted(widened(*each) for each in ranges):
        if parts and (low - parts[-1][1] < desert or low <= parts[-1][1]):
            parts[-1] = parts[-1][0], max(parts[-1][1], high)
        else:
            parts.append((low, high))
    return parts


def _joined(parts: list[tuple[Micros, Micros]]) -> list[tuple[Micros, Micros]]:
    """Join the two parts that are nearest to each other."""
    gaps = [above[0] - below[1] for below, above in pairwise(parts)]
    at = gaps.index(min(gaps))
    return [*parts[:at], (parts[at][0], parts[at + 1][1]), *parts[at + 2 :]]


_STEPS = tuple(
    Micros(cents * 100)
    for cents in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
)  # fmt: skip
"""Distances of the price labels: from a hundredth of a cent to a dollar."""
_LABEL_EVERY_ROWS = 3
_NARROWEST = Micros(10_000)
"""The least range shown, so that a flat market does not look volatile."""
_MIDDLE = Micros(ONE // 2)
_EARLIEST, _LATEST = datetime(1971, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
"""Times that can be written in any time zone."""
_figure_lock = Lock()


class Axes(NamedTuple):
    """The range of a canvas in prices, time and cells."""

    low: Micros
    high: Micros
    first: datetime
    last: datetime
    columns: int
    rows: int
    ascii_only: bool

    @property
    def prices(self) -> tuple[Micros, Micros]:
        """The lowest and the highest price."""
        return self.low, self.high

    @property
    def levels(self) -> tuple[Micros, ...]:
        """The labelled prices."""
        return price_labels(self.low, self.high, self.rows)

    def column_of(self, at: datetime) -> int | None:
        """Return the column of a time; None out of range."""
        if not self.first <= at <= self.last:
            return None
        span = max(self.last - self.first, timedelta(microseconds=1))
        return min((at - self.first) * self.columns // span, self.columns - 1)

    def row_of(self, price: Micros) -> int | None:
        """Return the row of a price; None out of range."""
        return row_of_price(price, self.prices, self.rows)


def axes_over(
    points: Sequence[PricePoint],
    columns: int,
    rows: int,
    *,
    until: datetime | None = None,
    ascii_only: bool = False,
) -> Axes:
    """Return axes that fit all these points, of one series or of several.

    Args:
        points: at least one.
        columns: the width of the canvas.
        rows: its height.
        until: the end of the time axis, if after the last point.
        ascii_only: whether to keep to ASCII.
    """
    stamps = [min(max(point.at, _EARLIEST), _LATEST) for point in points]
    last = max(stamps)
    if until is not None:
        last = min(max(last, until), _LATEST)
    low, high = evened(*price_range(points), max(rows, 1))
    return Axes(low, high, min(stamps), last, max(columns, 1), max(rows, 1), ascii_only)


def plot_curve(points: Sequence[PricePoint], axes: Axes, marker: str) -> list[str]:
    """Draw a series in steps as lines of text, exactly as large as the canvas of the axes.

    The library is native code that does not clip, so it gets at most four points for each dot of
    the width, all of them on the canvas.

    Args:
        points: at least one, in ascending time.
        axes: the range of the drawing.
        marker: the library's name of the curve's character.
    """
    import plotext  # noqa: PLC0415 - a sixth of a second and 17 MB; not every session looks at a chart

    dots = axes.columns if axes.ascii_only else 2 * axes.columns
    xs, ys = corners(points, axes, dots)
    with _figure_lock:
        plotext.terminal.limit(False, False)  # noqa: FBT003 - the library's signature
        figure = plotext.figure
        figure.clear()
        figure.plot_size(axes.columns, axes.rows)
        figure.theme("colorless")
        figure.axes(False)  # noqa: FBT003 - the library's signature
        figure.draw(figure.signal(xs, ys, marker=marker).lines())
        figure.ruler("y").lim(float(axes.low), float(axes.high))
        figure.ruler("y").ticks([], [])
        figure.ruler("x").lim(0.0, float(dots))
        figure.ruler("x").ticks([], [])
        text = str(figure.build().string(colorless=True))
        figure.clear()
    lines = text.split("\n")[: axes.rows]
    return [line.ljust(axes.columns)[: axes.columns] for line in lines]


def corners(points: Sequence[PricePoint], axes: Axes, dots: int) -> tuple[list[float], list[float]]:
    """Return the corners of a stepped line in dots and millionths, all of them on the canvas."""
    corners: list[tuple[float, float]] = []
    usable = [point for point in points if axes.low <= point.price <= axes.high]
    for column in columns_of(usable, axes.first, axes.last, dots):
        values = (column.enters, column.low, column.high, column.leaves)
        corners += [(column.place + 0.5, float(value)) for value in values if value is not None]
    distinct = [corner for corner, _ in groupby(corners)] or [(0.0, float(axes.low))]
    return [x for x, _ in distinct], [y for _, y in distinct]


def price_range(points: Sequence[PricePoint]) -> tuple[Micros, Micros]:
    """Return the lowest and the highest price to show, ignoring invalid prices."""
    prices = [point.price for point in points if 0 <= point.price <= ONE]
    return widened(min(prices, default=_MIDDLE), max(prices, default=_MIDDLE))


def widened(low: Micros, high: Micros) -> tuple[Micros, Micros]:
    """Return the range, widened to the least that can be drawn."""
    if high - low < _NARROWEST:
        middle = (low + high) // 2
        low, high = Micros(middle - _NARROWEST // 2), Micros(middle + _NARROWEST // 2)
    return Micros(max(low, 0)), Micros(min(high, ONE))


_ROWS_APART = range(2, 7)
"""Rows between two labels of a whole axis; on a tall one labels stand further apart."""
_TALL = 10


def evened(low: Micros, high: Micros, rows: int) -> tuple[Micros, Micros]:
    """Widen a range by as little as lets round prices fall on whole rows, equally far apart.

    Of few rows, where two labels might not fit, the range stays as it is.
    """
    least = 2 if rows < _TALL else 3
    apart = [each for each in _ROWS_APART if least <= each <= rows // 2]
    # The price of a row, exactly: a third of a step is no whole number.
    units = sorted({Fraction(step, each) for step in _STEPS for each in apart})
    for unit in units:
        first = low // unit
        free = int(first + rows - 1 - high / unit)
        if first * unit + unit * (rows - 1) >= high:
            # The room left is shared, and none of it is beyond what a price can be.
            first -= min(max(free // 2, ceil(first + rows - 1 - ONE / unit)), first)
            return Micros(floor(first * unit)), Micros(ceil((first + rows - 1) * unit))
    return low, high


def price_labels(low: Micros, high: Micros, rows: int) -> tuple[Micros, ...]:
    """Return round prices within a range: one in about three rows, and two if there is room."""
    most = max(1, rows // _LABEL_EVERY_ROWS)
    at = next((i for i, s in enumerate(_STEPS) if (high - low) // s < most), len(_STEPS) - 1)
    evens = [each for s in _STEPS if (each := _even_labels(low, high, s, rows))]
    # Of the finest in every third row; where that gives two at most, in every other row.
    sparse = next((each for each in evens if (len(each) - 1) * _LABEL_EVERY_ROWS < rows), ())
    if evens:
        return sparse if len(sparse) > 2 else evens[0]
    labels = _round_prices(low, high, _STEPS[at])
    if len(labels) < 2 <= most and at > 0:
        # One label does not show the distance; labels in every other row are far enough apart.
        finer = _round_prices(low, high, _STEPS[at - 1])
        labels = finer if 2 * (len(finer) - 1) < rows else labels
    # Uneven ones would make the scale look false; of two, any are even.
    return labels if len(labels) < 3 else (labels[0], labels[-1])


def _even_labels(low: Micros, high: Micros, step: Micros, rows: int) -> tuple[Micros, ...]:
    """Return the labels of a step, two at least, if the same number of rows lies between them."""
    labels = _round_prices(low, high, step)
    at = [row for price in labels if (row := row_of_price(price, (low, high), rows)) is not None]
    apart = {above - below for below, above in pairwise(at[::-1])}
    return labels if len(apart) == 1 and min(apart) > 1 else ()


def _round_prices(low: Micros, high: Micros, step: Micros) -> tuple[Micros, ...]:
    first = -(-low // step) * step
    return tuple(Micros(price) for price in range(first, min(high, ONE) + 1, step))


FINEST = Micros(100)
"""Every tick size is a multiple of it; finer digits of a history come from averaging."""
_LABEL_EVERY_CELLS = 10
_LEAST_GAP = 2
"""The least blanks between two times."""


def ticks_of(axes: Axes) -> tuple[Tick, ...]:
    """Return the labelled times below a canvas."""
    return time_ticks(axes.first, axes.last, max(1, axes.columns // _LABEL_EVERY_CELLS))


def draw_grid(canvas: Canvas, axes: Axes, *, top: int = 0) -> None:
    """Draw a dotted line at each labelled price, with a cross at each labelled time."""
    # A cross in the last column would run into the axis.
    crossed = {axes.column_of(tick.at) for tick in ticks_of(axes)} - {axes.columns - 1}
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
    """Write a price of a scale, which is round."""
    return read_price(round_price(price, FINEST))


def chart_price(price: Micros) -> str:
    """Write a price of a curve; a tenth of a cent at least, as lists do, so that it keeps its width."""
    return read_price(round_price(price, FINEST), tick=TENTH_OF_CENT)


def paint_move(first: Micros, last: Micros) -> Line:
    """Paint the first and the last price of a curve, and how far it moved between them."""
    moved = Micros(round_price(last, FINEST) - round_price(first, FINEST))
    role = sign_role(moved)
    sign = "+" if moved > 0 else "-" if moved < 0 else ""
    distance = read_distance(Micros(abs(moved)), tick=TENTH_OF_CENT)
    return (
        Cell(f"{chart_price(first)} → {chart_price(last)}  ", Role.DIM),
        Cell(f"{sign}{distance}", role),
    )


def time_line(axes: Axes, room: int) -> str:
    """Return the line of times below a canvas, followed by their time zone.

    Args:
        axes: the range of the canvas.
        room: the cells beside the canvas; a zone that does not fit there takes the end of the line.
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
    """Write each time under its column, as far as they fit; earlier ones come first."""
    text = ""
    for tick in ticks_of(axes):
        column = axes.column_of(tick.at)
        if column is None:
            continue
        start = min(max(column - len(tick.label) // 2, 0), max(end - len(tick.label), 0))
        free = len(text) + (_LEAST_GAP if text else 0)
        # A label that the edge moved away from its column would be that of another time.
        if free <= start <= column < start + len(tick.label) <= end:
            text = text.ljust(start) + tick.label
    return text
