"""A line of the bench: what was measured, beside what, and whether that is good enough."""

from collections.abc import Sequence
from statistics import median
from typing import TypedDict


class Row(TypedDict):
    """One figure. Only `ratio` is compared: both sides come from the same run."""

    name: str
    ours: float
    reference: float | None
    ratio: float | None
    goal: str
    """For people; empty where there is none."""
    met: bool | None


def at_most(name: str, pairs: Sequence[tuple[float, float]], goal: float) -> Row:
    """Return a row that is good while ours stays within `goal` times the reference.

    Args:
        name: what was measured, with its unit.
        pairs: ours and the reference, of neighbouring turns; the median of their ratios counts.
        goal: the largest good ratio.
    """
    ours, reference = (median(side) for side in zip(*pairs, strict=True))
    ratio = median(mine / other for mine, other in pairs)
    return Row(
        name=name, ours=ours, reference=reference, ratio=ratio, goal=f"≤ {goal:g}",
        met=ratio <= goal,
    )  # fmt: skip


def at_least(name: str, ours: float, reference: float, goal: float) -> Row:
    """Return a row that is good while `ours` reaches `goal` times the reference."""
    ratio = ours / reference
    return Row(
        name=name, ours=ours, reference=reference, ratio=ratio, goal=f"≥ {goal:g}",
        met=ratio >= goal,
    )  # fmt: skip


def plain(name: str, ours: float, reference: float | None = None) -> Row:
    """Return a row that only tells a figure."""
    ratio = ours / reference if reference else None
    return Row(name=name, ours=ours, reference=reference, ratio=ratio, goal="", met=None)
