"""Fixed-point money: integers in units of a millionth, never binary floats.

Prices, sizes and cash share one scale, so a product of two of them needs exactly one division, and
the name of the dividing function states the rounding.

Dollars on the screen have cents, with one rule for each kind of amount: payments round up, balances
and proceeds round down, and gains, losses and completed cash transfers go to the nearest cent. The
day's result rounds down, like the total it is part of.
"""

import re
from typing import NamedTuple, NewType

Micros = NewType("Micros", int)
"""An amount, a price or a size in units of 1e-6."""

SCALE = 1_000_000
ZERO = Micros(0)
ONE = Micros(SCALE)
"""One dollar, one share, or a price of 1.00: the payout of a winning share."""

LONGEST_NUMBER = 100
"""Characters. The longest number from the venue, a float with all its noise, has 25."""
_LARGEST = 10**24 * SCALE
_DECIMAL = re.compile(r"(-?)(\d{0,24})(?:\.(\d*))?", re.ASCII)
_FLOAT = re.compile(r"(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?", re.ASCII)


class MoneyError(ValueError):
    """A text that is not an amount, or does not fit six decimals or its range."""


class Range(NamedTuple):
    """The valid range of a number from outside, both ends included."""

    name: str
    low: int
    high: int

    def check(self, number: int) -> int:
        """Return the number.

        Raises:
            MoneyError: the number is out of range.
        """
        if not self.low <= number <= self.high:
            raise MoneyError(f"{self.name} out of range")
        return number


_TRILLIONS = 10**13 * SCALE
PRICE = Range("price", 0, SCALE)
"""Both ends included: the venue sends 0 or 1 for an empty side and a resolved market."""
PRICE_CHANGE = Range("change of price", -SCALE, SCALE)
TICK = Range("tick size", SCALE // 10_000, SCALE // 10)
"""The venue's coarsest is 0.1, its finest 0.0001 (docs/wire.md#amounts); no ladder supports a finer
one."""
AVERAGE_PRICE = Range("average price", 0, 10 * SCALE)
"""Average cost per share, fees included: it may be a little above 1."""
SIZE = Range("size", 0, _TRILLIONS)
"""Shares. More than all dollars in existence could mint."""
CASH = Range("amount", 0, _TRILLIONS)
CHANGE = Range("change", -_TRILLIONS, _TRILLIONS)
"""A gain or a loss."""
CENTS = Range("distance in cents", 0, 100 * SCALE)
"""Price distances in reward data are in cents."""
RATE = Range("rate", 0, SCALE)
"""A fraction of one: fees, percentages as fractions."""
PERCENT = Range("percentage", 0, 100 * SCALE)


def parse_micros(text: str) -> Micros:
    """Parse a plain decimal exactly.

    Raises:
        MoneyError: the text is not a plain decimal, or has non-zero digits beyond the sixth
            decimal.
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
    """Parse a number that may have float noise or an exponent, rounded half up to six decimals.

    For amounts that the venue reports as JSON floats (volumes, averages); never for signed values.

    Raises:
        MoneyError: the text is not a finite decimal number in ASCII, or is unreasonably large.
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
    """Return the shortest exact decimal, with at least `min_decimals` decimals."""
    sign = "-" if amount < 0 else ""
    whole, fraction = divmod(abs(amount), SCALE)
    digits = f"{fraction:06d}".rstrip("0").ljust(min_decimals, "0")
    return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}"


def group_micros(amount: Micros) -> str:
    """Return the shortest exact decimal with thousands separators: `1,810.46`."""
    whole, point, decimals = format_micros(Micros(abs(amount))).partition(".")
    return f"{'-' if amount < 0 else ''}{int(whole):,}{point}{decimals}"


def notional_floor(price: Micros, size: Micros) -> Micros:
    """Return price times size, rounded down: the minimum that we receive."""
    return Micros(price * size // SCALE)


def notional_ceil(price: Micros, size: Micros) -> Micros:
    """Return price times size, rounded up: the maximum that we pay."""
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


def midpoint(bid: Micros | None, ask: Micros | None) -> Micros | None:
    """Return the midpoint of two prices, if both exist. It may fall between ticks."""
    return None if bid is None or ask is None else Micros((bid + ask) // 2)


def spread(bid: Micros | None, ask: Micros | None) -> Micros | None:
    """Return the difference of two prices, if both exist."""
    return None if bid is None or ask is None else Micros(ask - bid)


def counted_mid(bid: Micros | None, ask: Micros | None) -> Micros | None:
    """Return the mid as an event's sum counts it: a missing bid is 0, a missing ask a dollar."""
    if bid is None and ask is None:
        return None
    return midpoint(bid or ZERO, ONE if ask is None else ask)


def is_one_sided(bid: Micros | None, ask: Micros | None) -> bool:
    """Return whether one side is empty, so that the mid counts an assumed price."""
    return (bid is None) is not (ask is None)


def round_price(price: Micros, step: Micros) -> Micros:
    """Return a price rounded half to even to a multiple of `step`.

    A price strictly between 0 and 1 never rounds to either: the result stays at least one step away
    from both ends.
    """
    quotient, rest = divmod(price, step)
    quotient += 2 * rest > step or (2 * rest == step and quotient % 2 == 1)
    rounded = quotient * step
    return Micros(min(max(rounded, step), SCALE - step) if 0 < price < SCALE else rounded)


CENT = Micros(SCALE // 100)


def cents_down(amount: int) -> Micros:
    """Round down to the cent, for balances: never more than there is."""
    return Micros(amount // CENT * CENT)


def cents_up(amount: int) -> Micros:
    """Round up to the cent, for payments: never less than is due."""
    return Micros(-(-amount // CENT) * CENT)


def cents_near(amount: int) -> Micros:
    """Round to the nearest cent, half away from zero, so that gains and losses round alike."""
    cents = (abs(amount) + CENT // 2) // CENT * CENT
    return Micros(-cents if amount < 0 else cents)


def write_fee(amount: int) -> str:
    """Format a fee, paid or due, to the nearest cent; below half a cent: `<$0.01`.

    One way everywhere: what a card announces is what message, fills and the day's result say.
    """
    return "<$0.01" if 0 < amount < CENT // 2 else write_dollars(cents_near(amount))


def write_dollars(amount: int) -> str:
    """Format an amount that is a whole number of cents: `$1,234.50`, `-$0.05`."""
    whole, cents = divmod(abs(amount) // CENT, 100)
    return f"{'-' if amount < 0 else ''}${whole:,}.{cents:02d}"
