"""Everything beside the exchange that remembers something or has a timer, put together once.

It hears of every event and is ticked by the venue's upkeep; the routes ask its parts.
"""

from collections.abc import Iterable

from pmtui.sim.chain.relay import Relay
from pmtui.sim.chain.sign_in import SignIns
from pmtui.sim.chain.state import Chain
from pmtui.sim.clob.builder_keys import Attribution, SideKeys
from pmtui.sim.clob.heartbeats import Heartbeats
from pmtui.sim.clob.notifications import Notifications
from pmtui.sim.clob.pending_orders import PendingOrders, StaleBalances
from pmtui.sim.clob.rewards import Rewards
from pmtui.sim.engine.events import (
    BalanceChanged,
    Event,
    MarketResolved,
    OrderCancelled,
    TradeAdvanced,
    TradeMatched,
)
from pmtui.sim.storage.engine_restart import EngineRestart
from pmtui.sim.venue import Venue


class BackOffice:
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
