"""A list of events as far as it is loaded: page by page, and in short where it is long."""

from dataclasses import replace

from pmtui.domain.markets.market import Event, Market
from pmtui.domain.markets.watchlist import leading_market

WHOLE = 100
"""Events at the start of a list that are kept whole; who scrolls further passes thousands."""


def merge_events(
    known: tuple[Event, ...], page: tuple[Event, ...], *, from_start: bool
) -> tuple[Event, ...]:
    """Put a page in front or behind; an event is never listed twice."""
    fresh = {e.event_id for e in page}
    rest = tuple(e for e in known if e.event_id not in fresh)
    if from_start:
        return _shorten_tail(page + rest)
    listed = {e.event_id for e in known}
    newer = {e.event_id: e for e in page}
    kept = tuple(newer.get(e.event_id, e) for e in known)
    return _shorten_tail(kept + tuple(e for e in page if e.event_id not in listed))


def _shorten_tail(events: tuple[Event, ...]) -> tuple[Event, ...]:
    return events[:WHOLE] + tuple(map(shorten_event, events[WHOLE:]))


def shorten_event(event: Event) -> Event:
    """Return what a list shows of an event: its leading market, and the others by their ids.

    The leading one comes first, so that it leads among equals again.
    """
    leading = leading_market(event)
    if leading is None:
        return event
    first = replace(leading, description="", resolution_source="")
    others = (_named(market) for market in event.markets if market is not leading)
    short = replace(event, description="", resolution_source="", markets=(first, *others))
    # What is short already stays the same object.
    return event if event == short else short


def is_short(event: Event) -> bool:
    """Whether markets of an event are known by their ids alone."""
    return any(not market.question and not market.outcomes for market in event.markets)


def _named(market: Market) -> Market:
    return Market(
        market_id=market.market_id,
        condition_id=market.condition_id,
        slug="",
        question="",
        outcomes=(),
        active=market.active,
        closed=market.closed,
    )
