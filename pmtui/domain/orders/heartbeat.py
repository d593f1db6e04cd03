"""The dead-man switch: what becomes of resting orders when we fall silent.

While heartbeats come, open orders stay; when they stop, the venue cancels them all. The first
accepted heartbeat arms the switch and nothing disarms it, so whoever starts must go on.
Source: docs/wire.md#heartbeats, September 2026.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NewType

HeartbeatId = NewType("HeartbeatId", str)
"""UUID that the host hands out with each heartbeat, to be named in the next one."""

FIRST_HEARTBEAT: Final = HeartbeatId("")
PERIOD_S: Final = 5
"""How often the venue wants to hear one."""
DEADLINE_S: Final = 10
"""Without a valid heartbeat for so long, all open orders of the key are cancelled."""
SWEEP_S: Final = 5
"""How often the host looks, so that it may happen that much later."""

EVERY_S: Final = PERIOD_S - 1
"""How often we send one: early enough that two more can be tried before the deadline."""
ANSWER_S: Final = 2
"""How long one may go without an answer before the next is tried."""
LATE_AFTER_S: Final = EVERY_S + ANSWER_S
"""Older than this, at least one heartbeat went wrong."""


class HeartbeatPolicy(StrEnum):
    """When heartbeats are sent: the setting `heartbeat`."""

    OFF = "off"
    """Never: the venue keeps orders whatever becomes of us."""
    ON = "on"
    """For as long as the session lasts."""
    ARMED = "armed"
    """From arming on, and after disarming until nothing rests any more."""


class BeatState(StrEnum):
    """How it stands with the heartbeats."""

    OFF = "off"
    STARTING = "starting"
    """Sent, and none accepted yet: the venue's switch is not armed by us."""
    BEATING = "beating"
    LATE = "late"
    """One went wrong; the venue still waits."""
    LOST = "lost"
    """The venue's deadline is over: it cancels every order of the key."""

    @property
    def is_armed_at_venue(self) -> bool:
        """Whether orders are cancelled if we fall silent now."""
        return self in (BeatState.BEATING, BeatState.LATE, BeatState.LOST)


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


@dataclass(frozen=True, slots=True)
class HeartbeatView:
    """The dead-man switch as the status line shows it."""

    policy: HeartbeatPolicy = HeartbeatPolicy.OFF
    state: BeatState = BeatState.OFF
    accepted_at: datetime | None = None
    """When the last accepted one was sent: the venue received it a moment later."""


NO_HEARTBEATS: Final = HeartbeatView()


def beat_state(silence: timedelta | None) -> BeatState:
    """Describe the state while heartbeats are sent.

    Args:
        silence: since the last accepted one left; None before the first.
    """
    if silence is None:
        return BeatState.STARTING
    if silence >= timedelta(seconds=DEADLINE_S):
        return BeatState.LOST
    return BeatState.LATE if silence >= timedelta(seconds=LATE_AFTER_S) else BeatState.BEATING


SWEPT_WITHIN: Final = f"{DEADLINE_S} to {DEADLINE_S + SWEEP_S} s"
