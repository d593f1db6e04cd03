"""The one error that reading a message may raise."""

import re

import msgspec

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
