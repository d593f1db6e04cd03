"""Price history for charts: as a line, as candles, and as a sparkline in one cell of a list.

A price is valid from its time until the next price: a line is drawn in steps, and ends at the last known
price. Nothing is interpolated or extrapolated. So a candle opens where the one before it closed, and a
period without trades is a candle without a body.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, StrEnum
from typing import NamedTuple

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Market
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.order import TradePrint


class Interval(StrEnum):
    """How far back a chart reaches; the values are the venue's own terms."""

    HOUR = "1h"
    SIX_HOURS = "6h"
    DAY = "1d"
    WEEK = "1w"
    MONTH = "1m"
    MAX = "max"

    def shifted(self, steps: int) -> "Interval":
        """Return the interval so many steps longer, stopping at the ends."""
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


def finest_interval(interval: Interval, age: timedelta) -> Interval:
    """Return the shortest interval, up to the given one, that reaches back over an age.

    The venue's history has closer points over a shorter time.
    """
    for each in Interval:
        if each is interval or age < _REACHES.get(each, timedelta.max):
            return each
    return interval


CLOCKS_DIFFER = timedelta(minutes=5)
"""How far ahead of our clock a point may be; later points are dropped."""
_STEPS_OF_TIME = 500
"""Number of steps in the time shown: a line advances by one step at a time, so that time alone
changes it a few times an hour and not every second."""


class LineEnd(Enum):
    """What a line ends with."""

    DATA = "data"
    """The last known point, which may be old."""
    QUOTE = "quote"
    """The current midpoint of a good book."""
    RESULT = "result"
    """The value of a share after the market was resolved."""


@dataclass(frozen=True, slots=True)
class PriceLine:
    """A price over time: each value is valid until the next point, the last one only at its time."""

    points: tuple[PricePoint, ...]
    """In ascending time."""
    until: datetime | None = None
    """End of the time shown; the line may end earlier. None without a point."""
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
    """The part of a line in one column of a canvas."""

    place: int
    enters: Micros | None
    """The value at its left edge; None in the first column."""
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
    """Return the known prices over an interval that ends now, or with the market.

    Args:
        points: the venue's history, ascending; may be empty.
        prints: public trades of the same token, in any order; those after the history continue it.
        interval: how far back the line reaches.
        now: the current time by our clock.
        quote: the midpoint of the book, if the book is good.
        result: the value of a share if the market is resolved, and since when.
    """
    reach = _REACHES.get(interval)
    known = _known(points, prints, now)
    end = LineEnd.DATA
    ends_at = now
    if result is not None:
        # The venue's history goes on after that, at the last price.
        end, ends_at = LineEnd.RESULT, result.at
        known = [*(point for point in known if point.at < ends_at), result]
    shown = known if reach is None else _since(known, ends_at - reach)
    until = _until(shown, now, reach)
    if end is LineEnd.DATA and quote is not None:
        end = LineEnd.QUOTE
        shown.append(PricePoint(until, quote))
    if not shown:
        return PriceLine(())
    return PriceLine(tuple(shown), until if end is LineEnd.DATA else shown[-1].at, end)


def result_of(market: Market | None, token_id: TokenId, now: datetime) -> PricePoint | None:
    """Return what a share pays and since when; None before the market is resolved."""
    price = None if market is None else market.settled_price(token_id)
    if market is None or price is None:
        return None
    return PricePoint(min(market.closed_at or market.end_at or now, now), price)


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
    """Return a line's values in each canvas column in which it changes.

    Args:
        points: in ascending time.
        first: start of the canvas; earlier points are left out.
        last: end of the canvas; later points are left out.
        count: the number of columns.
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
    """The prices of one period."""

    at: datetime
    """Start of the period."""
    opened: Micros
    high: Micros
    low: Micros
    closed: Micros

    @property
    def has_risen(self) -> bool:
        """Whether it closed no lower than it opened."""
        return self.closed >= self.opened


def candle_length(span: timedelta, most: int) -> timedelta:
    """Return the shortest round length at which at most `most` candles cover a span.

    Args:
        span: the time shown.
        most: the most candles that fit, at least one.
    """
    fitting = (length for length in _LENGTHS if span // length < most)
    return next(fitting, max(span // max(most, 1), _LENGTHS[-1]))


def candles_of(points: Sequence[PricePoint], length: timedelta) -> tuple[Candle, ...]:
    """Return the candles from the first point to the last, ascending.

    Args:
        points: in ascending time; may be empty.
        length: of each candle; candles begin at multiples of it, in UTC.
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
_LEAST_RANGE = Micros(40_000)
"""The smallest vertical range: a market that moved by fractions of a cent is drawn flat."""


def spark_levels(
    points: Sequence[PricePoint], *, until: datetime, reach: timedelta, columns: int
) -> tuple[int | None, ...]:
    """Return a level from 0 to 7 for each column; None if no price is known yet.

    Each column shows the price at the end of its period.

    Args:
        points: in ascending time.
        until: end of the time shown.
        reach: its length.
        columns: the number of columns, at least one.
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
    span = max(high - low, _LEAST_RANGE)
    # Half a level lower where there is room: a flat line is in a level, not between two.
    bottom = low - spare // 2 - min(spare // 2, span // (2 * LEVELS))
    return tuple(
        None if price is None else min((price - bottom) * LEVELS // span, LEVELS - 1)
        for price in prices
    )


def _price_at(points: Sequence[PricePoint], at: datetime) -> Micros | None:
    """Return the last price up to a moment; invalid prices are ignored."""
    # Lists call this for dozens of points, ten times a second: only what is shown is read.
    for index in range(bisect_right(points, at, key=_moment) - 1, -1, -1):
        if 0 <= points[index].price <= ONE:
            return points[index].price
    return None


def _moment(point: PricePoint) -> datetime:
    return point.at
