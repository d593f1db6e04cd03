"""A price over a time in a handful of levels: the shape of a day for one cell of a list."""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta

from pmtui.domain.markets.history import PricePoint
from pmtui.domain.money import ONE, Micros

LEVELS = 8
_LEAST_RANGE = Micros(10_000)
"""A market that moved less than a cent is drawn flat, not as an earthquake of half a tick."""


def spark_levels(
    points: Sequence[PricePoint], *, until: datetime, reach: timedelta, columns: int
) -> tuple[int | None, ...]:
    """Return a level from 0 to 7 for each column; None where nothing is known yet.

    Each column shows the price with which its part of the time ended.

    Args:
        points: ascending in time.
        until: where the time shown ends.
        reach: how far back it goes.
        columns: how many there are, at least one.
    """
    start = until - reach
    prices = [
        _price_at(points, start + reach * (column + 1) / columns) for column in range(columns)
    ]
    known = [price for price in prices if price is not None]
    if not known:
        return (None,) * columns
    low, high = min(known), max(known)
    spare = max(_LEAST_RANGE - (high - low), 0)
    bottom, span = low - spare // 2, max(high - low, _LEAST_RANGE)
    return tuple(
        None if price is None else min((price - bottom) * LEVELS // span, LEVELS - 1)
        for price in prices
    )


def _price_at(points: Sequence[PricePoint], at: datetime) -> Micros | None:
    """Return the last price up to a moment; what is no price does not count."""
    # Lists ask for dozens of days, ten times a second: only what shows is looked at.
    for index in range(bisect_right(points, at, key=_moment) - 1, -1, -1):
        if 0 <= points[index].price <= ONE:
            return points[index].price
    return None


def _moment(point: PricePoint) -> datetime:
    return point.at
