"""The one place that reads the machine's clock."""

import asyncio
import time
from datetime import UTC, datetime


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """Aware UTC time."""
        return datetime.now(UTC)  # noqa: TID251 - this is the clock

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Let other tasks run for so long."""
        await asyncio.sleep(seconds)
