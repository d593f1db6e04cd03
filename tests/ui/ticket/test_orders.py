from dataclasses import replace

import pytest

from pmtui.domain.money import parse_micros
from pmtui.domain.orders.order import Fill, Liquidity, Order, OrderStatus, TradeStatus
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView
from pmtui.ui.ticket.orders import BEING_CHECKED, ON_ITS_WAY, SentOrders
from tests.domain.orders.order_kit import FILL
from tests.ui.fake_surface import EMPTY_ACCOUNT, NOW, FakeService
from tests.ui.ticket.test_paint_confirm import BUY
from tests.ui.ticket_stage import CONDITION, YES

m = parse_micros


def _prepared(size: str = "100") -> PreparedOrder:
    prepared = FakeService().prepare_now(replace(BUY, size=m(size)))
    assert isinstance(prepared, PreparedOrder)
    return prepared


ORDER = _prepared()
RESTING = Order(
    order_id=ORDER.unsigned.order_id, condition_id=CONDITION, token_id=YES, outcome="Yes",
    side=BUY.side, price=ORDER.price, original_size=ORDER.size, matched_size=m("0"),
    status=OrderStatus.LIVE, time_in_force=BUY.time_in_force, created_at=NOW,
)  # fmt: skip
PART: Fill = replace(
    FILL, order_id=RESTING.order_id, token_id=YES, size=m("40"), liquidity=Liquidity.MAKER,
    status=TradeStatus.MATCHED,
)  # fmt: skip


def _account(*orders: Order) -> AccountView:
    return replace(EMPTY_ACCOUNT, open_orders=orders)


def test_the_same_order_is_doubted_while_the_first_is_on_its_way_or_unknown() -> None:
    sent = SentOrders()
    assert sent.doubt_about(ORDER, _account()) == ""
    sent.note_sent(ORDER)
    assert sent.is_sending
    assert sent.doubt_about(ORDER, _account()) == ON_ITS_WAY
    assert sent.doubt_about(_prepared("99"), _account()) == ""
    sent.note_unknown(ORDER)
    assert not sent.is_sending
    assert sent.doubt_about(ORDER, _account()) == BEING_CHECKED
    sent.note_ended(ORDER)
    assert sent.doubt_about(ORDER, _account()) == ""


@pytest.mark.parametrize(
    ("status", "doubt"),
    [
        (OrderStatus.UNKNOWN, BEING_CHECKED), (OrderStatus.SENT, ON_ITS_WAY),
        (OrderStatus.PENDING, ON_ITS_WAY), (OrderStatus.LIVE, ""),
    ],
)  # fmt: skip
def test_the_account_knows_of_orders_in_doubt_that_this_ticket_did_not_send(
    status: OrderStatus, doubt: str
) -> None:
    assert SentOrders().doubt_about(ORDER, _account(replace(RESTING, status=status))) == doubt


@pytest.mark.parametrize(
    ("account", "fills", "words"),
    [
        (_account(RESTING), (), "Confirmed at the venue: 100 working"),
        (_account(replace(RESTING, matched_size=m("40"))), (PART,),
         "Confirmed at the venue: 40 filled, 60 working"),
        (_account(), (PART,), "Confirmed at the venue: 40 filled"),
    ],
)  # fmt: skip
def test_an_unknown_order_that_turns_up_is_told_of_once(
    account: AccountView, fills: tuple[Fill, ...], words: str
) -> None:
    sent = SentOrders()
    sent.note_unknown(ORDER)
    assert sent.settle(account, fills) == words
    assert sent.settle(account, fills) == ""
    assert sent.doubt_about(ORDER, _account()) == ""


def test_an_unknown_order_is_ruled_out_only_after_the_account_has_known_of_it() -> None:
    sent = SentOrders()
    sent.note_unknown(ORDER)
    assert sent.settle(_account(), ()) == ""
    assert sent.settle(_account(replace(RESTING, status=OrderStatus.UNKNOWN)), ()) == ""
    assert "not at the venue" in sent.settle(_account(), ())


def test_an_order_on_its_way_is_not_settled_by_the_account() -> None:
    sent = SentOrders()
    sent.note_sent(ORDER)
    assert sent.settle(_account(RESTING), ()) == ""
    assert sent.is_sending
