"""Previews on the ladder of orders, legs, stops and targets that are being typed.

An entry that cannot be parsed, or is off the grid, has no preview.
"""

from collections.abc import Iterable

from pmtui.domain.books.ladder import Ghost
from pmtui.domain.conditionals.conditional import Trigger
from pmtui.domain.formats import parse_cents
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.orders.amounts import is_on_tick
from pmtui.domain.ticket.draft import OrderKind, TicketDraft
from pmtui.domain.ticket.scaled import ScaledPlan


def ghosts_of_ticket(draft: TicketDraft, tick: Micros, *, size: Micros | None) -> tuple[Ghost, ...]:
    """Return previews of a ticket's order with its stop and target.

    Args:
        draft: the fields as typed.
        tick: of the market.
        size: the order's shares; None while the fields give none.
    """
    shares = size or ZERO
    ghosts = list[Ghost]()
    price = _price(draft.price_text, tick)
    if price is not None and shares and draft.kind is OrderKind.LIMIT:
        ghosts.append(Ghost(price, draft.side, shares))
    if draft.side is Side.BUY:
        ghosts += ghosts_of_exits(
            (Trigger.STOP, _price(draft.stop_text, tick)),
            (Trigger.TAKE_PROFIT, _price(draft.target_text, tick)),
            size=shares,
        )
    return tuple(ghosts)


def ghosts_of_plan(plan: ScaledPlan) -> tuple[Ghost, ...]:
    """Return a preview of every leg of scaled orders."""
    return tuple(Ghost(leg.price, plan.spec.side, leg.size) for leg in plan.legs)


def ghosts_of_exits(*exits: tuple[Trigger, Micros | None], size: Micros) -> tuple[Ghost, ...]:
    """Return previews of stops and targets at the known prices, each with the same size."""
    return tuple(
        Ghost(price, Side.SELL, size, trigger) for trigger, price in exits if price is not None
    )


def ghosts_of_texts(
    texts: Iterable[tuple[Trigger, str]], tick: Micros, *, size: Micros
) -> tuple[Ghost, ...]:
    """Return previews of the stops and targets that texts in cents stand for."""
    return ghosts_of_exits(*((trigger, _price(text, tick)) for trigger, text in texts), size=size)


def _price(text: str, tick: Micros) -> Micros | None:
    price = parse_cents(text) if text.strip() else None
    return price if price is not None and is_on_tick(price, tick) else None
