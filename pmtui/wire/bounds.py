"""What is refused or cut: the one error of decoding, the longest texts and lists, the times that make sense.

A text that is only shown is cut and ends in an ellipsis; an identifier that is too long is refused,
because half an identifier is another one. Ranges of numbers are in `domain.money`.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, TypeVar

import msgspec

from pmtui.domain.money import MoneyError, Range

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What the JSON library raises for bytes from outside; `msgspec.ValidationError` is one of them."""

_LONGEST = 200
"""Characters of a field's name or of a reason."""
_PATH = re.compile(r"^(.*) - at `\$\.?([^`]*)`$", re.DOTALL)


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


T = TypeVar("T")

LONGEST_ID = 200
"""Characters. Token ids have 78, order ids 66; slugs are the longest."""
TITLE = 400
"""Characters of a question or a title; the longest recorded has 200 (September 2026)."""
LABEL = 120
"""Characters of an outcome, a tag, a name."""
PROSE = 20_000
"""Characters of rules, descriptions and comments."""
REASON = 300
"""Characters of an error in the venue's words."""

MOST_ROWS = 20_000
"""Rows of one answer. The longest page that is asked for has 1,000."""
MOST_OUTCOMES = 64
MOST_TAGS = 200
MOST_MARKETS = 2_000
"""Of one event."""
MOST_LEVELS = 10_000
"""Of one side of a book: as many as the finest grid has prices."""
MOST_POINTS = 50_000
"""Of one price history."""
MOST_MESSAGES = 5_000
"""In one frame: a whole book for every token of a socket."""
MOST_CHANGES = 20_000
"""Levels that one message changes."""

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(3000, 1, 1, tzinfo=UTC)
"""Rewards without an end are said to end in the year 2500."""

Identifier = Annotated[str, msgspec.Meta(max_length=LONGEST_ID)]


def cut(text: str | None, most: int) -> str:
    """Return a text that is shown, cut to so many characters."""
    if not text:
        return ""
    return text if len(text) <= most else text[: most - 1] + "…"


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
