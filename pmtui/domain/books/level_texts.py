"""Prices and sizes as they travel, read exactly and remembered: the same few come all day.

The tables are plain dicts because looking up is all that happens to nearly every message; what is
not in them yet goes through the functions below. Use the functions unless you have measured.
"""

from pmtui.domain.markets.market import Side
from pmtui.domain.money import PRICE, SIZE, Micros, complement, format_micros, parse_micros

_REMEMBERED = 100_000
"""More texts than the grid and a day's sizes have; a full table starts again."""

PRICES: dict[str, Micros] = {}
SIZES: dict[str, Micros] = {}
MIRRORS: dict[str, str] = {}
"""Prices of one outcome, in the venue's spelling, by those of the other."""
KEPT_SIZES: dict[str, str] = {}
"""Sizes as a book keeps them: one object for all levels of a text, empty where nothing is left."""
SIDES = {"BUY": Side.BUY, "SELL": Side.SELL, "buy": Side.BUY, "sell": Side.SELL}
"""Some producers of the venue write lower case."""

_PRICE_TEXTS: dict[Micros, str] = {}


def read_price(text: str) -> Micros:
    """Read a price: between 0 and 1, both included, for an empty side is told so.

    Raises:
        MoneyError: it is none.
    """
    price = PRICES.get(text)
    if price is None:
        price = Micros(PRICE.check(parse_micros(text)))
        _make_room(PRICES)
        PRICES[text] = price
    return price


def mirror_text(text: str) -> str:
    """Return what the price of one outcome is for the other.

    Raises:
        MoneyError: it is no price.
    """
    mirror = MIRRORS.get(text)
    if mirror is None:
        mirror = price_text(complement(read_price(text)))
        _make_room(MIRRORS)
        MIRRORS[text] = mirror
    return mirror


def read_size(text: str) -> Micros:
    """Read a size.

    Raises:
        MoneyError: it is none, negative, or larger than any.
    """
    size = SIZES.get(text)
    if size is None:
        size = Micros(SIZE.check(parse_micros(text)))
        _make_room(SIZES)
        SIZES[text] = size
    return size


def kept_size(text: str) -> str:
    """Return a size as a book keeps it: the text that came, or nothing for a level that is gone.

    Raises:
        MoneyError: it is no size.
    """
    kept = KEPT_SIZES.get(text)
    if kept is None:
        kept = text if read_size(text) else ""
        _make_room(KEPT_SIZES)
        KEPT_SIZES[text] = kept
    return kept


def price_text(price: Micros) -> str:
    """Write the shortest text of a price, which is the one the venue hashes."""
    text = _PRICE_TEXTS.get(price)
    if text is None:
        _make_room(_PRICE_TEXTS)
        text = _PRICE_TEXTS[price] = format_micros(price)
    return text


def _make_room(table: dict[str, Micros] | dict[Micros, str] | dict[str, str]) -> None:
    if len(table) >= _REMEMBERED:
        table.clear()
