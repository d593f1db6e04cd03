"""How a session of any kind runs: what goes wrong in it ends in the log, without local variables."""

import asyncio
import logging
from collections.abc import Coroutine
from pathlib import Path

from pmtui.cli.output import start_logging
from pmtui.config.paths import Paths, why_untrusted
from pmtui.config.toml_file import ConfigError

_logger = logging.getLogger(__name__)

CRASHED = 70


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
