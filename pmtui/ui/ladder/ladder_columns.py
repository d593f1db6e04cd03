"""Chooses and places the ladder's columns for a width.

Each side of the price is one region: the size beside the price, its bar growing away from it. Own orders are written over
the bar of their side, next to the size, so that they take no room from rows without any. At the right stands what was added
or pulled a moment ago. What a narrow ladder loses is decoration first, then detail; price, both sides and own sizes stay, and
the line of facts below the rows tells the rest of the row at the cursor.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import isqrt
from typing import NamedTuple

from pmtui.domain.books.ladder import Shown
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.format import format_price
from pmtui.ui.plain import Align, fit
from pmtui.ui.theme.theme import Role

_LEAST_SIZE, _SIZE = 5, 6
_LEAST_BAR, _WIDEST_BAR = 3, 24
_WIDEST_SPREAD = 3
_QUEUE_BAR = 8
"""A bar over which an own size and the queue before it can be written."""
_FLOW, _FLOW_NAME = 5, "Δ5s"
_OTHER = 4
"""Room for the other outcome's name, which is often `Down`."""
_PRICE = len(" price")
_EDGES = 2
"""The cursor's cell, and that of stops between price and asks."""
_MARKS = 2
"""Cells beside a price: what it is to us or to rewards, and the last trade."""
_ROOMY = (
    *(("bar", size) for size in range(_LEAST_BAR, _QUEUE_BAR + 1)), ("flow", _FLOW),
    ("bar", 9), ("bar", 10), ("size", _SIZE), ("bar", 11), ("traded", 6), ("depth", 6), ("profit", 7),
)  # fmt: skip
"""What columns get, the most important first; what does not fit is left out."""
_ON_BOTH_SIDES = ("size", "bar")
_NAMES = {Side.BUY: ("Queue Mine", "Mine", ""), Side.SELL: ("Mine Queue", "Mine", "")}
"""What is written over the bars, the longest first."""


class LadderColumns(NamedTuple):
    """Widths of the ladder's columns; 0 leaves a column out."""

    size: int
    price: int
    bar: int = 0
    """On both sides, with own orders written over it."""
    flow: int = 0
    """What was added or pulled a moment ago, on either side."""
    other: int = 0
    """The price of the other outcome."""
    traded: int = 0
    depth: int = 0
    profit: int = 0
    spread: int = 0
    """More cells before each of the last three, which are figures side by side."""

    @property
    def figures(self) -> int:
        """How many of the last three columns there are."""
        return sum(map(bool, (self.traded, self.depth, self.profit)))

    @property
    def side(self) -> int:
        """The width of one side of the book."""
        return self.size + (self.bar + 1 if self.bar else 0)

    @property
    def has_queue(self) -> bool:
        """Whether the queue before own orders stands beside their size."""
        return self.bar >= _QUEUE_BAR

    @property
    def shown(self) -> Shown:
        """The optional columns that rows must fill."""
        return Shown(
            depth=self.depth > 0,
            traded=self.traded > 0,
            profit=self.profit > 0,
            ahead=self.has_queue,
        )


class Painters(NamedTuple):
    """Paints each column. Titles and rows share the layout."""

    book: Callable[[Side], Line]
    """The size of a side, its bar and what is ours there."""
    price: Callable[[], Line]
    """The price, with a cell at each side of it."""
    guard: Callable[[], Cell]
    """The cell between price and asks."""
    other: Callable[[], Cell]
    flow: Callable[[], Cell]
    traded: Callable[[], Cell]
    depth: Callable[[], Cell]
    profit: Callable[[], Cell]


