import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, SCALE, Micros, parse_micros
from pmtui.domain.orders.amounts import (
    SIZE_STEP,
    TICK_RULES,
    AmountError,
    OrderAmounts,
    fit,
    is_on_tick,
    limit_amounts,
    market_amounts,
    market_price_walk,
    nearest_price,
    order_amounts,
    price_ceil,
    price_floor,
    size_ceil,
    size_floor,
    tick_rules,
    to_finest_tick,
)
from pmtui.domain.orders.order import LimitIntent, MarketBuyIntent, TimeInForce

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "vectors" / "clob.json").read_bytes()
)

ticks = st.sampled_from(sorted(TICK_RULES))
sides = st.sampled_from(Side)
quantities = st.integers(0, 10**13).map(Micros)
prices = st.integers(1, SCALE - 1).map(Micros)


@st.composite
def grid_prices(draw: st.DrawFn) -> tuple[Micros, Micros]:
    tick = draw(ticks)
    return Micros(draw(st.integers(1, ONE // tick - 1)) * tick), tick


@pytest.mark.parametrize(
    "row",
    VECTORS["amounts"],
    ids=lambda r: "-".join((r["kind"], r["tickSize"], r["side"], r["quantity"])),
)
def test_published_amounts_come_out_to_the_last_unit(row: dict[str, str]) -> None:
    compute = {"limit": limit_amounts, "market": market_amounts}[row["kind"]]
    amounts = compute(
        Side(row["side"]),
        parse_micros(row["price"]),
        parse_micros(row["quantity"]),
        tick=parse_micros(row["tickSize"]),
    )
    assert (str(amounts.maker), str(amounts.taker)) == (row["makerAmount"], row["takerAmount"])


@pytest.mark.parametrize(
    "row",
    VECTORS["marketPriceWalk"],
    ids=lambda r: "-".join((r["side"], r["amount"], r["orderType"])),
)
def test_published_price_walks_end_at_the_same_level(row: dict[str, Any]) -> None:
    levels = [
        (parse_micros(level["price"]), parse_micros(level["size"]))
        for level in row["levelsAsSentByVenue"]
    ]
    arguments: dict[str, Any] = {"time_in_force": TimeInForce(row["orderType"])}
    side, amount = Side(row["side"]), parse_micros(row["amount"])
    expected = parse_micros(row["price"]) if "price" in row else None
    assert market_price_walk(levels, side, amount, **arguments) == expected
    assert market_price_walk(levels[::-1], side, amount, **arguments) == expected


@given(grid_prices(), sides, quantities)
def test_a_limit_order_keeps_its_price_exactly(
    price_and_tick: tuple[Micros, Micros], side: Side, size: Micros
) -> None:
    price, tick = price_and_tick
    amounts = limit_amounts(side, price, size, tick=tick)
    cash, shares = amounts.maker, amounts.taker
    if side is Side.SELL:
        cash, shares = shares, cash
    assert shares == size_floor(size) <= size
    assert cash * SCALE == price * shares
    assert cash % 10 ** (6 - tick_rules(tick).amount_decimals) == 0


@given(grid_prices(), sides, quantities)
def test_a_market_order_never_gives_more_than_asked(
    price_and_tick: tuple[Micros, Micros], side: Side, amount: Micros
) -> None:
    price, tick = price_and_tick
    amounts = market_amounts(side, price, amount, tick=tick)
    rules = tick_rules(tick)
    assert 0 <= amounts.maker <= amount
    assert amounts.maker < 2**63
    assert amounts.taker < 2**63
    assert amounts.maker % SIZE_STEP == 0
    step = 10 ** (6 - rules.amount_decimals)
    assert amounts.taker % step == 0
    bought = amounts.taker * price
    given_exact = amounts.maker * (SCALE if side is Side.BUY else price)
    if side is Side.SELL:
        assert amounts.taker * SCALE == given_exact
    else:
        # Cut to the grid, except that four decimals of noise may lift the last unit.
        assert bought <= given_exact + price * step / 10_000
        assert bought > given_exact - price * step


@given(st.integers(0, 10**15), st.integers(1, 10**9), st.integers(1, 6))
def test_fit_is_the_two_steps_of_the_service(numerator: int, denominator: int, n: int) -> None:
    step = 10 ** (6 - n)
    if numerator * 10**n % denominator == 0:
        expected = numerator * 10**n // denominator
    else:
        widened = -(-numerator * 10 ** (n + 4) // denominator)
        expected = widened // 10**4
    assert fit(numerator, denominator, decimals=n) == expected * step


@given(prices, ticks)
def test_the_nearest_price_is_on_the_grid_and_no_other_is_nearer(
    price: Micros, tick: Micros
) -> None:
    nearest = nearest_price(price, tick)
    low, high = price_floor(price, tick), price_ceil(price, tick)
    assert all(is_on_tick(candidate, tick) for candidate in (nearest, low, high))
    assert nearest in (low, high)
    assert abs(nearest - price) == min(abs(low - price), abs(high - price))


@pytest.mark.parametrize(
    ("typed", "nearest"),
    [(0, 10_000), (4_000, 10_000), (15_000, 20_000), (14_999, 10_000), (999_999, 990_000)],
)
def test_a_typed_price_snaps_into_the_market(typed: int, nearest: int) -> None:
    assert nearest_price(Micros(typed), Micros(10_000)) == nearest


@pytest.mark.parametrize("price", [0, -1, 5_000, 995_000, 1_000_000])
def test_prices_off_the_grid_or_outside_the_market_are_not_on_tick(price: int) -> None:
    assert not is_on_tick(Micros(price), Micros(10_000))


def test_a_tick_the_service_does_not_have_is_refused() -> None:
    with pytest.raises(AmountError, match="no such tick"):
        limit_amounts(Side.BUY, Micros(500_000), Micros(SCALE), tick=Micros(20_000))


@pytest.mark.parametrize("price", [0, SCALE, SCALE + 1, -1])
def test_a_price_outside_zero_and_one_is_refused(price: int) -> None:
    with pytest.raises(AmountError, match="outside"):
        limit_amounts(Side.BUY, Micros(price), Micros(SCALE), tick=Micros(10_000))


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(AmountError, match="negative"):
        limit_amounts(Side.SELL, Micros(500_000), Micros(-1), tick=Micros(10_000))


def test_a_worst_price_below_the_grid_is_refused() -> None:
    with pytest.raises(AmountError, match="below the grid"):
        market_amounts(Side.BUY, Micros(9_999), Micros(SCALE), tick=Micros(10_000))


def test_an_order_of_less_than_a_hundredth_share_is_empty() -> None:
    amounts = limit_amounts(Side.BUY, Micros(500_000), Micros(9_999), tick=Micros(10_000))
    assert amounts.is_empty
    assert not OrderAmounts(Micros(1), Micros(1)).is_empty


m = parse_micros
CENT = m("0.01")
LIMIT = LimitIntent(
    condition_id=ConditionId("0xaa"), token_id=TokenId("1"), side=Side.BUY, price=m("0.53"),
    size=m("33"),
)  # fmt: skip
MARKET = MarketBuyIntent(
    condition_id=LIMIT.condition_id, token_id=LIMIT.token_id, amount=m("25"), worst_price=m("0.56")
)


def test_what_rests_signs_price_times_shares() -> None:
    assert order_amounts(LIMIT, CENT) == OrderAmounts(m("17.49"), m("33"))
    selling = replace(LIMIT, side=Side.SELL, time_in_force=TimeInForce.GTD)
    assert order_amounts(selling, CENT) == OrderAmounts(m("33"), m("17.49"))


def test_what_does_not_rest_is_a_market_order_to_the_venue() -> None:
    price = replace(LIMIT, price=m("0.537"), time_in_force=TimeInForce.FAK)
    assert order_amounts(price, m("0.001")) == OrderAmounts(m("17.72"), m("32.99813"))
    selling = replace(price, side=Side.SELL)
    assert order_amounts(selling, m("0.001")) == OrderAmounts(m("33"), m("17.721"))


def test_a_market_purchase_states_its_dollars() -> None:
    assert order_amounts(MARKET, CENT) == OrderAmounts(m("25"), m("44.6428"))


def test_an_unknown_tick_is_refused() -> None:
    for intent in (LIMIT, MARKET):
        with pytest.raises(AmountError):
            order_amounts(intent, m("0.03"))


@given(
    st.integers(1, 99), st.integers(1, 10**7), st.sampled_from(Side),
    st.sampled_from([TimeInForce.FOK, TimeInForce.FAK]),
)  # fmt: skip
def test_no_killed_order_gives_more_than_was_meant_or_takes_a_worse_price(
    cents: int, hundredths: int, side: Side, time_in_force: TimeInForce
) -> None:
    intent = replace(
        LIMIT, side=side, price=Micros(cents * CENT), size=Micros(hundredths * CENT),
        time_in_force=time_in_force,
    )  # fmt: skip
    amounts = order_amounts(intent, CENT)
    two_decimals, four_decimals = 10**4, 10**2
    assert amounts.maker % two_decimals == 0
    assert amounts.taker % four_decimals == 0
    if side is Side.BUY:
        assert amounts.maker * 1_000_000 <= intent.price * intent.size
        assert amounts.taker * intent.price <= amounts.maker * 1_000_000
    else:
        assert amounts.maker == intent.size
        assert amounts.taker * 1_000_000 == intent.price * intent.size


@given(quantities)
def test_a_size_lies_between_its_two_roundings(size: Micros) -> None:
    low, high = size_floor(size), size_ceil(size)
    assert low <= size <= high
    assert high - low == (SIZE_STEP if size % SIZE_STEP else 0)


@given(prices, ticks)
def test_the_finest_tick_keeps_every_price_of_a_market(price: Micros, tick: Micros) -> None:
    near = to_finest_tick(price)
    assert abs(near - price) <= min(TICK_RULES) / 2
    assert to_finest_tick(Micros(price // tick * tick)) == price // tick * tick
