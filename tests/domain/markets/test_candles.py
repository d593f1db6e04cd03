from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.markets.candles import candle_length, candles_of
from pmtui.domain.markets.history import PricePoint
from pmtui.domain.money import ONE, Micros

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
