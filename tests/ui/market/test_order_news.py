"""What is said of an order that the venue took and holds back, when it moves at last."""

from dataclasses import replace

import pytest

from pmtui.domain.ids import TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Accepted,
    Fill,
    LimitIntent,
    Order,
    OrderStatus,
    TimeInForce,
    TradeStatus,
    Unknown,
)
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView, Load
from pmtui.ui.market.order_news import DelayedOrders, OrderNews
from pmtui.ui.message_line import MessageLine
from pmtui.ui.portfolio.paint_orders import format_verdict
from tests.ui import believable
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.moving_market import CONDITION, YES

m = believable.micros
INTENT = LimitIntent(CONDITION, YES, Side.SELL, m(0.45), m(100), TimeInForce.FAK)


def prepared() -> PreparedOrder:
    order = FakeService().prepare_now(INTENT)
    assert isinstance(order, PreparedOrder)
    return order


ORDER = prepared()
DELAYED = Accepted(ORDER.unsigned.order_id, OrderStatus.DELAYED, Micros(0), "delayed")


def known(status: OrderStatus, matched: float = 0, reason: str = "") -> Order:
    order = believable.order(1, side=Side.SELL, price=0.45, size=100, matched=matched)
    return replace(order, order_id=ORDER.unsigned.order_id, status=status, reason=reason)


def fill(number: int, size: float, price: float) -> Fill:
    return replace(
        believable.fill(number), order_id=ORDER.unsigned.order_id, size=m(size), price=m(price),
        side=Side.SELL, trade_id=TradeId(f"t{number}"), status=TradeStatus.MATCHED,
    )  # fmt: skip


def view(order: Order, *fills: Fill) -> tuple[AccountView, tuple[Fill, ...]]:
    account = AccountView(
        load=Load.READY, balance=Micros(0), reserved=Micros(0), positions=(), open_orders=(),
        as_of=NOW, recent=(order,),
    )  # fmt: skip
    return account, fills


def followed() -> DelayedOrders:
    orders = DelayedOrders()
    orders.follow(ORDER, DELAYED, lambda end: format_verdict(end, ORDER))
    return orders


def test_what_is_delayed_is_called_taken_and_not_sold() -> None:
    said = "Accepted, delayed by the venue: sale of 100 Yes. Its fill shows here."
    assert format_verdict(DELAYED, ORDER) == said


def test_nothing_is_said_before_it_moves_and_its_trades_are_known() -> None:
    orders = followed()
    assert orders.news(*view(known(OrderStatus.DELAYED))) == ""
    assert orders.news(*view(known(OrderStatus.FILLED, 100), fill(1, 40, 0.48))) == ""
    whole = view(known(OrderStatus.FILLED, 100), fill(1, 40, 0.48), fill(2, 60, 0.46))
    said = "Sold 100 Yes @ 46.8¢ avg for $46.80, fee $0.62 (limit 45¢)."
    assert orders.news(*whole) == said
    assert orders.news(*whole) == ""


def test_what_is_told_grows_with_trades_that_come_later() -> None:
    orders = followed()
    first = orders.news(*view(known(OrderStatus.CANCELLED, 40), fill(1, 40, 0.48)))
    assert first == (
        "Sold 40 of 100 Yes @ 48¢ avg for $19.20, fee $0.31 (limit 45¢); the rest cancelled."
    )
    both = view(known(OrderStatus.CANCELLED, 60), fill(1, 40, 0.48), fill(2, 20, 0.48))
    assert orders.news(*both).startswith("Sold 60 of 100 Yes")
    assert orders.news(*both) == ""


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (known(OrderStatus.CANCELLED), "Sold 0 of 100 Yes: nobody met it"),
        (known(OrderStatus.REJECTED, reason="no match"), "Refused: no match"),
        (known(OrderStatus.LIVE), "Working: SELL 100 Yes @ 45¢."),
    ],
)
def test_an_end_without_a_fill_is_told_too(end: Order, said: str) -> None:
    assert followed().news(*view(end)) == said


def test_an_unconfirmed_order_that_is_found_is_told_once() -> None:
    orders = DelayedOrders()
    verdict = Unknown(ORDER.unsigned.order_id, "connection lost", NOW)
    orders.follow(ORDER, verdict, lambda end: format_verdict(end, ORDER))
    assert orders.news(*view(known(OrderStatus.UNKNOWN))) == ""
    assert orders.news(*view(known(OrderStatus.LIVE))) == "Working: SELL 100 Yes @ 45¢."
    assert orders.news(*view(known(OrderStatus.CANCELLED))) == ""


def test_only_what_is_delayed_or_unconfirmed_is_followed() -> None:
    orders = DelayedOrders()
    orders.follow(ORDER, replace(DELAYED, status=OrderStatus.LIVE), lambda _: "told")
    assert orders.news(*view(known(OrderStatus.FILLED, 100), fill(1, 100, 0.48))) == ""


def test_a_message_that_an_order_works_goes_once_it_has_filled() -> None:
    service = FakeService()
    line = MessageLine(service, lambda: None)
    news = OrderNews(service.surface(), line)
    working = Accepted(ORDER.unsigned.order_id, OrderStatus.LIVE, Micros(0), "working")
    news.announce(working, "+ Working: SELL 100 Yes @ 45¢")
    service.account_view, service.own_fills = view(known(OrderStatus.LIVE))
    news.show()
    assert line.current() is not None
    service.account_view, service.own_fills = view(known(OrderStatus.FILLED, 100))
    news.show()
    assert line.current() is None
