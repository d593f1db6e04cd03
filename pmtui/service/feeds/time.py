"""Time: ticks the status line once a second and measures the trading host's clock."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from pmtui.domain.failure import Failure
from pmtui.domain.health import Source
from pmtui.service.hosts import Hosts
from pmtui.service.kernel import Kernel
from pmtui.service.topics import AccountTopic, StatusTopic

MEASURE_PERIOD_S = 60.0
_QUICK = timedelta(seconds=1)
"""An answer that took longer may have waited on either way: its middle says nothing."""


class TimeFeed:
    """Knows how far our clock is from the venue's."""

    def __init__(self, kernel: Kernel, hosts: Callable[[], "asyncio.Future[Hosts]"]) -> None:
        self._kernel = kernel
        self._hosts = hosts
        self.skew_ms: int | None = None
        """Venue minus ours; the venue tells whole seconds, so it is good to half of one."""

    async def measure(self) -> None:
        """Ask the venue's clock now and then."""
        hosts = await self._hosts()
        while True:
            before = self._kernel.clock.now()
            answer = self._kernel.check(Source.TRADING, await hosts.trading.server_time())
            if not isinstance(answer, Failure):
                known = None if self.skew_ms is None else timedelta(milliseconds=self.skew_ms)
                skew = estimate_skew(answer, before, self._kernel.clock.now(), known)
                self._kernel.skew = skew
                self.skew_ms = round(skew / timedelta(milliseconds=1))
            await self._kernel.clock.sleep(MEASURE_PERIOD_S)

    async def tick(self) -> None:
        """Let ages grow on screen, and positions follow the books they are valued from."""
        while True:
            await self._kernel.clock.sleep(1.0)
            self._kernel.mark(StatusTopic())
            self._kernel.mark(AccountTopic())


def estimate_skew(
    told: datetime, before: datetime, after: datetime, known: timedelta | None
) -> timedelta:
    """Return by how much the venue's clock is ahead of ours.

    Args:
        told: its time, cut to the second.
        before: ours when it was asked.
        after: ours when the answer was there.
        known: what was believed so far; None where nothing was.
    """
    # The answer is cut to the second: its middle is the best guess.
    middle = told + timedelta(milliseconds=500)
    if after - before <= _QUICK:
        return middle - (before + (after - before) / 2)
    # After a long wait all between is possible: only what is not gives way.
    return max(middle - after, min(known or timedelta(), middle - before))
