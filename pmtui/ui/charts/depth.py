"""The depth of the book: sizes cumulated from the touch outwards, within the prices that matter."""

from collections.abc import Iterable, Sequence

from typing_extensions import override

from pmtui.domain.books.book_view import (
    BookState,
    BookView,
    DepthCurve,
    Reach,
    Span,
    default_reach,
    depth_curve,
    depth_within,
    span_around,
)
from pmtui.domain.money import SCALE, Micros
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.charts.plot import Canvas
from pmtui.ui.format import format_axis_size, format_price, format_size_compact
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_pane import LinePane
from pmtui.ui.widgets.panel import trim_line

MIN_WIDTH = 20
MIN_HEIGHT = 3
_GUTTER = 7
_BLOCKS = " ▁▂▃▄▅▆▇█"
_FULL = 8
_ROUGHLY = 3
"""How much larger than the largest size, in halves, the scale may be before it shrinks."""
_STEPS = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
"""Scales of the chart, in tenths of a power of ten."""
_A_CENT = Micros(SCALE // 100)


def depth_scale(largest: int, current: int) -> int:
    """Return the size at full height: a round one, kept as long as it fits."""
    largest = max(largest, SCALE)
    if largest <= current <= largest * _ROUGHLY // 2:
        return current
    unit = SCALE
    while unit * 10 < largest:
        unit *= 10
    return next(unit * tenths // 10 for tenths in _STEPS if unit * tenths // 10 >= largest)


def paint_depth_title(
    book: BookView, curve: DepthCurve, reach: Reach, cursor: Micros | None, width: int
) -> tuple[Line, Line]:
    """Paint the title and the size resting up to the cursor, or within a cent without a cursor."""
    far = "all" if reach is Reach.EVERYTHING else f"{reach.value}¢"
    line = [Cell("DEPTH ", Role.HEADING), Cell(far, Role.KEY)]
    if not book.state.is_good:
        line.append(Cell(f" {book.state.words}", Role.STALE))
    fact = _at_cursor(curve, cursor, book.tick_size)
    if cursor is None:
        fact = _near(book)
    name, value = tuple(line), trim_line(tuple(fact))
    has_room = line_width(name) + line_width(value) <= width
    return fit_line(name, min(width, line_width(name))), value if has_room else ()


def paint_depth(
    curve: DepthCurve,
    span: Span,
    width: int,
    height: int,
    *,
    scale: int,
    cursor: Micros | None = None,
    is_good: bool = True,
) -> tuple[Line, ...]:
    """Draw both curves in exactly `height` lines, the last of which labels prices.

    Args:
        curve: the cumulated sizes.
        span: the range of prices.
        width: the cells available.
        height: the lines available.
        scale: the size at full height.
        cursor: the ladder's cursor price.
        is_good: whether the book may be traded from.
    """
    parts, rows = width - _GUTTER, height - 1
    bids, asks = curve.bid_steps(span, parts), curve.ask_steps(span, parts)
    roles = [
        Role.STALE if not is_good else Role.BID if bid > ask else Role.ASK
        for bid, ask in zip(bids, asks, strict=True)
    ]
    levels = [_level(max(both), scale, rows) for both in zip(bids, asks, strict=True)]
    at = None if cursor is None else span.part_of(cursor, parts)
    canvas = Canvas(parts, rows)
    _draw_grid(canvas, named_rows(rows, scale))
    _draw_sides(canvas, levels, roles)
    if at is not None:
        for row in range(rows - levels[at] // _FULL - bool(levels[at] % _FULL)):
            canvas.put(at, row, "│", Role.KEY)
    lines = []
    named = named_rows(rows, scale)
    for row in range(rows):
        gutter = " " * _GUTTER
        if row in named:
            mark = format_axis_size(Micros(named[row]), end=Micros(scale), width=_GUTTER - 1)
            gutter = f"{mark} "
        line = (Cell(gutter, Role.DIM), *canvas.line(row))
        lines.append(fit_line(line, width))
    labels = _price_labels(span, parts, cursor)
    lines.append(fit_line((Cell(" " * _GUTTER), *labels), width))
    return tuple(lines)


def named_rows(rows: int, scale: int) -> dict[int, int]:
    """Return the labelled sizes by their rows from the top."""
    # The half is labelled only if a row ends there.
    return {0: scale} if rows % 2 else {0: scale, rows // 2: scale // 2}


def _draw_grid(canvas: Canvas, named: Iterable[int]) -> None:
    for row in named:
        for column in range(canvas.columns):
            canvas.put(column, row, "┈", Role.DIM, Emphasis.DIM)


def _draw_sides(canvas: Canvas, levels: Sequence[int], roles: Sequence[Role]) -> None:
    """Fill each column up to its level, its edge brighter than the rest."""
    for column, level in enumerate(levels):
        for row in range(canvas.rows):
            below = (canvas.rows - 1 - row) * _FULL
            block = _BLOCKS[min(max(level - below, 0), _FULL)]
            if block != " ":
                is_edge = level - below <= _FULL
                emphasis = Emphasis.NONE if is_edge else Emphasis.DIM
                canvas.put(column, row, block, roles[column], emphasis)


def largest_depth(curve: DepthCurve, span: Span) -> int:
    """Return the largest cumulated size within a span."""
    return max(curve.bid_depth(span.low), curve.ask_depth(span.high))


def _level(depth: int, scale: int, rows: int) -> int:
    return min(rows * _FULL, max(1, depth * rows * _FULL // scale)) if depth else 0


def _price_labels(span: Span, parts: int, cursor: Micros | None) -> tuple[Cell, ...]:
    """Label both ends and the middle, and the cursor's price if it is in range."""
    middle = Micros((span.low + span.high) // 2)
    low, between, high = (format_price(price) for price in (span.low, middle, span.high))
    places = [(0, low), ((parts - len(between)) // 2, between), (parts - len(high), high)]
    at = None if cursor is None else span.part_of(cursor, parts)
    if at is None or cursor is None:
        return (Cell(_placed(places, parts), Role.DIM),)
    mark = f"↑{format_price(cursor)}"
    # The mark starts below its column, or ends there when the edge is near.
    start = at if at + len(mark) <= parts else parts - len(mark)
    end = start + len(mark)
    kept = [(x, text) for x, text in places if x + len(text) < start or x > end]
    text = _placed(kept, parts)
    return (
        Cell(text[:start], Role.DIM), Cell(mark, Role.KEY), Cell(text[end:], Role.DIM),
    )  # fmt: skip


def _placed(places: Sequence[tuple[int, str]], width: int) -> str:
    text = " " * width
    for x, label in places:
        text = text[:x] + label + text[x + len(label) :]
    return text[:width]


_SIZE = 6


def _near(book: BookView) -> list[Cell]:
    bids, asks = (
        format_size_compact(size, width=_SIZE).strip() for size in depth_within(book, _A_CENT)
    )
    return [
        Cell("within 1¢ ", Role.DIM),
        Cell(f"{bids} ", Role.BID),
        Cell("/ ", Role.DIM),
        Cell(f"{asks} ", Role.ASK),
    ]


def _at_cursor(curve: DepthCurve, cursor: Micros | None, tick: Micros | None) -> list[Cell]:
    if cursor is None:
        return []
    bid, ask = curve.bid_depth(cursor), curve.ask_depth(cursor)
    at = format_price(cursor, tick=tick)
    if not bid and not ask:
        return [Cell(f"nothing up to {at} ", Role.DIM)]
    size = format_size_compact(bid or ask).strip()
    words = "bid down to" if bid else "asked up to"
    role = Role.BID if bid else Role.ASK
    return [Cell(f"{size} ", role), Cell(f"{words} {at} ", Role.DIM)]


class DepthPane(LinePane, can_focus=True):
    """Depth of the book shown; computed only while the pane is visible."""

    DEFAULT_CSS = "DepthPane { height: 1fr; }"

    _book: BookView | None = None
    _cursor: Micros | None = None
    _curve: DepthCurve | None = None
    _chosen: Reach | None = None
    _reach = Reach.TEN
    """The range that shows the relevant levels of this market."""
    _scale = 1

    @property
    def reach(self) -> Reach:
        """The distance shown from the middle: the trader's choice, else the book's range."""
        return self._chosen or self._reach

    def show(self, book: BookView | None, cursor: Micros | None) -> None:
        """Show a book and the ladder's cursor price."""
        if book is not self._book:
            self._fit_reach(book)
            self._book = book
            self._curve = None
        elif cursor == self._cursor:
            return
        self._cursor = cursor
        if self.region.area:
            self.repaint()

    def shift_reach(self, steps: int) -> bool:
        """Zoom in or out; return whether the range changed."""
        before = self.reach
        self._chosen = before.shifted(steps)
        self.repaint()
        return self._chosen is not before

    def _fit_reach(self, book: BookView | None) -> None:
        """Choose the range once for each market: one that follows the book would never settle."""
        before = self._book
        has_levels = book is not None and bool(book.bids or book.asks)
        had_levels = before is not None and bool(before.bids or before.asks)
        is_other = book is not None and before is not None and book.token_id != before.token_id
        if book is not None and has_levels and (is_other or not had_levels):
            self._reach = default_reach(book)

    @override
    def titles(self) -> tuple[Line, Line]:
        if self._book is None:
            return (Cell("DEPTH", Role.HEADING),), ()
        return paint_depth_title(
            self._book, self._added_up(self._book), self.reach, self._cursor, self.title_width,
        )  # fmt: skip

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        book = self._book
        words = ""
        if width < MIN_WIDTH or height < MIN_HEIGHT:
            words = "No room for the chart."
        elif book is None or book.state is BookState.LOADING:
            words = "Loading the book…"
        elif not (book.bids or book.asks):
            words = "The book is empty."
        if words or book is None:
            return (fit_line((Cell(words, Role.DIM),), width),)
        curve, span = self._added_up(book), span_around(book, self.reach)
        self._scale = depth_scale(largest_depth(curve, span), self._scale)
        return paint_depth(
            curve, span, width, height, scale=self._scale, cursor=self._cursor,
            is_good=book.state.is_good,
        )  # fmt: skip

    def _added_up(self, book: BookView) -> DepthCurve:
        if self._curve is None:
            self._curve = depth_curve(book)
        return self._curve
