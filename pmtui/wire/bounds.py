r"""The first reading of JSON, and what is refused or cut: errors, longest texts and lists, sane times.

A text that is only shown is cut and ends in an ellipsis; an identifier that is too long is refused,
because half an identifier is another one. Ranges of numbers are in `domain.money`.

Half a character (a lone surrogate, `"\ud800"`) is legal in JSON and in no text. The library refuses
the whole body for one, so a single bad title would hide a page of a thousand rows: where a body
fails for that reason alone, every such half is replaced by U+FFFD and the body read again.

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
"""What the JSON library raises for bytes from outside; `msgspec.ValidationError` is one of them."""

_LONGEST = 200
"""Characters of a field's name or of a reason."""
_PATH = re.compile(r"^(.*) - at `\$\.?([^`]*)`$", re.DOTALL)
T = TypeVar("T")
LONGEST_ID = 200
"""Characters. Token ids have 78, order ids 66; slugs are the longest."""
TITLE = 400
"""Characters of a question or a title; the longest recorded has 200 (September 2026)."""
MOST_ROWS = 20_000
"""Rows of one answer. The longest page that is asked for has 1,000."""
MOST_LEVELS = 10_000
"""Of one side of a book: as many as the finest grid has prices."""
MOST_POINTS = 50_000
"""Of one price history."""
MOST_MESSAGES = 5_000
"""In one frame: a whole book for every token of a socket."""
# One pass: an escaped backslash and a whole pair are stepped over, what is left of surrogates is half.
_ESCAPES = re.compile(
    rb"""\\\\
       | \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
       | (?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})""",
    re.VERBOSE,
)


class WireError(ValueError):
    """A message that is not what it should be.

    The reason names the field and shows at most a few characters of the message: it may be a page
    of the edge, and it is untrusted.
    """

    def __init__(self, field: str, reason: str) -> None:
        # A name can be a key of the message itself, and so of any length.
        self.field = field[:_LONGEST]
        """Where it is wrong; empty for the whole message."""
        self.reason = reason[:_LONGEST]
        super().__init__(f"{self.field}: {self.reason}" if field else self.reason)

    @classmethod
    def of(cls, error: Exception) -> "WireError":
        """Say what the JSON library found, without what it found it in."""
        if isinstance(error, RecursionError):
            return cls("", "nested too deeply")
        if isinstance(error, UnicodeDecodeError):
            return cls("", "not UTF-8")
        match = _PATH.match(str(error))
        if match is None:
            return cls("", str(error)[:200])
        return cls(match.group(2)[:80], match.group(1)[:200])


class NotJsonError(WireError):
    """The bytes are no JSON at all."""


LABEL = 120
"""Characters of an outcome, a tag, a name."""
PROSE = 20_000
"""Characters of rules, descriptions and comments."""
REASON = 300
"""Characters of an error in the venue's words."""

MOST_OUTCOMES = 64
MOST_TAGS = 200
MOST_MARKETS = 2_000
"""Of one event."""
MOST_CHANGES = 20_000
"""Levels that one message changes."""

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(3000, 1, 1, tzinfo=UTC)
"""Rewards without an end are said to end in the year 2500."""

Identifier = Annotated[str, msgspec.Meta(max_length=LONGEST_ID)]


def cut(text: str | None, most: int) -> str:
    """Return a text for display in at most so many characters; an absent one is empty."""
    return ellipsize(text or "", most)


def identifier(text: str, field: str) -> str:
    """Return a text that names something.

    Raises:
        WireError: it is longer than any identifier.
    """
    if len(text) > LONGEST_ID:
        raise WireError(field, f"longer than {LONGEST_ID} characters")
    return text


def bounded(listed: Sequence[T], most: int, field: str) -> Sequence[T]:
    """Return a list.

    Raises:
        WireError: it is longer than any of its kind.
    """
    if len(listed) > most:
        raise WireError(field, f"more than {most}")
    return listed


def in_range(number: int, field: str, within: Range) -> int:
    """Return a number.

    Raises:
        WireError: it is out of range.
    """
    try:
        return within.check(number)
    except MoneyError as error:
        raise WireError(field, f"{error}") from error


def is_sane(moment: datetime) -> bool:
    """Whether something can have happened, or be planned, at this time."""
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
    """What `/public-search` (camel case) and the second analytics generation say of their pages."""

    more: bool | None = None
    total: int | None = None
    has_more: bool | None = None
    next_cursor: Identifier | None = None


_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_ENVELOPE = msgspec.json.Decoder(Envelope)


def decode_json(decoder: msgspec.json.Decoder[T], body: bytes | msgspec.Raw) -> T:
    """Read JSON; halves of characters become U+FFFD.

    Raises:
        msgspec.DecodeError: it cannot be read, by that decoder or at all; see `UNREADABLE`.
    """
    try:
        return decoder.decode(body)
    except msgspec.DecodeError:
        mended = mend_surrogates(bytes(body))
        if mended is None:
            raise
        return decoder.decode(mended)


def mend_surrogates(body: bytes) -> bytes | None:
    """Return a body with every lone surrogate escape replaced; None where it has none."""
    mended = _ESCAPES.sub(lambda found: rb"\ufffd" if found["half"] else found[0], body)
    return None if mended == body else mended


def decode_envelope(body: bytes) -> Envelope:
    """Read the outer object of an answer.

    Raises:
        WireError: not an object, or one whose lists are none.
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
        body: of an answer.
        key: where the list may stand.
        is_required: whether an object without a list is refused, and not an empty one.

    Raises:
        WireError: neither of these forms.
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
