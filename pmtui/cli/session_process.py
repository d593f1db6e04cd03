"""The process of a session: its lock on the account, its error log, and the memory it returns."""

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
from pmtui.service.clock import SystemClock

IN_USE = (
    "another terminal or service runs this profile, or a command such as `pmtui record`; end it first, "
    "or set PMTUI_HOME"
)
CRASHED = 70
"""Exit code of a session that ended because of a bug."""
_LOCK_FILE = "session.lock"
_TRIM_PERIOD_S = 20.0
_M_ARENA_MAX = -8
"""The mallopt option, from glibc's malloc.h."""
_logger = logging.getLogger(__name__)


class InUseError(ConfigError):
    """Another process holds the profile."""


def is_session_running(state_dir: Path) -> bool:
    """Whether any process holds the session lock: a terminal, a service, or a command."""
    try:
        handle = os.open(state_dir / _LOCK_FILE, os.O_RDONLY | os.O_CLOEXEC)
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
    """Hold the lock on the account's directory inside the context.

    The system releases the lock however the process ends.

    Raises:
        InUseError: another terminal or service holds it.
        ConfigError: the directory cannot be written.
    """
    path = state_dir / _LOCK_FILE
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


async def run_logged(work: Coroutine[None, None, int]) -> int:
    """Run a session to its end; return the exit code.

    Raises:
        ConfigError: the session cannot run with this configuration.
    """
    running = asyncio.ensure_future(work)
    await asyncio.wait({running})
    error = running.exception()
    if error is None or isinstance(error, ConfigError):
        return running.result()
    _logger.error("the session failed", exc_info=error)
    return CRASHED


def start_log(profile: str, paths: Paths) -> Path:
    """Start writing errors to the log file; return its path.

    Raises:
        ConfigError: it cannot be written, or others could write it.
    """
    if reason := why_untrusted(paths.state / profile):
        raise ConfigError(str(paths.state), f"refused: {reason}")
    log = paths.state / "pmtui.log"
    try:
        start_logging(log)
    except OSError as error:
        raise ConfigError(str(log), error.strerror or str(error)) from None
    return log


def use_one_malloc_arena() -> None:
    """Make malloc serve all threads from one arena: our threads never allocate at the same time."""
    if (libc := _glibc()) is not None:
        libc.mallopt(_M_ARENA_MAX, 1)


def trim_heap() -> bool:
    """Return free memory to the system, in less than a millisecond; return whether there was any."""
    libc = _glibc()
    return libc is not None and bool(libc.malloc_trim(0))


async def trim_heap_regularly(clock: SystemClock) -> None:
    """Return free memory to the system periodically, until cancelled."""
    while True:
        await clock.sleep(_TRIM_PERIOD_S)
        _ = trim_heap()


@cache
def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "mallopt") and hasattr(libc, "malloc_trim") else None
