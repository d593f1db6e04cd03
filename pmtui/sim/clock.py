"""The venue's time: whatever has a moment in it asks here, so that it can be moved."""

import time
from datetime import UTC, datetime
from typing import Protocol

from typing_extensions import override


class VenueClock(Protocol):
    """Milliseconds since 1970, which never run backwards by themselves."""

    def now_ms(self) -> int:
        """Return the time in unix milliseconds."""
        ...

    def step(self, milliseconds: int) -> None:
        """Move time by some milliseconds, for good."""
        ...

    def now(self) -> datetime:
        """Return the time as an aware datetime."""
        ...


class SystemClock(VenueClock):
    """The machine's time plus whatever was stepped."""

    def __init__(self) -> None:
        self._offset_ms = 0

    @override
    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 + self._offset_ms

    @override
    def step(self, milliseconds: int) -> None:
        self._offset_ms += milliseconds

    @override
    def now(self) -> datetime:
        return _to_datetime(self.now_ms())


class ManualClock(VenueClock):
    """A time that stands still until it is stepped."""

    def __init__(self, start_ms: int) -> None:
        self._now_ms = start_ms

    @override
    def now_ms(self) -> int:
        return self._now_ms

    @override
    def step(self, milliseconds: int) -> None:
        self._now_ms += milliseconds

    @override
    def now(self) -> datetime:
        return _to_datetime(self._now_ms)


def _to_datetime(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1_000, UTC)
