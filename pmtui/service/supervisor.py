"""Runs the feeds: one task group, restarts with growing pauses, and a report of every failure.

The only place that catches any exception: a feed with a bug must not stop the others, and the
trader must see that it happened.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine

from pmtui.domain.backoff import Backoff
from pmtui.service.clock import Clock
from pmtui.service.log import Log
from pmtui.service.views import Level

_logger = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 30.0
STEADY_AFTER_S = 60.0
"""After running this long, a feed restarts with the shortest pause."""


class Supervisor:
    """Owns every task of the service."""

    def __init__(self, clock: Clock, log: Log, rng: random.Random) -> None:
        self._clock = clock
        self._log = log
        self._rng = rng
        self._group: asyncio.TaskGroup | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, ready: Callable[[], None]) -> None:
        """Hold the task group until cancelled; `ready` is called once tasks may be started."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            ready()
            await asyncio.Event().wait()

    def keep(self, name: str, feed: Callable[[], Awaitable[None]]) -> None:
        """Run a feed until shutdown, and restart it if it fails or returns."""
        _ = self._spawn(self._keep(name, feed), name)

    def once(self, name: str, work: Callable[[], Awaitable[None]]) -> "asyncio.Task[None]":
        """Run a task to its end, independent of any screen."""
        return self._spawn(self._once(name, work), name)

    def _spawn(self, work: Coroutine[None, None, None], name: str) -> "asyncio.Task[None]":
        if self._group is None:
            work.close()
            raise RuntimeError("the service is not running")
        try:
            task = self._group.create_task(work, name=name)
        except RuntimeError:
            # The service has just ended: a coroutine that will not run must be closed.
            work.close()
            raise
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _keep(self, name: str, feed: Callable[[], Awaitable[None]]) -> None:
        backoff = Backoff(first_s=FIRST_PAUSE_S, longest_s=LONGEST_PAUSE_S, jitter=self._rng.random)
        while True:
            started = self._clock.monotonic()
            await self._once(name, feed)
            if self._clock.monotonic() - started > STEADY_AFTER_S:
                backoff.reset()
            await self._clock.sleep(backoff.next_s())

    async def _once(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception as error:
            # Only the kind: a message may quote the data being handled.
            _logger.exception("%s failed", name)
            self._log.notice(Level.BAD, f"{name} failed ({type(error).__name__}); see the log file")
