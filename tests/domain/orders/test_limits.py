from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.holdings import apply_fill_to_position
from pmtui.domain.account.position import Position
from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros, notional_ceil, parse_micros
from pmtui.domain.orders.limits import (
    NO_RULES,
    EntryRules,
    Limits,
    order_exposure,
    position_exposure,
)
from pmtui.domain.orders.order import (
    Fill,
    LimitIntent,
    Liquidity,
    MarketBuyIntent,
    Order,
    OrderIntent,
    OrderStatus,
    TimeInForce,
    TradeStatus,
)

m = parse_micros
AT = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)
HERE = ConditionId("0x" + "ab" * 32)
MARKETS = [ConditionId("0xaa"), ConditionId("0xbb"), ConditionId("0xcc")]

prices = st.integers(1, 999).map(lambda cents: Micros(cents * 1_000))
sizes = st.integers(0, 10_000_000_000).map(Micros)


@st.composite
def orders(draw: st.DrawFn) -> Order:
    size = draw(sizes)
    market = draw(st.sampled_from(MARKETS))
    return Order(
        order_id=OrderId(f"0x{draw(st.integers(0, 10**9)):x}"), condition_id=market,
        token_id=TokenId(f"{market}-1"), outcome="Yes", side=draw(st.sampled_from(Side)),
        price=draw(prices), original_size=size,
        matched_size=Micros(draw(st.integers(0, size))),
        status=draw(st.sampled_from(OrderStatus)), time_in_force=TimeInForce.GTC, created_at=AT,
    )  # fmt: skip


@st.composite
def positions(draw: st.DrawFn) -> Position:
    market = draw(st.sampled_from(MARKETS))
    return Position(
        token_id=TokenId(f"{market}-1"), condition_id=market, title="", outcome="Yes",
        size=draw(sizes), average_price=draw(prices), current_price=draw(prices), realized=ZERO,
        is_redeemable=draw(st.booleans()),
    )  # fmt: skip


def exposure(
    held: Iterable[Position],
    ours: Iterable[tuple[Order, Micros]],
    condition_id: ConditionId | None = None,
) -> Micros:
    """Add up what is at stake in a market, or everywhere."""
    shares = sum(position_exposure(p) for p in held if condition_id in (None, p.condition_id))
    bought = sum(order_exposure(o, n) for o, n in ours if condition_id in (None, o.condition_id))
    return Micros(shares + bought)


def booked(order: Order) -> tuple[Order, Micros]:
    return order, order.matched_size


@given(st.lists(positions()), st.lists(orders()))
def test_the_markets_add_up_to_the_whole(held: list[Position], ours: list[Order]) -> None:
    pairs = [booked(order) for order in ours]
    parts = [exposure(held, pairs, market) for market in MARKETS]
    assert sum(parts) == exposure(held, pairs)
    assert all(part >= 0 for part in parts)


@given(st.lists(positions()), st.lists(orders()), orders())
def test_another_order_adds_what_it_may_cost_and_a_sale_adds_nothing(
    held: list[Position], ours: list[Order], one_more: Order
) -> None:
    pairs = [booked(order) for order in ours]
    before, after = exposure(held, pairs), exposure(held, [*pairs, booked(one_more)])
    if one_more.side is Side.SELL or not one_more.status.is_open:
        assert after == before
    else:
        assert after == before + notional_ceil(one_more.price, one_more.remaining_size)


