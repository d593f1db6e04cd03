"""What stands between a trader and harm, as the read side sees it."""

from dataclasses import dataclass

from pmtui.service.markets.venue_states import VenueStates
from pmtui.service.safety.arming import Arming
from pmtui.service.safety.daily_pnl import DailyPnl
from pmtui.service.safety.entry_guard import EntryGuard
from pmtui.service.safety.heartbeats import HeartbeatSender
from pmtui.service.safety.kill_switch import KillSwitch


@dataclass(frozen=True, slots=True)
class Safeguards:
    """The safeguards of one session."""

    arming: Arming
    heartbeats: HeartbeatSender
    venue: VenueStates
    guard: EntryGuard
    kill_switch: KillSwitch
    day: DailyPnl
