"""The process of a session: one lock for one account, the log of what goes wrong, memory given back."""

import asyncio
import ctypes
import fcntl
import logging
import os
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from pmtui.cli.output import start_logging
from pmtui.config.paths import Paths, private_dir, why_untrusted
from pmtui.config.toml_file import ConfigError

IN_USE = (
    "another terminal or service runs this profile, or a command such as `pmtui record`; end it first, "
    "or set PMTUI_HOME"
)
CRASHED = 70
_M_ARENA_MAX = -8


class InUseError(ConfigError):
    """Another process holds the profile."""


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
        InUseError: another terminal or service holds it.
        ConfigError: the directory cannot be written.
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
        raise InUseError(str(state_dir), IN_USE) from None
    try:
        yield
    finally:
        os.close(handle)


_logger = logging.getLogger(__name__)


async def run_logged(work: Coroutine[None, None, int]) -> int:
    """Run a session to its end; returns the exit code.

    Raises:
        ConfigError: it cannot run as it is configured.
    """
    running = asyncio.ensure_future(work)
    await asyncio.wait({running})
    error = running.exception()
    if error is None or isinstance(error, ConfigError):
        return running.result()
    _logger.error("the session failed", exc_info=error)
    return CRASHED


def start_log(profile: str, paths: Paths) -> Path:
    """Send what goes wrong to the log file; returns it.

    Raises:
        ConfigError: it cannot be written, or others could.
    """
    if reason := why_untrusted(paths.state / profile):
        raise ConfigError(str(paths.state), f"refused: {reason}")
    log = paths.state / "pmtui.log"
    try:
        start_logging(log)
    except OSError as error:
        raise ConfigError(str(log), error.strerror or str(error)) from None
    return log


def use_one_pool() -> None:
    """Let all threads share one pool; each would keep its own, and ours never allocate at once."""
    if (libc := _glibc()) is not None:
        libc.mallopt(_M_ARENA_MAX, 1)


def give_back() -> bool:
    """Return whole free pages to the system, in less than a millisecond; whether there were any."""
    libc = _glibc()
    return libc is not None and bool(libc.malloc_trim(0))


@cache
def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim") else None
