r"""The first reading of JSON: of a whole body or frame, and of lists in any of the hosts' envelopes.

Half a character (a lone surrogate, `"\ud800"`) is legal in JSON and in no text. The library refuses
the whole body for one, so a single bad title would hide a page of a thousand rows: where a body
fails for that reason alone, every such half is replaced by U+FFFD and the body read again.

    [{…}, {…}]                                       a bare array
    {"data": [{…}], "next_cursor": "MTAw"}           the trading host, keyset pages
    {"data": [{…}], "pagination": {"has_more": true, "next_cursor": "…"}}   the second analytics generation
    {"events": [{…}], "pagination": {"hasMore": true, "totalResults": 3}}   a search of the metadata host
"""

import re
from typing import TypeVar

import msgspec

from pmtui.wire.bounds import UNREADABLE, Identifier, WireError

T = TypeVar("T")

# One pass: an escaped backslash and a whole pair are stepped over, what is left of surrogates is half.
_ESCAPES = re.compile(
    rb"""\\\\
       | \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
       | (?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})""",
    re.VERBOSE,
)


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
