"""One service for one account: two would write one journal and start one venue twice."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pmtui.config.paths import private_dir
from pmtui.config.toml_file import ConfigError

IN_USE = (
    "another terminal or service runs this profile, or a command such as `pmtui record`; end it first, "
    "or set PMTUI_HOME"
)


def is_session_running(state_dir: Path) -> bool:
    """Tell whether a terminal trades on this account now."""
    try:
        handle = os.open(state_dir / "session.lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


@contextmanager
def session_lock(state_dir: Path) -> Iterator[None]:
    """Hold the account's directory for as long as the block lasts.

    The system lets go of the lock whatever becomes of the process.

    Raises:
        ConfigError: another terminal holds it, or the directory cannot be written.
    """
    path = state_dir / "session.lock"
    try:
        private_dir(state_dir)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ConfigError(str(path), error.strerror or str(error)) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise ConfigError(str(state_dir), IN_USE) from None
    try:
        yield
    finally:
        os.close(handle)
