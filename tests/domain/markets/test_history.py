from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import MarketId, TokenId
from pmtui.domain.markets.history import (
    LEVELS,
    Interval,
    LineEnd,
    PriceLine,
    PricePoint,
    candle_length,
    candles_of,
    columns_of,
    finest_interval,
    price_line,
    result_of,
    spark_levels,
)
from pmtui.domain.markets.market import Market, Outcome, Side
from pmtui.domain.money import ONE, ZERO, Micros
from pmtui.domain.orders.order import TradePrint

NOON = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)
TOKEN = TokenId("1")
prices = st.integers(1, ONE - 1)
told = st.lists(st.tuples(st.integers(-90_000, 0), prices), max_size=20)
traded = st.lists(st.tuples(st.integers(-9_000, 200), prices), max_size=20)


def _point(minutes: float, price: int) -> PricePoint:
    return PricePoint(NOON + timedelta(minutes=minutes), Micros(price))


def _print(minutes: float, price: int) -> TradePrint:
    at = NOON + timedelta(minutes=minutes)
    return TradePrint(TOKEN, Side.BUY, Micros(price), Micros(1_000_000), at)


def _line(
    points: list[tuple[int, int]], prints: list[tuple[int, int]], over: Interval,
    quote: int | None = None,
) -> PriceLine:  # fmt: skip
    return price_line(
        tuple(_point(seconds / 60, price) for seconds, price in sorted(points)),
        [_print(seconds / 60, price) for seconds, price in prints],
        over,
        now=NOON,
        quote=None if quote is None else Micros(quote),
    )


def _value_at(line: PriceLine, at: datetime) -> Micros | None:
    """Return the last price known at a moment; None before the first and after the last."""
    if not line.points or at > line.points[-1].at:
        return None
    return next((p.price for p in reversed(line.points) if p.at <= at), None)


def test_trades_since_the_last_point_go_on_with_it() -> None:
    points = (_point(-60, 500_000), _point(-30, 510_000))
    prints = [_print(-2, 530_000), _print(-10, 520_000), _print(-45, 900_000)]
    line = price_line(points, prints, Interval.DAY, now=NOON)
    assert line.points == (*points, _point(-10, 520_000), _point(-2, 530_000))
    assert line.end is LineEnd.DATA


def test_without_a_good_book_the_line_ends_where_the_data_ends() -> None:
    line = price_line((_point(-90, 500_000), _point(-60, 510_000)), (), Interval.DAY, now=NOON)
    assert line.points[-1] == _point(-60, 510_000)
    assert line.until is not None
    assert NOON - timedelta(minutes=3) < line.until <= NOON


def test_with_a_good_book_the_line_ends_at_its_middle_now() -> None:
    points = (_point(-90, 500_000), _point(-60, 510_000))
    line = price_line(points, (), Interval.DAY, now=NOON, quote=Micros(415_000))
    assert (line.points[-1].price, line.end) == (415_000, LineEnd.QUOTE)
    assert line.change == -85_000
    assert _value_at(line, NOON - timedelta(minutes=30)) == 510_000


def test_a_resolved_market_ends_at_what_its_shares_are_worth() -> None:
    points = (_point(-90, 510_000), _point(-60, 550_000))
    lost = PricePoint(NOON - timedelta(minutes=59), ZERO)
    line = price_line(points, (), Interval.DAY, now=NOON, quote=Micros(550_000), result=lost)
    assert (line.points[-1], line.end) == (lost, LineEnd.RESULT)
    assert line.change == -510_000
    won = PricePoint(NOON - timedelta(days=3), ONE)
    line = price_line((_point(-9_000, 510_000),), (), Interval.DAY, now=NOON, result=won)
    assert line.points == (PricePoint(won.at - timedelta(days=1), Micros(510_000)), won)


def test_a_resolved_market_ends_when_it_was_resolved_whatever_the_venue_tells_of_later() -> None:
    points = (_point(-90, 510_000), _point(-60, 550_000), _point(-30, 550_000), _point(-1, 550_000))
    won = PricePoint(NOON - timedelta(minutes=50), ONE)
    line = price_line(points, [_print(-20, 560_000)], Interval.HOUR, now=NOON, result=won)
    assert line.points == (*points[:2], won)
    assert line.until == won.at


def test_a_result_stands_at_the_time_of_the_resolution_or_else_at_the_announced_end() -> None:
    outcome = Outcome("Up", TOKEN, ONE)
    market = Market(MarketId("1"), None, "up", "Up?", (outcome,), closed=True)
    ended, closed = (NOON - timedelta(minutes=minutes) for minutes in (9, 8))
    for known, at in (
        (market, NOON), (replace(market, end_at=ended), ended),
        (replace(market, end_at=NOON + timedelta(days=1)), NOON),
        (replace(market, end_at=ended, closed_at=closed), closed),
    ):  # fmt: skip
        assert result_of(known, TOKEN, NOON) == PricePoint(at, ONE)
    assert result_of(None, TOKEN, NOON) is None
    assert result_of(replace(market, closed=False), TOKEN, NOON) is None


