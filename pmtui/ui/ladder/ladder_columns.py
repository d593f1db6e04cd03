"""Chooses and places the ladder's columns for a width.

Each side of the price is one region: the size beside the price, its bar growing away from it. Own
orders show their size and queue position on the bar, beside the book's size. A narrow ladder drops
decoration first, then detail; the price and both sides always stay, and the line of facts below the
rows shows the rest for the cursor's row.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import log1p
from typing import NamedTuple

from pmtui.domain.books.ladder import Shown
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line
from pmtui.ui.format import format_price
from pmtui.ui.plain import Align, fit
from pmtui.ui.theme.theme import Role

_SIZE = 6
_BAR, _WIDEST_BAR = 10, 24
"""A shorter bar shows little."""
_LEAST_BAR = 4
_QUEUE_FROM = 8
_TRADED = _DEPTH = 6
_PROFIT = 7
_OTHER = 4
"""The width of the other outcome's name, which is often `Down`."""
_MARKS = 2
"""Cells beside a price: one for its mark, one for the last trade."""
OWN = 6
"""The width of an own size with its sign."""


class LadderColumns(NamedTuple):
    """Widths of the ladder's columns; 0 leaves a column out."""

    size: int
    price: int
    bar: int = 0
    """On both sides; it also shows own orders."""
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
    def own(self) -> int:
        """The width of the size of own orders; 0 if it does not fit."""
        return min(self.bar, OWN) if self.bar >= _LEAST_BAR else 0

    @property
    def has_queue(self) -> bool:
        """Whether the queue ahead of own orders is shown beside their size."""
        return self.bar >= _QUEUE_FROM

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
    """The size of a side with its bar and own orders."""
    band: Callable[[], Cell]
    """The cell between bids and price."""
    price: Callable[[], Line]
    guard: Callable[[], Cell]
    """The cell between price and asks."""
    other: Callable[[], Cell]
    traded: Callable[[], Cell]
    depth: Callable[[], Cell]
    profit: Callable[[], Cell]


# Every row needs it, and it changes only with the width or the tick.
@lru_cache(maxsize=64)
def plan_columns(width: int, *, tick: Micros, with_other: bool = False) -> LadderColumns:
    """Choose the columns for a width: each takes its cells and a gap."""
    digits = len(format_price(Micros(ONE - tick), tick=tick))
    plan = LadderColumns(size=_SIZE, price=digits + _MARKS)
    free = width - 1 - 2 * (_SIZE + 1) - plan.price
    other = max(digits, _OTHER) if free > _OTHER else digits
    if with_other and free > other:
        plan, free = plan._replace(other=other), free - other - 1
    wanted = 2 * (_BAR + 1)
    if free >= wanted:
        plan, free = plan._replace(bar=_BAR), free - wanted
        for name, size in (("traded", _TRADED), ("depth", _DEPTH), ("profit", _PROFIT)):
            # An amount of money at the edge would touch the frame.
            least = size + (name == "profit")
            if free > least:
                plan, free = plan._replace(**{name: size}), free - least - 1
        return plan._replace(bar=min(_WIDEST_BAR, plan.bar + free // 2))
    bar = free // 2 - 1
    return plan._replace(bar=bar) if bar >= _LEAST_BAR else plan


# The titles change only with the columns, and every repaint compares them.
@lru_cache(maxsize=64)
def paint_titles(columns: LadderColumns, width: int, *, other_label: str = "") -> Line:
    """Paint the columns' titles. The other outcome's label is untrusted."""

    def title(text: str, size: int) -> Cell:
        return Cell(fit(text, size, Align.RIGHT), Role.DIM)

    def book(side: Side) -> Line:
        size = title("bids" if side is Side.BUY else "asks", columns.size)
        if not columns.bar:
            return (size,)
        words = ("queue", "mine") if columns.bar >= _BAR else ("mine",)
        if side is Side.BUY:
            return title(" ".join(words), columns.bar), Cell(" "), size
        names = " ".join(reversed(words))
        return size, Cell(" "), Cell(names.ljust(columns.bar), Role.DIM)

    painters = Painters(
        book=book,
        band=lambda: Cell(" "),
        price=lambda: (title("price", columns.price),),
        guard=lambda: Cell(" "),
        other=lambda: title(other_label, columns.other),
        traded=lambda: title("traded", columns.traded),
        depth=lambda: title("depth", columns.depth),
        profit=lambda: title("p/l net", columns.profit),
    )
    cells = place_cells(columns, painters, ground=None)
    return fit_line((Cell(" "), *cells), width)


def place_cells(columns: LadderColumns, paint: Painters, *, ground: Role | None) -> list[Cell]:
    """Return a row's cells from left to right, one cell between the columns."""
    gap = Cell(" ", ground=ground)
    placed: list[Cell] = [*paint.book(Side.BUY), paint.band(), *paint.price()]
    placed.append(paint.guard())
    if columns.other:
        placed += (paint.other(), gap)
    placed += paint.book(Side.SELL)
    for size, painter in (
        (columns.traded, paint.traded),
        (columns.depth, paint.depth),
        (columns.profit, paint.profit),
    ):
        if size:
            placed += (gap, painter())
    return placed


_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FULL = 8
_LOG_FROM, _LINEAR_FROM = 16, 8
"""Ratios of the largest to the median size at which the scale becomes logarithmic, and linear
again."""
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


def bar_scale(sizes: Sequence[int], current: BarScale) -> BarScale:
    """Return the scale for these sizes; both its values are powers of two.

    The current scale is kept while it roughly fits, so that bars can be compared between rows and
    over time, also while scrolling.
    """
    if not sizes:
        return current
    ranked = sorted(sizes)
    largest, usual = max(1, ranked[-1]), max(1, ranked[len(ranked) // 2])
    full = current.full
    if not full // _ROUGHLY <= largest <= full or full <= 1:
        full = _power_above(largest)
    bend = _LINEAR_FROM if current.unit else _LOG_FROM
    if largest < bend * usual:
        return BarScale(full)
    unit = current.unit
    if not unit // _ROUGHLY <= usual <= unit * _ROUGHLY or not unit:
        unit = _power_above(usual)
    return BarScale(full, unit)


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
    """Return a bar that grows away from the price, in exactly `width` cells.

    Bids grow to the left, for which Unicode has no eighths but the half. The others are drawn as
    left blocks in reversed colours, unless the row has a ground of its own or colours cannot be
    reversed (`is_plain`).
    """
    eighths = scale.eighths(size, width)
    full, rest = divmod(eighths, _FULL)
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
