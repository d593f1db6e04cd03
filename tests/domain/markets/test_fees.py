import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.markets.fees import (
    FEE_STEP,
    buy_cost,
    fit_buy_amount,
    most_fee,
    taker_fee,
)
from pmtui.domain.markets.market import NO_FEE, FeeSchedule
from pmtui.domain.money import ONE, SCALE, Micros, parse_micros

ROWS: list[dict[str, str]] = json.loads(
    (Path(__file__).parents[2] / "vectors" / "clob.json").read_bytes()
)["takerFee"]

prices = st.integers(1, SCALE - 1).map(Micros)
amounts = st.integers(0, 10**12).map(Micros)
schedules = st.builds(FeeSchedule, st.integers(0, 300_000).map(Micros), st.integers(1, 3))


def exact_fee(shares: Micros, price: Micros, fee: FeeSchedule) -> Fraction:
    """Return the published formula in dollars, before any rounding."""
    spread = Fraction(price * (ONE - price), SCALE * SCALE)
    return Fraction(shares, SCALE) * Fraction(fee.rate, SCALE) * spread**fee.exponent


@pytest.mark.parametrize("row", ROWS, ids=lambda r: "-".join((r["shares"], r["price"], r["rate"])))
def test_published_fees_come_out_exactly(row: dict[str, Any]) -> None:
    schedule = FeeSchedule(parse_micros(row["rate"]), int(row["exponent"]))
    shares, price = parse_micros(row["shares"]), parse_micros(row["price"])
    assert exact_fee(shares, price, schedule) == Fraction(row["feeUnrounded"])
    assert taker_fee(shares, price, schedule) == parse_micros(row["fee5dp"])


@given(amounts, prices, schedules)
def test_a_fee_has_five_decimals_and_is_within_half_of_the_last(
    shares: Micros, price: Micros, schedule: FeeSchedule
) -> None:
    fee = taker_fee(shares, price, schedule)
    assert fee % FEE_STEP == 0
    exact = exact_fee(shares, price, schedule) * SCALE
    assert -FEE_STEP < 2 * (exact - fee) <= FEE_STEP or 2 * (fee - exact) == FEE_STEP


@given(amounts, prices, schedules)
def test_a_fee_is_the_same_for_both_outcomes(
    shares: Micros, price: Micros, schedule: FeeSchedule
) -> None:
    other = Micros(ONE - price)
    assert taker_fee(shares, price, schedule) == taker_fee(shares, other, schedule)


@given(
    shares=st.integers(10_000, 10**12).map(Micros),
    cents=st.integers(1, 99),
    other=st.integers(1, 99),
    is_buy=st.booleans(),
)
def test_no_price_within_the_limit_costs_more_than_the_most_fee(
    shares: Micros, cents: int, other: int, is_buy: bool
) -> None:
    fee, limit, price = FeeSchedule(rate=Micros(40_000)), Micros(cents * 10_000), other * 10_000
    if (price <= limit) if is_buy else (price >= limit):
        assert taker_fee(shares, Micros(price), fee) <= most_fee(shares, limit, fee, is_buy=is_buy)


def test_half_of_the_last_decimal_rounds_up() -> None:
    half = FeeSchedule(rate=Micros(20))
    assert taker_fee(ONE, Micros(500_000), half) == FEE_STEP
    assert taker_fee(Micros(ONE - 1), Micros(500_000), half) == 0


@given(amounts, amounts, prices, schedules)
def test_a_fitted_purchase_never_costs_more_than_there_is(
    amount: Micros, max_spend: Micros, price: Micros, schedule: FeeSchedule
) -> None:
    fitted = fit_buy_amount(amount, max_spend, price, fee=schedule)
    assert 0 <= fitted <= amount
    cost = buy_cost(fitted, price, schedule)
    assert cost <= max_spend
    if fitted < amount:
        exact = fitted + exact_fee(Micros(SCALE), price, schedule) * fitted * SCALE / price
        # What is left over is the rounding of the fee and of the amount, times its rate.
        slack = FEE_STEP + 2 + (exact - fitted) / max(fitted, 1) * 2 * FEE_STEP
        assert max_spend - exact <= slack


def test_a_purchase_that_fits_is_left_alone() -> None:
    schedule = FeeSchedule(parse_micros("0.07"))
    amount = parse_micros("10")
    cost = buy_cost(amount, parse_micros("0.5"), schedule)
    assert cost == parse_micros("10.35")
    assert fit_buy_amount(amount, cost, parse_micros("0.5"), fee=schedule) == amount
    assert fit_buy_amount(amount, amount, parse_micros("0.5"), fee=NO_FEE) == amount


def test_a_purchase_that_does_not_fit_follows_the_closed_form() -> None:
    schedule = FeeSchedule(parse_micros("0.05"))
    fitted = fit_buy_amount(
        parse_micros("100"), parse_micros("100"), parse_micros("0.5"), fee=schedule
    )
    assert fitted == parse_micros("97.560975")
