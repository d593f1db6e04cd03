"""What msgspec raises for bytes from outside, and what that means for the reader."""

import re

import msgspec

from pmtui.wire.errors import WireError

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Everything msgspec raises for bytes from outside, however hostile."""

_PATH = re.compile(r"^(.*) - at `\$\.?([^`]*)`$", re.DOTALL)


def to_wire_error(error: Exception) -> WireError:
    """Return what one of `UNREADABLE` means, the field first, without the payload's own text."""
    if isinstance(error, RecursionError):
        return WireError("nested too deeply")
    if isinstance(error, UnicodeDecodeError):
        return WireError("not UTF-8")
    match = _PATH.match(str(error))
    if match is None or not match.group(2):
        return WireError(str(error)[:200])
    return WireError(f"{match.group(2)[:80]}: {match.group(1)[:200]}")
