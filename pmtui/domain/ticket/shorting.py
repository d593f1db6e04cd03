"""Selling what one does not hold: the purchase of the other outcome that comes to the same.

A share of each outcome pays a dollar together, so who buys No at 60 stands as who has sold Yes at 40. The
venue knows no other short sale. It is meant only where nothing at all of the outcome is held: what is
held is sold first, and one order never does both.
"""

from dataclasses import replace

from pmtui.domain.books.book_view import mirrored_view
from pmtui.domain.formats import format_cents, format_shares, parse_cents
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import ONE, Micros, complement
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.domain.orders.order import LimitIntent
from pmtui.domain.ticket.draft import OrderKind, TicketContext, TicketDraft


def is_short_sale(draft: TicketDraft, context: TicketContext) -> bool:
    """Return whether a draft sells an outcome of which nothing is held, where that is permitted."""
    held = context.available_shares + context.resting_shares
    is_sale = draft.side is Side.SELL and draft.kind is OrderKind.LIMIT
    has_other = len(context.terms.token_ids) == 2
    return is_sale and has_other and context.rules.sells_short and held < SIZE_STEP


def other_side_of(draft: TicketDraft) -> TicketDraft:
    """Return the draft of the other outcome that comes to the same; twice it is the same again."""
    price = parse_cents(draft.price_text)
    text = draft.price_text
    if price is not None and 0 < price < ONE:
        text = format_cents(complement(price))
    return replace(
        draft, side=draft.side.opposite, outcome_index=1 - draft.outcome_index, price_text=text,
        stop_text="", target_text="",
    )  # fmt: skip


def context_of_other(context: TicketContext) -> TicketContext:
    """Return the world from the other outcome's side, out of the very book that is on show."""
    other = other_token(context.terms, context.book.token_id)
    return replace(context, book=mirrored_view(context.book, other))


def other_token(terms: MarketTerms, token_id: TokenId) -> TokenId:
    """Return the other outcome of a market of two."""
    return terms.token_ids[1 - terms.token_ids.index(token_id)]


def describe_short(intent: LimitIntent, terms: MarketTerms, size: Micros) -> str:
    """Say what a purchase of the other outcome stands for, as both are traded."""
    index = terms.token_ids.index(intent.token_id)
    bought, sold = terms.outcome_labels[index], terms.outcome_labels[1 - index]
    shares = format_shares(size)
    return (
        f"Sell {shares} {sold} at {format_cents(complement(intent.price))}¢ = "
        f"buy {shares} {bought} at {format_cents(intent.price)}¢"
    )
