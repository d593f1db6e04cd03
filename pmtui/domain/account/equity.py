"""How an account's worth went: samples in time, dense for the last day and sparse for the weeks before.

Equity is cash plus positions at their marks. A transfer in or out moves it as a trade does: it is what
there is, not what was earned.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pmtui.domain.money import Micros

FINE_STEP = timedelta(minutes=1)
COARSE_STEP = timedelta(minutes=30)
FINE_FOR = timedelta(days=1)
KEPT_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class EquityPoint:
    """What an account was worth at a moment."""

    at: datetime
    value: Micros


def with_sample(
    points: Iterable[EquityPoint], value: Micros, at: datetime
) -> tuple[EquityPoint, ...]:
    """Return the samples with a new one: of each step its first sample, then the newest of all.

    Args:
        points: in ascending time; those later than the new one are dropped: a clock was set back.
        value: the equity now.
        at: now.
    """
    kept: list[EquityPoint] = []
    for point in points:
        age = at - point.at
        if age < timedelta(0) or age > KEPT_FOR:
            continue
        step = FINE_STEP if age <= FINE_FOR else COARSE_STEP
        if not kept or _slot(kept[-1].at, step) != _slot(point.at, step):
            kept.append(point)
    if not any(point.value for point in kept):
        # Before the first deposit there was nothing that could go up or down.
        kept.clear()
    return (*kept, EquityPoint(at, value))


def since(points: Iterable[EquityPoint], start: datetime) -> tuple[EquityPoint, ...]:
    """Return the samples from a moment on, with the last one before it moved to that moment."""
    before: EquityPoint | None = None
    later: list[EquityPoint] = []
    for point in points:
        if point.at >= start:
            later.append(point)
        else:
            before = point
    return (EquityPoint(start, before.value), *later) if before else tuple(later)


def midnight_before(at: datetime) -> datetime:
    """Return when the day of a moment began, in UTC."""
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _slot(at: datetime, step: timedelta) -> int:
    return int(at.timestamp() // step.total_seconds())
