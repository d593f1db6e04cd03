"""The socket of a service that runs, made again where it was taken away.

The system clears a runtime directory at logout, and people clear directories: a service that goes on
without its socket could neither be found nor ended.
"""

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pmtui.link.place import listener_of, why_no_socket
from pmtui.link.server import bind

TAKEN = "another service listens there"


class KeptSocket:
    """The path where one service listens."""

    def __init__(self, path: Path, listen: Callable[[socket.socket], None]) -> None:
        """Listen there from now on.

        Args:
            path: of the socket.
            listen: takes the listening socket, in the place of the one before.

        Raises:
            OSError: it cannot be bound.
        """
        self._path = path
        self._listen = listen
        listen(bind(path))
        self._mark = _mark_of(path)
        self.problem = ""
        """Why nobody can come in any more; empty while they can."""

    def keep(self) -> bool:
        """Look whether it is still there, and make it again where it is not; whether that was done."""
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
        """Take it away, unless it is another one's by now."""
        if self._mark is not None and _mark_of(self._path) == self._mark:
            with suppress(OSError):
                self._path.unlink()


def _mark_of(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
