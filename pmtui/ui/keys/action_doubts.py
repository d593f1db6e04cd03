"""What a card of moving, flattening or scaling warns of besides its own doubts."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from pmtui.domain.orders.order import LimitIntent, Order
from pmtui.domain.ticket.ticket import PlannedOrder, action_warnings
from pmtui.service.surface import PreparedOrder
from pmtui.ui.surface import Surface
from pmtui.ui.ticket.ticket_state import ticket_context


def describe_doubts(
    surface: Surface,
    orders: Sequence[PreparedOrder],
    doubt: str = "",
    *,
    cancelled: Collection[Order] = (),
) -> str:
    """Return a card's own doubt and what the ticket would warn of, in sentences.

    Args:
        surface: the service and the user's choices.
        orders: what is to be sent.
        doubt: the card's own.
        cancelled: own orders that are cancelled before.
    """
    planned = [
        PlannedOrder(order.intent, order.cash)
        for order in orders
        if isinstance(order.intent, LimitIntent)
    ]
    head = orders[0].intent
    market = surface.queries.market(head.condition_id)
    if not planned or market.terms is None or head.token_id not in market.terms.token_ids:
        return doubt
    context = ticket_context(
        surface,
        terms=market.terms,
        market=market,
        account=surface.queries.account(),
        book=surface.queries.book(head.token_id),
        outcome_index=market.terms.token_ids.index(head.token_id),
    )
    gone = {order.order_id for order in cancelled}
    context = replace(context, own=tuple(o for o in context.own if o.order_id not in gone))
    warnings = " ".join(f"{text}." for text in action_warnings(planned, context))
    return f"{doubt} {warnings}".strip()
