from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.history import Interval, PricePoint, continue_history
from pmtui.domain.ids import TokenId
from pmtui.domain.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.domain.order import TradePrint

NOON = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)
TOKEN = TokenId("1")
prices = st.integers(1, ONE - 1)


def _point(minutes: int, price: int) -> PricePoint:
    return PricePoint(NOON + timedelta(minutes=minutes), Micros(price))


def _print(minutes: int, price: int) -> TradePrint:
    at = NOON + timedelta(minutes=minutes)
    return TradePrint(TOKEN, Side.BUY, Micros(price), Micros(1_000_000), at)


def test_trades_since_the_last_point_go_on_with_it() -> None:
    points = (_point(-60, 500_000), _point(0, 510_000))
    prints = [_print(2, 530_000), _print(1, 520_000), _print(-5, 900_000)]
    whole = continue_history(points, prints, Micros(530_000), Interval.DAY)
    assert whole == (*points, _point(1, 520_000), _point(2, 530_000))


def test_where_the_service_has_no_history_trades_are_one() -> None:
    prints = [_print(0, 530_000), _print(-30, 520_000), _print(-90, 900_000)]
    hour = continue_history((), prints, Micros(530_000), Interval.HOUR)
    assert [point.price for point in hour] == [520_000, 530_000]
    assert len(continue_history((), prints, Micros(530_000), Interval.MAX)) == 3
    assert continue_history((), (), None, Interval.DAY) == ()


@given(
    st.lists(st.tuples(st.integers(-600, 0), prices), max_size=20),
    st.lists(st.tuples(st.integers(-60, 60), prices), max_size=20),
    st.none() | prices,
    st.sampled_from(Interval),
)
def test_it_ends_at_the_books_last_price_and_never_goes_back_in_time(
    told: list[tuple[int, int]], traded: list[tuple[int, int]], last: int | None, over: Interval
) -> None:
    points = tuple(_point(*each) for each in sorted(told))
    prints = [_print(*each) for each in sorted(traded, reverse=True)]
    price = None if last is None else Micros(last)
    whole = continue_history(points, prints, price, over)
    assert whole[: len(points)] == points
    assert list(whole) == sorted(whole, key=lambda point: point.at)
    if whole and last is not None:
        assert whole[-1].price == last
    # The same again changes nothing: a chart is drawn anew only for a trade.
    assert continue_history(points, prints, price, over) == whole
