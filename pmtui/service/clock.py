"""Time: the only place that reads the machine's clock."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """The source of time, chosen when the program is composed, so that tests can step it."""

    def now(self) -> datetime:
        """Aware UTC time."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        ...

    def replay_shift(self) -> timedelta:
        """How far `now` is ahead of the machine's time of day: zero, except in a replay.

        Durations that a person asked for or permitted run by the machine's time, however fast a
        replay plays.
        """
        ...

    def stream_s(self) -> float:
        """Seconds in which the streams could send; they never run backwards.

        They differ from `monotonic` only in a paused, stepped or slow replay. Conclusions from the
        silence of a stream use these seconds.
        """
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for a number of seconds."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Aware UTC time."""
        return datetime.now(UTC)  # noqa: TID251 - this is the clock

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()

    def replay_shift(self) -> timedelta:
        """How far `now` is ahead of the machine's time of day: zero."""
        return timedelta()

    def stream_s(self) -> float:
        """Seconds in which the streams could send: the same as `monotonic`."""
        return self.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for a number of seconds."""
        await asyncio.sleep(seconds)
