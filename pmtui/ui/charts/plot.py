"""One curve on its axes, drawn by plotext into text: the only place that knows the library.

`plot_curve` takes milliseconds and keeps its state in the library's one figure: it is meant for a
thread, and a lock lets one in at a time. Floats are pixels here; prices are labelled exactly.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from threading import Lock
from typing import NamedTuple

from pmtui.domain.markets.history import PricePoint, columns_of
from pmtui.domain.money import ONE, Micros
from pmtui.ui.format import format_price
from pmtui.ui.local_time import zone_at

_STEPS = tuple(
    Micros(cents * 100)
    for cents in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
)  # fmt: skip
"""Distances of the price labels: a hundredth of a cent to a dollar."""
_LABEL_EVERY_ROWS = 3
_LABEL_EVERY_CELLS = 16
_NARROWEST = Micros(10_000)
"""A flat market is drawn as a line in the middle, not as an earthquake of half a tick."""
_MIDDLE = Micros(ONE // 2)
_EARLIEST, _LATEST = datetime(1971, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
"""Times that can be written in any zone."""
_CLOCK_UP_TO_S = 36 * 3_600
"""Longer than this, days tell more than hours."""
_figure_lock = Lock()


class Axes(NamedTuple):
    """What a drawing reaches over, in prices, in time and in cells."""

    low: Micros
    high: Micros
    first: datetime
    last: datetime
    width: int
    height: int
    """With the line of the times."""
    ascii_only: bool

    @property
    def levels(self) -> tuple[Micros, ...]:
        """The prices that are labelled."""
        return price_labels(self.low, self.high, self.height - 1)

    @property
    def gutter(self) -> int:
        """The cells before the canvas, which hold the labels of the prices."""
        names = (format_price(price, ascii_only=self.ascii_only) for price in self.levels)
        return max((len(name) for name in names), default=0) + 1


def axes_over(
    points: Sequence[PricePoint],
    width: int,
    height: int,
    *,
    until: datetime | None = None,
    ascii_only: bool = False,
) -> Axes:
    """Return axes that all of these points fit in, of one series or of several.

    Args:
        points: at least one.
        width: of the whole drawing, in cells.
        height: the same.
        until: where the time shown ends, where that is after the last of them.
        ascii_only: whether to keep to ASCII.
    """
    stamps = [min(max(point.at, _EARLIEST), _LATEST) for point in points]
    last = max(stamps)
    if until is not None:
        last = min(max(last, until), _LATEST)
    low, high = price_range(points)
    return Axes(low, high, min(stamps), last, width, height, ascii_only)


def plot_curve(points: Sequence[PricePoint], axes: Axes, marker: str) -> list[str]:
    """Draw a series in steps as lines of text: labels of prices, the canvas, and times below.

    The library is native code that draws far outside of its canvas if it is told to, so it gets
    at most four points for each dot of the width, all of them on the canvas.

    Args:
        points: at least one, in ascending time.
        axes: what the drawing reaches over.
        marker: what the curve is made of, as the library names it.
    """
    import plotext  # noqa: PLC0415 - a sixth of a second and 17 MB; not every session looks at a chart

    canvas = max(1, axes.width - axes.gutter)
    dots = canvas if axes.ascii_only else 2 * canvas
    xs, ys = corners(points, axes, dots)
    shares = _time_labels(canvas)
    span_s = (axes.last - axes.first).total_seconds()
    moments = _moments([axes.first + (axes.last - axes.first) * share for share in shares], span_s)
    labels = [format_price(price, ascii_only=axes.ascii_only) for price in axes.levels]
    with _figure_lock:
        plotext.terminal.limit(False, False)  # noqa: FBT003 - the library's signature
        figure = plotext.figure
        figure.clear()
        figure.plot_size(axes.width, axes.height)
        figure.theme("colorless")
        figure.axes(False)  # noqa: FBT003 - the library's signature
        figure.draw(figure.signal(xs, ys, marker=marker).lines())
        figure.ruler("y").lim(float(axes.low), float(axes.high))
        figure.ruler("y").ticks([float(p) for p in axes.levels], [f"{text} " for text in labels])
        figure.ruler("x").lim(0.0, float(dots))
        figure.ruler("x").ticks([share * dots for share in shares], moments)
        text = str(figure.build().string(colorless=True))
        figure.clear()
    lines = text.split("\n")[: axes.height]
    lines[-1] = _with_zone(lines[-1], axes)
    return lines


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
    low, high = min(prices, default=_MIDDLE), max(prices, default=_MIDDLE)
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


def _with_zone(times: str, axes: Axes) -> str:
    """Name the zone after the last time; where there is no room, below the prices."""
    zone = zone_at(axes.last.astimezone())
    longer = f"{times.rstrip()} {zone}"
    if len(longer) <= axes.width:
        return longer.ljust(len(times))
    return zone + times[len(zone) :] if len(zone) < axes.gutter else times


def _moments(times: Sequence[datetime], span_s: float) -> list[str]:
    """Write the moments below a chart: as finely as it takes for each to be another one."""
    moments = _written(times, "%H:%M" if span_s <= _CLOCK_UP_TO_S else "%d %b")
    if len(set(moments)) < len(moments) and span_s <= _CLOCK_UP_TO_S:
        moments = _written(times, "%H:%M:%S")
    return moments


def _written(times: Sequence[datetime], pattern: str) -> list[str]:
    return [f"{at.astimezone():{pattern}}" for at in times]


def _time_labels(canvas: int) -> list[float]:
    """Return where times are labelled, as shares of the width."""
    count = max(1, canvas // _LABEL_EVERY_CELLS)
    return [(2 * i + 1) / (2 * count) for i in range(count)]