def test_a_price_known_before_the_time_shown_holds_at_its_start() -> None:
    line = price_line((_point(-600, 400_000), _point(-5, 450_000)), (), Interval.HOUR, now=NOON)
    assert line.points == (_point(-60, 400_000), _point(-5, 450_000))


def test_what_is_said_to_lie_in_the_future_is_no_history() -> None:
    points = (_point(-5, 400_000), _point(600, 900_000))
    line = price_line(points, [_print(700, 900_000)], Interval.HOUR, now=NOON)
    assert line.points == (_point(-5, 400_000),)


def test_where_nothing_is_known_there_is_no_line() -> None:
    assert not price_line((), (), Interval.DAY, now=NOON).is_drawable
    assert not price_line((), (), Interval.DAY, now=NOON, quote=Micros(5)).is_drawable
    assert PriceLine(()).change == 0


@given(told, traded, st.sampled_from(Interval), st.none() | prices, st.integers(-100_000, 300))
def test_every_value_is_the_last_one_known_by_then(
    points: list[tuple[int, int]], prints: list[tuple[int, int]], over: Interval,
    quote: int | None, second: int,
) -> None:  # fmt: skip
    line = _line(points, prints, over, quote)
    assert list(line.points) == sorted(line.points, key=lambda point: point.at)
    at = NOON + timedelta(seconds=second)
    value = _value_at(line, at)
    newest = max((seconds for seconds, _ in points), default=-(10**9))
    known = sorted(points, key=lambda each: each[0])
    known += sorted((each for each in prints if each[0] > newest), key=lambda each: each[0])
    by_then = [price for seconds, price in known if seconds <= second]
    if not line.points or at > line.points[-1].at or at < line.points[0].at:
        assert value is None
    elif at == line.points[-1].at and line.end is LineEnd.QUOTE:
        assert value == quote
    else:
        assert value == by_then[-1]


@given(told, traded, st.sampled_from(Interval))
def test_the_same_facts_a_moment_later_are_the_same_line(
    points: list[tuple[int, int]], prints: list[tuple[int, int]], over: Interval
) -> None:
    assert _line(points, prints, over) == _line(points, prints, over)
    line = _line(points, prints, over)
    assert line.until is None or line.until >= line.points[-1].at


