"""What takes the place of own orders, and the sale of a whole position: prepared, judged, and asked about where it must be."""

from pmtui.domain.books.book_view import BookView, mirrored_view
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import Micros, complement, notional_ceil
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.domain.orders.flattening import FlattenPlan, FlattenProblem, plan_flatten
from pmtui.domain.orders.moving import MoveProblem, plan_move
from pmtui.domain.orders.order import LimitIntent, Order, Rejected
from pmtui.domain.ticket.ticket import check_price, context_of_other, needs_card
from pmtui.service.surface import PreparedOrder
from pmtui.ui.account.action_cards import Move
from pmtui.ui.market.market_model import MarketModel
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.ticket.ticket_state import describe_doubts, ticket_context

LEFT_OUT = "The old order is cancelled. This places what was left of it."


async def prepare_moves(
    surface: Surface,
    orders: tuple[Order, ...],
    price: Micros,
    *,
    terms: MarketTerms,
    available: Micros | None,
    size: Micros | None = None,
    shown: TokenId | None = None,
) -> tuple[Move, ...] | str:
    """Prepare what takes the place of orders at a price, or say why it cannot be.

    Args:
        surface: the service.
        orders: ours.
        price: where they go.
        terms: of their market.
        available: free cash; None where it is not known.
        size: shares that one order is to be for from now on; None for what is left of each.
        shown: the outcome in whose terms the price is; None for each order's own.
    """
    moves: list[Move] = []
    for old in orders:
        intent = plan_move(
            old, price if shown in (None, old.token_id) else complement(price), terms=terms, now=surface.queries.now(), available_cash=available, size=size,
            available_shares=surface.queries.account().sellable(old.token_id),
        )  # fmt: skip
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


def describe_crossing(moves: tuple[Move, ...], book: BookView | None) -> str:
    """Say what the moved orders would meet at once; empty where they would only rest."""
    if book is None or not moves:
        return ""
    order: PreparedOrder = moves[0][1]
    if order.intent.token_id != book.token_id:
        book = mirrored_view(book, order.intent.token_id)
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


def needs_move_card(
    surface: Surface, model: MarketModel, moves: tuple[Move, ...], *, doubt: str
) -> bool:
    """Return whether moves are asked about: not while single keys are armed, nor for small orders.

    They are where the book is not good, where they would cross, and where the ticket would warn.

    Args:
        surface: the service and the user's choices.
        model: the market as it is on show.
        moves: as prepared.
        doubt: why they may be a mistake; empty for no reason.
    """
    book, terms = model.book, model.terms
    if doubt or model.status.entry_lock or book is None or terms is None:
        return True
    context = ticket_context(
        surface, terms=terms, market=model.market, account=model.account, book=book,
        outcome_index=model.outcome_index,
    )  # fmt: skip
    other = context_of_other(context) if len(terms.token_ids) == 2 else context
    is_far = any(
        check_price(context if order.intent.token_id == book.token_id else other, order.intent)
        for _, order in moves
    )
    if is_far or not book.state.is_good:
        return True
    if model.is_armed:
        return False
    orders = [order for _, order in moves]
    worth = Micros(sum(order.cash + order.worst_fee for order in orders))
    is_doubtful = bool(describe_doubts(surface, orders))
    return needs_card(surface.options.ticket, worth, is_doubtful=is_doubtful)


LOADING = "The market is loading."


async def prepare_sale(
    surface: Surface, terms: MarketTerms | None, book: BookView
) -> tuple[PreparedOrder, FlattenPlan] | str:
    """Prepare the sale of the whole position of a book's token, or say why there is none."""
    plan = plan_sale(surface, terms, book)
    if isinstance(plan, str):
        return plan
    order = await surface.commands.prepare(plan.intent)
    if isinstance(order, Rejected):
        return f"Not sold: {plain(order.reason, 80)}."
    return order, plan


def plan_sale(surface: Surface, terms: MarketTerms | None, book: BookView) -> FlattenPlan | str:
    """Plan the sale of all that is held of a book's token, else of the other one, or say why not."""
    if terms is None:
        return LOADING
    account = surface.queries.account()
    if account.held(book.token_id) < SIZE_STEP:
        # Net short: what closes it is the sale of the other outcome.
        others = [token for token in terms.token_ids if token != book.token_id]
        other = next((token for token in others if account.held(token) >= SIZE_STEP), None)
        book = book if other is None else mirrored_view(book, other)
    plan = plan_flatten(
        held=account.held(book.token_id), orders=account.open_orders, book=book, terms=terms,
        give_way_percent=surface.options.flatten_percent,
    )  # fmt: skip
    return f"Nothing to sell: {plan.text}." if isinstance(plan, FlattenProblem) else plan
