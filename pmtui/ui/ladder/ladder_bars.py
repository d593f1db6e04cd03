"""Bars beside the sizes: one scale for all rows that does not jump, and a sign where it is cut."""

from collections.abc import Sequence

from pmtui.domain.markets.market import Side
from pmtui.ui.cells import bar_text

_WALL = 8
"""A size so many times the median is a wall: it fills its bar, and does not flatten all others."""
_ROUGHLY = 8
"""How much smaller than the scale the usual size may become before the bars grow."""


def bar_scale(sizes: Sequence[int], current: int) -> int:
    """Return the size that fills a bar, a power of two.

    Nine in ten sizes fit, walls aside. The scale stays while it roughly fits: bars must compare
    from row to row and from one moment to the next, also while one scrolls.
    """
    if not sizes:
        return current
    ranked = sorted(sizes)
    top = len(ranked) - 1
    wanted = max(1, min(ranked[top * 9 // 10], _WALL * ranked[top // 2]))
    if current // _ROUGHLY <= wanted <= current and current > 1:
        return current
    return 1 << (wanted - 1).bit_length()


def side_bar(size: int, scale: int, width: int, *, side: Side) -> str:
    """Return a bar that grows away from the price; one that is cut ends in an arrow."""
    if size > scale > 0 and width > 1:
        full = "█" * (width - 1)
        return f"{full}»" if side is Side.SELL else f"«{full}"
    if side is Side.SELL:
        return bar_text(size, scale, width)
    # Bids grow to the left. Of the blocks that lean right there are two, so these are coarser.
    if size <= 0 or scale <= 0:
        return " " * width
    full_cells, rest = divmod(min(width * 8, max(1, size * width * 8 // scale)), 8)
    part = "" if not rest else "▐" if rest >= 4 else "▕"
    return (part + "█" * full_cells).rjust(width)
