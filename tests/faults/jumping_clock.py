"""A machine whose wall clock is set wrong and right again while the program runs."""

import random
from datetime import datetime, timedelta

from typing_extensions import override

from pmtui.service.clock import SystemClock

JUMPS = tuple(timedelta(seconds=seconds) for seconds in (-3_600, -30, -8, 8, 30, 900, 2 * 86_400))


class JumpingClock(SystemClock):
    """The machine's time plus an error; what counts seconds is never wrong."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.error = timedelta()
        self.jumps = 0

    @override
    def now(self) -> datetime:
        return super().now() + self.error

    def jump(self) -> None:
        """Be set wrong, or right again."""
        self.jumps += 1
        self.error = timedelta() if self.error else self._rng.choice(JUMPS)
