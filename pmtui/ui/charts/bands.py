"""A broken axis: parts of a price axis where something happens, without the desert between them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pmtui.domain.money import Micros
from pmtui.ui.charts.plot import widened

MIN_ROWS = 3
"""Of one part; less tells nothing of a price."""
_MOST_BANDS = 3
_DESERT = 3
"""A gap of a third of everything, or more, is left out."""


class Band(NamedTuple):
    """A part of an axis, and the rows it is drawn in."""

    low: Micros
    high: Micros
    top: int
    """Its first row, from the top of the canvas."""
    rows: int


def bands_of(ranges: Sequence[tuple[Micros, Micros]], rows: int) -> tuple[Band, ...]:
    """Return the parts that an axis is broken into, from the top; between two lies one row.

    Args:
        ranges: the lowest and the highest price of each curve, at least one.
        rows: how many there are for all of them.
    """
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    parts = _parts(ranges, desert=(high - low) // _DESERT)
    while len(parts) > 1 and (len(parts) > _MOST_BANDS or rows < _needed(len(parts))):
        parts = _joined(parts)
    free = rows - _needed(len(parts))
    spans = [top - bottom for bottom, top in parts]
    bands: list[Band] = []
    at = 0
    for index, (bottom, top) in enumerate(reversed(parts)):
        share = free * (top - bottom) // sum(spans) if index < len(parts) - 1 else rows - at
        height = share + MIN_ROWS if index < len(parts) - 1 else share
        bands.append(Band(bottom, top, at, height))
        at += height + 1
    return tuple(bands)


def _needed(parts: int) -> int:
    return parts * MIN_ROWS + parts - 1


def _parts(ranges: Sequence[tuple[Micros, Micros]], *, desert: int) -> list[tuple[Micros, Micros]]:
    """Return ranges that lie a desert apart, ascending; those nearer to each other are one."""
    parts: list[tuple[Micros, Micros]] = []
    for low, high in sorted(widened(*each) for each in ranges):
        if parts and (low - parts[-1][1] < desert or low <= parts[-1][1]):
            parts[-1] = parts[-1][0], max(parts[-1][1], high)
        else:
            parts.append((low, high))
    return parts


def _joined(parts: list[tuple[Micros, Micros]]) -> list[tuple[Micros, Micros]]:
    """Join the two parts that lie nearest to each other."""
    gaps = [above[0] - below[1] for below, above in pairwise(parts)]
    at = gaps.index(min(gaps))
    return [*parts[:at], (parts[at][0], parts[at + 1][1]), *parts[at + 2 :]]
