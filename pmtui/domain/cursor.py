"""Page cursors of the trading host: base64 of a decimal offset, −1 after the last page.

Clients hand them back unread; only the local venue and the checks look inside.
"""

from base64 import b64decode, b64encode
from typing import Final

FIRST_CURSOR: Final = "MA=="
END_CURSOR: Final = "LTE="
"""What the last page answers: there is nothing after it."""
_END_OFFSET = -1


def encode_cursor(offset: int) -> str:
    """Write the cursor of the page that starts at an offset; −1 writes the end."""
    return b64encode(str(offset).encode()).decode()


def decode_cursor(cursor: str) -> int | None:
    """Read the offset of a cursor, −1 for the end, or None where it is no cursor."""
    try:
        text = b64decode(cursor.encode(), validate=True).decode("ascii")
    except ValueError:
        return None
    if text == str(_END_OFFSET):
        return _END_OFFSET
    return int(text) if text.isdigit() and len(text) <= 18 else None
