"""How fresh each source is, in words a trader can act on."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Source(StrEnum):
    """Where numbers come from, as the trader knows them."""

    METADATA = "market lists"
    TRADING = "trading"
    ANALYTICS = "positions"
    MARKET_STREAM = "market stream"
    USER_STREAM = "order stream"
    RELAYER = "relayer"


class HealthState(StrEnum):
    """What can be said of a source."""

    IDLE = "idle"
    """Not asked yet, or not needed now."""
    CONNECTING = "connecting"
    LIVE = "live"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """One source's state; its age is the reader's clock minus `as_of`."""

    source: Source
    state: HealthState
    as_of: datetime | None = None
    """When it last answered or spoke."""
    reason: str = ""
    round_trip_ms: int | None = None
    waiting: int = 0
    """Requests that wait in line for what the host allows."""
