from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import NO_FEE, MarketTerms, Side
from pmtui.domain.money import ONE, Micros, parse_micros
from pmtui.domain.orders.moving import (
    MoveProblem,
    find_final_size,
    nudged_price,
    plan_move,
    size_after_fills,
    why_not_movable,
    why_not_replaced,
)
from pmtui.domain.orders.order import LimitIntent, Order, OrderStatus, TimeInForce

m = parse_micros
NOW = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)
TERMS = MarketTerms(
    condition_id=ConditionId("0xaa"), token_ids=(TokenId("1"), TokenId("2")),
    outcome_labels=("Yes", "No"), tick_size=m("0.01"), min_order_size=m("5"), neg_risk=False,
    fee=NO_FEE,
)  # fmt: skip
ORDER = Order(
    order_id=OrderId("0x1"), condition_id=TERMS.condition_id, token_id=TokenId("1"),
    outcome="Yes", side=Side.BUY, price=m("0.40"), original_size=m("10"), matched_size=m("0"),
    status=OrderStatus.LIVE, time_in_force=TimeInForce.GTC, created_at=NOW,
)  # fmt: skip


def plan(
    order: Order, price: str, *, cash: Micros | None = None, terms: MarketTerms = TERMS,
    size: str | None = None, free: Micros | None = None,
) -> LimitIntent | MoveProblem:  # fmt: skip
    return plan_move(
        order, m(price), terms=terms, now=NOW, available_cash=cash, available_shares=free,
        size=None if size is None else m(size),
    )  # fmt: skip


def problem(order: Order, price: str = "0.42", **changes: object) -> str:
    found = plan(order, price, **changes)  # type: ignore[arg-type]  # a test names what differs
    assert isinstance(found, MoveProblem)
    return found.text


def test_the_new_order_keeps_type_expiry_and_post_only() -> None:
    end = NOW + timedelta(hours=1)
    order = replace(ORDER, time_in_force=TimeInForce.GTD, expires_at=end, is_post_only=True)
    assert plan(order, "0.41") == LimitIntent(
        condition_id=order.condition_id, token_id=order.token_id, side=Side.BUY,
        price=m("0.41"), size=m("10"), time_in_force=TimeInForce.GTD, is_post_only=True,
        expires_at=end,
    )  # fmt: skip


@pytest.mark.parametrize("price", ["0.40", "0.42"])
def test_an_order_may_get_another_size_at_its_price_or_another(price: str) -> None:
    for size in ("5", "7.25", "30"):
        moved = plan(ORDER, price, size=size)
        assert isinstance(moved, LimitIntent)
        assert (moved.price, moved.size) == (m(price), m(size))


def test_a_size_that_cannot_be_says_why() -> None:
    assert problem(ORDER, "0.40", size="10") == "It is at that price already"
    assert problem(ORDER, "0.40", size="4.99") == "Minimum 5 shares"
    assert problem(ORDER, "0.40", size="7.005") == "Two decimals at most, and more than 0"
    assert problem(ORDER, "0.40", size="20", cash=m("3")) == (
        "It would cost $1 more than is available"
    )
    sale = replace(ORDER, side=Side.SELL)
    assert problem(sale, "0.42", size="20", free=m("9.5")) == (
        "Only 9.5 shares are free besides this order"
    )
    assert isinstance(plan(sale, "0.42", size="19.5", free=m("9.5")), LimitIntent)


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9))
def test_what_filled_meanwhile_counts_against_the_size_that_was_confirmed(
    wanted: int, left: int, filled: int
) -> None:
    filled = min(filled, left)
    placed = size_after_fills(Micros(wanted), left=Micros(left), left_now=Micros(left - filled))
    assert placed == max(wanted - filled, 0)
    assert placed + min(filled, wanted) == wanted


def test_only_what_is_left_is_moved() -> None:
    half = replace(ORDER, matched_size=m("4.005"), status=OrderStatus.PARTIALLY_FILLED)
    moved = plan(half, "0.41")
    assert isinstance(moved, LimitIntent)
    assert moved.size == m("5.99")


