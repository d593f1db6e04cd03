r"""First-stage JSON decoding with its limits: errors, maximum lengths of texts and lists, plausible times.

A text that is only displayed is truncated with an ellipsis; an identifier that is too long is refused,
because a truncated identifier is a different one. Ranges of numbers are in `domain.money`.

A lone surrogate (`"\ud800"`) is legal in JSON but not in text. The library refuses the whole body for one,
so a single bad title would hide a page of a thousand rows: if a body fails for that reason alone, every
lone surrogate is replaced by U+FFFD and the body decoded again.

    [{…}, {…}]                                       a bare array
    {"data": [{…}], "next_cursor": "MTAw"}           the trading host, keyset pages
    {"data": [{…}], "pagination": {"has_more": true, "next_cursor": "…"}}   the second analytics generation
    {"events": [{…}], "pagination": {"hasMore": true, "totalResults": 3}}   a search of the metadata host
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, TypeVar

import msgspec

from pmtui.domain.formats import ellipsize
from pmtui.domain.money import MoneyError, Range

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Raised by the JSON library for invalid input; `msgspec.ValidationError` is a subclass of one."""

_LONGEST = 200
"""Characters in a field's name or in a reason."""
_PATH = re.compile(r"^(.*) - at `\$\.?([^`]*)`$", re.DOTALL)
T = TypeVar("T")
LONGEST_ID = 200
"""Characters. Token ids have 78, order ids 66; slugs are the longest."""
TITLE = 400
"""Characters in a question or a title; the longest recorded has 200 (September 2026)."""
MOST_ROWS = 20_000
"""Rows in one reply. The largest page that is requested has 1,000."""
MOST_LEVELS = 10_000
"""Levels on one side of a book: as many as the finest grid has prices."""
MOST_POINTS = 50_000
"""Points in one price history."""
MOST_MESSAGES = 5_000
"""Messages in one frame: a whole book for every token of a socket."""
# One pass: an escaped backslash and a complete pair are skipped, other surrogates are lone ones.
_ESCAPES = re.compile(
    rb"""\\\\
       | \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
       | (?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})""",
    re.VERBOSE,
)


class WireError(ValueError):
    """A message that does not have the expected form.

    The reason names the field and contains at most a few characters of the message: it may be an
    error page of the edge, and it is untrusted.
    """

    def __init__(self, field: str, reason: str) -> None:
        # A name can be a key of the message itself, and therefore of any length.
        self.field = field[:_LONGEST]
        """The invalid field; empty for the whole message."""
        self.reason = reason[:_LONGEST]
        super().__init__(f"{self.field}: {self.reason}" if field else self.reason)

    @classmethod
    def of(cls, error: Exception) -> "WireError":
        """Convert the JSON library's error, without quoting the message."""
        if isinstance(error, RecursionError):
            return cls("", "nested too deeply")
        if isinstance(error, UnicodeDecodeError):
            return cls("", "not UTF-8")
        match = _PATH.match(str(error))
        if match is None:
            return cls("", str(error)[:200])
        return cls(match.group(2)[:80], match.group(1)[:200])


class NotJsonError(WireError):
    """The bytes are not JSON."""


LABEL = 120
"""Characters in an outcome, a tag or a name."""
PROSE = 20_000
"""Characters in rules, descriptions and comments."""
REASON = 300
"""Characters in an error text of the venue."""

MOST_OUTCOMES = 64
MOST_TAGS = 200
MOST_MARKETS = 2_000
"""Markets in one event."""
MOST_CHANGES = 20_000
"""Levels changed by one message."""

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(3000, 1, 1, tzinfo=UTC)
"""Rewards without an end have an end date in the year 2500."""

Identifier = Annotated[str, msgspec.Meta(max_length=LONGEST_ID)]


def cut(text: str | None, most: int) -> str:
    """Return a text for display, truncated to `most` characters; empty if it is missing."""
    return ellipsize(text or "", most)


def identifier(text: str, field: str) -> str:
    """Return an identifier.

    Raises:
        WireError: it is longer than any identifier.
    """
    if len(text) > LONGEST_ID:
        raise WireError(field, f"longer than {LONGEST_ID} characters")
    return text


def bounded(listed: Sequence[T], most: int, field: str) -> Sequence[T]:
    """Return a list after checking its length.

    Raises:
        WireError: it is longer than any list of its kind.
    """
    if len(listed) > most:
        raise WireError(field, f"more than {most}")
    return listed


def in_range(number: int, field: str, within: Range) -> int:
    """Return a number after checking its range.

    Raises:
        WireError: the number is out of range.
    """
    try:
        return within.check(number)
    except MoneyError as error:
        raise WireError(field, f"{error}") from error


def is_sane(moment: datetime) -> bool:
    """Whether a time is plausible for a past or planned event."""
    return EARLIEST <= moment < LATEST


class Envelope(msgspec.Struct, gc=False):
    """A list inside an object, in any of the hosts' forms."""

    events: list[msgspec.Raw] | None = None
    markets: list[msgspec.Raw] | None = None
    comments: list[msgspec.Raw] | None = None
    tags: list[msgspec.Raw] | None = None
    data: list[msgspec.Raw] | None = None
    next_cursor: Identifier | None = None
    pagination: "Pagination | None" = None


class Pagination(msgspec.Struct, rename={"more": "hasMore", "total": "totalResults"}, gc=False):
    """The page data of `/public-search` (camel case) and of the second analytics generation."""

    more: bool | None = None
    total: int | None = None
    has_more: bool | None = None
    next_cursor: Identifier | None = None


_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_ENVELOPE = msgspec.json.Decoder(Envelope)


def decode_json(decoder: msgspec.json.Decoder[T], body: bytes | msgspec.Raw) -> T:
    """Decode JSON; lone surrogates become U+FFFD.

    Raises:
        msgspec.DecodeError: the body cannot be decoded, by that decoder or at all; see
            `UNREADABLE`.
    """
    try:
        return decoder.decode(body)
    except msgspec.DecodeError:
        mended = mend_surrogates(bytes(body))
        if mended is None:
            raise
        return decoder.decode(mended)


def mend_surrogates(body: bytes) -> bytes | None:
    """Return a body with every lone surrogate escape replaced; None if it has none."""
    mended = _ESCAPES.sub(lambda found: rb"\ufffd" if found["half"] else found[0], body)
    return None if mended == body else mended


def decode_envelope(body: bytes) -> Envelope:
    """Decode the outer object of a reply.

    Raises:
        WireError: it is not an object, or its lists are not lists.
    """
    try:
        return decode_json(_ENVELOPE, body)
    except UNREADABLE as error:
        raise WireError.of(error) from error


def split_list(
    body: bytes, key: str, *, is_required: bool = True
) -> tuple[list[msgspec.Raw], str | None]:
    """Return the rows of a bare array, or those under `key` or `data`, and the next cursor.

    Args:
        body: of a reply.
        key: the key of the list.
        is_required: whether an object without a list is refused instead of counting as empty.

    Raises:
        WireError: the body has neither of these forms.
    """
    if body.lstrip()[:1] == b"[":
        try:
            return decode_json(_LIST, body), None
        except UNREADABLE as error:
            raise WireError.of(error) from error
    envelope = decode_envelope(body)
    rows: list[msgspec.Raw] | None = getattr(envelope, key, None)
    rows = envelope.data if rows is None else rows
    if rows is None and is_required:
        raise WireError(key, "missing")
    cursor = envelope.next_cursor
    if cursor is None and envelope.pagination is not None:
        cursor = envelope.pagination.next_cursor
    return rows or [], cursor or None
