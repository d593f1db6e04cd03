"""A price over time: a curve or candles with volume, own fills and the ladder's cursor price."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from typing_extensions import override

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import (
    Candle,
    Interval,
    LineEnd,
    PriceLine,
    PricePoint,
    candle_length,
    candles_of,
)
from pmtui.domain.markets.market import Side
from pmtui.domain.markets.price_path import Traded, with_prints
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.order import Fill, TradePrint
from pmtui.service.views import HistoryView, Load
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.charts.plot import (
    BLANKS,
    FINEST,
    Axes,
    Canvas,
    Drawing,
    axes_over,
    chart_price,
    cropped,
    draw_grid,
    paint_move,
    plot_curve,
    price_names,
    row_of_price,
    time_line,
)
from pmtui.ui.format import format_age, shown_time
from pmtui.ui.plain import plain
from pmtui.ui.terminal.ascii_filter import is_ascii
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.drawn_pane import Draw, DrawnPane, Picture
from pmtui.ui.widgets.panel import trim_line

_CELLS_EACH = 2
_FALLEN = (
    (" ", "╷", "╻"),
    ("╵", "│", "╽"),
    ("╹", "╿", "┃"),
)
"""Indexed by the content of the upper half, then of the lower: nothing, a wick, a body."""
_RISEN = (
    (" ", "╷", "╥"),
    ("╵", "│", "╥"),
    ("╨", "╨", "║"),
)
"""The same with a hollow body."""
_NOTHING, _WICK, _BODY = range(3)


def draw_candles(canvas: Canvas, axes: Axes, points: Sequence[PricePoint]) -> None:
    """Draw the candles of a series: those that rose are hollow; in ASCII they are `+`, the others `#`."""
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
        text = (_RISEN if candle.has_risen else _FALLEN)[parts[0]][parts[1]]
        if axes.ascii_only:
            body = "+" if candle.has_risen else "#"
            text = body if _BODY in parts else "|"
        canvas.put(column, row, text, role)


def _half(price: Micros, axes: Axes) -> int:
    """Return the half row of a price, from the top."""
    last = 2 * axes.rows - 1
    return (2 * (axes.high - price) * last + (axes.high - axes.low)) // (2 * (axes.high - axes.low))


def tag_price(drawing: Drawing, line: PriceLine) -> Drawing:
    """Add the last price as a tag on the axis; a price out of range is tagged at the nearer end.

    The drawing may be seconds old; the tag never is.
    """
    if not line.points or not drawing.rows:
        return drawing
    first, last = line.points[0].price, line.points[-1].price
    low, high = drawing.prices
    at = row_of_price(Micros(min(max(last, low), high)), drawing.prices, drawing.rows)
    row = 0 if at is None else at
    if row >= len(drawing.lines):
        return drawing
    tag = f" {chart_price(last)}".ljust(drawing.axis)[: drawing.axis]
    role = Role.UP if last >= first else Role.DOWN
    width = line_width(drawing.lines[row]) - drawing.axis
    tagged = (
        *cropped(drawing.lines[row], width), Cell(tag, role, Emphasis.BOLD | Emphasis.REVERSE)
    )  # fmt: skip
    return drawing._replace(lines=(*drawing.lines[:row], tagged, *drawing.lines[row + 1 :]))


def mark_price(drawing: Drawing, price: Micros | None) -> tuple[Line, ...]:
    """Draw a horizontal line at a price, behind the curve, with the price beside it where that is free.

    Args:
        drawing: the drawing to mark.
        price: where; None or a price out of range leaves the drawing unchanged.
    """
    lines = drawing.lines
    row = None if price is None else row_of_price(price, drawing.prices, drawing.rows)
    if row is None or price is None or row >= len(lines):
        return lines
    width = line_width(lines[row])
    label = f" {chart_price(price)}".ljust(drawing.axis)
    stroke = "─"
    canvas = cropped(lines[row], width - len(label))
    marked = [cell for run in canvas for cell in _stroked(run, stroke)]
    # The tag of the last price keeps its row: what the cursor is at stands in the ladder.
    last = lines[row][-1]
    is_tagged = Emphasis.REVERSE in last.emphasis
    line = (*marked, last if is_tagged else Cell(label, Role.KEY, Emphasis.BOLD))
    return (*lines[:row], line, *lines[row + 1 :])


def _stroked(cell: Cell, stroke: str) -> list[Cell]:
    """Draw the stroke where a cell is blank or shows only the grid."""
    is_grid = bool(cell.emphasis & Emphasis.DIM)
    if is_grid or all(mark in BLANKS for mark in cell.text):
        return [Cell(stroke * len(cell.text), Role.KEY, ground=cell.ground)]
    return [
        Cell(stroke, Role.KEY, ground=cell.ground) if mark in BLANKS else cell._replace(text=mark)
        for mark in cell.text
    ]


def add_out_of_range(
    title: Line, price: Micros | None, prices: tuple[Micros, Micros], width: int
) -> Line:
    """Add the cursor's price to the title when it is out of range."""
    if price is None or prices[0] <= price <= prices[1]:
        return title
    where = "above" if price > prices[1] else "below"
    kept = trim_line(title)
    words = Cell(f"  cursor {chart_price(price)} {where} ", Role.KEY)
    line = (*kept, words)
    return fit_line(line, width) if line_width(line) <= width else title


