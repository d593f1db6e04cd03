"""Fixed-point money: integers of a millionth, never binary floats.

Prices, sizes and cash share one scale, so a product of two of them needs exactly one division,
and the name of the function that divides says how it rounds.
"""

import re
from decimal import Decimal
from typing import NewType

Micros = NewType("Micros", int)
"""An amount, a price or a size in units of 1e-6."""

SCALE = 1_000_000
ZERO = Micros(0)
ONE = Micros(SCALE)
"""One dollar, one share, or a price of 1.00: what a winning share pays."""

_DECIMAL = re.compile(r"(-?)(\d{0,24})(?:\.(\d*))?", re.ASCII)


class MoneyError(ValueError):
    """A text that is no amount, or one that does not fit six decimals."""


def parse_micros(text: str) -> Micros:
    """Read a plain decimal exactly.

    Raises:
        MoneyError: not a plain decimal, or digits beyond the sixth decimal that are not zero.
    """
    match = _DECIMAL.fullmatch(text)
    if match is None:
        raise MoneyError(f"not a decimal amount: {text[:40]!r}")
    sign, whole, fraction = match.group(1), match.group(2), match.group(3) or ""
    if not whole and not fraction:
        raise MoneyError(f"not a decimal amount: {text[:40]!r}")
    if len(fraction) > 6:
        if fraction[6:].strip("0"):
            raise MoneyError(f"more than six decimals: {text[:40]!r}")
        fraction = fraction[:6]
    value = int(whole or "0") * SCALE + int(fraction.ljust(6, "0"))
    return Micros(-value if sign else value)


def round_micros(number: str | int | Decimal) -> Micros:
    """Read a number that may carry binary noise, rounded half up to six decimals.

    For amounts the service reports as JSON floats (volumes, averages); never for what is signed.

    Raises:
        MoneyError: not a finite number.
    """
    try:
        value = Decimal(number)
    except ArithmeticError as error:
        raise MoneyError(f"not a number: {str(number)[:40]!r}") from error
    if not value.is_finite() or abs(value) > 10**24:
        raise MoneyError(f"not a usable number: {str(number)[:40]!r}")
    scaled = int(abs(value) * SCALE * 2 + 1) // 2
    return Micros(-scaled if value < 0 else scaled)


def format_micros(amount: Micros, *, min_decimals: int = 0) -> str:
    """Write the shortest exact decimal, with at least `min_decimals` decimals."""
    sign = "-" if amount < 0 else ""
    whole, fraction = divmod(abs(amount), SCALE)
    digits = f"{fraction:06d}".rstrip("0").ljust(min_decimals, "0")
    return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}"


def group_micros(amount: Micros) -> str:
    """Write the shortest exact decimal, its thousands apart: `1,810.46`."""
    whole, point, decimals = format_micros(Micros(abs(amount))).partition(".")
    return f"{'-' if amount < 0 else ''}{int(whole):,}{point}{decimals}"


def notional_floor(price: Micros, size: Micros) -> Micros:
    """Return price times size, rounded down: what we are sure to receive."""
    return Micros(price * size // SCALE)


def notional_ceil(price: Micros, size: Micros) -> Micros:
    """Return price times size, rounded up: what we are sure to be able to pay."""
    return Micros(-(-price * size // SCALE))


def ratio_floor(amount: Micros, divisor: Micros) -> Micros:
    """Return amount over divisor on the same scale, rounded down."""
    return Micros(amount * SCALE // divisor)


def ratio_ceil(amount: Micros, divisor: Micros) -> Micros:
    """Return amount over divisor on the same scale, rounded up."""
    return Micros(-(-amount * SCALE // divisor))


def complement(price: Micros) -> Micros:
    """Return the price of the other outcome: 1 minus the price."""
    return Micros(SCALE - price)


def round_price(price: Micros, step: Micros) -> Micros:
    """Return a price rounded half to even at a multiple of `step`.

    What is neither worthless nor certain never looks so: between 0 and a dollar the result stays
    between them, a step away from the end that is nearer.
    """
    quotient, rest = divmod(price, step)
    quotient += 2 * rest > step or (2 * rest == step and quotient % 2 == 1)
    rounded = quotient * step
    return Micros(min(max(rounded, step), SCALE - step) if 0 < price < SCALE else rounded)
