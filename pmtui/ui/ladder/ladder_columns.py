"""Chooses and places the ladder's columns for a width.

Own orders have a column at the left edge, for both sides: their size, and what is ahead of them in the queue. Each side of
the price is one region: the size beside the price, its bar growing away from it. At the right stands what was added or
pulled a moment ago. What a narrow ladder loses is decoration first, then detail; price, both sides and own sizes stay, and
the line of facts below the rows tells the rest of the row at the cursor.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import log1p
from typing import NamedTuple

from pmtui.domain.books.ladder import Shown
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.format import format_price
from pmtui.ui.plain import Align, fit
from pmtui.ui.theme.theme import Role

_LEAST_SIZE, _SIZE = 5, 6
_LEAST_BAR, _WIDEST_BAR = 4, 24
_MINE, _OWN, _WIDE_OWN = 5, 9, 12
"""Room for the size of own orders; with the queue before them; with both ends of it."""
_FLOW, _FLOW_NAME = 5, "Δ5s"
_OTHER = 4
"""Room for the other outcome's name, which is often `Down`."""
_PRICE = len(" price")
_EDGES = 2
"""The cursor's cell, and that of stops between price and asks."""
_MARKS = 2
"""Cells beside a price: what it is to us or to rewards, and the last trade."""
_MINIMAL = (("own", _MINE), ("size", _SIZE))
_ROOMY = (
    ("own", _MINE), ("bar", _LEAST_BAR), ("own", _OWN), ("bar", 5), ("flow", _FLOW), ("bar", 6),
    ("size", _SIZE), ("bar", 8), ("traded", 6), ("depth", 6), ("profit", 7), ("bar", 10),
    ("own", _WIDE_OWN),
)  # fmt: skip
"""What columns get, the most important first; what does not fit is left out."""
_ON_BOTH_SIDES = ("size", "bar")