# Every row needs it, and it changes only with the width or the tick.
@lru_cache(maxsize=64)
def plan_columns(width: int, *, tick: Micros, with_other: bool = False) -> LadderColumns:
    """Choose the columns for a width."""
    digits = len(format_price(Micros(ONE - tick), tick=tick))
    plan = LadderColumns(size=_LEAST_SIZE, price=max(digits + _MARKS, _PRICE))
    free = width - _EDGES - 2 * plan.size - plan.price
    other = max(digits, _OTHER) if free > _OTHER else digits
    if with_other and free > other:
        plan, free = plan._replace(other=other), free - other - 1
    for name, size in _ROOMY:
        cost = _cost(plan, name, size)
        if cost <= free:
            plan, free = plan._replace(**{name: size}), free - cost
    plan, free = _spread(plan, free, most=1)
    if plan.bar:
        longer = min(_WIDEST_BAR - plan.bar, free // 2)
        plan, free = plan._replace(bar=plan.bar + longer), free - 2 * longer
    return _spread(plan, free, most=_WIDEST_SPREAD)[0]


def _spread(plan: LadderColumns, free: int, *, most: int) -> tuple[LadderColumns, int]:
    """Set the last columns apart by at most so many more cells; return the cells still free."""
    more = min(free // plan.figures, most - plan.spread) if plan.figures else 0
    return plan._replace(spread=plan.spread + more), free - more * plan.figures


def _cost(plan: LadderColumns, name: str, size: int) -> int:
    """Return the cells that a column takes from the others, with the one that sets it apart."""
    had: int = getattr(plan, name)
    more = size - had + (not had)
    # The last figures must not be glued to the frame.
    return more * 2 if name in _ON_BOTH_SIDES else more + (name == "flow")


# The titles change only with the columns, and every repaint compares them.
@lru_cache(maxsize=64)
def paint_titles(
    columns: LadderColumns, width: int, *, other_label: str = "",
    above: tuple[Line, ...] = (), below: tuple[Line, ...] = (),
) -> Line:  # fmt: skip
    """Name the columns, with what is ours and out of view in the cells that no name needs.

    Args:
        columns: those there are.
        width: cells of the line.
        other_label: the other outcome's untrusted name.
        above: forms of what is ours above the rows in view, the longest first.
        below: the same below them.
    """
    # The cells before the name of the flow lengthen those over the bar.
    lent = max(columns.flow - len(_FLOW_NAME), 0)

    def title(text: str, size: int) -> Cell:
        return Cell(fit(text, size, Align.RIGHT), Role.HEADING)

    def book(side: Side) -> Line:
        name, forms = ("Bids", above) if side is Side.BUY else ("Asks", below)
        size = title(name, columns.size)
        if not columns.bar:
            return (size,)
        room = columns.bar if side is Side.BUY else columns.bar + lent
        names: Sequence[str] = _NAMES[side]
        if forms and columns.has_queue:
            # Both or neither: one name alone would be that of both.
            names = (names[0], names[-1])
        over = _name_bar(
            names, forms, room, side=side, has_next=side is Side.SELL and columns.flow > 0
        )
        return (*over, Cell(" "), size) if side is Side.BUY else (size, Cell(" "), *over)

    painters = Painters(
        book=book,
        price=lambda: (title("Price", columns.price),),
        guard=lambda: Cell(" "),
        other=lambda: title(other_label, columns.other),
        flow=lambda: title(_FLOW_NAME, columns.flow - lent),
        traded=lambda: title("Traded", columns.traded),
        depth=lambda: title("Depth", columns.depth),
        profit=lambda: title("P&L net", columns.profit),
    )
    return fit_line((Cell(" "), *place_cells(columns, painters, ground=None)), width)


def _name_bar(
    names: Sequence[str], forms: tuple[Line, ...], room: int, *, side: Side, has_next: bool
) -> Line:
    """Name what is written over a bar next to the price, with what is out of view at its far end.

    In exactly `room` cells; where not both fit, the name gives way. If the name of another column follows,
    one cell more sets it apart.
    """
    apart = (Cell(" "),) if has_next else ()
    for form in ((*each, *apart) for each in forms) if forms else ((),):
        taken = line_width(form)
        for name in names:
            free = room - taken - len(name)
            # A cell without a name stands before the sizes' own gap.
            if free >= 2 * bool(name and form):
                between, word = Cell(" " * free), Cell(name, Role.HEADING)
                return (*form, between, word) if side is Side.BUY else (word, between, *form)
    return (Cell(" " * room),)


def place_cells(columns: LadderColumns, paint: Painters, *, ground: Role | None) -> list[Cell]:
    """Return a row's cells from left to right, one cell between the columns."""
    gap = Cell(" ", ground=ground)
    placed: list[Cell] = [*paint.book(Side.BUY), *paint.price(), paint.guard()]
    if columns.other:
        placed += (paint.other(), gap)
    placed += paint.book(Side.SELL)
    if columns.flow:
        placed += (gap, paint.flow())
    apart = Cell(" " * (1 + columns.spread), ground=ground)
    for size, painter in (
        (columns.traded, paint.traded),
        (columns.depth, paint.depth),
        (columns.profit, paint.profit),
    ):
        if size:
            placed += (apart, painter())
    return placed


_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BLOCK, _SHADE = "█", "▒"
_FULL = 8
_ROUGHLY = 4
"""By what factor sizes may fall below the scale before it is changed."""


class BarScale(NamedTuple):
    """The length of a size's bar: it grows with the square root, so that walls differ and the rest is still seen."""

    full: int = 1
    """The size of a full bar."""

    def eighths(self, size: int, width: int) -> int:
        """Return a bar's length in eighths of a cell; every size above 0 shows something."""
        if size <= 0 or width <= 0:
            return 0
        most = width * _FULL
        return most if size >= self.full else max(1, isqrt(size * most * most // self.full))


def bar_scale(
    sizes: Sequence[int], current: BarScale, *, around: Sequence[int] = ()
) -> BarScale:  # fmt: skip
    """Return the scale for these sizes; a full bar is a power of two.

    It stays while it roughly fits: bars must compare from row to row and from one moment to the next.

    Args:
        sizes: those that fit into a bar, whatever it costs.
        current: the scale so far.
        around: sizes somewhat further away too: while one of them needs the scale, it does not fall, so
            that a wall at the edge of what counts does not swing it with every tick.
    """
    if not sizes:
        return current
    largest, full = max(1, *sizes), current.full
    if largest > full or full <= 1 or max((largest, *around)) < full // _ROUGHLY:
        return BarScale(1 << (largest - 1).bit_length())
    return current


ARROWS = {Side.BUY: "◄", Side.SELL: "►"}


class BarLook(NamedTuple):
    """How a bar looks."""

    side: Side
    role: Role
    emphasis: Emphasis = Emphasis.NONE
    ground: Role | None = None
    """That of the row."""
    is_plain: bool = False
    """Whether colours cannot be reversed."""

    @property
    def is_shaded(self) -> bool:
        """Whether blocks are a shade: full ones would be gaps in a row that is reversed itself."""
        return self.is_plain and self.ground is Role.CURSOR_ROW


_BAR_GROUNDS = {Side.BUY: Role.BID_BAR, Side.SELL: Role.ASK_BAR}


def paint_bar(
    size: int, scale: BarScale, width: int, *, look: BarLook, over: Line = ()
) -> Line:  # fmt: skip
    """Return a bar that grows away from the price, in exactly `width` cells; one that ought to be longer ends in an arrow.

    Under what is written over it, next to the price, the bar goes on as a ground: in its own colour, word by word.
    """
    taken, eighths = line_width(over), scale.eighths(size, width)
    text = _on_bar(over, eighths, look=look)
    full, rest = divmod(max(eighths - taken * _FULL, 0), _FULL)
    is_cut = size > scale.full and full > 0
    blocks = _paint_blocks(full, rest, width - taken, look=look, is_cut=is_cut)
    return (*blocks, *text) if look.side is Side.BUY else (*text, *blocks)


def _on_bar(text: Line, eighths: int, *, look: BarLook) -> Line:
    """Return a text with the bar as the ground of the words that it covers by half or more.

    A bar that ended inside a number would make two colours of it, and neither part could be read.
    """
    is_bid = look.side is Side.BUY
    left = (eighths + _FULL // 2) // _FULL
    cells: list[Cell] = []
    for cell in reversed(text) if is_bid else text:
        width = line_width((cell,))
        is_on = 0 < width <= 2 * left
        left = max(left - width, 0)
        if cell.ground is not None:
            # Something that flashes has a ground of its own.
            cells.append(cell)
        else:
            cells.append(_covered(cell, look) if is_on else cell._replace(ground=look.ground))
    return tuple(reversed(cells) if is_bid else cells)


def _covered(cell: Cell, look: BarLook) -> Cell:
    """Return a text on the bar, in the colour that the bar's blocks have on this row."""
    if look.ground is None:
        return cell._replace(ground=_BAR_GROUNDS[look.side])
    kept = cell.emphasis & Emphasis.UNDERLINE
    if look.is_shaded:
        # Text on a shade would be unreadable.
        return cell._replace(ground=look.ground)
    return cell._replace(role=look.role, emphasis=kept | Emphasis.REVERSE, ground=look.ground)


def _paint_blocks(full: int, rest: int, width: int, *, look: BarLook, is_cut: bool) -> Line:
    """Return so many full cells and eighths of one in `width` cells.

    Bids grow to the left, for which Unicode has no eighths but the half. The others are drawn as
    left blocks in reversed colours, unless the row has a ground of its own or colours cannot be
    reversed.
    """
    side, role, emphasis, ground, is_plain = look
    is_bid, block = side is Side.BUY, _BLOCK
    if look.is_shaded:
        # There are no parts of a shade.
        block, full, rest = _SHADE, max(full + rest // (_FULL // 2), int(rest > 0)), 0
    if is_cut:
        blocks, arrow = block * (full - 1), ARROWS[side]
        return (Cell(arrow + blocks if is_bid else blocks + arrow, role, emphasis, ground),)
    blank = Cell(" " * (width - full - bool(rest)), ground=ground)
    bar = Cell(block * full, role, emphasis, ground)
    tip = Cell(_EIGHTHS[rest], role, emphasis, ground)
    if is_bid and rest:
        if ground is None and not is_plain:
            tip = Cell(_EIGHTHS[_FULL - rest], role, emphasis | Emphasis.REVERSE)
        else:
            tip = tip._replace(text="▐" if rest >= _FULL // 2 else "▕")
    parts = (blank, tip, bar) if is_bid else (bar, tip, blank)
    return tuple([cell for cell in parts if cell.text.strip(" ") or (cell is blank and cell.text)])
