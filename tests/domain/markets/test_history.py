from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import (
    Interval,
    LineEnd,
    PriceLine,
    PricePoint,
    columns_of,
    price_line,
)
from pmtui.domain.markets.market import Side
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
    assert {point.price for point in line.points} == {ONE}
    assert line.is_drawable


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


def test_an_interval_is_shifted_up_to_the_ends() -> None:
    assert Interval.HOUR.shifted(1) is Interval.SIX_HOURS
    assert Interval.HOUR.shifted(-1) is Interval.HOUR
    assert Interval.MAX.shifted(5) is Interval.MAX
