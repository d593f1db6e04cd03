"""Dollars to the cent, each kind of amount by one rule, so that all screens say the same.

What is paid rounds up, what is there or comes in rounds down, and gains, losses and cash that has
changed hands go to the nearest cent. The day's result rounds down, like the total it is part of.
"""

from pmtui.domain.money import SCALE, Micros

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
