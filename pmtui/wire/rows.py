"""Lists of rows of which single ones may be unreadable: those are skipped and counted.

One odd row of a thousand must not hide the other nine hundred and ninety-nine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

import msgspec

from pmtui.domain.answers import Page
from pmtui.wire.bounds import MOST_ROWS, Identifier
from pmtui.wire.errors import UNREADABLE, WireError

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)

MAX_REASONS = 20
"""How many reasons are kept in words; all are counted."""


@dataclass(frozen=True, slots=True)
class Rows(Generic[T]):
    """The readable rows of an answer, and why the others are not here."""

    items: tuple[T, ...]
    next_cursor: str | None = None
    skipped: int = 0
    """Unreadable rows, those inside rows included."""
    reasons: tuple[str, ...] = ()
    received: int = 0
    """Rows of the answer, readable or not: what an offset counts by."""

    def to_page(self) -> Page[T]:
        """Return what the rest of the program gets to see."""
        return Page(items=self.items, next_cursor=self.next_cursor, skipped=self.skipped)


class Shared:
    """Hands out the first of equal values: rows of one answer repeat dates, texts and terms.

    Only for values of types that are equal to no other: an int is also a bool.
    """

    def __init__(self) -> None:
        self._first: dict[object, object] = {}

    def __call__(self, value: T) -> T:
        """Return the same object for every equal value."""
        return cast("T", self._first.setdefault(value, value))


class SkipLog:
    """Counts rows that could not be read while an answer is decoded."""

    def __init__(self) -> None:
        self.count = 0
        self.reasons: list[str] = []

    def add(self, place: str, error: Exception) -> None:
        """Note one row; the reason names the field, never the value."""
        self.count += 1
        if len(self.reasons) < MAX_REASONS:
            self.reasons.append(f"{place}: {error}")

    def bounded(self, listed: Sequence[T] | None, most: int, place: str) -> Sequence[T]:
        """Return a list as far as it is read; what comes after that is counted as unreadable."""
        listed = listed or ()
        if len(listed) <= most:
            return listed
        self.count += len(listed) - most - 1
        self.add(place, WireError("", f"more than {most}"))
        return listed[:most]

    def rows(
        self, items: tuple[T, ...], *, cursor: str | None = None, received: int = 0
    ) -> Rows[T]:
        """Return what was readable together with what was not."""
        return Rows(items, cursor, self.count, tuple(self.reasons), received)


class Envelope(msgspec.Struct, gc=False):
    """A list inside an object, in any of the service's forms."""

    events: list[msgspec.Raw] | None = None
    markets: list[msgspec.Raw] | None = None
    comments: list[msgspec.Raw] | None = None
    tags: list[msgspec.Raw] | None = None
    data: list[msgspec.Raw] | None = None
    next_cursor: Identifier | None = None
    pagination: "Pagination | None" = None


class Pagination(msgspec.Struct, rename={"more": "hasMore", "total": "totalResults"}, gc=False):
    """What `/public-search` (camel case) and the second analytics generation say of their pages."""

    more: bool | None = None
    total: int | None = None
    has_more: bool | None = None
    next_cursor: Identifier | None = None


_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_ENVELOPE = msgspec.json.Decoder(Envelope)


def decode_envelope(body: bytes) -> Envelope:
    """Read the outer object of an answer.

    Raises:
        WireError: not an object, or one whose lists are none.
    """
    try:
        return _ENVELOPE.decode(body)
    except UNREADABLE as error:
        raise WireError.of(error) from error


def split_list(body: bytes, key: str) -> tuple[list[msgspec.Raw], str | None]:
    """Return the rows of a bare array, or those under `key` or `data`, and the next cursor.

    Raises:
        WireError: neither of these forms.
    """
    if body.lstrip()[:1] == b"[":
        try:
            return _LIST.decode(body), None
        except UNREADABLE as error:
            raise WireError.of(error) from error
    envelope = decode_envelope(body)
    rows: list[msgspec.Raw] | None = getattr(envelope, key, None)
    rows = envelope.data if rows is None else rows
    if rows is None:
        raise WireError(key, "missing")
    cursor = envelope.next_cursor
    if cursor is None and envelope.pagination is not None:
        cursor = envelope.pagination.next_cursor
    return rows, cursor or None


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
        rows: as cut out of the answer.
        decoder: of one row.
        to_value: raises `WireError` for what the decoder lets through.
        log: gets the others.
        place: the name of the list, for the reasons.
    """
    values: list[T] = []
    for index, raw in enumerate(log.bounded(rows, MOST_ROWS, place)):
        try:
            values.append(to_value(decoder.decode(raw)))
        except UNREADABLE as error:
            log.add(f"{place}[{index}]", WireError.of(error))
        except WireError as error:
            log.add(f"{place}[{index}]", error)
    return tuple(values)


def read_one(body: bytes, decoder: msgspec.json.Decoder[S], to_value: Callable[[S], T]) -> T:
    """Return the value of an answer that is one object.

    Raises:
        WireError: it cannot be read.
    """
    try:
        row = decoder.decode(body)
    except UNREADABLE as error:
        raise WireError.of(error) from error
    return to_value(row)
