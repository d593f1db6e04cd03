"""What the rules of orders need to know of the world, put together from the service's views.

And what a prepared order would do to the book as it is now.
"""

from datetime import timedelta

from pmtui.domain.books.book_view import BookView
from pmtui.domain.markets.market import MarketTerms
from pmtui.domain.orders.own_orders import reserved_shares
from pmtui.domain.ticket.draft import TicketContext
from pmtui.domain.ticket.estimate import TicketNumbers, estimate
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView, MarketView
from pmtui.ui.surface import Surface


def ticket_context(
    surface: Surface,
    *,
    terms: MarketTerms,
    market: MarketView | None,
    account: AccountView,
    book: BookView,
    outcome_index: int,
) -> TicketContext:
    """Return it for an outcome of a market, with the very book that is on show."""
    token_id = terms.token_ids[outcome_index]
    skew_ms = surface.queries.status().clock_skew_ms
    return TicketContext(
        terms=terms,
        book=book,
        now=surface.queries.now(),
        available_cash=account.available,
        available_shares=account.sellable(token_id),
        resting_shares=reserved_shares(account.open_orders, token_id),
        reserved_cash=account.reserved,
        venue=market.venue if market is not None else (),
        own=tuple(o for o in account.open_orders if o.condition_id == terms.condition_id),
        recent=account.recent,
        rules=surface.options.ticket,
        clock_skew=timedelta(milliseconds=skew_ms or 0),
        closes_at=market.market.end_at if market is not None and market.market else None,
    )


def numbers_of(surface: Surface, order: PreparedOrder) -> TicketNumbers | None:
    """Return what an order would do to the book on show; None before the terms are known."""
    terms = surface.queries.market(order.condition_id).terms
    if terms is None:
        return None
    return estimate(
        order.intent, cash=order.cash, shares=order.size,
        book=surface.queries.book(order.intent.token_id), fee=terms.fee, available_cash=None,
    )  # fmt: skip
