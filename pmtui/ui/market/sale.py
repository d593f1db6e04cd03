"""Preparing the sale of a whole position: one way for every key that flattens."""

from pmtui.domain.books.book_view import BookView, mirrored_view
from pmtui.domain.markets.market import MarketTerms
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.domain.orders.flattening import FlattenPlan, FlattenProblem, plan_flatten
from pmtui.domain.orders.order import Rejected
from pmtui.service.surface import PreparedOrder
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface

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
