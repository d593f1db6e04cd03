"""Reading single fields of untyped JSON, by the habits of the service.

Numbers come as numbers or as texts, times as seconds or milliseconds, the same field under several
names. A field that is there and cannot be read is an error; one that is absent is None or empty.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec

from pmtui.domain.market import Side
from pmtui.domain.money import Micros, MoneyError, parse_micros, round_micros
from pmtui.wire.errors import UNREADABLE, NotJsonError, WireError

Row = Mapping[str, object]

_MILLISECONDS_FROM = 100_000_000_000
"""Times from here on count milliseconds; as seconds they would be in the year 5138."""
_LATEST_MS = 253_402_300_799_000

# Floats stay texts: their digits are exact, the number would not be.
_loads = msgspec.json.Decoder(float_hook=str).decode


def load(body: bytes) -> object:
    """Read JSON; numbers with a point or an exponent become texts.

    Raises:
        NotJsonError: it is no JSON.
    """
    try:
        return _loads(body)
    except UNREADABLE as error:
        raise NotJsonError("", f"not JSON: {body[:60]!r}") from error


def row(value: object, what: str) -> Row:
    """Return an object.

    Raises:
        WireError: it is something else.
    """
    if not isinstance(value, dict):
        raise WireError(what, "not an object")
    return value


def rows(value: object, what: str) -> tuple[Row, ...]:
    """Return the objects of an array; elements that are none are left out.

    Raises:
        WireError: it is no array.
    """
    return tuple(item for item in items(value, what) if isinstance(item, dict))


def items(value: object, what: str) -> list[object]:
    """Return an array.

    Raises:
        WireError: it is something else.
    """
    if not isinstance(value, list):
        raise WireError(what, "not an array")
    return value


def text(source: Row, *names: str) -> str:
    """Return the first of some fields that is there and not null, as a text; else an empty one.

    Raises:
        WireError: it is an object or an array.
    """
    for name in names:
        value = source.get(name)
        if value is None:
            continue
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise WireError(name, "not a text")
    return ""


def required(source: Row, *names: str) -> str:
    """Return the first of some fields that is there.

    Raises:
        WireError: none is, or it is empty.
    """
    value = text(source, *names)
    if not value:
        raise WireError(names[0], "missing")
    return value


def amount(source: Row, *names: str) -> Micros | None:
    """Return a decimal; None where it is absent or empty.

    Raises:
        WireError: it is no decimal.
    """
    value = text(source, *names)
    return to_micros(value, names[0]) if value else None


def required_amount(source: Row, *names: str) -> Micros:
    """Return a decimal.

    Raises:
        WireError: it is none, or absent.
    """
    return to_micros(required(source, *names), names[0])


def to_micros(value: str, name: str) -> Micros:
    """Read a decimal exactly, or rounded to six decimals where it carries binary noise.

    Raises:
        WireError: it is no decimal.
    """
    try:
        return parse_micros(value)
    except MoneyError:
        try:
            return round_micros(value)
        except MoneyError as error:
            raise WireError(name, f"{error}") from error


def whole(source: Row, *names: str) -> int | None:
    """Return an integer; None where it is absent or empty.

    Raises:
        WireError: it is no integer.
    """
    value = text(source, *names)
    if not value:
        return None
    if not value.lstrip("-").isdecimal() or not value.isascii() or len(value) > 80:
        raise WireError(names[0], f"not an integer: {value[:40]!r}")
    return int(value)


def flag(source: Row, *names: str, default: bool) -> bool:
    """Return a boolean, or what holds where it is absent.

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


def side(source: Row, name: str = "side") -> Side:
    """Return a side, in either case of letters.

    Raises:
        WireError: it is none.
    """
    value = text(source, name)
    if value.upper() not in ("BUY", "SELL"):
        raise WireError(name, f"neither BUY nor SELL: {value[:20]!r}")
    return Side(value.upper())


def moment(source: Row, *names: str) -> datetime | None:
    """Return a time given in seconds or milliseconds; None where it is absent, empty or zero.

    Raises:
        WireError: it is no time.
    """
    value = text(source, *names)
    if not value or value == "0":
        return None
    return to_moment(value, names[0])


def to_moment(value: str, name: str) -> datetime:
    """Read seconds or milliseconds since 1970.

    Raises:
        WireError: it is neither.
    """
    digits, _, fraction = value.partition(".")
    if not (digits.isdecimal() and digits.isascii()) or len(digits) > 15:
        raise WireError(name, f"not a time: {value[:40]!r}")
    number = int(digits)
    if number < _MILLISECONDS_FROM:
        number = number * 1000 + int(
            fraction[:3].ljust(3, "0") or "0" if fraction.isdecimal() else 0
        )
    if number > _LATEST_MS:
        raise WireError(name, f"not a time: {value[:40]!r}")
    seconds, millis = divmod(number, 1000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=millis * 1000)


def texts(source: Row, *names: str) -> tuple[str, ...]:
    """Return the texts of an array; empty where it is absent or null.

    Raises:
        WireError: it is no array.
    """
    for name in names:
        value = source.get(name)
        if value is not None:
            return tuple(str(item) for item in items(value, name) if isinstance(item, str | int))
    return ()
