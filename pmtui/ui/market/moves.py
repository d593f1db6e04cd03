"""From orders and a price to what a move card shows; every screen that moves orders asks here."""

from pmtui.domain.books.book_view import BookView
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import Micros, notional_ceil
from pmtui.domain.orders.moving import MoveProblem, plan_move
from pmtui.domain.orders.order import LimitIntent, Order, Rejected
from pmtui.service.surface import PreparedOrder
from pmtui.ui.account.paint_action_cards import Move
from pmtui.ui.surface import Surface

LEFT_OUT = "The old order is cancelled. This places what was left of it."


async def prepare_moves(
    surface: Surface,
    orders: tuple[Order, ...],
    price: Micros,
    *,
    terms: MarketTerms,
    available: Micros | None,
) -> tuple[Move, ...] | str:
    """Prepare what takes the place of orders at a price, or say why it cannot be."""
    moves: list[Move] = []
    for old in orders:
        intent = plan_move(
            old, price, terms=terms, now=surface.queries.now(), available_cash=available
        )
        if isinstance(intent, MoveProblem):
            return intent.text
        order = await surface.commands.prepare(intent, replacing=old.order_id)
        if isinstance(order, Rejected):
            return order.reason
        moves.append((old, order))
        if available is not None and old.side is Side.BUY:
            freed = notional_ceil(old.price, old.remaining_size)
            available = Micros(available + freed - order.cash)
    return tuple(moves) or "the order has ended"


def say_crossing(moves: tuple[Move, ...], book: BookView | None) -> str:
    """Say what the moved orders would meet at once; empty where they would only rest."""
    if book is None or not moves:
        return ""
    order: PreparedOrder = moves[0][1]
    touch = book.best_ask if order.intent.side is Side.BUY else book.best_bid
    if touch is None or not isinstance(order.intent, LimitIntent):
        return ""
    is_buy = order.intent.side is Side.BUY
    crosses = order.intent.price >= touch if is_buy else order.intent.price <= touch
    if not crosses:
        return ""
    if order.intent.is_post_only:
        return "It would cross: post-only is then rejected, and the old order is gone."
    return "It crosses: it fills at once as far as the book goes."
