"""A restart of the matching engine as its clients see it: 425 for a while, then two careful minutes.

Books stand still while it is away. Then only post-only orders and cancels are taken, and the
refusal of others says how long that will last. The body of the 425 is not published.
"""

from pmtui.sim.engine.terms import TradingMode
from pmtui.sim.venue import Venue

POST_ONLY_S = 120
RESTARTING = "the matching engine is restarting, try again shortly"


class EngineRestart:
    """At most one restart at a time, following the venue's clock."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._down_until_ms = 0
        self._post_only_until_ms: int | None = None

    def begin(self, *, seconds: int, post_only_s: int = POST_ONLY_S) -> None:
        """Take the engine away for some seconds; 0 begins with the careful minutes."""
        self._down_until_ms = self._venue.clock.now_ms() + seconds * 1_000
        self._post_only_until_ms = self._down_until_ms + post_only_s * 1_000
        self.follow_clock()

    def forget(self) -> None:
        """Leave the mode to the operator, who has just set it."""
        self._down_until_ms = 0
        self._post_only_until_ms = None

    @property
    def is_down(self) -> bool:
        """Whether the engine is away."""
        return self._venue.clock.now_ms() < self._down_until_ms

    def follow_clock(self) -> None:
        """Let the exchange take what it may take at this moment."""
        if self._post_only_until_ms is None:
            return
        exchange = self._venue.exchange
        left_ms = self._post_only_until_ms - self._venue.clock.now_ms()
        if self.is_down:
            exchange.mode = TradingMode.DISABLED
        elif left_ms > 0:
            exchange.mode = TradingMode.POST_ONLY
            exchange.retry_after_s = -(-left_ms // 1_000)
        else:
            exchange.mode = TradingMode.NORMAL
            self.forget()
