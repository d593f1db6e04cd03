"""A price over a time in a handful of levels: the shape of a day for one cell of a list."""

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
    usable = [point for point in points if 0 <= point.price <= ONE and point.at <= until]
    start = until - reach
    prices: list[Micros | None] = []
    at, held = 0, None
    for column in range(columns):
        end = start + reach * (column + 1) / columns
        while at < len(usable) and usable[at].at <= end:
            held = usable[at].price
            at += 1
        prices.append(held)
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
