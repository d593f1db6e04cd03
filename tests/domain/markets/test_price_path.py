"""The path of a price by its trades: bounded, and drawn where it is finer than the venue's history."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import PricePoint
from pmtui.domain.markets.market import Side
from pmtui.domain.markets.price_path import MOST_POINTS, PricePath, Traded, with_path, with_prints
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint

SHARE = Micros(1_000_000)
START = datetime(2026, 11, 28, 0, 20, tzinfo=UTC)


def point(seconds: float, cents: int) -> PricePoint:
    return PricePoint(START + timedelta(seconds=seconds), Micros(cents * 10_000))


def path_of(points: list[PricePoint]) -> PricePath:
    path = PricePath()
    for each in points:
        path.add(each.at, each.price, SHARE)
    return path


@given(st.lists(st.tuples(st.integers(0, 100_000), st.integers(1, 99)), max_size=3_000))
def test_a_path_is_bounded_in_order_and_keeps_its_extremes(
    trades: list[tuple[int, int]],
) -> None:
    path = path_of([point(seconds / 10, cents) for seconds, cents in trades])
    times = [each.at for each in path.points]
    assert times == sorted(times)
    assert len(times) <= MOST_POINTS
    prices = [each.price for each in path.points]
    if trades:
        cents = [each for _, each in trades]
        assert (min(prices), max(prices)) == (min(cents) * 10_000, max(cents) * 10_000)


def test_a_fast_market_keeps_its_path_over_its_whole_time() -> None:
    path = path_of([point(tenth / 10, 40 + tenth % 20) for tenth in range(3_000)])
    gaps = [b.at - a.at for a, b in zip(path.points, path.points[1:], strict=False)]
    assert path.points[0] == point(0, 40)
    assert path.points[-1].at == point(299.9, 0).at
    assert max(gaps) <= timedelta(seconds=10)


def test_what_lies_after_a_moment_can_be_forgotten() -> None:
    path = path_of([point(second, 50) for second in range(10)])
    version = path.version
    path.forget_after(point(4, 50).at)
    assert list(path.points) == [point(second, 50) for second in range(5)]
    assert path.version > version


def test_a_busy_step_of_the_history_is_drawn_by_its_trades() -> None:
    history = [point(0, 50), point(300, 78)]
    busy = [point(30 + second, 50 + second) for second in range(10)]
    assert with_path(history, busy) == (history[0], *busy, history[1])


def test_a_few_trades_between_two_points_change_no_line() -> None:
    history = [point(0, 50), point(300, 78)]
    assert with_path(history, [point(30, 40), point(60, 60)]) == tuple(history)


def test_trades_after_the_history_go_on_with_it_and_those_before_it_are_left_out() -> None:
    history = [point(0, 50), point(300, 78)]
    path = [*(point(-second, 10) for second in range(9, 0, -1)), point(310, 80)]
    assert with_path(history, path) == (*history, point(310, 80))


def test_without_a_history_the_trades_are_the_line() -> None:
    path = [point(0, 50), point(1, 51)]
    assert with_path([], path) == tuple(path)


@given(st.lists(st.integers(0, 100_000), max_size=3_000))
def test_what_was_traded_is_bounded_and_no_share_is_lost(seconds: list[int]) -> None:
    traded = path_of([point(second, 50) for second in seconds]).traded
    assert len(traded) <= MOST_POINTS
    assert sum(each.size for each in traded) == len(seconds) * SHARE
    assert [each.at for each in traded] == sorted(each.at for each in traded)
    assert all(a.until <= b.at for a, b in pairwise(traded))


def test_what_was_traded_after_a_moment_can_be_forgotten() -> None:
    path = path_of([point(second, 50) for second in range(10)])
    path.forget_after(point(4, 50).at)
    assert [each.at for each in path.traded] == [point(second, 50).at for second in range(5)]


def test_the_newest_trades_continue_what_was_traded_before_and_none_counts_twice() -> None:
    prints = [
        TradePrint(TokenId("1"), Side.BUY, Micros(500_000), SHARE, point(second / 10, 50).at)
        for second in range(95, 0, -5)
    ]
    traded = path_of([point(second / 10, 50) for second in range(0, 80, 5)]).traded
    both = with_prints(traded, prints[:8])
    assert sum(each.size for each in both) == 20 * SHARE
    assert both[0] == Traded(START, START + timedelta(seconds=1), Micros(2 * SHARE))
    assert both[-1] == Traded(prints[0].at, prints[0].at, SHARE)
    assert with_prints(traded, ()) == traded
    assert with_prints((), prints)[0].at == prints[-1].at
