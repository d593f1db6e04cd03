from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import FeeSchedule, Side
from pmtui.domain.money import Micros, notional_floor, parse_micros
from pmtui.domain.orders.order import (
    Accepted,
    CancelResult,
    CancelVerdict,
    LimitIntent,
    OrderStatus,
    PostResult,
    PostStatus,
    TimeInForce,
)
from pmtui.service.orders.verdicts import judge_answer
from pmtui.service.surface import PreparedOrder
from pmtui.ui.cells import Line, line_width
from pmtui.ui.market.paint_single_keys import describe_end
from pmtui.ui.portfolio.paint_orders import (
    LINE_WIDTH,
    describe_cancelled,
    describe_fill_price,
    describe_traded,
    format_verdict,
    paint_resting_orders,
    paint_unknown_orders,
)
from tests.service.fakes import resting
from tests.ui.fake_surface import NOW, FakeService

LIVE = resting(OrderId("0x01"))
UNKNOWN = resting(OrderId("0x02"), status=OrderStatus.UNKNOWN)
SENT = resting(OrderId("0x03"), status=OrderStatus.SENT)


def text(lines: tuple[Line, ...]) -> str:
    return "\n".join("".join(cell.text for cell in line) for line in lines)


def test_resting_orders_tell_what_they_tie_up_and_which_are_in_doubt() -> None:
    told = text(paint_resting_orders((LIVE, UNKNOWN)))
    assert told.startswith("2 orders, $8.00 reserved")
    assert told.count("unconfirmed") == 1


def test_only_the_first_few_are_named() -> None:
    assert text(paint_resting_orders((LIVE,) * 8)).endswith("and 2 more")


def test_orders_that_nobody_has_confirmed_are_counted_before_leaving() -> None:
    assert paint_unknown_orders((LIVE,)) == ()
    assert text(paint_unknown_orders((LIVE, UNKNOWN, SENT))).startswith("2 unconfirmed: may be")


def test_each_order_names_its_market_on_the_same_line() -> None:
    title = "Will the very long and winding road of this question ever end?"
    lines = paint_resting_orders((LIVE, UNKNOWN), lambda _: title)
    for line in lines[1:]:
        assert "Will the very" in text((line,))
        assert line_width(line) <= LINE_WIDTH


def test_a_cancellation_is_said_with_its_result() -> None:
    done = CancelVerdict(CancelResult((LIVE.order_id,)))
    assert describe_cancelled(done, "at 49¢") == "Cancelled 1 order at 49¢."
    refused = CancelVerdict(CancelResult((), ((LIVE.order_id, "matched"),)))
    assert describe_cancelled(refused, "at 49¢") == "Not cancelled: matched"
    lost = CancelVerdict(CancelResult(()), "no answer")
    assert describe_cancelled(lost, "at 49¢") == "Not cancelled: no answer"
    some = CancelVerdict(CancelResult((LIVE.order_id,), ((OrderId("0x2"), "matched"),)))
    assert describe_cancelled(some, "here") == "Cancelled 1 of 2 here; not: matched"
    again = CancelVerdict(CancelResult((), (), (LIVE.order_id,)), "asked again")
    assert describe_cancelled(again, "here") == "Cancel unconfirmed: asked again"


m = parse_micros


def order_of(side: Side, size: str, price: str, *, rests: bool = True) -> PreparedOrder:
    intent = LimitIntent(
        ConditionId("0xa"), TokenId("1"), side, m(price), m(size),
        time_in_force=TimeInForce.GTC if rests else TimeInForce.FAK,
    )  # fmt: skip
    order = FakeService().prepare_now(intent)
    assert isinstance(order, PreparedOrder)
    return order


def answered(order: PreparedOrder, gave: str, got: str) -> Accepted:
    result = PostResult(
        order.unsigned.order_id, PostStatus.MATCHED, making_amount=m(gave), taking_amount=m(got)
    )
    verdict = judge_answer(order, result, now=NOW)
    assert isinstance(verdict, Accepted)
    return verdict


@pytest.mark.parametrize(
    ("order", "gave", "got", "said"),
    [
        (
            order_of(Side.SELL, "510", "0.79", rests=False), "510", "443.7",
            "Sold 510 Yes @ 87¢ avg for $443.70 (limit 79¢).",
        ),
        (
            order_of(Side.BUY, "500", "0.89"), "436.7977", "500",
            "Bought 500 Yes @ 87.36¢ avg for $436.80 (limit 89¢).",
        ),
        (
            order_of(Side.BUY, "500", "0.89"), "278.6001", "320.23",
            "Bought 320.23 of 500 Yes @ 87¢ avg for $278.60; the rest is working @ 89¢.",
        ),
        (
            order_of(Side.BUY, "500", "0.89", rests=False), "278.6001", "320.23",
            "Bought 320.23 of 500 Yes @ 87¢ avg for $278.60 (limit 89¢); the rest cancelled.",
        ),
        (
            order_of(Side.BUY, "10", "0.5"), "5", "10",
            "Bought 10 Yes @ 50¢ avg for $5.00.",
        ),
    ],
)  # fmt: skip
def test_the_price_is_what_it_filled_at_and_the_limit_is_second(
    order: PreparedOrder, gave: str, got: str, said: str
) -> None:
    verdict = answered(order, gave, got)
    assert describe_traded(verdict, order) == said
    assert describe_end(verdict, order) == said
    assert format_verdict(verdict, order) == said


def test_a_fill_that_took_names_its_fee() -> None:
    order = replace(order_of(Side.SELL, "10", "0.281"), fee=FeeSchedule(Micros(50_000)))
    verdict = answered(order, "10", "2.81")
    # 10 shares x 5% x 28.1 cents x 71.9 cents, to the nearest cent.
    assert describe_traded(verdict, order) == "Sold 10 Yes @ 28.1¢ avg for $2.81, fee $0.10."
    assert describe_fill_price(verdict) == " @ 28.1¢ avg for $2.81, fee $0.10"
    assert "fee" not in describe_traded(replace(verdict, filled_fee=Micros(0)), order)


def test_a_price_that_nobody_told_is_not_made_up() -> None:
    order = order_of(Side.BUY, "10", "0.5")
    verdict = Accepted(OrderId("0x1"), OrderStatus.FILLED, m("10"), "found")
    assert verdict.average is None
    assert describe_fill_price(verdict) == ""
    assert "limit" not in describe_end(verdict, order)
    resting = replace(verdict, status=OrderStatus.LIVE, filled_size=Micros(0))
    assert describe_end(resting, order) == "Working: BUY 10 Yes @ 50¢."


@given(
    cents=st.lists(st.integers(1, 99), min_size=1, max_size=4),
    size=st.integers(5_000_000, 900_000_000),
)
def test_an_average_lies_between_the_prices_that_filled(cents: list[int], size: int) -> None:
    prices = [Micros(cent * 10_000) for cent in cents]
    cash = Micros(sum(notional_floor(price, Micros(size)) for price in prices))
    filled = Micros(size * len(prices))
    verdict = Accepted(OrderId("0x1"), OrderStatus.FILLED, filled, "", filled_cash=cash)
    assert verdict.average is not None
    assert min(prices) - 1 <= verdict.average <= max(prices)
