"""The service's messages in a trader's words. Titles are the venue's own text."""

from pmtui.domain import formats
from pmtui.domain.markets.market import Side
from pmtui.domain.money import (
    Micros,
    format_micros,
    round_price,
    write_fee,
)
from pmtui.domain.orders.order import Fill, Order, OrderStatus, TradeStatus
from pmtui.service.journal.journal_rows import PastLine
from pmtui.service.views import EntryFacts, Level, LogEntry

LONGEST_TITLE = 120
_FINEST_TICK = Micros(100)
"""Micros: 0.01 cents."""


def describe_price(price: Micros) -> str:
    """Format a price in cents.

    Prices derived from amounts with two decimals are slightly off the grid; every tick size is a
    multiple of the finest, so rounding to that never changes a price that the venue trades at.
    """
    on_grid = round_price(price, _FINEST_TICK)
    return f"{format_micros(Micros(on_grid * 100))}¢"


def format_shares(size: Micros, outcome: str) -> str:
    """Format a number of shares of an outcome: `1,000.5 Yes`."""
    return f"{formats.format_shares(size)} {outcome}".rstrip()


def shorten(title: str) -> str:
    """Shorten a title to the length that fits in a notice."""
    return formats.ellipsize(title, LONGEST_TITLE)


def describe_order(order: Order, title: str) -> str:
    """Describe an order."""
    verb = "Buy" if order.side is Side.BUY else "Sell"
    # The filled part got the limit or better: only its fills have the actual prices.
    at = ", limit" if order.matched_size else " at"
    what = f"{verb} {format_shares(order.original_size, order.outcome)}{at} {describe_price(order.price)}"
    return f"{what} · {shorten(title)}" if title else what


def describe_fill(fill: Fill, title: str, order: Order | None = None) -> str:
    """Describe a fill or a change in its settlement; of an order with several, how much is filled in all."""
    verb = "Bought" if fill.side is Side.BUY else "Sold"
    what = f"{verb} {format_shares(fill.size, fill.outcome)} at {describe_price(fill.price)}"
    is_failed = fill.status is TradeStatus.FAILED
    if order is not None and order.matched_size > fill.size and not is_failed:
        done = formats.format_shares(order.matched_size)
        what += f", {done} of {formats.format_shares(order.original_size)} filled"
    if fill.fee:
        what += f", fee {write_fee(fill.fee)}"
    if is_failed:
        what = f"FAILED on chain, undone: {what}"
    return f"{what} · {shorten(title)}" if title else what


def describe_order_end(order: Order, title: str) -> str:
    """Describe how an order ended, or its state."""
    match order.status:
        case OrderStatus.FILLED:
            state = "Filled"
        case OrderStatus.CANCELLED:
            state = "Cancelled"
        case OrderStatus.EXPIRED:
            state = "Expired"
        case OrderStatus.REJECTED:
            state = "Rejected"
        case _:
            state = order.status.words.capitalize()
    what = describe_order(order, title)
    is_over = order.status in (OrderStatus.CANCELLED, OrderStatus.EXPIRED)
    if is_over and order.matched_size and order.remaining_size:
        text = f"{state} {formats.format_shares(order.remaining_size)} of {what}"
    else:
        text = f"{state}: {what}"
    return f"{text} ({order.reason})" if order.reason else text


def entry_of_past(line: PastLine) -> LogEntry:
    """Return an entry of an earlier session as a log entry, without its number."""
    about, title = line.about, line.title
    if isinstance(about, str):
        return LogEntry(0, line.at, Level.INFO, "order", about)
    if isinstance(about, Fill):
        text, facts = describe_fill(about, title), facts_of_fill(about, title)
    else:
        text, facts = describe_order_end(about, title), facts_of_order(about, title)
    return LogEntry(0, line.at, Level.INFO, "order", text, about.order_id, facts=facts)


def facts_of_order(order: Order, title: str) -> EntryFacts:
    """Return the parts of an entry about an order's end or state."""
    is_over = order.status in (OrderStatus.CANCELLED, OrderStatus.EXPIRED)
    size = order.remaining_size if is_over and order.matched_size else order.original_size
    return EntryFacts(
        order.status.words, order.side, size, order.price, order.outcome, title, order.reason
    )


def facts_of_fill(fill: Fill, title: str) -> EntryFacts:
    """Return the parts of an entry about a fill."""
    is_failed = fill.status is TradeStatus.FAILED
    verb, reason = ("FAILED", "undone on chain") if is_failed else ("filled", "")
    return EntryFacts(verb, fill.side, fill.size, fill.price, fill.outcome, title, reason)
