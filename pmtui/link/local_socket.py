"""The socket where a service listens, in a directory of the user's own, and checks of who connects.

The system clears a runtime directory at logout, and people clear directories: a service without its socket
could neither be found nor stopped, so `KeptSocket` creates it again after it was removed.
"""

import os
import pwd
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pmtui.config.paths import private_dir, why_untrusted

LONGEST_PATH = 100
"""Bytes: Linux allows 107 for a socket's path, some systems 103."""
MOST_CONNECTIONS = 32
_CREDENTIALS = struct.Struct("3i")
"""Process, user and group of the peer."""

UidOf = Callable[[socket.socket], int | None]


def socket_path_of(runtime: Path, profile: str) -> Path:
    """Return the path where the service of a profile listens."""
    return runtime / f"{profile}.sock"


def why_no_socket(path: Path) -> str:
    """Return why the service may not listen there, or "" if it may. A missing directory is created.

    Raises:
        OSError: the directory cannot be created.
    """
    if len(os.fsencode(path)) > LONGEST_PATH:
        return f"{path} is too long for a socket; set a shorter PMTUI_HOME or XDG_RUNTIME_DIR"
    _ = private_dir(path.parent)
    if path.is_dir() and not path.is_symlink():
        return f"{path} is a directory; remove it"
    if path.parent.stat().st_mode & 0o077:
        return f"others may enter {path.parent}; chmod 700 {path.parent}"
    return why_untrusted(path.parent)


def is_somebody_there(path: Path) -> bool:
    """Whether a service listens; a socket left behind by a crash has no listener."""
    return listener_of(path) is not None


def listener_of(path: Path) -> int | None:
    """Return the process id of the listener, 0 if the system does not report it; None if none listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.settimeout(1.0)
        try:
            one.connect(os.fspath(path))
        except (BlockingIOError, TimeoutError):
            # The backlog is full: the service hangs, but it exists.
            return 0
        except OSError:
            return None
        return _credentials_of(one)[0] or 0


def why_kept_out(path: Path) -> str:
    """Return the owner of a socket that we may not connect to, or "" if we may connect."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.settimeout(1.0)
        try:
            one.connect(os.fspath(path))
        except PermissionError:
            return f"no permission to connect to {path}, which belongs to {_owner_of(path)}"
        except OSError:
            return ""
    return ""


def user_name(uid: int) -> str:
    """Return a user's name, or the number if it has none."""
    try:
        return f"user {pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"user {uid}"


def _owner_of(path: Path) -> str:
    """Return the owner of a path, or of the nearest directory above it that we may inspect."""
    for part in (path, *path.parents):
        try:
            return user_name(part.stat().st_uid)
        except OSError:
            continue
    return "another user"


def uid_of(one: socket.socket) -> int | None:
    """Return the user id of the peer; None if the system does not report it."""
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
    """Whether the peer belongs to our own user or to root, who can read our memory anyway."""
    user = uid(one)
    return user is None or user in (os.geteuid(), 0)


def bind(path: Path) -> socket.socket:
    """Return a socket that listens at a path for our user alone; an existing file is replaced.

    Raises:
        OSError: it cannot be bound.
    """
    with suppress(FileNotFoundError):
        path.unlink()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(os.fspath(path))
        path.chmod(0o600)
        listening.listen(MOST_CONNECTIONS)
        listening.settimeout(0)
    except OSError:
        listening.close()
        raise
    return listening


TAKEN = "another service listens there"


class KeptSocket:
    """The socket path of one service, kept in existence."""

    def __init__(self, path: Path, listen: Callable[[socket.socket], None]) -> None:
        """Start listening at a path.

        Args:
            path: of the socket.
            listen: takes the listening socket, in place of the one before.

        Raises:
            OSError: the socket cannot be bound.
        """
        self._path = path
        self._listen = listen
        listen(bind(path))
        self._mark = _mark_of(path)
        self.problem = ""
        """Why no connections are accepted any more; empty while they are."""

    def keep(self) -> bool:
        """Create the socket again if it is gone; return whether it was created."""
        mark = _mark_of(self._path)
        if mark is not None and mark == self._mark:
            self.problem = ""
            return False
        listener = listener_of(self._path)
        if listener is not None:
            self._mark = mark if listener == os.getpid() else None
            self.problem = "" if listener == os.getpid() else TAKEN
            return False
        try:
            self.problem = why_no_socket(self._path)
            if self.problem:
                return False
            self._listen(bind(self._path))
        except OSError as error:
            self.problem = error.strerror or str(error)
            return False
        self._mark = _mark_of(self._path)
        return True

    def remove(self) -> None:
        """Remove the socket, unless it belongs to another service by now."""
        if self._mark is not None and _mark_of(self._path) == self._mark:
            with suppress(OSError):
                self._path.unlink()


def _mark_of(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
