"""How amounts, prices and counts are formatted for display, and parsed from typed text.

A parsed number must be unambiguous: `1,5` is neither fifteen nor one and a half here.

A price is the cost of a share that pays a dollar if it wins. It is shown in cents, as a probability, or as
betting odds: the return on a stake at that price, before fees. Typed and signed prices are always in cents.
"""

import re
from enum import StrEnum

from pmtui.domain.money import (
    ONE,
    SCALE,
    Micros,
    MoneyError,
    cents_down,
    cents_up,
    format_micros,
    group_micros,
    parse_micros,
    write_dollars,
)

_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d*)?", re.ASCII)


def format_cents(price: Micros) -> str:
    """Format a price as the ticket's price field accepts it."""
    return format_micros(Micros(price * 100))


def with_cent_sign(price: Micros) -> str:
    """Format a price for a sentence: `45.5¢`."""
    return f"{format_cents(price)}¢"


def format_dollars_down(amount: Micros) -> str:
    """Format available dollars for a sentence, rounded down: never more than there are."""
    return write_dollars(cents_down(amount))


def format_dollars_up(amount: Micros) -> str:
    """Format dollars to be paid for a sentence, rounded up: never less than is due."""
    return write_dollars(cents_up(amount))


def exact_dollars(amount: Micros) -> str:
    """Format dollars to the last millionth, always with cents: `$5.50`, `$0.000004`."""
    whole, _, decimals = format_micros(Micros(abs(amount))).partition(".")
    return f"{'-' if amount < 0 else ''}${int(whole):,}.{decimals.ljust(2, '0')}"


def format_shares(size: Micros) -> str:
    """Format a size: `1,234.5`, at most two decimals, as orders have; `<0.01` for dust.

    Truncated, never rounded up, so that it never shows more than can be sold. Shorter forms truncate
    further.
    """
    sign, (whole, hundredths) = "-" if size < 0 else "", divmod(abs(size) // (SCALE // 100), 100)
    if size and not whole and not hundredths:
        return f"{sign}<0.01"
    return sign + f"{whole:,}.{hundredths:02d}".rstrip("0").rstrip(".")


def parse_cents(text: str) -> Micros | None:
    """Parse a price typed in cents, with up to four decimals; None if it is invalid."""
    try:
        hundredfold = parse_micros(text.strip().rstrip("¢c").strip())
    except MoneyError:
        return None
    return Micros(hundredfold // 100) if hundredfold % 100 == 0 else None


def parse_size(text: str) -> Micros | None:
    """Parse a number that may have a unit sign and thousands separators; None if it is invalid."""
    bare = text.strip().removeprefix("$").removesuffix("%").strip()
    if _THOUSANDS.fullmatch(bare):
        bare = bare.replace(",", "")
    try:
        return parse_micros(bare)
    except MoneyError:
        return None


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 order`, `1,200 orders`.

    Args:
        number: the number of things.
        noun: the singular.
        plural: the plural, if adding an `s` is not enough.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def shorten_id(text: str) -> str:
    """Return both ends of a hash, an id or an address, which is enough to distinguish it."""
    return text if len(text) <= 16 else f"{text[:8]}…{text[-6:]}"


def ellipsize(text: str, most: int) -> str:
    """Return a text truncated to at most `most` characters, with an ellipsis if it was longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def are(number: int) -> str:
    """Return "is" or "are", whichever agrees with a number."""
    return "is" if number == 1 else "are"


def count_shares(size: Micros) -> str:
    """Return a number of shares to the hundredth: `1 share`, `1,000.5 shares`."""
    return f"{format_shares(size)} {_shares(size)}"


def exact_shares(size: Micros) -> str:
    """Return an exact number of shares, dust included: `1 share`, `0.000004 shares`."""
    return f"{group_micros(size)} {_shares(size)}"


def shares_are(size: Micros) -> str:
    """Return the beginning of a sentence about shares: `1 share is`, `0.004 shares are`."""
    return f"{exact_shares(size)} {'is' if size == ONE else 'are'}"


def describe_free_shares(size: Micros) -> str:
    """Describe how few shares are free to sell."""
    if size <= 0:
        return "Nothing to sell"
    return f"Only {count_shares(size)} {'is' if size == ONE else 'are'} free to sell"


def _shares(size: Micros) -> str:
    return "share" if size == ONE else "shares"


_EVEN = ONE // 2
_HUNDREDTHS = 100
_WHOLE_FROM = 100 * _HUNDREDTHS
"""From this value on, decimal odds are shown without hundredths."""


class PriceFormat(StrEnum):
    """How prices are displayed."""

    CENTS = "cents"
    PERCENT = "percent"
    DECIMAL = "decimal"
    """Decimal odds: the return on a staked dollar, stake included."""
    AMERICAN = "american"
    """The profit on a stake of 100 for prices below a half, else the stake that wins 100."""


def decimal_odds(price: Micros) -> str:
    """Return `1 / price`, rounded half up to hundredths; `-` if nothing can be won."""
    if not 0 < price <= ONE:
        return "-"
    hundredths = (2 * _HUNDREDTHS * ONE + price) // (2 * price)
    if hundredths >= _WHOLE_FROM:
        return f"{(hundredths + _HUNDREDTHS // 2) // _HUNDREDTHS:,}"
    return f"{hundredths // _HUNDREDTHS}.{hundredths % _HUNDREDTHS:02d}"


def american_odds(price: Micros) -> str:
    """Return American odds to the nearest whole, `+150` below a half, `-150` from a half up; else `-`."""
    if not 0 < price < ONE:
        return "-"
    wins = ONE - price
    if price < _EVEN:
        return f"+{(200 * wins + price) // (2 * price):,}"
    return f"-{(200 * price + wins) // (2 * wins):,}"
