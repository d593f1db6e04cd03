"""Decoding of single fields of untyped JSON, in the venue's varying forms.

Numbers come as numbers or as texts, times as seconds or milliseconds, the same field under several
names. A field that is present and invalid is an error; a missing one is None or empty. Every number
is checked against a range, every text against a maximum length.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, MoneyError, Range, parse_micros, round_micros
from pmtui.wire import bounds
from pmtui.wire.bounds import UNREADABLE, NotJsonError, WireError, decode_json

Row = Mapping[str, object]

_MILLISECONDS_FROM = 100_000_000_000
"""Larger times are in milliseconds; as seconds they would be in the year 5138."""
_LONGEST_INTEGER_BITS = 512
"""Larger integers take Python long to format, or are refused; the largest valid one is a uint256."""

COUNT = Range("count", 0, 10**9)
BASIS_POINTS = Range("fee rate", 0, 10_000)
SECONDS = Range("seconds", 0, 86_400)
UINT256 = Range("uint256", 0, 2**256 - 1)

# Floats stay texts: their digits are exact, a float would not be.
_ANYTHING = msgspec.json.Decoder(float_hook=str)


def load(body: bytes) -> object:
    """Decode JSON; numbers with a point or an exponent become texts.

    Raises:
        NotJsonError: the bytes are not JSON.
    """
    try:
        return decode_json(_ANYTHING, body)
    except UNREADABLE as error:
        raise NotJsonError("", f"not JSON: {body[:60]!r}") from error


def load_object(body: bytes, what: str) -> Row:
    """Decode JSON that is a single object.

    Raises:
        WireError: it is something else, or not JSON.
    """
    return row(load(body), what)


def load_row(raw: msgspec.Raw, what: str) -> Row:
    """Decode one raw row that is an object.

    Raises:
        WireError: it is not an object, or cannot be decoded.
    """
    return row(load(bytes(raw)), what)


def row(value: object, what: str) -> Row:
    """Return a value as an object.

    Raises:
        WireError: it is something else.
    """
    if not isinstance(value, dict):
        raise WireError(what, "not an object")
    return value


def rows(value: object, what: str, *, most: int = bounds.MOST_ROWS) -> tuple[Row, ...]:
    """Return the objects of an array; other elements are left out.

    Raises:
        WireError: it is not an array, or is too long.
    """
    return tuple(item for item in items(value, what, most=most) if isinstance(item, dict))


def items(value: object, what: str, *, most: int = bounds.MOST_ROWS) -> list[object]:
    """Return a value as an array.

    Raises:
        WireError: it is something else, or too long.
    """
    if not isinstance(value, list):
        raise WireError(what, "not an array")
    _ = bounds.bounded(value, most, what)
    return value


def text(source: Row, *names: str) -> str:
    """Return the first of some fields that is present and not null, as a text; else an empty one.

    For identifiers, numbers and known words; `shown` is for texts that are only displayed.

    Raises:
        WireError: it is an object or an array, or longer than any identifier.
    """
    name, value = _first(source, names)
    return bounds.identifier(value, name)


def shown(source: Row, *names: str, most: int) -> str:
    """Return the first of some fields as a text that is only displayed, truncated to `most` characters.

    Raises:
        WireError: it is an object or an array.
    """
    _, value = _first(source, names)
    return bounds.cut(value, most)


def _first(source: Row, names: tuple[str, ...]) -> tuple[str, str]:
    for name in names:
        value = source.get(name)
        if value is None:
            continue
        if isinstance(value, str):
            return name, value
        if isinstance(value, int) and not isinstance(value, bool):
            return name, _written(value, name)
        raise WireError(name, "not a text")
    return "", ""


def _written(value: int, name: str) -> str:
    if value.bit_length() > _LONGEST_INTEGER_BITS:
        raise WireError(name, "an integer that is too long")
    return str(value)


def required(source: Row, *names: str) -> str:
    """Return the first of some fields that is present.

    Raises:
        WireError: none is present, or it is empty.
    """
    value = text(source, *names)
    if not value:
        raise WireError(names[0], "missing")
    return value


def amount(source: Row, *names: str, within: Range) -> Micros | None:
    """Return a decimal; None if it is missing or empty.

    Raises:
        WireError: it is not a decimal, or is out of range.
    """
    value = text(source, *names)
    return to_micros(value, names[0], within) if value else None


def required_amount(source: Row, *names: str, within: Range) -> Micros:
    """Return a decimal.

    Raises:
        WireError: it is not a decimal, out of range, or missing.
    """
    return to_micros(required(source, *names), names[0], within)


def to_micros(value: str, name: str, within: Range) -> Micros:
    """Parse a decimal exactly, or rounded to six decimals if it has float noise.

    Raises:
        WireError: it is not a decimal, or is out of range.
    """
    try:
        number = parse_micros(value)
    except MoneyError:
        try:
            number = round_micros(value)
        except MoneyError as error:
            raise WireError(name, f"{error}") from error
    return Micros(bounds.in_range(number, name, within))


def whole(source: Row, *names: str, within: Range) -> int | None:
    """Return an integer; None if it is missing or empty.

    Raises:
        WireError: it is not an integer, or is out of range.
    """
    value = text(source, *names)
    if not value:
        return None
    if not value.removeprefix("-").isdecimal() or not value.isascii() or len(value) > 80:
        raise WireError(names[0], f"not an integer: {value[:40]!r}")
    return bounds.in_range(int(value), names[0], within)


def flag(source: Row, *names: str, default: bool) -> bool:
    """Return a boolean, or the default if it is missing.

    Raises:
        WireError: it is something else.
    """
    for name in names:
        value = source.get(name)
        if value is None:
            continue
        if isinstance(value, bool):
            return value
        if value in ("true", "false"):
            return value == "true"
        raise WireError(name, "not a boolean")
    return default


def side(source: Row) -> Side:
    """Return a side, ignoring case.

    Raises:
        WireError: it is not a side.
    """
    value = text(source, "side")
    if value.upper() not in ("BUY", "SELL"):
        raise WireError("side", f"neither BUY nor SELL: {value[:20]!r}")
    return Side(value.upper())


def moment(source: Row, *names: str) -> datetime | None:
    """Return a time given in seconds or milliseconds; None if it is missing, empty or zero.

    Raises:
        WireError: it is not a time.
    """
    value = text(source, *names)
    if not value or value == "0":
        return None
    return to_moment(value, names[0])


def to_moment(value: str, name: str) -> datetime:
    """Parse seconds or milliseconds since 1970.

    Raises:
        WireError: it is neither.
    """
    digits, _, fraction = value.partition(".")
    if not (digits.isdecimal() and digits.isascii()) or len(digits) > 15:
        raise WireError(name, f"not a time: {value[:40]!r}")
    number = int(digits)
    if number < _MILLISECONDS_FROM:
        is_decimal = fraction.isdecimal() and fraction.isascii()
        number = number * 1000 + (int(fraction[:3].ljust(3, "0")) if is_decimal else 0)
    if number >= bounds.LATEST.timestamp() * 1000:
        raise WireError(name, f"not a time: {value[:40]!r}")
    seconds, millis = divmod(number, 1000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=millis * 1000)


def texts(source: Row, *names: str) -> tuple[str, ...]:
    """Return the identifiers of an array; empty if it is missing or null.

    Raises:
        WireError: it is not an array, or one of them is longer than any identifier.
    """
    for name in names:
        value = source.get(name)
        if value is not None:
            return tuple(
                bounds.identifier(item if isinstance(item, str) else _written(item, name), name)
                for item in items(value, name)
                if isinstance(item, str | int)
            )
    return ()
