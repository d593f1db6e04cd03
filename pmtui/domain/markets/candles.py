"""Candles: what a price did in each of several spans of equal, round length.

A price holds until the next one is known, so a candle opens where the one before it closed, and a
span in which nothing happened is a candle without a body.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pmtui.domain.markets.history import PricePoint
from pmtui.domain.money import Micros

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LENGTHS = tuple(
    timedelta(minutes=minutes)
    for minutes in (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 10_080, 43_200)
)


@dataclass(frozen=True, slots=True)
class Candle:
    """What a price did in one span."""

    at: datetime
    """Where the span begins."""
    opened: Micros
    high: Micros
    low: Micros
    closed: Micros

    @property
    def has_risen(self) -> bool:
        """Whether it closed no lower than it opened."""
        return self.closed >= self.opened


def candle_length(span: timedelta, most: int) -> timedelta:
    """Return the shortest round length of which so many reach over a span.

    Args:
        span: the time shown.
        most: how many candles there is room for, at least one.
    """
    fitting = (length for length in _LENGTHS if span // length < most)
    return next(fitting, max(span // max(most, 1), _LENGTHS[-1]))


def candles_of(points: Sequence[PricePoint], length: timedelta) -> tuple[Candle, ...]:
    """Return the candles from the first point to the last, ascending.

    Args:
        points: ascending in time; none for none.
        length: of each candle; they begin at its whole multiples, in UTC.
    """
    candles: list[Candle] = []
    for point in points:
        start = _start(point.at, length)
        while candles and candles[-1].at + length < start:
            held = candles[-1].closed
            candles.append(Candle(candles[-1].at + length, held, held, held, held))
        last = candles[-1] if candles else None
        if last is not None and last.at >= start:
            high, low = max(last.high, point.price), min(last.low, point.price)
            candles[-1] = Candle(last.at, last.opened, high, low, point.price)
        else:
            opened = last.closed if last is not None else point.price
            high, low = max(opened, point.price), min(opened, point.price)
            candles.append(Candle(start, opened, high, low, point.price))
    return tuple(candles)


def _start(at: datetime, length: timedelta) -> datetime:
    return at - (at - _EPOCH) % length
