"""What a prepared order would do as the book is when its card opens."""

from pmtui.domain.ticket.numbers import TicketNumbers, estimate
from pmtui.service.surface import PreparedOrder
from pmtui.ui.surface import Surface


def numbers_of(surface: Surface, order: PreparedOrder) -> TicketNumbers | None:
    """Return what an order would do to the book on show; None before the terms are known."""
    terms = surface.queries.market(order.condition_id).terms
    if terms is None:
        return None
    return estimate(
        order.intent, cash=order.cash, shares=order.size,
        book=surface.queries.book(order.intent.token_id), fee=terms.fee, available_cash=None,
    )  # fmt: skip
