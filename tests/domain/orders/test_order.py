"""What answers to orders mean, and what filled at once."""

from pmtui.domain.ids import OrderId
from pmtui.domain.money import parse_micros
from pmtui.domain.orders.order import Accepted, OrderStatus, PostResult, PostStatus, TradeStatus

ID = OrderId("0xAb")


def test_an_answer_is_taken_with_an_id_a_status_and_no_error() -> None:
    assert PostResult(ID, PostStatus.LIVE).is_accepted
    assert not PostResult(ID, None).is_accepted
    assert not PostResult(None, PostStatus.LIVE).is_accepted
    assert not PostResult(ID, PostStatus.LIVE, error="no").is_accepted


def test_an_answer_names_its_order_in_any_case_of_letters_or_none() -> None:
    assert PostResult(ID, None).names(OrderId("0xaB"))
    assert PostResult(None, None).names(ID)
    assert not PostResult(ID, None).names(OrderId("0xcd"))


def test_the_average_price_of_what_filled_at_once_needs_both_amounts() -> None:
    m = parse_micros
    filled = Accepted(ID, OrderStatus.FILLED, m("10"), "", m("4.25"))
    assert filled.average == m("0.425")
    assert Accepted(ID, OrderStatus.LIVE, m("0"), "").average is None
    assert Accepted(ID, OrderStatus.LIVE, m("10"), "").average is None


def test_a_trade_is_over_when_it_is_confirmed_or_failed() -> None:
    assert [s for s in TradeStatus if s.is_final] == [TradeStatus.CONFIRMED, TradeStatus.FAILED]
