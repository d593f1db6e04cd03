"""Reversing the net position of a market: the sale of all of it, then as many shares the other way. Pure.

These are two orders, never one for twice the size: the second is for the time when the first has filled whole. Both
are planned from one book, in which the second finds what the first leaves; what would not suffice for both is
refused. The first is that of flattening. The second is that of the key that hits or lifts while nothing is
held, at the worst price of the shares that it takes, and never worse than the first may fill.

Cash that the sale brings is not counted: the venue has it once the sale is settled.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from pmtui.domain.books.book_view import Level
from pmtui.domain.formats import format_cents, format_shares
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, complement, notional_ceil
from pmtui.domain.orders.amounts import MIN_MARKETABLE_BUY
from pmtui.domain.orders.flattening import FlattenPlan, FlattenProblem, plan_flatten_net
from pmtui.domain.orders.self_trade import book_of_others
from pmtui.domain.orders.single_keys import (
    SingleKey,
    SingleKeyPlan,
    SingleKeyProblem,
    plan_at_price,
)
from pmtui.domain.ticket.draft import DEFAULT_GIVE_WAY, TicketContext
from pmtui.domain.ticket.estimate import cost_in_book
from pmtui.domain.ticket.short_sales import context_of_other
from pmtui.domain.ticket.ticket import check_price


@dataclass(frozen=True, slots=True)
class ReversePlan:
    """The two orders of a reversal."""

    sale: FlattenPlan
    """Of the position."""
    entry: SingleKeyPlan
    """The purchase of the other outcome, for once the sale has filled whole."""


def plan_reverse(
    *,
    held: Callable[[TokenId], Micros],
    context: TicketContext,
    give_way_percent: int = DEFAULT_GIVE_WAY,
) -> ReversePlan | SingleKeyProblem:
    """Return the orders that turn a market's net position into as large a one of the other outcome.

    Args:
        held: returns the shares of a token, including those reserved by open sales.
        context: the data that the ticket's rules need, with the very book that is shown.
        give_way_percent: how far below the best bid the position may be sold.
    """
    book, terms = context.book, context.terms
    if len(terms.token_ids) != 2:
        return SingleKeyProblem("the market has no other outcome")
    sale = plan_flatten_net(
        held=held, orders=context.own, book=book, terms=terms, give_way_percent=give_way_percent
    )
    if isinstance(sale, FlattenProblem):
        return SingleKeyProblem(sale.text)
    is_long = sale.intent.token_id == book.token_id
    if is_long and not context.rules.sells_short:
        return SingleKeyProblem("that would be a short sale (sell_short = false)")
    if sale.again is None:
        return SingleKeyProblem(_describe_depth(sale, is_long=is_long))
    # From the side of the outcome that is bought, whichever is shown.
    shown = context_of_other(context) if is_long else context
    after = _context_after(sale, shown)
    size, price = sale.intent.size, complement(sale.again)
    entry = plan_at_price(
        SingleKey.TAKE_ASK, price, size=size, context=after,
        outcome_index=terms.token_ids.index(shown.book.token_id),
    )  # fmt: skip
    if isinstance(entry, SingleKeyProblem):
        return entry
    for problem in check_price(shown, entry.intent):
        return SingleKeyProblem(f"{problem.text}: too far for a single key")
    if cost_in_book(size, price, after.book) < MIN_MARKETABLE_BUY:
        # The least that can be spent would bring more than was sold.
        return SingleKeyProblem("marketable buys need at least $1")
    return ReversePlan(sale, entry)


def _describe_depth(sale: FlattenPlan, *, is_long: bool) -> str:
    size, found = sale.intent.size, sale.numbers.displayed_at_limit
    limit = sale.intent.price if is_long else complement(sale.intent.price)
    side, way = ("bids", "down") if is_long else ("asks", "up")
    said = f"{side} of only {format_shares(found)} {way} to {format_cents(limit)}¢"
    return f"{said}; reversing {format_shares(size)} takes {format_shares(Micros(2 * size))}"


def _context_after(sale: FlattenPlan, context: TicketContext) -> TicketContext:
    """Return the context once the sale has filled whole, by the book as it is.

    Args:
        sale: of the position.
        context: from the side of the outcome that is not sold, whose asks the sale takes.
    """
    gone = frozenset(order.order_id for order in sale.in_the_way)
    others = book_of_others(context.book, context.terms.condition_id, context.own)
    cash = context.available_cash
    if cash is not None:
        freed = (notional_ceil(o.price, o.remaining_size) for o in sale.bids if o.side is Side.BUY)
        cash = Micros(cash + sum(freed))
    return replace(
        context, available_cash=cash,
        book=replace(others, asks=tuple(_without(others.asks, sale.intent.size))),
        own=tuple(order for order in context.own if order.order_id not in gone),
    )  # fmt: skip


def _without(levels: Iterable[Level], size: Micros) -> Iterator[Level]:
    """Yield what is left of levels after a size was taken from the best."""
    left = int(size)
    for level in levels:
        taken = min(level.size, left)
        left -= taken
        if level.size > taken:
            yield Level(level.price, Micros(level.size - taken))
