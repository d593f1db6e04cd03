"""The dead-man switch: while heartbeats come, open orders stay; when they stop, all are cancelled.

The first accepted heartbeat arms it and nothing disarms it, so that one who starts must go on.
Source: WIRE_CLOB §10, September 2026.
"""

from dataclasses import dataclass
from typing import Final, NewType

HeartbeatId = NewType("HeartbeatId", str)
"""UUID that the host hands out with each heartbeat, to be named in the next one."""

FIRST_HEARTBEAT: Final = HeartbeatId("")
PERIOD_S: Final = 5
DEADLINE_S: Final = 10
"""Without a valid heartbeat for so long, all open orders of the key are cancelled."""
SWEEP_S: Final = 5
"""How often the host looks, so that it may happen that much later."""


@dataclass(frozen=True, slots=True)
class HeartbeatAnswer:
    """What the host says to a heartbeat."""

    next_id: HeartbeatId | None
    """What to name in the next one; None where the host names nothing."""
    refusal: str = ""
    """Why this one does not count; empty for one that does."""

    @property
    def is_accepted(self) -> bool:
        """Whether the deadline starts anew."""
        return not self.refusal
