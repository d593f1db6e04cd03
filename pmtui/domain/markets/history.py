"""Price history: what a chart draws, as a line, as candles, and as the shape of a day in one cell of a list.

A price holds from the moment at which it is known until the next one is: a line is drawn in steps,
and ends where knowledge ends. Nothing is interpolated and nothing continued. So a candle opens where the
one before it closed, and a span in which nothing happened is a candle without a body.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum, StrEnum
from typing import NamedTuple

from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.order import TradePrint


class Interval(StrEnum):
    """How far back a chart reaches; the values are the venue's own words."""

    HOUR = "1h"
    SIX_HOURS = "6h"
    DAY = "1d"
    WEEK = "1w"
    MONTH = "1m"
    MAX = "max"

    def shifted(self, steps: int) -> "Interval":
        """Return the interval so many places longer, stopping at the ends."""
        members = list(Interval)
        return members[min(max(members.index(self) + steps, 0), len(members) - 1)]


@dataclass(frozen=True, slots=True)
class PricePoint:
    """The price of a token at a moment."""

    at: datetime
    price: Micros


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_REACHES = {
    Interval.HOUR: timedelta(hours=1),
    Interval.SIX_HOURS: timedelta(hours=6),
    Interval.DAY: timedelta(days=1),
    Interval.WEEK: timedelta(weeks=1),
    Interval.MONTH: timedelta(days=31),
}


CLOCKS_DIFFER = timedelta(minutes=5)
"""How far ahead of our clock a point may lie; what is later is no history."""
_STEPS_OF_TIME = 500
"""Into how many the time shown is divided: a line grows by one of them, so that time alone
changes it a few times in an hour and not every second."""


class LineEnd(Enum):
    """What a line ends with."""

    DATA = "data"
    """The last point known, which may be old."""
    QUOTE = "quote"
    """The middle of a good book, now."""
    RESULT = "result"
    """What a share is worth after the market was resolved."""


@dataclass(frozen=True, slots=True)
class PriceLine:
    """A price over time: each value holds until the next point, none beyond the last."""

    points: tuple[PricePoint, ...]
    """Ascending in time."""
    until: datetime | None = None
    """Where the time shown ends; the line may end before it. None without a point."""
    end: LineEnd = LineEnd.DATA

    @property
    def is_drawable(self) -> bool:
        """Whether it has a length."""
        return len(self.points) > 1

    @property
    def change(self) -> Micros:
        """The change over the time shown."""
        return Micros(self.points[-1].price - self.points[0].price) if self.points else Micros(0)


class Column(NamedTuple):
    """What a line does within one of the columns of a canvas."""

    place: int
    enters: Micros | None
    """The value it comes with; None in the first."""
    low: Micros
    high: Micros
    leaves: Micros


def price_line(
    points: Sequence[PricePoint],
    prints: Iterable[TradePrint],
    interval: Interval,
    *,
    now: datetime,
    quote: Micros | None = None,
    result: PricePoint | None = None,
) -> PriceLine:
    """Return what is known of a price over an interval that ends now.

    Args:
        points: the venue's history, ascending; none where it has none.
        prints: public trades of the same token, in any order; those after the history continue it.
        interval: how far back the line reaches.
        now: our clock.
        quote: the middle of the book where the book is good.
        result: what a share is worth where the market is resolved, and since when.
    """
    reach = _REACHES.get(interval)
    known = _known(points, prints, now)
    end = LineEnd.DATA
    if result is not None:
        end = LineEnd.RESULT
        known.append(replace(result, at=max(result.at, known[-1].at) if known else result.at))
    shown = known if reach is None else _since(known, now - reach)
    until = _until(shown, now, reach)
    if end is LineEnd.DATA and quote is not None:
        end = LineEnd.QUOTE
        shown.append(PricePoint(until, quote))
    elif end is LineEnd.RESULT and len(shown) == 1:
        shown.append(PricePoint(until, shown[0].price))
    if not shown:
        return PriceLine(())
    return PriceLine(tuple(shown), until if end is LineEnd.DATA else shown[-1].at, end)


def _known(
    points: Sequence[PricePoint], prints: Iterable[TradePrint], now: datetime
) -> list[PricePoint]:
    latest = now + CLOCKS_DIFFER
    known = [point for point in points if point.at <= latest]
    traded = [
        PricePoint(trade.at, trade.price)
        for trade in sorted(prints, key=lambda trade: trade.at)
        if trade.at <= latest and (not known or trade.at > known[-1].at)
    ]
    return known + traded


def _since(known: list[PricePoint], start: datetime) -> list[PricePoint]:
    first = bisect_left(known, start, key=lambda point: point.at)
    held = [PricePoint(start, known[first - 1].price)] if first else []
    return held + known[first:]


def _until(shown: Sequence[PricePoint], now: datetime, reach: timedelta | None) -> datetime:
    span = reach if reach is not None else now - shown[0].at if shown else timedelta(0)
    step = max(span // _STEPS_OF_TIME, timedelta(seconds=1))
    until = now - (now - _EPOCH) % step
    return max(until, shown[-1].at) if shown else until


def columns_of(
    points: Sequence[PricePoint], first: datetime, last: datetime, count: int
) -> tuple[Column, ...]:
    """Return what a line does in those columns of a canvas in which it changes.

    Args:
        points: ascending in time.
        first: where the canvas begins; earlier points are left out.
        last: where it ends; later points are left out.
        count: how many columns it has.
    """
    span = max(last - first, timedelta(microseconds=1))
    columns: list[Column] = []
    for point in points:
        if not first <= point.at <= last:
            continue
        place = min((point.at - first) * count // span, count - 1)
        price = point.price
        before = columns[-1] if columns else None
        if before is not None and before.place == place:
            low, high = min(before.low, price), max(before.high, price)
            columns[-1] = Column(place, before.enters, low, high, price)
        else:
            enters = before.leaves if before is not None else None
            columns.append(Column(place, enters, price, price, price))
    return tuple(columns)


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
