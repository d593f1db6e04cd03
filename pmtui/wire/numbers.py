"""Scalars as hosts of the service spell them: numbers in strings, lists in strings, five dates.

A text that ought to be a number and is none raises `WireError`; a date or an id of the wrong shape
is None, because such a row can still be read, only not sorted by it or traded with it.
"""

import re
from datetime import UTC, datetime, timedelta

import msgspec

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import CASH, SCALE, Micros, MoneyError, Range, parse_micros, round_micros
from pmtui.wire.bounds import LONGEST_ID, bounded, in_range, is_sane
from pmtui.wire.errors import UNREADABLE, WireError

Number = str | int | float | None
"""A decimal in any spelling. A JSON float becomes money by its shortest text, never by its bits."""
Listing = str | list[str | int | float | None] | None
"""A list, or a string that holds one as JSON."""

MILLISECONDS_FROM = 10**11
"""Epoch values from here on are milliseconds (WIRE_CLOB §1); as seconds it would be year 5138."""

_LIST = msgspec.json.Decoder(list[str | int | float | None])
_CONDITION = re.compile(r"0x[0-9a-fA-F]{64}")
_TOKEN = re.compile(r"[0-9]{1,78}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_micros(value: Number, field: str, within: Range) -> Micros | None:
    """Read an amount, exactly where it has six decimals or fewer, else rounded half up.

    Raises:
        WireError: a text that is no number, or one out of range.
    """
    if value is None or value == "":
        return None
    try:
        number = _to_number(value)
    except MoneyError as error:
        raise WireError(field, "not a number") from error
    return Micros(in_range(number, field, within))


def _to_number(value: str | int | float) -> Micros:
    if type(value) is int:
        return round_micros(value)
    text = value if isinstance(value, str) else repr(value)
    try:
        return parse_micros(text)
    except MoneyError:
        return round_micros(text)


def to_count(value: Number, field: str, *, most: int = 10**9) -> int | None:
    """Read a whole number; fractions are cut off.

    Raises:
        WireError: no number, a negative one, or a larger one than makes sense.
    """
    amount = to_micros(value, field, Range("count", 0, most * SCALE))
    return None if amount is None else amount // SCALE


def to_texts(value: Listing, field: str, *, most: int) -> tuple[str, ...]:
    """Read a list that may travel as JSON inside a string; numbers in it become text.

    Raises:
        WireError: a string that holds no list of scalars, or a list of more than so many.
    """
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        try:
            value = _LIST.decode(value)
        except UNREADABLE as error:
            raise WireError(field, "no list in the string") from error
    _ = bounded(value, most, field)
    texts = (
        "" if item is None else item if isinstance(item, str) else repr(item) for item in value
    )
    return tuple(texts)


def to_moment(value: Number) -> datetime | None:
    """Read a date in any of the service's spellings; None for what is no date.

    ISO with `Z` and 0 to 6 decimals, a space and `+00`, a plain date (midnight UTC), or an epoch in
    seconds or milliseconds.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        return to_epoch_moment(value)
    if len(value) > LONGEST_ID:
        return None
    if value.isascii() and value.isdigit() and len(value) > 8:
        return to_epoch_moment(value)
    try:
        read = datetime.fromisoformat(value)
        moment = read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if is_sane(moment) else None


def to_epoch_moment(value: Number) -> datetime | None:
    """Read an epoch in seconds or milliseconds; None for nothing, zero and what is no time."""
    try:
        amount = to_micros(value, "", CASH)
    except WireError:
        return None
    if amount is None or amount <= 0:
        return None
    micros = amount // 1000 if amount >= MILLISECONDS_FROM * SCALE else amount
    try:
        moment = _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return None
    return moment if is_sane(moment) else None


def to_condition_id(text: str | None) -> ConditionId | None:
    """Return a condition id in lower case; None for one of another shape."""
    return ConditionId(text.lower()) if text and _CONDITION.fullmatch(text) else None


def to_token_id(text: str | None) -> TokenId | None:
    """Return a token id; None for what is no decimal uint256."""
    return TokenId(text) if text and _TOKEN.fullmatch(text) else None
