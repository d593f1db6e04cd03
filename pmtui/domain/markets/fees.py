"""Exact fees of a fill: the taker fee, and what a budget buys.

The published formula is shares × rate × (price × (1 − price)) ^ exponent dollars, rounded to five
decimals. The rounding of the fifth decimal is not published; this rounds half up.
"""

from fractions import Fraction

from pmtui.domain.markets.market import FeeSchedule
from pmtui.domain.money import ONE, SCALE, Micros

FEE_STEP = Micros(10)
"""Fees have five decimals."""


def taker_fee(shares: Micros, price: Micros, fee: FeeSchedule) -> Micros:
    """Return the fee in dollars for taking `shares` at `price`, rounded half up to five decimals."""
    spread = price * (ONE - price)
    numerator = shares * fee.rate * spread**fee.exponent
    divisor = SCALE ** (2 * fee.exponent + 1) * FEE_STEP
    return Micros((2 * numerator + divisor) // (2 * divisor) * FEE_STEP)


def most_fee(shares: Micros, limit: Micros, fee: FeeSchedule, *, is_buy: bool) -> Micros:
    """Return the largest fee for taking `shares` at any price that a limit order allows.

    The fee per share peaks at fifty cents, so that price counts if the limit allows it.
    """
    low, high = (Micros(0), limit) if is_buy else (limit, ONE)
    return most_fee_between(shares, low, high, fee)


def most_fee_between(shares: Micros, one: Micros, other: Micros, fee: FeeSchedule) -> Micros:
    """Return the largest fee for taking `shares` at any price from one to the other."""
    low, high = min(one, other), max(one, other)
    return taker_fee(shares, min(max(Micros(ONE // 2), low), high), fee)


def buy_cost(amount: Micros, price: Micros, fee: FeeSchedule) -> Micros:
    """Return the cost of spending `amount` dollars at `price`, fee included and rounded half up."""
    exact = amount * _fee_per_dollar(price, fee)
    return Micros(amount + int((2 * exact + FEE_STEP) // (2 * FEE_STEP)) * FEE_STEP)


def fit_buy_amount(amount: Micros, max_spend: Micros, price: Micros, *, fee: FeeSchedule) -> Micros:
    """Return the dollars to spend so that amount and fee stay within `max_spend`.

    The amount is returned unchanged if it fits; else the closed form is rounded down, and reduced
    by what rounding the fee to five decimals added.

    Args:
        amount: dollars wanted.
        max_spend: dollars available.
        price: what the shares cost, between 0 and 1. With exponent one the fee per dollar is
            largest at the lowest price, so the best ask is the conservative choice.
        fee: the market's schedule.
    """
    if buy_cost(amount, price, fee) <= max_spend:
        return amount
    per_dollar = 1 + _fee_per_dollar(price, fee)
    fitted = Micros(max_spend * per_dollar.denominator // per_dollar.numerator)
    excess = buy_cost(fitted, price, fee) - max_spend
    return Micros(max(0, fitted - max(0, excess)))


def _fee_per_dollar(price: Micros, fee: FeeSchedule) -> Fraction:
    spread = Fraction(price * (ONE - price), SCALE * SCALE)
    return Fraction(fee.rate, SCALE) * spread**fee.exponent * Fraction(SCALE, price)
