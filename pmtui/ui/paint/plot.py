"""One curve on its axes, drawn by plotext into text: the only place that knows the library.

`plot_curve` takes milliseconds and keeps its state in the library's one figure: it is meant for a
thread, and a lock lets one in at a time. Floats are pixels here; prices are labelled exactly.
"""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from threading import Lock
from typing import NamedTuple

from pmtui.domain.history import PricePoint
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
_CLOCK_UP_TO_S = 36 * 3_600
"""Longer than this, days tell more than hours."""
_figure_lock = Lock()


class Axes(NamedTuple):
    """What a drawing reaches over, in prices, in seconds of the epoch and in cells."""

    low: Micros
    high: Micros
    first: float
    last: float
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
    points: Sequence[PricePoint], width: int, height: int, *, ascii_only: bool = False
) -> Axes:
    """Return axes that all of these points fit in, of one series or of several."""
    stamps = [point.at.timestamp() for point in points]
    low, high = price_range(points)
    return Axes(low, high, min(stamps), max(stamps), width, height, ascii_only)


def plot_curve(points: Sequence[PricePoint], axes: Axes, marker: str) -> list[str]:
    """Draw a series as lines of text: labels of prices, the canvas, and times below.

    Args:
        points: at least one, in ascending time.
        axes: what the drawing reaches over.
        marker: what the curve is made of, as the library names it.
    """
    # A sixth of a second to import, so never before somebody looks at a chart.
    import plotext  # noqa: PLC0415

    canvas = max(1, axes.width - axes.gutter)
    shown = thin(points, canvas if axes.ascii_only else 2 * canvas)
    stamps = [point.at.timestamp() for point in shown]
    prices = [float(point.price) for point in shown]
    times = _time_labels(axes.first, axes.last, canvas)
    labels = [format_price(price, ascii_only=axes.ascii_only) for price in axes.levels]
    with _figure_lock:
        plotext.terminal.limit(False, False)  # noqa: FBT003 - the library's signature
        figure = plotext.figure
        figure.clear()
        figure.plot_size(axes.width, axes.height)
        figure.theme("colorless")
        figure.axes(False)  # noqa: FBT003 - the library's signature
        figure.draw(figure.signal(stamps, prices, marker=marker).lines())
        figure.ruler("y").lim(float(axes.low), float(axes.high))
        figure.ruler("y").ticks([float(p) for p in axes.levels], [f"{text} " for text in labels])
        figure.ruler("x").lim(axes.first, axes.last)
        moments = _moments(times, axes.last - axes.first)
        figure.ruler("x").ticks(times, moments)
        text = str(figure.build().string(colorless=True))
        figure.clear()
    lines = text.split("\n")[: axes.height]
    lines[-1] = _with_zone(lines[-1], axes)
    return lines


def thin(points: Sequence[PricePoint], columns: int) -> tuple[PricePoint, ...]:
    """Keep at most the lowest and the highest point of each column, and both ends."""
    if len(points) <= 2 * columns or columns <= 0:
        return tuple(points)
    start = points[0].at.timestamp()
    span = max(points[-1].at.timestamp() - start, 1.0)
    edges = [start + span * (i + 1) / columns for i in range(columns)]
    stamps = [point.at.timestamp() for point in points]
    kept = {0, len(points) - 1}
    begin = 0
    for edge in edges:
        end = bisect_right(stamps, edge)
        if end > begin:
            places = range(begin, end)
            kept.add(min(places, key=lambda i: points[i].price))
            kept.add(max(places, key=lambda i: points[i].price))
        begin = end
    return tuple(points[i] for i in sorted(kept))


def price_range(points: Sequence[PricePoint]) -> tuple[Micros, Micros]:
    """Return the lowest and the highest price to show."""
    low, high = min(p.price for p in points), max(p.price for p in points)
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
    zone = zone_at(datetime.fromtimestamp(axes.last).astimezone())
    longer = f"{times.rstrip()} {zone}"
    if len(longer) <= axes.width:
        return longer.ljust(len(times))
    return zone + times[len(zone) :] if len(zone) < axes.gutter else times


def _moments(times: Sequence[float], span_s: float) -> list[str]:
    """Write the moments below a chart: as finely as it takes for each to be another one."""
    moments = _written(times, "%H:%M" if span_s <= _CLOCK_UP_TO_S else "%d %b")
    if len(set(moments)) < len(moments) and span_s <= _CLOCK_UP_TO_S:
        moments = _written(times, "%H:%M:%S")
    return moments


def _written(times: Sequence[float], pattern: str) -> list[str]:
    return [f"{datetime.fromtimestamp(t).astimezone():{pattern}}" for t in times]


def _time_labels(first: float, last: float, canvas: int) -> list[float]:
    count = max(1, canvas // _LABEL_EVERY_CELLS)
    return [first + (last - first) * (2 * i + 1) / (2 * count) for i in range(count)]
