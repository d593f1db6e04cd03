"""Builds the parts beside the exchange that have state or a timer.

The subsystems receive every event and are ticked by the venue's maintenance; the routes query them.
"""

from collections.abc import Iterable

from pmtui.sim.chain.contracts import Chain
from pmtui.sim.chain.relayer import Relay
from pmtui.sim.chain.sign_in import SignIns
from pmtui.sim.clob.builder_keys import Attribution, SideKeys
from pmtui.sim.clob.heartbeats import Heartbeats
from pmtui.sim.clob.notifications import Notifications
from pmtui.sim.clob.pending_orders import PendingOrders, StaleBalances
from pmtui.sim.clob.price_history import PastPrices
from pmtui.sim.clob.rewards import Rewards
from pmtui.sim.engine.events import (
    BalanceChanged,
    Event,
    MarketResolved,
    OrderCancelled,
    TradeAdvanced,
    TradeMatched,
)
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
        """Stop the engine for some seconds; 0 starts with the post-only minutes."""
        self._down_until_ms = self._venue.clock.now_ms() + seconds * 1_000
        self._post_only_until_ms = self._down_until_ms + post_only_s * 1_000
        self.follow_clock()

    def forget(self) -> None:
        """Drop the restart, because the operator has just set the mode."""
        self._down_until_ms = 0
        self._post_only_until_ms = None

    @property
    def is_down(self) -> bool:
        """Whether the engine is down."""
        return self._venue.clock.now_ms() < self._down_until_ms

    def follow_clock(self) -> None:
        """Set the exchange's trading mode for the current time."""
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


class Subsystems:
    """The parts of a venue that its hosts share."""

    def __init__(self, venue: Venue) -> None:
        self.pending = PendingOrders(venue)
        self.heartbeats = Heartbeats(venue)
        self.restart = EngineRestart(venue)
        self.balances = StaleBalances(venue)
        self.rewards = Rewards(venue)
        self.notifications = Notifications(venue)
        self.keys = SideKeys(venue)
        self.attribution = Attribution(venue)
        self.chain = Chain(venue)
        self.prices = PastPrices(venue)
        self.relay = Relay(venue, self.chain)
        self.sign_ins = SignIns(venue)
        venue.subscribe(self._notice)

    def tick(self) -> None:
        """Do whatever is due."""
        self.restart.follow_clock()
        self.pending.tick()
        self.heartbeats.tick()
        self.rewards.tick()
        self.relay.tick()
        self.notifications.flush()

    def _notice(self, events: Iterable[Event]) -> None:
        for event in events:
            match event:
                case BalanceChanged():
                    self.balances.note(event)
                case TradeMatched() | TradeAdvanced() | OrderCancelled() | MarketResolved():
                    self.notifications.note(event)
                case _:
                    pass
