"""What happens to resting orders and stops when the program ends."""

from enum import StrEnum

from pmtui.domain.orders.heartbeat import SWEPT_WITHIN


class ExitPolicy(StrEnum):
    """Values of the settings `on_quit` and `on_hangup`."""

    LEAVE = "leave"
    """Orders stay at the venue."""
    CANCEL = "cancel"
    """Every order is cancelled before the program ends."""
    SWITCH = "switch"
    """Heartbeats end with the program, and the venue cancels every order."""


class ExitReason(StrEnum):
    """Why the program ends."""

    QUIT = "quit"
    HANG_UP = "hang-up"
    """The terminal disappeared: SIGHUP."""
    TERMINATION = "termination"
    """SIGTERM."""
    BUG = "bug"

    @property
    def setting(self) -> str:
        """The setting that decides what happens then."""
        return "on_quit" if self is ExitReason.QUIT else "on_hangup"


def describe_exit(policy: ExitPolicy, *, is_switch_armed: bool, is_paper: bool) -> str:
    """Describe in a sentence what happens to resting orders.

    Args:
        policy: the trader's choice.
        is_switch_armed: whether the venue cancels when heartbeats end.
        is_paper: whether the venue is the local one, which stops with the program.
    """
    if policy is ExitPolicy.CANCEL:
        return "Every order is cancelled before pmtui ends."
    if is_paper:
        text = "Paper orders are restored at the next start"
        return f"{text}, if a heartbeat arrives in time." if is_switch_armed else f"{text}."
    if is_switch_armed:
        return f"Heartbeats stop too: the venue cancels every order {SWEPT_WITHIN} later."
    if policy is ExitPolicy.SWITCH:
        return "No heartbeats are sent, so nothing cancels them: they stay working at the venue."
    return "They stay working at the venue."


def describe_paused_stops(count: int) -> str:
    """Describe in a sentence what happens to active conditional orders; empty if there are none."""
    if not count:
        return ""
    if count == 1:
        return "1 stop is inactive now; it is paused on the next start."
    return f"{count} stops are inactive now; they are paused on the next start."
