"""An answer counts for the order that it names, and only with amounts that the order can have."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, notional_ceil, notional_floor
from pmtui.domain.orders.order import (
    Accepted,
    LimitIntent,
    OrderStatus,
    PostResult,
    PostStatus,
    Rejected,
    TimeInForce,
    Unknown,
    Verdict,
)
from pmtui.service.orders.preparing import prepare_order
from pmtui.service.orders.verdicts import are_possible, judge_answer
from pmtui.service.surface import PreparedOrder
from tests.service.fakes import CONDITION, MARKET, TERMS, YES, FakeSigner

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SHARE, DOLLAR = 1_000_000, 1_000_000


def order_of(
    side: Side = Side.BUY,
    *,
    price: int = 400_000,
    size: int = 10 * SHARE,
    time_in_force: TimeInForce = TimeInForce.GTC,
) -> PreparedOrder:
    intent = LimitIntent(CONDITION, YES, side, Micros(price), Micros(size), time_in_force)
    order = prepare_order(intent, signer=FakeSigner(), market=MARKET, terms=TERMS)
    assert isinstance(order, PreparedOrder)
    return order


def answer_to(order: PreparedOrder, **changes: object) -> PostResult:
    plain = PostResult(order.unsigned.order_id, PostStatus.LIVE)
    return replace(plain, **changes)  # type: ignore[arg-type]  # a test names what differs


def judged(order: PreparedOrder, **changes: object) -> Verdict:
    return judge_answer(order, answer_to(order, **changes), now=NOW)


def test_an_answer_that_names_the_order_takes_it_in_any_case_of_letters() -> None:
    order = order_of()
    assert isinstance(judged(order), Accepted)
    shouted = OrderId(order.unsigned.order_id.upper())
    assert isinstance(judged(order, order_id=shouted), Accepted)


@pytest.mark.parametrize(
    "changes",
    [
        {"order_id": OrderId("0xother")},
        {"order_id": OrderId("0xother"), "status": None, "error": "not enough balance"},
        {"order_id": None},
        {"order_id": None, "status": None},
        {"status": None},
        {"status": None, "error": "not enough balance"},
        {"status": PostStatus.MATCHED},
        {"making_amount": Micros(-4 * DOLLAR), "taking_amount": Micros(10 * SHARE)},
        {"making_amount": Micros(4 * DOLLAR), "taking_amount": Micros(-10 * SHARE)},
        {"making_amount": Micros(4 * DOLLAR)},
        {"taking_amount": Micros(10 * SHARE)},
        {"making_amount": Micros(5 * DOLLAR), "taking_amount": Micros(12 * SHARE)},
        {"making_amount": Micros(4 * DOLLAR), "taking_amount": Micros(8 * SHARE)},
        {"making_amount": Micros(4 * DOLLAR), "taking_amount": Micros(10**29)},
    ],
)
def test_an_answer_that_cannot_be_about_the_order_leaves_it_unknown(
    changes: dict[str, object],
) -> None:
    assert isinstance(judged(order_of(), **changes), Unknown)


@pytest.mark.parametrize(
    "amounts",
    [
        (11 * SHARE, 5 * DOLLAR),
        (10 * SHARE, 3 * DOLLAR),
        (10 * SHARE, 11 * DOLLAR),
    ],
)
def test_a_sale_cannot_give_more_than_it_offers_nor_below_its_price(
    amounts: tuple[int, int],
) -> None:
    gave, got = map(Micros, amounts)
    verdict = judged(order_of(Side.SELL), making_amount=gave, taking_amount=got)
    assert isinstance(verdict, Unknown)


def test_an_error_without_an_id_is_the_refusal_of_what_was_asked() -> None:
    verdict = judged(order_of(), order_id=None, status=None, error="not enough balance")
    assert isinstance(verdict, Rejected)


def test_a_purchase_may_bring_more_shares_than_it_signed_for() -> None:
    order = order_of(time_in_force=TimeInForce.FAK)
    verdict = judged(
        order, status=PostStatus.MATCHED,
        making_amount=Micros(4 * DOLLAR), taking_amount=Micros(16 * SHARE),
    )  # fmt: skip
    assert isinstance(verdict, Accepted)
    assert verdict.status is OrderStatus.FILLED


PRICES = st.integers(1, 99).map(lambda cents: cents * 10_000)
SIZES = st.integers(5, 1_000_000).map(lambda shares: shares * SHARE)


@given(price=PRICES, size=SIZES, better=st.integers(1, 99), part=st.integers(1, 100))
def test_whatever_an_order_can_trade_is_possible(
    price: int, size: int, better: int, part: int
) -> None:
    """At its limit or any better price, whole or in part."""
    filled = Micros(size * part // 100)
    purchase = order_of(price=price, size=size)
    at = Micros(max(10_000, price * better // 100))
    assert are_possible(purchase, gave=notional_ceil(at, filled), got=filled)
    sale = order_of(Side.SELL, price=price, size=size)
    at = Micros(price + (1_000_000 - price) * better // 100)
    assert are_possible(sale, gave=filled, got=notional_floor(at, filled))


@given(price=PRICES, size=SIZES, excess=st.integers(2, 100), side=st.sampled_from(list(Side)))
def test_more_than_an_order_offers_is_impossible(
    price: int, size: int, excess: int, side: Side
) -> None:
    order = order_of(side, price=price, size=size)
    much = Micros(order.unsigned.draft.maker_amount * excess)
    other = Micros(much * 2 if side is Side.BUY else much // 2)
    assert not are_possible(order, gave=much, got=other)
