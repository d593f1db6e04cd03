"""The venue's state in one short phrase: the most severe in words, the others as a number."""

from datetime import datetime

from pmtui.domain.markets.venue_state import VenueFact, VenueState, describe_state
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.theme.theme import Role

_MILD = frozenset(
    {
        VenueState.POST_ONLY,
        VenueState.MARKET_NOT_READY,
        VenueState.BUDGET_LOW,
        VenueState.DELAYED,
    }
)
"""States in which some orders are taken as ever."""


def paint_venue(facts: tuple[VenueFact, ...], now: datetime) -> Line:
    """Say what the venue is up to; nothing while it trades as usual."""
    if not facts:
        return ()
    worst = facts[0]
    more = f" +{len(facts) - 1}" if len(facts) > 1 else ""
    role = Role.NOTICE_WARN if worst.state in _MILD else Role.NOTICE_BAD
    return (Cell(f"{describe_state(worst, now)}{more}", role, Emphasis.BOLD),)
