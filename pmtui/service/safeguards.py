"""What stands between a trader and harm, as the read side sees it."""

from dataclasses import dataclass

from pmtui.service.arming import Arming
from pmtui.service.day_book import DayBook
from pmtui.service.dead_man import DeadMan
from pmtui.service.entry_guard import EntryGuard
from pmtui.service.kill_switch import KillSwitch
from pmtui.service.venue_states import VenueStates


@dataclass(frozen=True, slots=True)
class Safeguards:
    """The safeguards of one session."""

    arming: Arming
    dead_man: DeadMan
    venue: VenueStates
    guard: EntryGuard
    kill_switch: KillSwitch
    day: DayBook