class LadderColumns(NamedTuple):
    """Widths of the ladder's columns; 0 leaves a column out."""

    size: int
    price: int
    bar: int = 0
    """On both sides."""
    own: int = 0
    """Own orders of either side."""
    flow: int = 0
    """What was added or pulled a moment ago, on either side."""
    other: int = 0
    """The price of the other outcome."""
    traded: int = 0
    depth: int = 0
    profit: int = 0

    @property
    def side(self) -> int:
        """The width of one side of the book."""
        return self.size + (self.bar + 1 if self.bar else 0)

    @property
    def has_queue(self) -> bool:
        """Whether the queue before own orders stands beside their size."""
        return self.own >= _OWN

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

    own: Callable[[], Line]
    book: Callable[[Side], Line]
    """The size of a side with its bar."""
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
    bars = _MINE + 1 + _cost(plan, "bar", _LEAST_BAR)
    for name, size in _ROOMY if bars <= free else _MINIMAL:
        cost = _cost(plan, name, size)
        if cost <= free:
            plan, free = plan._replace(**{name: size}), free - cost
    return plan._replace(bar=min(_WIDEST_BAR, plan.bar + free // 2)) if plan.bar else plan


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
        return Cell(fit(text, size, Align.RIGHT), Role.DIM)

    def own() -> Line:
        # Its first cell is the cursor's, which no title needs.
        return (title("queue mine" if columns.has_queue else "mine", columns.own + 1),)

    def book(side: Side) -> Line:
        name, forms = ("bids", above) if side is Side.BUY else ("asks", below)
        named, blank = Cell(name, Role.DIM), Cell(" ")
        if side is Side.BUY or not columns.bar:
            return (*_fit_form(forms, columns.side - len(name) - 1), blank, named)
        before = Cell(" " * (columns.size - len(name)))
        return (before, named, blank, *_fit_form(forms, columns.bar + lent))

    painters = Painters(
        own=own,
        book=book,
        price=lambda: (title("price", columns.price),),
        guard=lambda: Cell(" "),
        other=lambda: title(other_label, columns.other),
        flow=lambda: title(_FLOW_NAME, columns.flow - lent),
        traded=lambda: title("traded", columns.traded),
        depth=lambda: title("depth", columns.depth),
        profit=lambda: title("p/l net", columns.profit),
    )
    cells = place_cells(columns, painters, ground=None)
    return fit_line((*(() if columns.own else (Cell(" "),)), *cells), width)


def _fit_form(forms: tuple[Line, ...], room: int) -> Line:
    """Return the longest form for which there is room, in exactly as many cells."""
    form = next((each for each in forms if line_width(each) <= room), ())
    return fit_line(form, room) if room > 0 else ()


def place_cells(columns: LadderColumns, paint: Painters, *, ground: Role | None) -> list[Cell]:
    """Return a row's cells from left to right, one cell between the columns."""
    gap = Cell(" ", ground=ground)
    placed: list[Cell] = [*paint.own(), gap] if columns.own else []
    placed += (*paint.book(Side.BUY), *paint.price(), paint.guard())
    if columns.other:
        placed += (paint.other(), gap)
    placed += paint.book(Side.SELL)
    for size, painter in (
        (columns.flow, paint.flow),
        (columns.traded, paint.traded),
        (columns.depth, paint.depth),
        (columns.profit, paint.profit),
    ):
        if size:
            placed += (gap, painter())
    return placed


_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FULL = 8
_LOG_FROM, _LINEAR_FROM = 8, 4
"""How many times the usual size the largest has to be for a logarithmic scale, and to leave it."""
_ROUGHLY = 4
"""By what factor sizes may fall below the scale before it is changed."""


class BarScale(NamedTuple):
    """The length of a size's bar."""

    full: int = 1
    """The size of a full bar."""
    unit: int = 0
    """The size at which a logarithmic scale bends; 0 for a linear scale."""

    def eighths(self, size: int, width: int) -> int:
        """Return a bar's length in eighths of a cell; every size above 0 shows something."""
        if size <= 0 or width <= 0:
            return 0
        most = width * _FULL
        if size >= self.full:
            return most
        if self.unit:
            part = log1p(size / self.unit) / log1p(self.full / self.unit)
            return min(most, max(1, int(part * most)))
        return max(1, size * most // self.full)


def bar_scale(
    sizes: Sequence[int], current: BarScale, *, around: Sequence[int] = ()
) -> BarScale:  # fmt: skip
    """Return the scale for these sizes; both its figures are powers of two.

    It stays while it roughly fits: bars must compare from row to row and from one moment to the next.

    Args:
        sizes: those that fit into a bar, whatever it costs.
        current: the scale so far.
        around: sizes somewhat further away too: while one of them needs the scale, it does not fall, so
            that a wall at the edge of what counts does not swing it with every tick.
    """
    if not sizes:
        return current
    ranked = sorted(sizes)
    largest, usual = max(1, ranked[-1]), max(1, ranked[len(ranked) // 2])
    full = current.full
    if largest > full or full <= 1 or max((largest, *around)) < full // _ROUGHLY:
        full = _power_above(largest)
    bend = _LINEAR_FROM if current.unit else _LOG_FROM
    if largest < bend * usual:
        return BarScale(full)
    unit = current.unit
    if not unit // _ROUGHLY <= usual <= unit * _ROUGHLY or not unit:
        unit = _power_above(usual)
    return BarScale(full, unit)


_ARROWS = {Side.BUY: "◄", Side.SELL: "►"}


def _power_above(size: int) -> int:
    return 1 << (size - 1).bit_length()


def paint_bar(
    size: int,
    scale: BarScale,
    width: int,
    *,
    side: Side,
    role: Role,
    emphasis: Emphasis = Emphasis.NONE,
    ground: Role | None = None,
    is_plain: bool = False,
) -> Line:
    """Return a bar that grows away from the price, in exactly `width` cells; one that ought to be longer ends in an arrow.

    Bids grow to the left, for which Unicode has no eighths but the half. The others are drawn as
    left blocks in reversed colours, unless the row has a ground of its own or colours cannot be
    reversed (`is_plain`).
    """
    eighths = scale.eighths(size, width)
    full, rest = divmod(eighths, _FULL)
    if size > scale.full and full:
        blocks, arrow = "█" * (full - 1), _ARROWS[side]
        whole = arrow + blocks if side is Side.BUY else blocks + arrow
        return (Cell(whole, role, emphasis, ground),)
    blank = Cell(" " * (width - full - bool(rest)), ground=ground)
    bar = Cell("█" * full, role, emphasis, ground)
    tip = Cell(_EIGHTHS[rest], role, emphasis, ground)
    if side is Side.BUY and rest:
        if ground is None and not is_plain:
            tip = Cell(_EIGHTHS[_FULL - rest], role, emphasis | Emphasis.REVERSE)
        else:
            tip = tip._replace(text="▐" if rest >= _FULL // 2 else "▕")
    parts = (bar, tip, blank) if side is Side.SELL else (blank, tip, bar)
    return tuple([cell for cell in parts if cell.text.strip(" ") or (cell is blank and cell.text)])
