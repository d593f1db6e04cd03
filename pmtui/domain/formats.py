"""How amounts, prices and counts are written in a sentence, and read from what was typed.

A number that is read must have one meaning: `1,5` is neither fifteen nor one and a half here.

A price is what a share costs that pays a dollar if it wins. It is shown in cents, as a chance, or as the odds that
bettors know: what one gets for a stake at that price, fees aside. Whatever is typed, and whatever is signed, stays
in cents.
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
    """Write a price as the ticket's price field takes it."""
    return format_micros(Micros(price * 100))


def with_cent_sign(price: Micros) -> str:
    """Write a price for a sentence: `45.5¢`."""
    return f"{format_cents(price)}¢"


def format_dollars_down(amount: Micros) -> str:
    """Write dollars that are there for a sentence: never more than there are."""
    return write_dollars(cents_down(amount))


def format_dollars_up(amount: Micros) -> str:
    """Write dollars that are to be paid for a sentence: never less than they are."""
    return write_dollars(cents_up(amount))


def exact_dollars(amount: Micros) -> str:
    """Write dollars to the last millionth, cents always: `$5.50`, `$0.000004`."""
    whole, _, decimals = format_micros(Micros(abs(amount))).partition(".")
    return f"{'-' if amount < 0 else ''}${int(whole):,}.{decimals.ljust(2, '0')}"


def format_shares(size: Micros) -> str:
    """Write a size: `1,234.5`, two decimals at most, as orders have; `<0.01` where it is dust.

    Cut, never rounded up, so that nobody reads more than what can be sold. Shorter forms cut further.
    """
    sign, (whole, hundredths) = "-" if size < 0 else "", divmod(abs(size) // (SCALE // 100), 100)
    if size and not whole and not hundredths:
        return f"{sign}<0.01"
    return sign + f"{whole:,}.{hundredths:02d}".rstrip("0").rstrip(".")


def parse_cents(text: str) -> Micros | None:
    """Read a price typed in cents, with up to four decimals; None where it is none."""
    try:
        hundredfold = parse_micros(text.strip().rstrip("¢c").strip())
    except MoneyError:
        return None
    return Micros(hundredfold // 100) if hundredfold % 100 == 0 else None


def parse_size(text: str) -> Micros | None:
    """Read a number that may carry its unit's sign and thousands commas; None where it is none."""
    bare = text.strip().removeprefix("$").removesuffix("%").strip()
    if _THOUSANDS.fullmatch(bare):
        bare = bare.replace(",", "")
    try:
        return parse_micros(bare)
    except MoneyError:
        return None


def count(number: int, noun: str, plural: str = "") -> str:
    """Say how many of something there are: `1 order`, `1,200 orders`.

    Args:
        number: how many.
        noun: one of them.
        plural: several of them, where an `s` is not enough.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def shorten_id(text: str) -> str:
    """Return the two ends of a hash, an id or an address, by which one tells it from others."""
    return text if len(text) <= 16 else f"{text[:8]}…{text[-6:]}"


def ellipsize(text: str, most: int) -> str:
    """Return a text in at most so many characters, the last one an ellipsis if it was longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def are(number: int) -> str:
    """Return the verb that goes with a number of things."""
    return "is" if number == 1 else "are"


def count_shares(size: Micros) -> str:
    """Say how many shares there are, to the hundredth: `1 share`, `1,000.5 shares`."""
    return f"{format_shares(size)} {_shares(size)}"


def exact_shares(size: Micros) -> str:
    """Say how many shares there are, dust too: `1 share`, `0.000004 shares`."""
    return f"{group_micros(size)} {_shares(size)}"


def shares_are(size: Micros) -> str:
    """Begin a sentence about shares: `1 share is`, `0.004 shares are`."""
    return f"{exact_shares(size)} {'is' if size == ONE else 'are'}"


def describe_free_shares(size: Micros) -> str:
    """Say how few shares are free to sell."""
    if size <= 0:
        return "Nothing to sell"
    return f"Only {count_shares(size)} {'is' if size == ONE else 'are'} free to sell"


def _shares(size: Micros) -> str:
    return "share" if size == ONE else "shares"


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


def decimal_odds(price: Micros) -> str:
    """Return `1 / price`, rounded half up at the hundredth; `-` where nothing can be won."""
    if not 0 < price <= ONE:
        return "-"
    hundredths = (2 * _HUNDREDTHS * ONE + price) // (2 * price)
    if hundredths >= _WHOLE_FROM:
        return f"{(hundredths + _HUNDREDTHS // 2) // _HUNDREDTHS:,}"
    return f"{hundredths // _HUNDREDTHS}.{hundredths % _HUNDREDTHS:02d}"


def american_odds(price: Micros) -> str:
    """Return the odds to the nearest whole, `+150` below a half, `-150` from it on; else `-`."""
    if not 0 < price < ONE:
        return "-"
    wins = ONE - price
    if price < _EVEN:
        return f"+{(200 * wins + price) // (2 * price):,}"
    return f"-{(200 * price + wins) // (2 * wins):,}"
