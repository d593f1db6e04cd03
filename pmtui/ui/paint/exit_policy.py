"""What the question before quitting says of the orders that rest, and of those that watch."""

from collections.abc import Sequence

from pmtui.domain.conditionals.conditional import Conditional
from pmtui.domain.orders.heartbeat import ExitPolicy, describe_exit
from pmtui.service.views import Mode, StatusView
from pmtui.ui.cells import Cell, Line, line_width
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.paint_orders import LINE_WIDTH
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_conditional import paint_protection

MOST_LISTED = 3
_LEAST_TITLE = 16


def paint_leaving(policy: ExitPolicy, status: StatusView) -> Line:
    """Name the trader's choice and what comes of it."""
    text = describe_exit(
        policy,
        is_switch_armed=status.heartbeat.state.is_armed_at_venue,
        is_paper=status.mode is Mode.PAPER,
    )
    return (Cell(f"{text} (on_quit = {policy.value})", Role.NOTICE_WARN),)


def label_leaving(policy: ExitPolicy) -> str:
    """Say what the agreeing key does."""
    return "Cancel and quit" if policy is ExitPolicy.CANCEL else "Quit"


def paint_ending(awake: Sequence[Conditional]) -> tuple[Line, ...]:
    """Name the conditional orders that nobody watches over once this program has ended."""
    if not awake:
        return ()
    count = len(awake)
    text = (
        "1 stop is inactive while pmtui is closed, and paused on the next start:"
        if count == 1
        else f"{count} stops are inactive while pmtui is closed, and paused on the next start:"
    )
    lines: list[Line] = [(Cell(text, Role.NOTICE_WARN),)]
    for each in awake[:MOST_LISTED]:
        known = (Cell("  "), *paint_protection(each), Cell("  "))
        title = plain(each.title, max(LINE_WIDTH - line_width(known), _LEAST_TITLE))
        lines.append((*known, Cell(title, Role.DIM)))
    if count > MOST_LISTED:
        lines.append((Cell(f"  and {count - MOST_LISTED} more", Role.DIM),))
    return tuple(lines)


def title_leaving(*, has_orders: bool, has_awake: bool) -> str:
    """Ask whether to quit, and say what for there is a question."""
    if has_orders and has_awake:
        return "Quit with working orders and active stops?"
    return "Quit with working orders?" if has_orders else "Quit with active stops?"
