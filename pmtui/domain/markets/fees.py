"""Fees of a fill, exactly: the platform's taker fee, the builder's fee, and what a budget buys.

The published formula is shares × rate × (price × (1 − price)) ^ exponent dollars, rounded to five
decimals. How the fifth decimal rounds is not published; this rounds half up.
"""

from fractions import Fraction

from pmtui.domain.markets.market import FeeSchedule
from pmtui.domain.money import ONE, SCALE, Micros

FEE_STEP = Micros(10)
"""Fees have five decimals."""

BASIS_POINTS = 10_000


def taker_fee(shares: Micros, price: Micros, fee: FeeSchedule) -> Micros:
    """Return the fee in dollars of taking `shares` at `price`, rounded half up to five decimals."""
    spread = price * (ONE - price)
    numerator = shares * fee.rate * spread**fee.exponent
    divisor = SCALE ** (2 * fee.exponent + 1) * FEE_STEP
    return Micros((2 * numerator + divisor) // (2 * divisor) * FEE_STEP)


def most_fee(shares: Micros, limit: Micros, fee: FeeSchedule, *, is_buy: bool) -> Micros:
    """Return the largest fee of taking `shares` at any price that a limit order allows.

    A share's fee is largest at fifty cents, wherever on the way there the limit lies.
    """
    low, high = (Micros(0), limit) if is_buy else (limit, ONE)
    return most_fee_between(shares, low, high, fee)


def most_fee_between(shares: Micros, one: Micros, other: Micros, fee: FeeSchedule) -> Micros:
    """Return the largest fee of taking `shares` at any price from one to the other."""
    low, high = min(one, other), max(one, other)
    return taker_fee(shares, min(max(Micros(ONE // 2), low), high), fee)


def taker_fee_exact(shares: Micros, price: Micros, fee: FeeSchedule) -> Fraction:
    """Return the same fee in dollars before rounding."""
    return Fraction(shares, SCALE) * _fee_per_share(price, fee)


def builder_fee(notional: Micros, rate_bps: int) -> Micros:
    """Return the builder's share of a notional in dollars, rounded half up to five decimals."""
    divisor = BASIS_POINTS * FEE_STEP
    return Micros((2 * notional * rate_bps + divisor) // (2 * divisor) * FEE_STEP)


def buy_cost(amount: Micros, price: Micros, fee: FeeSchedule, *, builder_bps: int = 0) -> Micros:
    """Return what spending `amount` dollars at `price` costs with both fees, each rounded."""
    platform = Fraction(amount) * _fee_per_dollar(price, fee)
    return Micros(amount + _half_up(platform) + builder_fee(amount, builder_bps))


def fit_buy_amount(
    amount: Micros,
    max_spend: Micros,
    price: Micros,
    *,
    fee: FeeSchedule,
    builder_bps: int = 0,
) -> Micros:
    """Return how many dollars to spend so that amount and fees stay within `max_spend`.

    The amount comes back unchanged where it fits; else the closed form is rounded down, and
    lowered by what rounding the fees to five decimals added.

    Args:
        amount: dollars wanted.
        max_spend: dollars there are.
        price: what the shares cost, between 0 and 1. With exponent one the fee of a dollar is
            largest at the lowest price, so the best ask is the careful choice.
        fee: the market's schedule.
        builder_bps: the builder's taker rate in hundredths of a percent.
    """
    if buy_cost(amount, price, fee, builder_bps=builder_bps) <= max_spend:
        return amount
    per_dollar = 1 + _fee_per_dollar(price, fee) + Fraction(builder_bps, BASIS_POINTS)
    fitted = Micros(max_spend * per_dollar.denominator // per_dollar.numerator)
    excess = buy_cost(fitted, price, fee, builder_bps=builder_bps) - max_spend
    return Micros(max(0, fitted - max(0, excess)))


def _fee_per_share(price: Micros, fee: FeeSchedule) -> Fraction:
    spread = Fraction(price * (ONE - price), SCALE * SCALE)
    return Fraction(fee.rate, SCALE) * spread**fee.exponent


def _fee_per_dollar(price: Micros, fee: FeeSchedule) -> Fraction:
    return _fee_per_share(price, fee) * Fraction(SCALE, price)


def _half_up(micros: Fraction) -> int:
    return int((2 * micros + FEE_STEP) // (2 * FEE_STEP)) * FEE_STEP
