"""Tells of stream messages that nobody understood: a new kind once, its count now and then."""

from collections.abc import Callable, Iterable

from pmtui.service.kernel import Kernel
from pmtui.service.views import Level

PERIOD_S = 5.0
MOST_KINDS_TOLD = 50
"""A host that invents kinds without end must not fill the log."""


class OddityFeed:
    """Watches the counters of the streams."""

    def __init__(self, kernel: Kernel, counts: Callable[[], Iterable[dict[str, int]]]) -> None:
        self._kernel = kernel
        self._counts = counts
        self._told: dict[str, int] = {}

    async def watch(self) -> None:
        """Tell of a kind when it first comes, and again each time it has come ten times as often."""
        while True:
            await self._kernel.clock.sleep(PERIOD_S)
            for counts in self._counts():
                for kind, count in counts.items():
                    self._tell(kind, count)

    def _tell(self, kind: str, count: int) -> None:
        told = self._told.get(kind, 0)
        is_new = not told and len(self._told) < MOST_KINDS_TOLD
        if is_new or (told and count >= told * 10):
            self._told[kind] = count
            self._kernel.log.add(Level.INFO, "stream", f"{kind}: {count} so far, ignored")
