"""Time: the machine's clock, read nowhere else."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Time, owned by whoever composes the program, so that tests can step it."""

    def now(self) -> datetime:
        """Aware UTC time."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        ...

    def replay_shift(self) -> timedelta:
        """How far `now` is ahead of the machine's time of day: not at all, except in a replay.

        What a person asked for or permitted lasts by the machine's time, however fast a replay plays.
        """
        ...

    def stream_s(self) -> float:
        """Seconds in which the streams could send; they never run backwards.

        Only a replay that is paused, stepped or slow makes them differ from `monotonic`. Whatever
        concludes something from the silence of a stream counts these.
        """
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds."""
        ...


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """Aware UTC time."""
        return datetime.now(UTC)  # noqa: TID251 - this is the clock

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()

    def replay_shift(self) -> timedelta:
        """How far `now` is ahead of the machine's time of day: not at all."""
        return timedelta()

    def stream_s(self) -> float:
        """Seconds in which the streams could send: all of them."""
        return self.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds."""
        await asyncio.sleep(seconds)