@given(
    st.lists(st.tuples(st.integers(0, 5_000), prices), min_size=1, max_size=60),
    st.integers(1, 80),
)
def test_columns_hold_what_was_known_in_them_and_nothing_after_the_last_point(
    rows: list[tuple[int, int]], count: int
) -> None:
    points = [_point(seconds / 60, price) for seconds, price in sorted(rows)]
    first, last = points[0].at, NOON + timedelta(seconds=6_000)
    columns = columns_of(points, first, last, count)
    span = last - first
    places = [(point.at - first) * count // span for point in points]
    assert [column.place for column in columns] == sorted(set(places))
    line = PriceLine(tuple(points))
    for column in columns:
        inside = [p.price for p, place in zip(points, places, strict=True) if place == column.place]
        assert (column.low, column.high) == (min(inside), max(inside))
        assert column.leaves == inside[-1]
        start = first + span * column.place / count
        before = _value_at(line, start - timedelta(microseconds=1))
        assert column.enters == before


def test_points_beside_the_canvas_are_left_out() -> None:
    points = [_point(minutes, 500_000 + minutes) for minutes in (-5, 0, 5, 9)]
    columns = columns_of(points, NOON, NOON + timedelta(minutes=5), 10)
    assert [column.place for column in columns] == [0, 9]


@pytest.mark.parametrize(
    ("interval", "age", "finest"),
    [
        (Interval.DAY, timedelta(minutes=3), Interval.HOUR),
        (Interval.DAY, timedelta(hours=1), Interval.SIX_HOURS),
        (Interval.DAY, timedelta(hours=30), Interval.DAY),
        (Interval.HOUR, timedelta(days=9), Interval.HOUR),
        (Interval.MAX, timedelta(days=3), Interval.WEEK),
        (Interval.MAX, timedelta(days=300), Interval.MAX),
    ],
)
def test_a_young_market_is_read_over_the_shortest_interval_that_reaches_back_to_its_start(
    interval: Interval, age: timedelta, finest: Interval
) -> None:
    assert finest_interval(interval, age) is finest


def test_an_interval_is_shifted_up_to_the_ends() -> None:
    assert Interval.HOUR.shifted(1) is Interval.SIX_HOURS
    assert Interval.HOUR.shifted(-1) is Interval.HOUR
    assert Interval.MAX.shifted(5) is Interval.MAX


START = datetime(2026, 6, 14, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)

series = st.lists(
    st.tuples(st.integers(0, 100_000), st.integers(0, ONE)), min_size=1, max_size=60
).map(
    lambda steps: tuple(
        PricePoint(START + timedelta(seconds=at), Micros(price)) for at, price in sorted(steps)
    )
)


@given(series, st.sampled_from([MINUTE, 5 * MINUTE, 60 * MINUTE, 1_440 * MINUTE]))
def test_candles_follow_each_other_without_a_gap(
    points: tuple[PricePoint, ...], length: timedelta
) -> None:
    candles = candles_of(points, length)
    for before, after in pairwise(candles):
        assert after.at == before.at + length
        assert after.opened == before.closed
    for candle in candles:
        assert candle.low <= min(candle.opened, candle.closed)
        assert candle.high >= max(candle.opened, candle.closed)
    prices = [point.price for point in points]
    assert candles[0].opened == prices[0]
    assert candles[-1].closed == prices[-1]
    assert max(candle.high for candle in candles) == max(prices)
    assert min(candle.low for candle in candles) == min(prices)


def test_a_quiet_span_is_a_candle_without_a_body() -> None:
    points = (
        PricePoint(START, Micros(400_000)),
        PricePoint(START + timedelta(seconds=30), Micros(420_000)),
        PricePoint(START + 2 * MINUTE, Micros(410_000)),
    )
    first, quiet, last = candles_of(points, MINUTE)
    assert (first.opened, first.high, first.low, first.closed) == (
        400_000, 420_000, 400_000, 420_000,
    )  # fmt: skip
    assert first.has_risen
    assert {quiet.opened, quiet.high, quiet.low, quiet.closed} == {420_000}
    assert (last.opened, last.closed) == (420_000, 410_000)
    assert not last.has_risen
    assert candles_of((), MINUTE) == ()


@given(st.timedeltas(timedelta(0), timedelta(days=5_000)), st.integers(1, 200))
def test_no_more_candles_than_there_is_room_for(span: timedelta, most: int) -> None:
    length = candle_length(span, most)
    assert length > timedelta(0)
    assert span // length <= most


def test_candles_have_round_lengths() -> None:
    assert candle_length(timedelta(days=1), 40) == timedelta(hours=1)
    assert candle_length(timedelta(hours=1), 40) == timedelta(minutes=2)
    assert candle_length(timedelta(days=7), 40) == timedelta(hours=6)


NOW = datetime(2026, 6, 14, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def points_of(*prices: int, over: timedelta = DAY) -> list[PricePoint]:
    step = over / max(len(prices), 1)
    return [
        PricePoint(NOW - over + step * (n + 0.5), Micros(price)) for n, price in enumerate(prices)
    ]


day = st.lists(st.integers(0, ONE), max_size=60).map(lambda prices: points_of(*prices))


@given(day, st.integers(1, 40))
def test_levels_fit_and_keep_the_order_of_prices(points: list[PricePoint], columns: int) -> None:
    levels = spark_levels(points, until=NOW, reach=DAY, columns=columns)
    assert len(levels) == columns
    known = [level for level in levels if level is not None]
    assert all(0 <= level < LEVELS for level in known)
    assert bool(known) == bool(points)


def test_a_rise_climbs_from_the_lowest_to_the_highest_level() -> None:
    points = points_of(*range(100_000, 900_000, 100_000))
    assert spark_levels(points, until=NOW, reach=DAY, columns=8) == (0, 1, 2, 3, 4, 5, 6, 7)


def test_a_flat_market_is_flat_and_in_the_middle() -> None:
    levels = spark_levels(points_of(500_000, 502_000, 499_000), until=NOW, reach=DAY, columns=4)
    assert set(levels) == {4}
    moved = spark_levels(points_of(500_000, 510_000), until=NOW, reach=DAY, columns=2)
    assert moved in {(3, 5), (4, 5), (4, 6)}


def test_a_price_holds_and_nothing_stands_before_the_first_one() -> None:
    late = points_of(200_000, 800_000, over=DAY / 2)
    levels = spark_levels(late, until=NOW, reach=DAY, columns=8)
    assert levels == (None, None, None, None, 0, 0, 7, 7)
    assert spark_levels([], until=NOW, reach=DAY, columns=2) == (None, None)


@given(
    st.lists(st.integers(-ONE, 2 * ONE), max_size=40),
    st.integers(1, 20),
    st.timedeltas(timedelta(hours=-9), timedelta(hours=9)),
)
def test_each_column_ends_with_the_last_price_known_by_then(
    prices: list[int], columns: int, later: timedelta
) -> None:
    points, until = points_of(*prices), NOW + later
    levels = spark_levels(points, until=until, reach=DAY, columns=columns)
    for column, level in enumerate(levels):
        end = until - DAY + DAY * (column + 1) / columns
        usable = [p for p in points if p.at <= end and 0 <= p.price <= ONE]
        assert (level is None) == (not usable)
