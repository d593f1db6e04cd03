"""How a stream's connection stands."""

from dataclasses import dataclass
from enum import StrEnum


class LinkState(StrEnum):
    """State of a stream's connection."""

    CONNECTING = "connecting"
    OPEN = "open"
    """Connected and subscribed; events of the old epoch are void."""
    SILENT = "silent"
    """Open, but nothing has come for too long: about to be replaced, to be sure. No fault yet: a
    market that is closed or that nobody trades says nothing."""
    DOWN = "down"
    IDLE = "idle"
    """Closed on our side, because nothing is to be heard: no fault, and nothing is lost."""


@dataclass(frozen=True, slots=True)
class Link:
    """A stream's connection as it changes; `epoch` grows with every new socket."""

    state: LinkState
    epoch: int
    reason: str = ""
