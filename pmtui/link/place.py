"""Where a service listens, and who it is that connects: a socket in a directory of the user's own."""

import os
import socket
import struct
from collections.abc import Callable
from pathlib import Path

from pmtui.config.paths import private_dir, why_untrusted

LONGEST_PATH = 100
"""Bytes: the system takes 107 of a socket's path, some 103."""
_CREDENTIALS = struct.Struct("3i")
"""Process, user and group of the other end."""

UidOf = Callable[[socket.socket], int | None]


def socket_path(runtime: Path, profile: str) -> Path:
    """Return where the service of a profile listens."""
    return runtime / f"{profile}.sock"


def why_no_socket(path: Path) -> str:
    """Say why nobody may listen there; "" where one may. The directory is made where it is missing.

    Raises:
        OSError: it cannot be made.
    """
    if len(os.fsencode(path)) > LONGEST_PATH:
        return f"{path} is too long for a socket; set XDG_RUNTIME_DIR to a shorter directory"
    _ = private_dir(path.parent)
    if path.parent.stat().st_mode & 0o077:
        return f"others may enter {path.parent}; chmod 700 {path.parent}"
    return why_untrusted(path.parent)


def is_somebody_there(path: Path) -> bool:
    """Whether a service listens; a socket that a crash left behind has nobody behind it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.settimeout(1.0)
        try:
            one.connect(os.fspath(path))
        except (BlockingIOError, TimeoutError):
            # So many wait already that nobody can be let in: it hangs, and is there.
            return True
        except OSError:
            return False
    return True


def listener_of(path: Path) -> int | None:
    """Return the process that listens, 0 where the system does not tell; None where nobody does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.settimeout(1.0)
        try:
            one.connect(os.fspath(path))
        except (BlockingIOError, TimeoutError):
            return 0
        except OSError:
            return None
        return _credentials_of(one)[0] or 0


def uid_of(one: socket.socket) -> int | None:
    """Return the user at the other end; None where the system does not tell."""
    return _credentials_of(one)[1]


def _credentials_of(one: socket.socket) -> tuple[int | None, int | None]:
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None, None
    process, user, _ = _CREDENTIALS.unpack(
        one.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS.size)
    )
    return process, user


def is_our_user(one: socket.socket, uid: UidOf = uid_of) -> bool:
    """Whether the other end belongs to our own user; root may read our memory anyway."""
    user = uid(one)
    return user is None or user in (os.geteuid(), 0)
