"""Files that nobody but their owner may read, whatever the umask permits."""

import os
from contextlib import suppress
from pathlib import Path


def open_to_append(path: Path) -> int:
    """Open a file to be written to at its end, and return its number."""
    make_private(path)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def open_to_overwrite(path: Path) -> int:
    """Open a file to be written anew, and return its number."""
    make_private(path)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)


def make_private(path: Path) -> None:
    """Take away what others may do with a file that is there already."""
    with suppress(FileNotFoundError):
        path.chmod(0o600)
