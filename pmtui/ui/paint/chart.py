"""The price chart: plotext draws the curve and its axes, thinned to what the cells can show.

`draw_chart` takes milliseconds and keeps its state in the library's one figure: it is meant for a
thread, and a lock lets one in at a time. Floats are pixels here; prices are labelled exactly.
"""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from threading import Lock

from pmtui.domain.history import PricePoint
from pmtui.domain.money import ONE, Micros
from pmtui.service.views import HistoryView, Load
from pmtui.ui.cells import Cell, Line, fit_line
from pmtui.ui.format import format_age, format_price, format_price_change
from pmtui.ui.plain import plain
from pmtui.ui.theme import Role

MIN_WIDTH = 16
MIN_HEIGHT = 4
_STEPS = tuple(
    Micros(cents * 100)
    for cents in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
)  # fmt: skip
"""Distances of the price labels: a hundredth of a cent to a dollar."""
_LABEL_EVERY_ROWS = 3
_LABEL_EVERY_CELLS = 16
_TENTH = Micros(1_000)
_NARROWEST = Micros(10_000)
"""A flat market is drawn as a line in the middle, not as an earthquake of half a tick."""
_CLOCK_UP_TO_S = 36 * 3_600
"""Longer than this, days tell more than hours."""
_figure_lock = Lock()


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
    """Return round prices within a range, at most one for every third row."""
    most = max(1, rows // _LABEL_EVERY_ROWS)
    step = next((s for s in _STEPS if (high - low) // s < most), _STEPS[-1])
    first = -(-low // step) * step
    return tuple(Micros(price) for price in range(first, high + 1, step))


def paint_chart_title(
    view: HistoryView, now: datetime, width: int, *, ascii_only: bool = False
) -> Line:
    """Name the interval and the change over what is drawn."""
    line = [Cell("Price ", Role.HEADING), Cell(f"{view.interval.value} ", Role.KEY)]
    if view.points:
        first, last = view.points[0].price, view.points[-1].price
        role = Role.UP if last > first else Role.DOWN if last < first else Role.DIM
        # The last price itself is the book's to tell; a history lags behind it.
        # History prices are midpoints: finer than a tenth of a cent they say nothing.
        moved = Micros((last - first + _TENTH // 2) // _TENTH * _TENTH)
        change = format_price_change(moved, ascii_only=ascii_only)
        line += [Cell(" over time shown ", Role.DIM), Cell(f"{change} ", role)]
        if view.load is Load.FAILED and view.as_of is not None:
            age = format_age((now - view.as_of).total_seconds())
            line.append(Cell(f" {age} old ", Role.STALE))
    return fit_line(tuple(line), width, ascii_only=ascii_only)


def chart_words(view: HistoryView, width: int, height: int) -> str:
    """Say why there is no curve; empty when there is one."""
    if len(view.points) >= 2:
        small = width < MIN_WIDTH or height < MIN_HEIGHT
        return "No room for the chart." if small else ""
    match view.load:
        case Load.FAILED:
            return f"No history: {plain(view.problem) or 'the service did not answer'}."
        case Load.LOADING | Load.EMPTY:
            return "Loading the history…"
        case Load.READY:
            return "No trades in this time."


def draw_chart(
    points: Sequence[PricePoint],
    width: int,
    height: int,
    *,
    ascii_only: bool = False,
) -> tuple[Line, ...]:
    """Draw at least two points in exactly `height` lines of `width` cells."""
    # A sixth of a second to import, so never before somebody looks at a chart.
    import plotext  # noqa: PLC0415

    low, high = price_range(points)
    levels = price_labels(low, high, height - 1)
    labels = [format_price(price, ascii_only=ascii_only) for price in levels]
    gutter = max((len(label) for label in labels), default=0) + 1
    canvas = max(1, width - gutter)
    shown = thin(points, canvas if ascii_only else 2 * canvas)
    stamps = [point.at.timestamp() for point in shown]
    times = _time_labels(stamps[0], stamps[-1], canvas)
    role = Role.UP if points[-1].price >= points[0].price else Role.DOWN
    with _figure_lock:
        plotext.terminal.limit(False, False)  # noqa: FBT003 - the library's signature
        figure = plotext.figure
        figure.clear()
        figure.plot_size(width, height)
        figure.theme("colorless")
        figure.axes(False)  # noqa: FBT003 - the library's signature
        prices = [float(point.price) for point in shown]
        marker = "*" if ascii_only else "braille"
        figure.draw(figure.signal(stamps, prices, marker=marker).lines())
        figure.ruler("y").lim(float(low), float(high))
        figure.ruler("y").ticks([float(p) for p in levels], [f"{text} " for text in labels])
        pattern = "%H:%M" if stamps[-1] - stamps[0] <= _CLOCK_UP_TO_S else "%d %b"
        moments = [f"{datetime.fromtimestamp(t).astimezone():{pattern}}" for t in times]
        figure.ruler("x").ticks(times, moments)
        text = str(figure.build().string(colorless=True))
        figure.clear()
    rows = text.split("\n")[:height]
    return tuple(
        _place(row, gutter, width, role=Role.DIM if y == height - 1 else role)
        for y, row in enumerate(rows)
    )


def _place(row: str, gutter: int, width: int, *, role: Role) -> Line:
    return fit_line((Cell(row[:gutter], Role.DIM), Cell(row[gutter:], role)), width)


def _time_labels(first: float, last: float, canvas: int) -> list[float]:
    count = max(1, canvas // _LABEL_EVERY_CELLS)
    return [first + (last - first) * (2 * i + 1) / (2 * count) for i in range(count)]
