"""The token of the admin host, and its file while the venue runs.

The terminal and the tests also use this, so it imports nothing from the server.
"""

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from pmtui.config.paths import replace_file

TOKEN_FILE = "admin_token"  # noqa: S105  the name of a file


@dataclass(frozen=True, slots=True)
class VenueAdmin:
    """The admin address of a local venue, and its token."""

    url: str
    token: str = field(repr=False)


def new_token() -> str:
    """Generate a token for the operator's address."""
    return secrets.token_urlsafe(32)


def write_token(folder: Path, token: str) -> Path:
    """Write the operator's token to a file readable only by its owner; return the file.

    Raises:
        OSError: the folder cannot be written.
    """
    path = folder / TOKEN_FILE
    replace_file(path, token.encode())
    return path


def read_token(folder: Path) -> str:
    """Read the operator's token of the venue that is running on a state folder.

    Raises:
        OSError: no venue is running there, or it belongs to another user.
    """
    return (folder / TOKEN_FILE).read_text(encoding="ascii")


def operator_headers(token: str) -> dict[str, str]:
    """Return the headers that the operator's address requires."""
    return {"Authorization": f"Bearer {token}"}
