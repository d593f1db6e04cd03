"""How a price is written: in cents, as a chance, or as the odds that bettors know.

A price is what a share costs that pays a dollar if it wins. Odds are what one gets for a stake at that
price, fees aside. Whatever is typed, and whatever is signed, stays in cents.
"""

from enum import StrEnum

from pmtui.domain.money import ONE, SCALE, Micros

_CENT = SCALE // 100
_EVEN = ONE // 2
_HUNDREDTHS = 100
_WHOLE_FROM = 100 * _HUNDREDTHS
"""Decimal odds of a hundred and more are told without hundredths."""


class PriceFormat(StrEnum):
    """How prices are written for reading."""

    CENTS = "cents"
    PERCENT = "percent"
    DECIMAL = "decimal"
    """Decimal odds: what a dollar staked brings back, the stake included."""
    AMERICAN = "american"
    """What a hundred wins where the price is below a half, else what wins a hundred."""


def write_price(price: Micros, prices: PriceFormat, *, decimals: int = 0) -> str:
    """Write a price; one at which nothing can be staked or won has no odds and is `-`.

    Args:
        price: in millionths of a dollar.
        prices: how it is written.
        decimals: at least so many, of cents and per cent; digits beyond them are shown, never cut.
    """
    match prices:
        case PriceFormat.CENTS:
            return f"{_hundredths_of(price, decimals)}¢"
        case PriceFormat.PERCENT:
            return f"{_hundredths_of(price, decimals)}%"
        case PriceFormat.DECIMAL:
            return _decimal_odds(price)
        case PriceFormat.AMERICAN:
            return _american_odds(price)


def _hundredths_of(price: int, decimals: int) -> str:
    whole, rest = divmod(abs(price), _CENT)
    fraction = f"{rest:04d}".rstrip("0").ljust(decimals, "0")
    return f"{'-' if price < 0 else ''}{whole}{f'.{fraction}' if fraction else ''}"


def _decimal_odds(price: int) -> str:
    """Return `1 / price`, rounded half up at the hundredth."""
    if not 0 < price <= ONE:
        return "-"
    hundredths = (2 * _HUNDREDTHS * ONE + price) // (2 * price)
    if hundredths >= _WHOLE_FROM:
        return f"{(hundredths + _HUNDREDTHS // 2) // _HUNDREDTHS:,}"
    return f"{hundredths // _HUNDREDTHS}.{hundredths % _HUNDREDTHS:02d}"


def _american_odds(price: int) -> str:
    """Return the odds to the nearest whole, `+150` below a half, `-150` from it on."""
    if not 0 < price < ONE:
        return "-"
    wins = ONE - price
    if price < _EVEN:
        return f"+{(200 * wins + price) // (2 * price):,}"
    return f"-{(200 * price + wins) // (2 * wins):,}"
