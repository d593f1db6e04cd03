"""Who may still win an event with one winner."""

from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import ONE, ZERO


def find_runners(event: Event) -> tuple[ConditionId, ...]:
    """Return the markets of a negative-risk event that may still resolve Yes.

    The winner alone where there is one; empty where the event is none with one winner, or a market of it has
    no condition id: then it is not known who else may win.
    """
    ids = [market.condition_id for market in event.markets]
    if not event.neg_risk or not ids or None in ids:
        return ()
    won = [market for market in event.markets if _answer(market) == ONE]
    left = won or [market for market in event.markets if _answer(market) != ZERO]
    return tuple(market.condition_id for market in left if market.condition_id is not None)


def _answer(market: Market) -> int | None:
    """Return what a Yes share of a market pays; None while there is no answer."""
    first = market.outcomes[0] if market.outcomes else None
    if first is None or first.token_id is None:
        return None
    return market.settled_price(first.token_id)
