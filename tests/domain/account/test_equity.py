from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.equity import (
    FINE_FOR,
    KEPT_FOR,
    EquityPoint,
    midnight_before,
    since,
    with_sample,
)
from pmtui.domain.money import Micros

START = datetime(2026, 6, 1, tzinfo=UTC)
gaps = st.lists(st.integers(1, 7_200), max_size=60)


def sampled(seconds: list[int]) -> tuple[EquityPoint, ...]:
    points: tuple[EquityPoint, ...] = ()
    at = START
    for number, gap in enumerate(seconds, 1):
        at += timedelta(seconds=gap)
        points = with_sample(points, Micros(number), at)
    return points


@given(gaps)
def test_samples_are_in_order_and_the_newest_is_always_the_last(seconds: list[int]) -> None:
    points = sampled(seconds)
    moments = [point.at for point in points]
    assert moments == sorted(set(moments))
    assert not seconds or points[-1].value == len(seconds)
    assert not seconds or points[0].value == 1


def test_a_curve_stays_small_however_often_it_is_sampled() -> None:
    points: tuple[EquityPoint, ...] = ()
    at = START
    for number in range(6_000):
        at += timedelta(seconds=15)
        points = with_sample(points, Micros(number), at)
    assert len(points) <= 1_500 + 5
    assert with_sample(points, Micros(1), at + KEPT_FOR * 2) == (
        EquityPoint(at + KEPT_FOR * 2, Micros(1)),
    )
    # What is older than a day is thinner.
    later = with_sample(points, Micros(1), at + FINE_FOR)
    assert len(later) <= 60


def test_a_clock_that_is_set_back_takes_later_samples_away() -> None:
    points = sampled([60, 60, 60])
    back = points[0].at
    assert [p.at for p in with_sample(points, Micros(9), back)][-1] == back
    assert all(p.at <= back for p in with_sample(points, Micros(9), back))


@given(gaps, st.integers(0, 100_000))
def test_a_part_of_the_curve_begins_with_what_it_was_worth_then(
    seconds: list[int], offset: int
) -> None:
    points, start = sampled(seconds), START + timedelta(seconds=offset)
    part = since(points, start)
    assert all(point.at >= start for point in part)
    before = [point for point in points if point.at < start]
    if before:
        assert part[0] == EquityPoint(start, before[-1].value)


def test_a_day_begins_at_midnight_utc() -> None:
    assert midnight_before(START + timedelta(hours=13)) == START


def test_a_first_deposit_begins_the_curve_and_is_no_gain() -> None:
    points: tuple[EquityPoint, ...] = ()
    for minute, value in enumerate((0, 0, 10_000, 9_990)):
        points = with_sample(points, Micros(value), START + timedelta(minutes=minute))
    assert [point.value for point in points] == [10_000, 9_990]


def test_an_account_that_lost_everything_keeps_its_curve() -> None:
    points = with_sample((), Micros(5), START)
    points = with_sample(points, Micros(0), START + timedelta(minutes=1))
    assert [point.value for point in points] == [5, 0]
