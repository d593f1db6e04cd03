"""The axes of a chart, and one curve on them drawn by plotext: the only place that knows the library.

`plot_curve` takes milliseconds and keeps its state in the library's one figure: it is meant for a
thread, and a lock lets one in at a time. Floats are pixels here; prices are labelled exactly.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from threading import Lock
from typing import NamedTuple

from pmtui.domain.markets.history import PricePoint, columns_of
from pmtui.domain.money import ONE, Micros
from pmtui.ui.charts.canvas import row_of_price

_STEPS = tuple(
    Micros(cents * 100)
    for cents in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
)  # fmt: skip
"""Distances of the price labels: a hundredth of a cent to a dollar."""
_LABEL_EVERY_ROWS = 3
_NARROWEST = Micros(10_000)
"""A flat market is drawn as a line in the middle, not as an earthquake of half a tick."""
_MIDDLE = Micros(ONE // 2)
_EARLIEST, _LATEST = datetime(1971, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
"""Times that can be written in any zone."""
_figure_lock = Lock()


class Axes(NamedTuple):
    """What a canvas reaches over, in prices, in time and in cells."""

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
        """The prices that are labelled."""
        return price_labels(self.low, self.high, self.rows)

    def column_of(self, at: datetime) -> int | None:
        """Return the column of a moment; None out of sight."""
        if not self.first <= at <= self.last:
            return None
        span = max(self.last - self.first, timedelta(microseconds=1))
        return min((at - self.first) * self.columns // span, self.columns - 1)

    def row_of(self, price: Micros) -> int | None:
        """Return the row of a price; None out of sight."""
        return row_of_price(price, self.prices, self.rows)


def axes_over(
    points: Sequence[PricePoint],
    columns: int,
    rows: int,
    *,
    until: datetime | None = None,
    ascii_only: bool = False,
) -> Axes:
    """Return axes that all of these points fit in, of one series or of several.

    Args:
        points: at least one.
        columns: of the canvas, in cells.
        rows: the same.
        until: where the time shown ends, where that is after the last of them.
        ascii_only: whether to keep to ASCII.
    """
    stamps = [min(max(point.at, _EARLIEST), _LATEST) for point in points]
    last = max(stamps)
    if until is not None:
        last = min(max(last, until), _LATEST)
    low, high = price_range(points)
    return Axes(low, high, min(stamps), last, max(columns, 1), max(rows, 1), ascii_only)


def plot_curve(points: Sequence[PricePoint], axes: Axes, marker: str) -> list[str]:
    """Draw a series in steps as lines of text, exactly as large as the canvas of the axes.

    The library is native code that draws far outside of its canvas if it is told to, so it gets
    at most four points for each dot of the width, all of them on the canvas.

    Args:
        points: at least one, in ascending time.
        axes: what the drawing reaches over.
        marker: what the curve is made of, as the library names it.
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
    """Return the lowest and the highest price to show; what is no price does not count."""
    prices = [point.price for point in points if 0 <= point.price <= ONE]
    return widened(min(prices, default=_MIDDLE), max(prices, default=_MIDDLE))


def widened(low: Micros, high: Micros) -> tuple[Micros, Micros]:
    """Return a range that is wide enough to be drawn."""
    if high - low < _NARROWEST:
        middle = (low + high) // 2
        low, high = Micros(middle - _NARROWEST // 2), Micros(middle + _NARROWEST // 2)
    return Micros(max(low, 0)), Micros(min(high, ONE))


def price_labels(low: Micros, high: Micros, rows: int) -> tuple[Micros, ...]:
    """Return round prices within a range: about one for every third row, two where there is room."""
    most = max(1, rows // _LABEL_EVERY_ROWS)
    at = next((i for i, s in enumerate(_STEPS) if (high - low) // s < most), len(_STEPS) - 1)
    labels = _round_prices(low, high, _STEPS[at])
    if len(labels) < 2 <= most and at > 0:
        # One price alone tells no distance; every other row is still apart enough.
        finer = _round_prices(low, high, _STEPS[at - 1])
        labels = finer if 2 * (len(finer) - 1) < rows else labels
    return labels


def _round_prices(low: Micros, high: Micros, step: Micros) -> tuple[Micros, ...]:
    first = -(-low // step) * step
    return tuple(Micros(price) for price in range(first, high + 1, step))
