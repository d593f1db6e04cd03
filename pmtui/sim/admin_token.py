"""The token of the admin host, and the file that holds it while the venue runs.

The terminal and the tests use this too, so it imports nothing of the server.
"""

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from pmtui.config.paths import replace_file

TOKEN_FILE = "admin_token"  # noqa: S105  the name of a file


@dataclass(frozen=True, slots=True)
class VenueAdmin:
    """Where a local venue takes administrative requests, and the token that permits them."""

    url: str
    token: str = field(repr=False)


def new_token() -> str:
    """Draw a token for the operator's address."""
    return secrets.token_urlsafe(32)


def write_token(folder: Path, token: str) -> Path:
    """Write the operator's token to a file that only its owner can read; returns the file.

    Raises:
        OSError: the folder cannot be written.
    """
    path = folder / TOKEN_FILE
    replace_file(path, token.encode())
    return path


def read_token(folder: Path) -> str:
    """Read the operator's token of the venue that runs on a state folder.

    Raises:
        OSError: no venue runs there, or it is another user's.
    """
    return (folder / TOKEN_FILE).read_text(encoding="ascii")


def operator_headers(token: str) -> dict[str, str]:
    """Return the headers that the operator's address asks for."""
    return {"Authorization": f"Bearer {token}"}
