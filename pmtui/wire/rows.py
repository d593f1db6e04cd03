"""Typed rows: scalars in the hosts' varying forms, and lists in which single rows may be unreadable.

Numbers come in strings, lists in strings, dates in five forms. An invalid number raises `WireError`;
an invalid date or id is None, because such a row is still usable, except for sorting by it or
trading with it.

Unreadable rows are skipped and counted: one malformed row of a thousand must not hide the other nine
hundred and ninety-nine.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic, TypeVar, cast

import msgspec

from pmtui.domain.answers import Page
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import CASH, SCALE, Micros, MoneyError, Range, parse_micros, round_micros
from pmtui.wire.bounds import (
    LONGEST_ID,
    MOST_ROWS,
    UNREADABLE,
    WireError,
    bounded,
    decode_json,
    in_range,
    is_sane,
    split_list,
)

Number = str | int | float | None
"""A decimal in any form. A JSON float becomes money by its shortest text, never by its bits."""
Listing = str | list[str | int | float | None] | None
"""A list, or a string that contains one as JSON."""

MILLISECONDS_FROM = 10**11
"""Larger epoch values are in milliseconds (docs/wire.md#conventions); as seconds they would be in the year
5138."""

_SCALARS = msgspec.json.Decoder(list[str | int | float | None])
_CONDITION = re.compile(r"0x[0-9a-fA-F]{64}")
_TOKEN = re.compile(r"[0-9]{1,78}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_micros(value: Number, field: str, within: Range) -> Micros | None:
    """Parse an amount, exactly if it has six decimals or fewer, else rounded half up.

    Raises:
        WireError: the text is not a number, or is out of range.
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
    """Parse a whole number; fractions are truncated.

    Raises:
        WireError: it is not a number, negative, or unreasonably large.
    """
    amount = to_micros(value, field, Range("count", 0, most * SCALE))
    return None if amount is None else amount // SCALE


def to_texts(value: Listing, field: str, *, most: int) -> tuple[str, ...]:
    """Parse a list that may be JSON inside a string; numbers in it become text.

    Raises:
        WireError: the string is not a list of scalars, or the list has more than `most` items.
    """
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        try:
            value = decode_json(_SCALARS, value.encode())
        except UNREADABLE as error:
            raise WireError(field, "no list in the string") from error
    _ = bounded(value, most, field)
    texts = (
        "" if item is None else item if isinstance(item, str) else repr(item) for item in value
    )
    return tuple(texts)


def to_moment(value: Number) -> datetime | None:
    """Parse a date in any of the venue's forms; None if it is not a date.

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
    """Parse an epoch in seconds or milliseconds; None for null, zero and invalid times."""
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
    """Return a condition id in lower case; None if it is malformed."""
    return ConditionId(text.lower()) if text and _CONDITION.fullmatch(text) else None


def to_token_id(text: str | None) -> TokenId | None:
    """Return a token id; None if it is not a decimal uint256."""
    return TokenId(text) if text and _TOKEN.fullmatch(text) else None


T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)

MAX_REASONS = 20
"""Reasons that are kept as text; all are counted."""


@dataclass(frozen=True, slots=True)
class Rows(Generic[T]):
    """The readable rows of a reply, and why the others are missing."""

    items: tuple[T, ...]
    next_cursor: str | None = None
    skipped: int = 0
    """Unreadable rows, including those nested in rows."""
    reasons: tuple[str, ...] = ()
    received: int = 0
    """Rows in the reply, readable or not: the basis for offsets."""

    def to_page(self) -> Page[T]:
        """Return the rows as a page for the rest of the program."""
        return Page(items=self.items, next_cursor=self.next_cursor, skipped=self.skipped)


class Shared:
    """Returns the first of equal values, so that repeated dates, texts and terms share one object.

    Only for types whose values equal no value of another type: an int can equal a bool.
    """

    def __init__(self) -> None:
        self._first: dict[object, object] = {}

    def __call__(self, value: T) -> T:
        """Return the same object for every equal value."""
        return cast("T", self._first.setdefault(value, value))


class SkipLog:
    """Counts rows that cannot be decoded."""

    def __init__(self) -> None:
        self.count = 0
        self.reasons: list[str] = []

    def add(self, place: str, error: Exception) -> None:
        """Record one row; the reason names the field, never the value."""
        self.count += 1
        if len(self.reasons) < MAX_REASONS:
            self.reasons.append(f"{place}: {error}")

    def bounded(self, listed: Sequence[T] | None, most: int, place: str) -> Sequence[T]:
        """Return a list up to its limit; items beyond it count as unreadable."""
        listed = listed or ()
        if len(listed) <= most:
            return listed
        self.count += len(listed) - most - 1
        self.add(place, WireError("", f"more than {most}"))
        return listed[:most]

    def rows(
        self, items: tuple[T, ...], *, cursor: str | None = None, received: int = 0
    ) -> Rows[T]:
        """Return the readable rows together with the count of the others."""
        return Rows(items, cursor, self.count, tuple(self.reasons), received)


def read_listing(
    body: bytes,
    key: str,
    decoder: msgspec.json.Decoder[S],
    to_value: Callable[[S], T],
    *,
    log: SkipLog | None = None,
    place: str = "",
) -> Rows[T]:
    """Decode a list in any of its envelopes.

    Args:
        body: of a reply.
        key: the key of the list.
        decoder: of one row.
        to_value: raises `WireError` for invalid values that the decoder accepts.
        log: where `to_value` counts nested rows that it skips.
        place: the name of the list, for the reasons; by default the key.

    Raises:
        WireError: the body is not a list.
    """
    rows, cursor = split_list(body, key)
    log = log or SkipLog()
    values = read_rows(rows, decoder, to_value, log=log, place=place or key)
    return log.rows(values, cursor=cursor, received=len(rows))


def read_rows(
    rows: Sequence[msgspec.Raw],
    decoder: msgspec.json.Decoder[S],
    to_value: Callable[[S], T],
    *,
    log: SkipLog,
    place: str,
) -> tuple[T, ...]:
    """Return the values of the readable rows, in order.

    Args:
        rows: as cut out of the reply.
        decoder: of one row.
        to_value: raises `WireError` for invalid values that the decoder accepts.
        log: records the others.
        place: the name of the list, for the reasons.
    """
    values: list[T] = []
    for index, raw in enumerate(log.bounded(rows, MOST_ROWS, place)):
        try:
            values.append(to_value(decode_json(decoder, raw)))
        except UNREADABLE as error:
            log.add(f"{place}[{index}]", WireError.of(error))
        except WireError as error:
            log.add(f"{place}[{index}]", error)
    return tuple(values)


def read_one(body: bytes, decoder: msgspec.json.Decoder[S], to_value: Callable[[S], T]) -> T:
    """Return the value of a reply that is one object.

    Raises:
        WireError: it cannot be decoded.
    """
    try:
        row = decode_json(decoder, body)
    except UNREADABLE as error:
        raise WireError.of(error) from error
    return to_value(row)