@given(positions(), orders(), st.data())
def test_selling_what_is_held_never_raises_it_and_frees_what_was_paid(
    position: Position, order: Order, data: st.DataObject
) -> None:
    sold = Micros(data.draw(st.integers(0, position.size)))
    after = apply_fill_to_position(position, fill_of(order, Side.SELL, sold))
    freed = exposure([position], []) - exposure([after], [])
    assert freed >= 0
    if not position.is_redeemable:
        assert abs(freed - position.average_price * sold // 1_000_000) <= 1


@given(prices, st.integers(1, 10_000_000_000), st.data())
def test_a_fill_moves_exposure_from_the_order_to_the_position(
    price: Micros, size: int, data: st.DataObject
) -> None:
    matched = Micros(data.draw(st.integers(1, size)))
    resting = buy(price, Micros(size))
    before = exposure([], [(resting, ZERO)])
    # The venue's answer tells of the match first: nothing of it is held yet.
    told = replace(resting, matched_size=matched, status=OrderStatus.PARTIALLY_FILLED)
    assert exposure([], [(told, ZERO)]) == before
    nothing = Position(
        token_id=resting.token_id, condition_id=resting.condition_id, title="", outcome="Yes",
        size=ZERO, average_price=ZERO, current_price=None, realized=ZERO,
    )  # fmt: skip
    held = apply_fill_to_position(nothing, fill_of(resting, Side.BUY, matched, price))
    assert abs(exposure([held], [(told, matched)]) - before) <= 1


@pytest.mark.parametrize("status", [s for s in OrderStatus if s.is_open])
def test_every_order_that_may_still_fill_counts_also_an_unknown_one(status: OrderStatus) -> None:
    order = replace(buy(m("0.4"), m("100")), status=status)
    assert order_exposure(order, ZERO) == m("40")


def test_what_was_matched_and_never_told_of_as_a_fill_counts_after_the_order_ended() -> None:
    order = replace(buy(m("0.4"), m("100")), status=OrderStatus.CANCELLED, matched_size=m("30"))
    assert order_exposure(order, ZERO) == m("12")
    assert order_exposure(order, m("10")) == m("8")
    assert order_exposure(order, m("30")) == ZERO
    # Dollars may have bought more shares than the least that was asked for.
    assert order_exposure(order, m("31")) == ZERO


@given(st.lists(orders(), max_size=30), st.lists(positions(), max_size=5), sizes, sizes)
def test_whatever_is_let_through_one_by_one_stays_within_the_limits(
    wanted: list[Order], held: list[Position], market_limit: Micros, total_limit: Micros
) -> None:
    limits = Limits(market=market_limit, total=total_limit)
    admitted: list[tuple[Order, Micros]] = []
    for order in wanted:
        new = replace(order, status=OrderStatus.PENDING, matched_size=ZERO)
        cash = notional_ceil(new.price, new.original_size)
        here = exposure(held, admitted, new.condition_id)
        rules = EntryRules(
            limits, total=exposure(held, admitted), markets=((new.condition_id, here),)
        )
        if rules.find_breach(new.condition_id, new.side, cash):
            continue
        admitted.append(booked(new))
        if new.side is Side.BUY:
            assert exposure(held, admitted, new.condition_id) <= market_limit
            assert exposure(held, admitted) <= total_limit


@given(sizes, sizes, sizes, st.integers(-(10**9), 10**9))
def test_nothing_is_refused_without_limits_and_no_sale_ever(
    cash: Micros, market: Micros, total: Micros, loss: int
) -> None:
    strict = Limits(order=ZERO, market=ZERO, total=ZERO, daily_loss=ZERO)
    for limits, side in ((Limits(), Side.BUY), (strict, Side.SELL)):
        rules = EntryRules(limits, total=total, markets=((HERE, market),), loss=Micros(loss))
        assert rules.find_breach(HERE, side, cash) == ""


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (EntryRules(Limits(order=m("50"))), ""),
        (EntryRules(Limits(order=m("49.99"))),
         "Over your limit of $49.99 for an order: it would be $50.00"),
        (EntryRules(Limits(market=m("100")), markets=((HERE, m("50")),)), ""),
        (EntryRules(Limits(market=m("100")), markets=((HERE, m("50.01")),), total=m("50.01")),
         "Over your limit of $100.00 for a market: it would be $100.01"),
        (EntryRules(Limits(total=m("1000")), total=m("999")),
         "Over your limit of $1000.00 for all markets: it would be $1049.00"),
        (EntryRules(Limits(daily_loss=m("20")), loss=m("19.999999")), ""),
        (EntryRules(Limits(daily_loss=m("20")), loss=m("20")),
         "Your daily loss limit of $20.00 is reached: $20.00 lost since 00:00 UTC"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_limit_its_value_and_what_it_would_become(
    rules: EntryRules, said: str
) -> None:
    assert rules.find_breach(HERE, Side.BUY, m("50")) == said


def buy(price: Micros, size: Micros) -> Order:
    return Order(
        order_id=OrderId("0x1"), condition_id=MARKETS[0], token_id=TokenId("1"), outcome="Yes",
        side=Side.BUY, price=price, original_size=size, matched_size=ZERO,
        status=OrderStatus.LIVE, time_in_force=TimeInForce.GTC, created_at=AT,
    )  # fmt: skip


def fill_of(order: Order, side: Side, size: Micros, price: Micros | None = None) -> Fill:
    return Fill(
        trade_id=TradeId("t"), order_id=order.order_id, condition_id=order.condition_id,
        token_id=order.token_id, outcome="Yes", side=side,
        price=order.price if price is None else price, size=size, fee=ZERO,
        liquidity=Liquidity.MAKER, status=TradeStatus.MATCHED, matched_at=AT,
    )  # fmt: skip


def test_only_a_limit_of_one_order_can_be_judged_without_the_account() -> None:
    assert not Limits(order=Micros(1)).need_account
    assert Limits(market=Micros(1)).need_account
    assert Limits(daily_loss=Micros(1)).need_account


DOLLAR = 1_000_000
BUY = LimitIntent(HERE, TokenId("1"), Side.BUY, Micros(500_000), Micros(20 * DOLLAR))
SALE = LimitIntent(HERE, TokenId("1"), Side.SELL, Micros(500_000), Micros(20 * DOLLAR))
DOLLARS = MarketBuyIntent(HERE, TokenId("1"), Micros(11 * DOLLAR), Micros(900_000))
LIMITS = Limits(order=Micros(12 * DOLLAR), market=Micros(15 * DOLLAR), total=Micros(40 * DOLLAR))


@pytest.mark.parametrize("intent", [BUY, SALE, DOLLARS])
def test_without_rules_nothing_is_refused(intent: OrderIntent) -> None:
    assert NO_RULES.problem(intent) == ""


def test_a_purchase_counts_beside_what_is_at_stake_in_its_market_and_everywhere() -> None:
    assert EntryRules(LIMITS).problem(BUY) == ""
    here = EntryRules(LIMITS, markets=((HERE, Micros(6 * DOLLAR)),))
    assert here.problem(BUY) == "Over your limit of $15.00 for a market: it would be $16.00"
    elsewhere = EntryRules(LIMITS, markets=((ConditionId("0x1"), Micros(6 * DOLLAR)),))
    assert elsewhere.problem(BUY) == ""
    everywhere = EntryRules(LIMITS, total=Micros(35 * DOLLAR))
    assert "it would be $46.00" in everywhere.problem(DOLLARS)


def test_a_purchase_that_signs_fewer_dollars_than_its_limit_counts_those() -> None:
    rules = EntryRules(Limits(order=Micros(9 * DOLLAR)))
    assert rules.problem(BUY)
    assert rules.problem(replace(BUY, spend=Micros(9 * DOLLAR))) == ""


def test_what_cannot_be_checked_refuses_a_purchase_and_no_sale() -> None:
    rules = EntryRules(LIMITS, unchecked="still loading")
    assert (rules.problem(BUY), rules.problem(SALE)) == ("still loading", "")


def test_a_breach_says_what_may_yet_turn_out_not_to_count() -> None:
    rules = EntryRules(Limits(order=Micros(DOLLAR)), doubt="one may arrive")
    assert rules.problem(BUY).endswith("for an order: it would be $10.00; one may arrive")
    assert EntryRules(LIMITS, doubt="one may arrive").problem(BUY) == ""
