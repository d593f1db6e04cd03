"""Bars beside the sizes: one scale for all rows, which does not jump, and no bar that is cut.

Sizes of one order of magnitude are drawn in proportion. Where the largest is many times the usual one,
the scale is logarithmic: walls differ from each other, and all others are still seen.
"""

from collections.abc import Sequence
from math import log1p
from typing import NamedTuple

from pmtui.domain.markets.market import Side
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.theme.theme import Role

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FULL = 8
_LOG_FROM, _LINEAR_FROM = 16, 8
"""How many times the usual size the largest has to be for a logarithmic scale, and to leave it."""
_ROUGHLY = 4
"""How much smaller than the scale sizes may become before the bars grow."""


class BarScale(NamedTuple):
    """How long the bar of a size is."""

    full: int = 1
    """The size that fills a bar."""
    unit: int = 0
    """The size at which a logarithmic scale begins to bend; 0 for one in proportion."""

    def eighths(self, size: int, width: int) -> int:
        """Return a bar's length in eighths of a cell; something is seen of everything."""
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
    """Return the scale for these sizes; both its figures are powers of two.

    It stays while it roughly fits: bars must compare from row to row and from one moment to the next,
    also while one scrolls.
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

    Bids grow to the left, where no block leans but the half: the other steps are blocks that lean
    left with their colours exchanged. Where a row has a ground of its own, or the terminal shows
    plain ASCII only (`is_plain`), that would not do.
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
    return tuple(cell for cell in parts if cell.text.strip(" ") or (cell is blank and cell.text))
