"""The venue's time as a test moves it."""

from typing_extensions import override

from pmtui.sim.venue import VenueClock


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
