"""What the question before quitting says of the orders that rest."""

from pmtui.domain.leaving import LeavePolicy, say_leaving
from pmtui.service.views import Mode, StatusView
from pmtui.ui.cells import Cell, Line
from pmtui.ui.theme import Role


def paint_leaving(policy: LeavePolicy, status: StatusView) -> Line:
    """Name the trader's choice and what comes of it."""
    text = say_leaving(
        policy,
        is_switch_armed=status.heartbeat.state.is_armed_at_venue,
        is_paper=status.mode is Mode.PAPER,
    )
    return (Cell(f"{text} (on_quit = {policy.value})", Role.NOTICE_WARN),)


def label_leaving(policy: LeavePolicy) -> str:
    """Say what the agreeing key does."""
    return "Cancel and quit" if policy is LeavePolicy.CANCEL else "Quit"
