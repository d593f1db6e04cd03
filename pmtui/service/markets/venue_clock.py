"""The venue's clock: its offset from ours, and times calculated with it."""

import asyncio
from datetime import datetime, timedelta

from pmtui.domain.answers import Failure
from pmtui.domain.health import Source
from pmtui.service.kernel import Kernel
from pmtui.service.topics import AccountTopic, StatusTopic

MEASURE_PERIOD_S = 60.0
RETRY_PERIOD_S = 2.0
"""Retry interval while the offset is unknown."""
JUMP_S = 2.0
"""A larger step of our clock, compared with the monotonic one, triggers a new measurement."""
TRADE_MARGIN = timedelta(minutes=10)
"""Subtracted from the time from which own trades are requested."""
_QUICK = timedelta(seconds=1)
"""A slower reply may have been delayed in either direction: its middle means nothing."""


class TimeFeed:
    """Measures the offset of the venue's clock."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._jumped = asyncio.Event()

    @property
    def skew_ms(self) -> int | None:
        """Venue minus ours; the venue sends whole seconds, so it is accurate to half a second."""
        if not self._kernel.is_venue_clock_known:
            return None
        return round(self._kernel.skew / timedelta(milliseconds=1))

    async def measure(self) -> None:
        """Measure the venue's clock regularly, and at once after ours was set or suspended."""
        hosts, kernel = await self._kernel.hosts(), self._kernel
        while True:
            self._jumped.clear()
            asked_s = kernel.clock.monotonic()
            answer = kernel.check(Source.TRADING, await hosts.trading.server_time())
            if not isinstance(answer, Failure):
                # Both by the current clock: it may have been set while we waited.
                after = kernel.clock.now()
                before = after - timedelta(seconds=kernel.clock.monotonic() - asked_s)
                known = kernel.skew if kernel.is_venue_clock_known else None
                kernel.skew = estimate_skew(answer, before, after, known)
            period_s = MEASURE_PERIOD_S if kernel.is_venue_clock_known else RETRY_PERIOD_S
            _ = await kernel.within(period_s, self._jumped.wait())

    async def tick(self) -> None:
        """Update the ages on screen, and revalue positions by their books."""
        clock = self._kernel.clock
        before = clock.now(), clock.monotonic()
        while True:
            await clock.sleep(1.0)
            now = clock.now(), clock.monotonic()
            stepped_s = (now[0] - before[0]).total_seconds() - (now[1] - before[1])
            if abs(stepped_s) > JUMP_S:
                self._jumped.set()
            before = now
            self._kernel.mark(StatusTopic())
            self._kernel.mark(AccountTopic())


class SessionStart:
    """The beginning of this session by the venue's clock: own trades are requested from then on."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._started_s = kernel.clock.monotonic()
        self._began: datetime | None = None

    def bound_for_trades(self, *created: datetime) -> datetime | None:
        """Return an `after` that omits no trade since then; None if there can be none.

        Args:
            created: creation times of orders whose trades are also needed. Our clock may have been
                ahead when they were written, so they can only make the bound earlier.
        """
        kernel = self._kernel
        if not kernel.is_venue_clock_known:
            return None
        began = kernel.venue_now() - timedelta(seconds=kernel.clock.monotonic() - self._started_s)
        # The monotonic clock may stop while the machine sleeps: the earliest result counts.
        self._began = began if self._began is None else min(self._began, began)
        return min(self._began, *created) - TRADE_MARGIN if created else self._began - TRADE_MARGIN


def estimate_skew(
    stated: datetime, before: datetime, after: datetime, known: timedelta | None
) -> timedelta:
    """Return how far the venue's clock is ahead of ours.

    Args:
        stated: its time, truncated to the second.
        before: our time at the request.
        after: our time at the reply.
        known: the previous estimate; None if there was none.
    """
    # The reply is truncated to the second: its middle is the best guess.
    middle = stated + timedelta(milliseconds=500)
    if after - before <= _QUICK:
        return middle - (before + (after - before) / 2)
    # After a long wait everything in between is possible: only impossible values are corrected.
    return max(middle - after, min(known or timedelta(), middle - before))