MIN_WIDTH = 16
MIN_HEIGHT = 4
_OLD_S = 60
"""The age in seconds from which the end of a line is marked as old."""
_VOLUME_FROM = ((14, 3), (10, 2), (7, 1))
"""Pairs of a least height and the rows that volume gets from there on."""
_LEAST_VOLUME_COLUMNS = 3
"""Trades in fewer columns than these get one row, which says for how long volume is known."""
_BLOCKS = " ▁▂▃▄▅▆▇█"
_FULL = 8


class ChartStyle(Enum):
    """How a price over time is drawn."""

    LINE = "line"
    CANDLES = "candles"


@dataclass(frozen=True, slots=True)
class ChartData:
    """What is drawn for one outcome."""

    points: tuple[PricePoint, ...]
    """At least one, ascending in time."""
    until: datetime | None = None
    """The end of the time axis, if later than the last point."""
    traded: tuple[Traded, ...] = ()
    """The shares of this outcome traded over time."""
    fills: tuple[Fill, ...] = ()
    """Own fills of this outcome, in any order."""
    style: ChartStyle = ChartStyle.LINE


def paint_chart_title(
    view: HistoryView, curve: PriceLine, now: datetime, width: int
) -> tuple[Line, Line]:
    """Paint the interval, the first and last price, and the change between them.

    A line that ends before now shows its age. The other intervals are listed if they fit.
    """
    name: list[Cell] = [Cell("PRICE ", Role.HEADING), Cell(view.interval.value, Role.KEY)]
    line: list[Cell] = []
    if curve.points:
        # Both prices, because the venue states another change, over another period.
        line += paint_move(curve.points[0].price, curve.points[-1].price)
        age_s = (now - curve.points[-1].at).total_seconds()
        if curve.end is LineEnd.RESULT:
            name.append(Cell("  resolved", Role.DIM))
        elif curve.end is LineEnd.DATA and age_s >= _OLD_S:
            name.append(Cell(f"  {format_age(age_s)} old", Role.STALE))
    if line_width((*paint_intervals(view.interval), *name[2:], *line)) <= width:
        name = [*paint_intervals(view.interval), *name[2:]]
    return tuple(name), tuple(line)


def paint_intervals(chosen: Interval) -> list[Cell]:
    """Paint all intervals, the chosen one in brackets."""
    cells = [Cell("PRICE", Role.HEADING)]
    for each in Interval:
        is_chosen = each is chosen
        text = f" [{each.value}]" if is_chosen else f" {each.value}"
        cells.append(Cell(text, Role.KEY if is_chosen else Role.DIM))
    return cells


def chart_words(view: HistoryView, curve: PriceLine, width: int, height: int) -> str:
    """Return why there is no curve; empty when there is one."""
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


