"""The dead man's switch in the status line: its state and the age of the last good heartbeat."""

from datetime import datetime

from pmtui.domain.orders.heartbeat import BeatState, HeartbeatPolicy, HeartbeatView
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.format import format_age
from pmtui.ui.theme.theme import Role


def paint_heartbeat(view: HeartbeatView, now: datetime) -> Line:
    """Say it in two or three words; nothing where the trader wants no heartbeats at all."""
    if view.policy is HeartbeatPolicy.OFF:
        return ()
    age = format_age((now - view.accepted_at).total_seconds()) if view.accepted_at else ""
    match view.state:
        case BeatState.OFF:
            return (Cell("beat off", Role.DIM),)
        case BeatState.STARTING:
            return (Cell("beat ", Role.DIM), Cell("starting", Role.STALE))
        case BeatState.BEATING:
            return (Cell("beat ", Role.DIM), Cell(age, Role.VERIFIED))
        case BeatState.LATE:
            return (Cell(f"beat late {age}", Role.NOTICE_WARN),)
        case BeatState.LOST:
            return (Cell(f"beat LOST {age}", Role.NOTICE_BAD, Emphasis.BOLD),)
