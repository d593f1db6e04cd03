"""Fixed-point money: integers of a millionth, never binary floats.

Prices, sizes and cash share one scale, so a product of two of them needs exactly one division,
and the name of the function that divides says how it rounds.

Dollars on the screen have cents, each kind of amount by one rule: what is paid rounds up, what is
there or comes in rounds down, and gains, losses and cash that has changed hands go to the nearest
cent. The day's result rounds down, like the total it is part of.
"""

import re
from typing import NamedTuple, NewType

Micros = NewType("Micros", int)
"""An amount, a price or a size in units of 1e-6."""

SCALE = 1_000_000
ZERO = Micros(0)
ONE = Micros(SCALE)
"""One dollar, one share, or a price of 1.00: what a winning share pays."""

LONGEST_NUMBER = 100
"""Characters. The longest that the venue sends, a float with all its noise, has 25."""
_LARGEST = 10**24 * SCALE
_DECIMAL = re.compile(r"(-?)(\d{0,24})(?:\.(\d*))?", re.ASCII)
_FLOAT = re.compile(r"(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?", re.ASCII)


class MoneyError(ValueError):
    """A text that is no amount, or one that does not fit six decimals or its range."""


class Range(NamedTuple):
    """What a number from outside may be, both ends included; beyond it, it is never a value."""

    name: str
    low: int
    high: int

    def check(self, number: int) -> int:
        """Return the number.

        Raises:
            MoneyError: it is out of range.
        """
        if not self.low <= number <= self.high:
            raise MoneyError(f"{self.name} out of range")
        return number


_TRILLIONS = 10**13 * SCALE
PRICE = Range("price", 0, SCALE)
"""Both ends included: an empty side and a resolved market are sent as 0 or 1."""
PRICE_CHANGE = Range("change of price", -SCALE, SCALE)
TICK = Range("tick size", SCALE // 10_000, SCALE // 10)
"""The venue's coarsest is 0.1, its finest 0.0001 (docs/wire.md#amounts); a finer one has no ladder."""
AVERAGE_PRICE = Range("average price", 0, 10 * SCALE)
"""A quotient of what was paid, fees included: it may lie a little above 1."""
SIZE = Range("size", 0, _TRILLIONS)
"""Shares. More than all dollars there are could mint."""
CASH = Range("amount", 0, _TRILLIONS)
CHANGE = Range("change", -_TRILLIONS, _TRILLIONS)
"""A gain or a loss."""
CENTS = Range("distance in cents", 0, 100 * SCALE)
"""Distances of prices travel in cents where rewards are concerned."""
RATE = Range("rate", 0, SCALE)
"""A share of one: fees, percentages as fractions."""
PERCENT = Range("percentage", 0, 100 * SCALE)


def parse_micros(text: str) -> Micros:
    """Read a plain decimal exactly.

    Raises:
        MoneyError: not a plain decimal, or digits beyond the sixth decimal that are not zero.
    """
    match = _DECIMAL.fullmatch(text) if len(text) <= LONGEST_NUMBER else None
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


def round_micros(number: str | int) -> Micros:
    """Read a number that may carry binary noise or an exponent, rounded half up to six decimals.

    For amounts the venue reports as JSON floats (volumes, averages); never for what is signed.

    Raises:
        MoneyError: not a finite decimal number in ASCII, or one beyond all sense.
    """
    if isinstance(number, int):
        if abs(number) * SCALE > _LARGEST:
            raise MoneyError("not a usable number")
        return Micros(number * SCALE)
    match = _FLOAT.fullmatch(number) if len(number) <= LONGEST_NUMBER else None
    if match is None:
        raise MoneyError(f"not a number: {number[:40]!r}")
    sign, whole, fraction, exponent = (part or "" for part in match.groups())
    digits = (whole + fraction).lstrip("0")
    if not (whole or fraction):
        raise MoneyError(f"not a number: {number[:40]!r}")
    # Twice the amount in millionths, so that adding one rounds half up.
    shift = int(exponent or "0") - len(fraction) + 6
    if len(digits) + shift > len(str(_LARGEST)):
        if digits:
            raise MoneyError(f"not a usable number: {number[:40]!r}")
        shift = 0
    if len(digits) + shift < 0:
        return ZERO
    doubled = 2 * int(digits or "0")
    scaled = (doubled * 10**shift + 1) // 2 if shift >= 0 else (doubled // 10**-shift + 1) // 2
    if scaled > _LARGEST:
        raise MoneyError(f"not a usable number: {number[:40]!r}")
    return Micros(-scaled if sign else scaled)


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


CENT = Micros(SCALE // 100)


def cents_down(amount: int) -> Micros:
    """Round down: never more than there is."""
    return Micros(amount // CENT * CENT)


def cents_up(amount: int) -> Micros:
    """Round up: never less than is asked for."""
    return Micros(-(-amount // CENT) * CENT)


def cents_near(amount: int) -> Micros:
    """Round to the nearest cent, half away from zero: a loss is never made smaller than a gain."""
    cents = (abs(amount) + CENT // 2) // CENT * CENT
    return Micros(-cents if amount < 0 else cents)


def write_dollars(amount: int) -> str:
    """Write an amount that is a whole number of cents: `$1,234.50`, `-$0.05`."""
    whole, cents = divmod(abs(amount) // CENT, 100)
    return f"{'-' if amount < 0 else ''}${whole:,}.{cents:02d}"
