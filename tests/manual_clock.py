"""A clock that moves only when a test says so."""

import asyncio
import heapq
from datetime import UTC, datetime, timedelta
from itertools import count

from tests.quiet_loop import quiet


class ManualClock:
    """Fulfils the service's Clock."""

    def __init__(self, start: datetime = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed = 0.0
        self._stream_held_at: float | None = None
        self._played_on = timedelta()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = count()

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed) + self._played_on

    def replay_shift(self) -> timedelta:
        return self._played_on

    def monotonic(self) -> float:
        return self._elapsed

    def stream_s(self) -> float:
        return self._elapsed if self._stream_held_at is None else self._stream_held_at

    def hold_stream(self) -> None:
        """Let no more time pass for the streams, as in a replay that is paused."""
        self._stream_held_at = self._elapsed

    def play_on(self, by: timedelta) -> None:
        """Let recorded time pass at once, as a fast replay or a jump does."""
        self._played_on += by

    def set_wall(self, by: timedelta) -> None:
        """Set the time of day, as a person or a server does, or a machine that slept meanwhile."""
        self._start += by

    def skip(self, seconds: float) -> None:
        """Let time pass while the whole process is stopped: no timer has rung yet."""
        self._elapsed += seconds

    async def sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._order), future))
        await future

    def wakes_within(self, seconds: float) -> int:
        """Return how many tasks will act in the time that comes next."""
        until = self._elapsed + seconds
        return sum(due <= until and not f.done() for due, _, f in self._sleepers)

    async def advance(self, seconds: float) -> None:
        """Let time pass, waking sleepers in their order, each with time to act."""
        await settle()
        target = self._elapsed + seconds
        while self._sleepers and self._sleepers[0][0] <= target:
            deadline, _, future = heapq.heappop(self._sleepers)
            self._elapsed = max(self._elapsed, deadline)
            if not future.done():
                future.set_result(None)
            await settle()
        self._elapsed = target
        await settle()


async def settle() -> None:
    """Let every task run until it waits for something."""
    await quiet()
