"""The dead man's switch: what happens to resting orders when our heartbeats stop.

While heartbeats arrive, open orders stay; when they stop, the venue cancels them all. The first
accepted heartbeat arms the switch and nothing disarms it, so once started they must continue.
Source: docs/wire.md#heartbeats, September 2026.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NewType

HeartbeatId = NewType("HeartbeatId", str)
"""UUID that the host returns with each heartbeat, to be sent in the next one."""

FIRST_HEARTBEAT: Final = HeartbeatId("")
PERIOD_S: Final = 5
"""The heartbeat interval that the venue expects."""
DEADLINE_S: Final = 10
"""Without a valid heartbeat for this long, all open orders of the key are cancelled."""
SWEEP_S: Final = 5
"""Interval of the host's checks, so a cancellation may be this much later."""

EVERY_S: Final = PERIOD_S - 1
"""Our interval: early enough that two more can be tried before the deadline."""
ANSWER_S: Final = 2
"""Timeout of one heartbeat before the next is tried."""
LATE_AFTER_S: Final = EVERY_S + ANSWER_S
"""Beyond this age of the last one, at least one heartbeat has failed."""


class HeartbeatPolicy(StrEnum):
    """When heartbeats are sent: the setting `heartbeat`."""

    OFF = "off"
    """Never: the venue keeps orders whatever happens to us."""
    ON = "on"
    """For as long as the session lasts."""
    ARMED = "armed"
    """From arming on, and after disarming until no order rests any more."""


class BeatState(StrEnum):
    """The state of the heartbeats."""

    OFF = "off"
    STARTING = "starting"
    """Sent, but none accepted yet: the venue's switch is not armed by us."""
    BEATING = "beating"
    LATE = "late"
    """One failed; the venue's deadline has not passed."""
    LOST = "lost"
    """The venue's deadline has passed: it cancels every order of the key."""

    @property
    def is_armed_at_venue(self) -> bool:
        """Whether orders are cancelled if heartbeats stop now."""
        return self in (BeatState.BEATING, BeatState.LATE, BeatState.LOST)


@dataclass(frozen=True, slots=True)
class HeartbeatAnswer:
    """The host's reply to a heartbeat."""

    next_id: HeartbeatId | None
    """The id for the next heartbeat; None if the host returned none."""
    refusal: str = ""
    """Why this one does not count; empty if it counts."""

    @property
    def is_accepted(self) -> bool:
        """Whether it restarts the deadline."""
        return not self.refusal


@dataclass(frozen=True, slots=True)
class HeartbeatView:
    """The dead man's switch as shown on the status line."""

    policy: HeartbeatPolicy = HeartbeatPolicy.OFF
    state: BeatState = BeatState.OFF
    accepted_at: datetime | None = None
    """When the last accepted one was sent; the venue received it a moment later."""


NO_HEARTBEATS: Final = HeartbeatView()


def beat_state(silence: timedelta | None) -> BeatState:
    """Return the state while heartbeats are sent.

    Args:
        silence: time since the last accepted one was sent; None before the first.
    """
    if silence is None:
        return BeatState.STARTING
    if silence >= timedelta(seconds=DEADLINE_S):
        return BeatState.LOST
    return BeatState.LATE if silence >= timedelta(seconds=LATE_AFTER_S) else BeatState.BEATING


SWEPT_WITHIN: Final = f"{DEADLINE_S} to {DEADLINE_S + SWEEP_S} s"
