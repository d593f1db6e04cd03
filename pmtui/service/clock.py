"""Time: the only place that reads the machine's clock."""

import asyncio
import time
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment by both clocks of the machine, which all of its processes read alike."""

    at: datetime
    """By the time of day, which goes on while the machine is suspended, and may be set."""
    monotonic_s: float
    """By the clock that is never set, and may stand still meanwhile."""


def read_moment(clock: Clock) -> Moment:
    """Return the moment that it is now."""
    return Moment(clock.now() - clock.replay_shift(), clock.monotonic())


def seconds_since(moment: Moment, clock: Clock) -> float:
    """Return how long ago a moment was, by whichever clock says more."""
    now = read_moment(clock)
    return max((now.at - moment.at).total_seconds(), now.monotonic_s - moment.monotonic_s)


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
