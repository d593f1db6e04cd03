"""What the venue's present state means for the order in a ticket: warnings, never a bar.

A state is known from some answer a while ago. The venue may have left it since, so the trader is
told what will probably happen and decides.
"""

from dataclasses import replace

from pmtui.domain.markets.market import Side
from pmtui.domain.markets.venue_state import VenueFact, VenueState
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.draft import (
    OrderKind,
    Problem,
    TicketContext,
    TicketDraft,
    TicketField,
)
from pmtui.domain.ticket.numbers import TicketNumbers

_REFUSED = {
    VenueState.BANNED: "The venue has banned this account; it refuses orders",
    VenueState.DISABLED: "Trading is disabled; the venue refuses orders now",
    VenueState.RESTARTING: "The venue is restarting; it refuses orders for a while",
    VenueState.CANCEL_ONLY: "The venue is cancel-only; it refuses orders now",
    VenueState.MARKET_NOT_READY: "The market is not ready for orders yet",
}


def check_venue(draft: TicketDraft, context: TicketContext) -> list[Problem]:
    """Say what the venue's state does to a draft, whatever its price and size."""
    problems: list[Problem] = []
    for fact in context.venue:
        match fact.state:
            case VenueState.REGION_REFUSED:
                place = f" ({fact.text})" if 0 < len(fact.text) <= 12 else ""
                text = f"The venue refuses orders from this region{place}"
                problems.append(_warning(TicketField.OUTCOME, text))
            case VenueState.CLOSE_ONLY if draft.side is Side.BUY:
                text = "The account may only close positions, not buy"
                problems.append(_warning(TicketField.SIDE, text))
            case VenueState.POST_ONLY if not draft.is_post_only:
                problems.append(_warn_of_post_only(draft, context, fact))
            case VenueState.BUDGET_LOW:
                text = f"Near the request limit: {fact.text}"
                problems.append(_warning(TicketField.OUTCOME, text))
            case _ if fact.state in _REFUSED:
                problems.append(_warning(TicketField.OUTCOME, _REFUSED[fact.state]))
            case _:
                pass
    return problems


def check_delay(
    draft: TicketDraft, context: TicketContext, numbers: TicketNumbers
) -> list[Problem]:
    """Say that what would take waits first, where the market makes it wait."""
    delay = next((f for f in context.venue if f.state is VenueState.DELAYED), None)
    takes = numbers.displayed_at_limit > 0 or not draft.time_in_force.rests
    if delay is None or draft.is_post_only or not takes:
        return []
    span = delay.text if 0 < len(delay.text) <= 12 else "a while"
    text = f"Taker orders wait {span} here and cannot be cancelled meanwhile"
    return [_warning(TicketField.TIME_IN_FORCE, text)]


def _warn_of_post_only(draft: TicketDraft, context: TicketContext, fact: VenueFact) -> Problem:
    rests = draft.time_in_force.rests and draft.kind is OrderKind.LIMIT
    fix = replace(
        draft,
        kind=OrderKind.LIMIT,
        time_in_force=draft.time_in_force if rests else TimeInForce.GTC,
        is_post_only=True,
    )
    left = "" if fact.until is None else f" for {max((fact.until - context.now).seconds, 1)} s"
    return Problem(
        TicketField.POST_ONLY,
        f"The venue takes post-only orders only{left}",
        is_warning=True,
        fix=fix if draft.kind is OrderKind.LIMIT else None,
    )


def _warning(field: TicketField, text: str) -> Problem:
    return Problem(field, text, is_warning=True)
