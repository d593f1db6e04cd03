from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order, OrderStatus, TradeStatus
from pmtui.domain.orders.own_orders import OwnChange, own_changes
from tests.ui import believable


def order(n: int, *, price: float = 0.5, side: Side = Side.BUY, matched: float = 0) -> Order:
    status = OrderStatus.PARTIALLY_FILLED if matched else OrderStatus.LIVE
    return believable.order(n, price=price, side=side, size=100, matched=matched, status=status)


def fill(of: Order, size: int, *, status: TradeStatus = TradeStatus.MATCHED) -> Fill:
    base = believable.fill(1)
    return replace(base, order_id=of.order_id, size=Micros(size * 10**6), status=status)


def at(of: Order) -> tuple[Micros, Side]:
    return of.price, of.side


def test_orders_come_fill_and_go() -> None:
    one, two = order(1), order(2, price=0.6, side=Side.SELL)
    assert own_changes((), (one, two), ()) == {
        at(one): OwnChange.PLACED, at(two): OwnChange.PLACED,
    }  # fmt: skip
    assert own_changes((one,), (order(1, matched=20),), ()) == {at(one): OwnChange.FILLED}
    assert own_changes((one,), (), ()) == {at(one): OwnChange.CANCELLED}
    assert own_changes((one,), (), (fill(one, 100),)) == {at(one): OwnChange.FILLED}


def test_a_part_filled_earlier_does_not_make_a_cancellation_a_fill() -> None:
    partial = order(1, matched=20)
    assert own_changes((partial,), (), (fill(partial, 20),)) == {at(partial): OwnChange.CANCELLED}
    failed = fill(partial, 80, status=TradeStatus.FAILED)
    assert own_changes((partial,), (), (fill(partial, 20), failed)) == {
        at(partial): OwnChange.CANCELLED
    }


def test_of_several_at_one_price_the_fill_is_told() -> None:
    one, two, three = order(1), order(2), order(3)
    assert own_changes((one, two), (three,), (fill(two, 100),)) == {at(one): OwnChange.FILLED}


@given(st.lists(st.integers(1, 40), unique=True, max_size=8))
def test_nothing_new_is_no_change(numbers: list[int]) -> None:
    orders = tuple(order(n, price=n / 100) for n in numbers)
    assert own_changes(orders, orders[::-1], ()) == {}
