"""Short sales: selling an outcome that is not held by buying the other one.

A share of each pays a dollar together, so buying No at 60 gives the same position as selling Yes at 40. The venue
has no other short sale. Held shares are sold first, and one order never does both: it applies only if no shares of
the outcome are held, or if all that are held are paired with the other outcome, so that the net position is flat,
and the sale is larger than they are. A single key that buys closes a short in the same way, by a sale of the other
outcome (`single_keys`).
"""

from dataclasses import replace

from pmtui.domain.books.book_view import mirrored_view
from pmtui.domain.formats import format_cents, format_shares, parse_cents
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import ONE, ZERO, Micros, complement
from pmtui.domain.orders.amounts import SIZE_STEP, size_floor
from pmtui.domain.orders.order import LimitIntent
from pmtui.domain.orders.own_orders import reserved_shares
from pmtui.domain.ticket.draft import (
    OrderKind,
    Problem,
    TicketContext,
    TicketDraft,
    read_limit_price,
    read_size,
)


def is_short_sale(draft: TicketDraft, context: TicketContext) -> bool:
    """Return whether a draft sells more than is held while flat, and short sales are permitted."""
    is_sale = draft.side is Side.SELL and draft.kind is OrderKind.LIMIT
    has_other = len(context.terms.token_ids) == 2
    if not (is_sale and has_other and context.rules.sells_short):
        return False
    held = context.available_shares + context.resting_shares
    if held < SIZE_STEP:
        return True
    # All that is held is paired, but for less than an order.
    least, pairs = context.terms.min_order_size, min(held, context.other_shares)
    is_flat = pairs >= least > held - pairs
    return is_flat and _asked_size(draft, context) > held


def _asked_size(draft: TicketDraft, context: TicketContext) -> int:
    problems: list[Problem] = []
    price = read_limit_price(draft, context, problems)
    return read_size(draft, context, price, problems) or 0


def net_short(context: TicketContext) -> Micros:
    """Return the free shares of the other outcome that are not paired with this one."""
    if len(context.terms.token_ids) != 2 or not context.rules.sells_short:
        return ZERO
    held = context.available_shares + context.resting_shares
    return size_floor(Micros(max(context.other_shares - held, 0)))


def other_side_of(draft: TicketDraft) -> TicketDraft:
    """Return the equivalent draft in the other outcome; applying it twice gives the original."""
    price = parse_cents(draft.price_text)
    text = draft.price_text
    if price is not None and 0 < price < ONE:
        text = format_cents(complement(price))
    return replace(
        draft, side=draft.side.opposite, outcome_index=1 - draft.outcome_index, price_text=text,
        stop_text="", target_text="",
    )  # fmt: skip


def context_of_other(context: TicketContext) -> TicketContext:
    """Return the context from the other outcome's side, using the very book that is shown."""
    other = other_token(context.terms, context.book.token_id)
    return replace(
        context, book=mirrored_view(context.book, other), available_shares=context.other_shares,
        resting_shares=reserved_shares(context.own, other), other_shares=context.available_shares,
    )  # fmt: skip


def other_token(terms: MarketTerms, token_id: TokenId) -> TokenId:
    """Return the other token of a market with two outcomes."""
    return terms.token_ids[1 - terms.token_ids.index(token_id)]


def describe_mirrored(intent: LimitIntent, terms: MarketTerms, size: Micros) -> str:
    """Describe an order in the other outcome together with the order that it replaces."""
    index = terms.token_ids.index(intent.token_id)
    sent, meant = terms.outcome_labels[index], terms.outcome_labels[1 - index]
    verb, shares = intent.side.value.lower(), format_shares(size)
    return (
        f"{intent.side.opposite.value.capitalize()} {shares} {meant} at "
        f"{format_cents(complement(intent.price))}¢ = "
        f"{verb} {shares} {sent} at {format_cents(intent.price)}¢"
    )