def test_too_little_left_is_said_before_anything_is_done() -> None:
    rest = replace(ORDER, matched_size=m("5.5"), status=OrderStatus.PARTIALLY_FILLED)
    assert "4.5 shares are left" in problem(rest)
    assert why_not_replaced(m("5"), TERMS) == ""


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (OrderStatus.UNKNOWN, "being checked"),
        (OrderStatus.SENT, "being checked"),
        (OrderStatus.DELAYED, "Delayed by the venue"),
        (OrderStatus.FILLED, "It is filled"),
        (OrderStatus.CANCELLED, "It is cancelled"),
    ],
)
def test_only_an_order_known_to_rest_can_be_moved(status: OrderStatus, words: str) -> None:
    assert words in problem(replace(ORDER, status=status))


def test_what_does_not_rest_cannot_be_moved() -> None:
    fak = replace(ORDER, time_in_force=TimeInForce.FAK)
    assert "FAK" in why_not_movable(fak, TERMS, NOW)


def test_an_order_about_to_end_is_not_moved() -> None:
    ending = replace(ORDER, time_in_force=TimeInForce.GTD, expires_at=NOW + timedelta(seconds=119))
    assert "119 s" in problem(ending)
    longer = replace(ending, expires_at=NOW + timedelta(seconds=120))
    assert isinstance(plan(longer, "0.41"), LimitIntent)


@pytest.mark.parametrize(
    ("price", "words"), [("0.40", "already"), ("0.415", "nearest price 42¢"), ("1", "99¢")]
)
def test_the_new_price_must_be_another_one_on_the_grid(price: str, words: str) -> None:
    assert words in problem(ORDER, price)


def test_a_market_that_takes_no_orders_keeps_the_old_one() -> None:
    closed = replace(TERMS, accepting_orders=False)
    assert "no orders" in problem(ORDER, terms=closed)


@given(st.integers(41, 99), st.integers(0, 6_000_000))
def test_a_dearer_purchase_needs_what_it_costs_beyond_the_old_one(cents: int, cash: int) -> None:
    found = plan_move(
        ORDER, Micros(cents * 10_000), terms=TERMS, now=NOW, available_cash=Micros(cash)
    )
    lacks = cents * 100_000 - 4_000_000 > cash
    assert isinstance(found, MoveProblem) is lacks


def test_a_sale_needs_no_cash() -> None:
    sale = replace(ORDER, side=Side.SELL)
    assert isinstance(plan(sale, "0.9", cash=Micros(0)), LimitIntent)


@given(
    trades=st.lists(st.tuples(st.integers(1, 4), st.booleans(), st.booleans()), max_size=4),
    has_record=st.booleans(),
)
def test_what_is_placed_again_never_trades_more_than_was_meant(
    *,
    trades: list[tuple[int, bool, bool]],
    has_record: bool,
) -> None:
    """Each trade has a size, and may be told of, and may have failed."""
    size = m("16.5")
    order = replace(ORDER, original_size=size)
    matched = m(str(sum(part for part, _, _ in trades)))
    gone = replace(order, status=OrderStatus.CANCELLED, matched_size=matched)
    heard = [(part, fails) for part, is_told, fails in trades if is_told]
    booked = m(str(sum(part for part, fails in heard if not fails)))
    failed = m(str(sum(part for part, fails in heard if fails)))
    found = find_final_size(order, gone if has_record else None, booked=booked, failed=failed)
    if found is not None:
        assert (size - found) + matched <= size
    # With its record and every trade it is always certain.
    if has_record and len(heard) == len(trades):
        assert found == matched


def test_an_order_whose_trades_are_all_of_it_needs_no_record() -> None:
    assert find_final_size(ORDER, None, booked=m("9.995")) == m("9.995")
    assert find_final_size(ORDER, None, booked=m("9.99")) is None


@given(
    price=st.integers(1, ONE - 1), ticks=st.integers(-200, 200).filter(bool),
    tick=st.sampled_from((1_000, 10_000, 100)),
)  # fmt: skip
def test_a_nudged_price_is_an_order_price_in_the_direction_of_the_key(
    price: int, ticks: int, tick: int
) -> None:
    found = nudged_price(Micros(price), ticks, Micros(tick))
    assert found % tick == 0
    assert tick <= found <= ONE - tick
    if price % tick == 0 and tick <= price + ticks * tick <= ONE - tick:
        assert found == price + ticks * tick
    if tick <= price <= ONE - tick:
        assert (found - price) * ticks >= 0