def draw_chart(data: ChartData, width: int, height: int, *, ascii_only: bool = False) -> Drawing:
    """Draw at least two points in exactly `height` lines of `width` cells; runs in a thread."""
    data = replace(data, points=_drawable(data.points))
    points, last = data.points, data.points[-1].price
    rows = max(height - 1, 1)
    strip = _volume_rows(data.traded, axes_over(points, width, rows, until=data.until))
    # The range is evened for the rows of prices alone, so that its labels are equally far apart.
    priced = rows - strip
    axis = _axis_width(data, width, priced)
    columns = max(width - axis, 1)
    axes = axes_over(points, columns, priced, until=data.until, ascii_only=ascii_only)
    rises = last >= points[0].price
    role = Role.UP if rises else Role.DOWN
    canvas = Canvas(columns, rows)
    draw_grid(canvas, axes)
    if data.style is ChartStyle.CANDLES:
        draw_candles(canvas, axes, points)
    else:
        curve = plot_curve(points, axes, "*" if ascii_only else "braille")
        canvas.draw(curve, role)
        canvas.tint_below(curve, Role.AREA_UP if rises else Role.AREA_DOWN)
    _draw_fills(canvas, axes, data.fills)
    _draw_volume(canvas, axes, data.traded, strip)
    names = _axis_cells(axes, strip=strip, width=axis)
    lines = [fit_line((*canvas.line(row), *names[row]), width) for row in range(rows)]
    lines.append(fit_line((Cell(time_line(axes, axis), Role.DIM),), width))
    return Drawing(tuple(lines[-height:]), axes.prices, axes.rows, axis)


