from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.markets.history import PricePoint
from pmtui.domain.markets.sparkline import LEVELS, spark_levels
from pmtui.domain.money import ONE, Micros

NOW = datetime(2026, 6, 14, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def points_of(*prices: int, over: timedelta = DAY) -> list[PricePoint]:
    step = over / max(len(prices), 1)
    return [
        PricePoint(NOW - over + step * (n + 0.5), Micros(price)) for n, price in enumerate(prices)
    ]


series = st.lists(st.integers(0, ONE), max_size=60).map(lambda prices: points_of(*prices))


@given(series, st.integers(1, 40))
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
    levels = spark_levels(points_of(500_000, 501_000), until=NOW, reach=DAY, columns=4)
    assert set(levels) == {3, 4}


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
