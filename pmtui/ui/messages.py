"""Where a screen wants to go; the app takes it there."""

from dataclasses import dataclass

from textual.message import Message

from pmtui.domain.ids import ConditionId, EventId


@dataclass
class EventChosen(Message):
    """The trader picked an event."""

    event_id: EventId


@dataclass
class MarketChosen(Message):
    """The trader picked a market."""

    condition_id: ConditionId
