"""The depth chart: how much rests up to each price, bids to the left and asks to the right."""

from collections.abc import Sequence

from pmtui.domain.books.book_view import BookView, DepthCurve, Reach, Span
from pmtui.domain.money import SCALE, Micros
from pmtui.ui.cells import Cell, Line, fit_line, join_runs, line_width
from pmtui.ui.format import format_axis_size, format_price, format_size_compact
from pmtui.ui.theme.theme import Role

MIN_WIDTH = 20
MIN_HEIGHT = 3
_GUTTER = 7
_BLOCKS = " ▁▂▃▄▅▆▇█"
_ASCII_BLOCKS = " ...::::#"
_FULL = 8
_ROUGHLY = 4
"""How much emptier the chart may become before its scale follows."""


def depth_scale(largest: int, current: int) -> int:
    """Return the size that fills the chart: 1, 2 or 5 of a power of ten, and it rarely changes."""
    largest = max(largest, SCALE)
    if largest <= current <= largest * _ROUGHLY:
        return current
    step = SCALE
    while step * 5 < largest:
        step *= 10
    return next(step * times for times in (1, 2, 5) if step * times >= largest)


def paint_depth_title(
    book: BookView,
    curve: DepthCurve,
    reach: Reach,
    cursor: Micros | None,
    width: int,
    *,
    ascii_only: bool = False,
) -> Line:
    """Name the chart, and say what rests up to the cursor."""
    far = "all" if reach is Reach.EVERYTHING else f"{reach.value}{'c' if ascii_only else '¢'}"
    line = [Cell("Depth ", Role.HEADING), Cell(f"{far} ", Role.KEY)]
    if not book.state.is_good:
        line.append(Cell(f"{book.state.words} ", Role.STALE))
    fact = _at_cursor(curve, cursor, book.tick_size, ascii_only=ascii_only)
    if line_width((*line, *fact)) <= width:
        line += fact
    return fit_line(tuple(line), width, ascii_only=ascii_only)


def paint_depth(
    curve: DepthCurve,
    span: Span,
    width: int,
    height: int,
    *,
    scale: int,
    cursor: Micros | None = None,
    is_good: bool = True,
    ascii_only: bool = False,
) -> tuple[Line, ...]:
    """Draw both curves in exactly `height` lines, the last of which names prices.

    Args:
        curve: the sizes added up.
        span: the prices from left to right.
        width: cells there are.
        height: lines there are.
        scale: the size that reaches the top.
        cursor: the price that the ladder points at.
        is_good: whether the book may be traded from.
        ascii_only: whether to keep to ASCII.
    """
    parts, rows = width - _GUTTER, height - 1
    bids, asks = curve.bid_steps(span, parts), curve.ask_steps(span, parts)
    roles = [
        Role.STALE if not is_good else Role.BID_BAR if bid > ask else Role.ASK_BAR
        for bid, ask in zip(bids, asks, strict=True)
    ]
    levels = [_level(max(both), scale, rows) for both in zip(bids, asks, strict=True)]
    at = None if cursor is None else span.part_of(cursor, parts)
    lines = []
    for row in range(rows - 1, -1, -1):
        # Where a row ends at the half, the half is named too.
        named = {rows - 1: scale} if rows % 2 else {rows - 1: scale, rows // 2 - 1: scale // 2}
        gutter = " " * _GUTTER
        if row in named:
            mark = format_axis_size(Micros(named[row]), end=Micros(scale), width=_GUTTER - 1)
            gutter = f"{mark} "
        cells = _row(levels, roles, row, at, ascii_only=ascii_only)
        lines.append(fit_line((Cell(gutter, Role.DIM), *cells), width, ascii_only=ascii_only))
    labels = _price_labels(span, parts, cursor, ascii_only=ascii_only)
    lines.append(fit_line((Cell(" " * _GUTTER), *labels), width, ascii_only=ascii_only))
    return tuple(lines)


def largest_depth(curve: DepthCurve, span: Span) -> int:
    """Return the most that there is to show within a span."""
    return max(curve.bid_depth(span.low), curve.ask_depth(span.high))


def _level(depth: int, scale: int, rows: int) -> int:
    return min(rows * _FULL, max(1, depth * rows * _FULL // scale)) if depth else 0


def _row(
    levels: Sequence[int], roles: Sequence[Role], row: int, at: int | None, *, ascii_only: bool
) -> Line:
    blocks = _ASCII_BLOCKS if ascii_only else _BLOCKS
    marks: list[tuple[Role, str]] = []
    for part, level in enumerate(levels):
        block = blocks[min(max(level - row * _FULL, 0), _FULL)]
        if part == at and block == " ":
            marks.append((Role.KEY, "|" if ascii_only else "│"))
        else:
            marks.append((roles[part], block))
    return join_runs(marks)


def _price_labels(
    span: Span, parts: int, cursor: Micros | None, *, ascii_only: bool
) -> tuple[Cell, ...]:
    """Name both ends and the middle, and the cursor's price where it is in sight."""
    middle = Micros((span.low + span.high) // 2)
    low, between, high = (
        format_price(price, ascii_only=ascii_only) for price in (span.low, middle, span.high)
    )
    places = [(0, low), ((parts - len(between)) // 2, between), (parts - len(high), high)]
    at = None if cursor is None else span.part_of(cursor, parts)
    if at is None or cursor is None:
        return (Cell(_placed(places, parts), Role.DIM),)
    mark = f"{'^' if ascii_only else '▲'}{format_price(cursor, ascii_only=ascii_only)}"
    # The mark stands below its column, or ends there where the edge is near.
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


def _at_cursor(
    curve: DepthCurve, cursor: Micros | None, tick: Micros | None, *, ascii_only: bool
) -> list[Cell]:
    if cursor is None:
        return []
    bid, ask = curve.bid_depth(cursor), curve.ask_depth(cursor)
    at = format_price(cursor, tick=tick, ascii_only=ascii_only)
    if not bid and not ask:
        return [Cell(f"nothing up to {at} ", Role.DIM)]
    size = format_size_compact(bid or ask).strip()
    words = "bid down to" if bid else "asked up to"
    role = Role.BID if bid else Role.ASK
    return [Cell(f"{size} ", role), Cell(f"{words} {at} ", Role.DIM)]