def _drawable(points: tuple[PricePoint, ...]) -> tuple[PricePoint, ...]:
    """Drop invalid prices; when none remain, draw them all at one half."""
    kept = tuple(point for point in points if 0 <= point.price <= ONE)
    return kept or tuple(PricePoint(point.at, Micros(ONE // 2)) for point in points)


def _axis_width(data: ChartData, width: int, rows: int) -> int:
    axes = axes_over(data.points, width, rows)
    # The tag moves while the drawing stays, so its digits are reserved here.
    last = data.points[-1].price
    near = (chart_price(Micros(last + step)) for step in (0, FINEST, -FINEST))
    return 2 + max(len(name) for name in (*near, *price_names(axes).values()))


def _axis_cells(axes: Axes, *, strip: int, width: int) -> list[Line]:
    """Return the cells right of each row: price labels, and the volume label."""
    names = price_names(axes)
    cells: list[Line] = []
    for row in range(axes.rows + strip):
        name = names.get(row, "")
        text = f"┤ {name}" if name else ""
        if strip and row == axes.rows:
            text = "  vol"
        cells.append((Cell(text.ljust(width)[:width], Role.DIM),))
    return cells


def _draw_fills(canvas: Canvas, axes: Axes, fills: Iterable[Fill]) -> None:
    """Mark own fills at their time and price, with the letters of the order lists."""
    buy, sell, both = "B", "S", "&"
    placed: dict[tuple[int, int], set[Side]] = {}
    for fill in fills:
        column, row = axes.column_of(fill.matched_at), axes.row_of(fill.price)
        if column is not None and row is not None:
            placed.setdefault((column, row), set()).add(fill.side)
    for (column, row), sides in placed.items():
        mark = both if len(sides) > 1 else buy if Side.BUY in sides else sell
        role = Role.OWN_ORDER if len(sides) > 1 else Role.BID if Side.BUY in sides else Role.ASK
        canvas.put(column, row, mark, role, Emphasis.BOLD)


def _volume_rows(traded: Sequence[Traded], axes: Axes) -> int:
    filled = sum(1 for size in _volumes(traded, axes) if size)
    room = next((rows for least, rows in _VOLUME_FROM if axes.rows >= least), 0)
    return room if filled >= _LEAST_VOLUME_COLUMNS else min(room, filled, 1)


def _volumes(traded: Iterable[Traded], axes: Axes) -> list[int]:
    """Return the shares traded during each column."""
    volumes = [0] * axes.columns
    for each in traded:
        column = axes.column_of(each.at)
        if column is not None:
            volumes[column] += each.size
    return volumes


def _draw_volume(canvas: Canvas, axes: Axes, traded: Sequence[Traded], strip: int) -> None:
    volumes = _volumes(traded, axes)
    most = max(volumes, default=0)
    if not strip or not most:
        return
    for column, size in enumerate(volumes):
        level = max(1, size * strip * _FULL // most) if size else 0
        for row in range(strip):
            block = _BLOCKS[min(max(level - row * _FULL, 0), _FULL)]
            if block != " ":
                canvas.put(column, axes.rows + strip - 1 - row, block, Role.DIM)
    _mark_unknown(canvas, axes, traded, axes.rows + strip - 1)


def _mark_unknown(canvas: Canvas, axes: Axes, traded: Iterable[Traded], row: int) -> None:
    """Say from when on volume is known, in the columns before that."""
    # The venue's price history has no volume: it is known as far back as trades are.
    oldest = min(each.at for each in traded)
    until = axes.column_of(oldest) if oldest > axes.first else 0
    words = f"volume since {shown_time(oldest):%H:%M} "
    if until and len(words) <= until:
        for column, mark in enumerate(words, until - len(words)):
            canvas.put(column, row, mark, Role.DIM)


class ChartPane(DrawnPane, can_focus=True):
    """Price history of the outcome shown."""

    _view: HistoryView | None = None
    _token_id: TokenId | None = None
    _now: datetime | None = None
    _line = PriceLine(())
    _cursor: Micros | None = None
    _style = ChartStyle.LINE
    _traded: tuple[Traded, ...] = ()
    _fills: tuple[Fill, ...] = ()

    @property
    def style(self) -> ChartStyle:
        """Whether the pane draws a line or candles."""
        return self._style

    def show(
        self,
        view: HistoryView,
        line: PriceLine,
        *,
        token_id: TokenId,
        now: datetime,
        prints: Sequence[TradePrint] = (),
        fills: Sequence[Fill] = (),
    ) -> None:
        """Show a price history as soon as it is drawn.

        Args:
            view: the history.
            line: its prices up to now.
            token_id: the outcome.
            now: the time.
            prints: its newest public trades, for the volume.
            fills: own fills of any token; those of this one are marked.
        """
        self._view, self._line, self._token_id, self._now = view, line, token_id, now
        self._traded = with_prints(view.traded, prints)
        self._fills = tuple(fill for fill in fills if fill.token_id == token_id)
        self.repaint()

    def switch_style(self) -> None:
        """Switch between line and candles."""
        is_line = self._style is ChartStyle.LINE
        self._style = ChartStyle.CANDLES if is_line else ChartStyle.LINE
        self.repaint()

    def mark(self, price: Micros | None) -> None:
        """Mark the ladder's cursor price; None marks nothing."""
        if price != self._cursor:
            self._cursor = price
            self.repaint()

    def clear(self) -> None:
        """Remove the curve, which belongs to another market."""
        self._view, self._token_id, self._line = None, None, PriceLine(())
        self._traded, self._fills = (), ()
        self.repaint()

    @override
    def titles(self) -> tuple[Line, Line]:
        if self._view is None or self._now is None:
            return (Cell("PRICE", Role.HEADING),), ()
        width = self.title_width
        name, value = paint_chart_title(self._view, self._line, self._now, width)
        if self.shown is None:
            return name, value
        return add_out_of_range(name, self._cursor, self.shown.prices, width), value

    @override
    def words(self, width: int, height: int) -> str:
        return "" if self._view is None else chart_words(self._view, self._line, width, height)

    @override
    def picture(self, width: int, height: int) -> Picture | None:
        view = self._view
        if view is None or chart_words(view, self._line, width, height):
            return None
        points = self._line.points
        grown = (len(points), points[:1], points[-1:], len(self._traded), self._traded[-1:])
        version = (view.version, *grown, len(self._fills), self._line.until)
        subject = (self._token_id, self._style)
        return Picture(subject, view.interval, version, width, height)

    @override
    def drawing(self, picture: Picture) -> Draw | None:
        line = self._line
        if not line.is_drawable:
            return None
        data = ChartData(line.points, line.until, self._traded, self._fills, self._style)
        ascii_only = is_ascii(self)

        def draw() -> Drawing:
            return draw_chart(data, picture.width, picture.height, ascii_only=ascii_only)

        return draw

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        lines = super().paint(width, height)
        if self.shown is None:
            return lines
        return mark_price(tag_price(self.shown, self._line), self._cursor)
