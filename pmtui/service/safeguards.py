"""What stands between a trader and harm, as the read side sees it."""

from dataclasses import dataclass

from pmtui.service.arming import Arming
from pmtui.service.dead_man import DeadMan
from pmtui.service.venue_states import VenueStates


@dataclass(frozen=True, slots=True)
class Safeguards:
    """The safeguards of one session."""

    arming: Arming
    dead_man: DeadMan
    venue: VenueStates
