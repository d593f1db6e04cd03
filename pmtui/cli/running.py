"""How a session of any kind runs: a bug in it ends in the log, without local variables."""

import asyncio
import logging
from collections.abc import Coroutine

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
