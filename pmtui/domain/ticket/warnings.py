"""What a trader may have mistyped: a price far from the market, a large sum, the same order twice.

The venue would take all of these, so they warn and never stop an order.
"""

from datetime import timedelta

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, notional_ceil, ratio_ceil
from pmtui.domain.orders.order import MarketBuyIntent, Order, OrderIntent, OrderStatus
from pmtui.domain.ticket.draft import Problem, TicketContext, TicketField
from pmtui.domain.ticket.numbers import TicketNumbers
from pmtui.domain.ticket.reading import format_cents, say_cost, say_dollars

_CENT = 10_000
_TICKS_APART = 2
"""Nearer than this to the midpoint no price is far off, whatever the percentage says."""


def check_warnings(
    context: TicketContext, intent: OrderIntent, numbers: TicketNumbers
) -> list[Problem]:
    """Return what the trader asked to be warned of."""
    return [
        *check_price(context, intent),
        *check_again(context, intent, cash=numbers.cash, shares=numbers.shares),
        *check_notional(context, Micros(max(numbers.cash, numbers.expected_cash))),
    ]


def check_price(context: TicketContext, intent: OrderIntent) -> list[Problem]:
    """Return what speaks against a price that is far on the wrong side of the midpoint."""
    percent, mid = context.rules.worst_price_percent, context.book.midpoint
    if not percent or mid is None or mid <= 0 or not context.book.state.is_good:
        return []
    price = intent.worst_price if isinstance(intent, MarketBuyIntent) else intent.price
    is_buy = intent.side is Side.BUY
    worse = price - mid if is_buy else mid - price
    if worse * 100 <= mid * percent or worse <= _TICKS_APART * context.terms.tick_size:
        return []
    off = worse * 100 // mid
    text = (
        f"{format_cents(price)}¢ is {off}% {'above' if is_buy else 'below'} the midpoint "
        f"{format_cents(mid)}¢"
    )
    return [Problem(TicketField.PRICE, text, is_warning=True)]


def check_notional(
    context: TicketContext, amount: Micros, *, what: str = "one order"
) -> list[Problem]:
    """Return what speaks against a sum of dollars in one go."""
    if not is_large(context, amount):
        return []
    bound = say_dollars(context.rules.notional_warning)
    text = f"Large: {say_cost(amount)} in {what} (your warning: {bound})"
    return [Problem(TicketField.SIZE, text, is_warning=True)]


def is_large(context: TicketContext, amount: Micros) -> bool:
    """Whether it is a sum that the trader wants to hear of."""
    rules = context.rules
    return rules.warns_of_size and amount >= rules.notional_warning


def check_again(
    context: TicketContext, intent: OrderIntent, *, cash: Micros, shares: Micros
) -> list[Problem]:
    """Return what speaks against an order that went out a moment ago already."""
    seconds = seconds_since_same(context, intent, cash=cash, shares=shares)
    if seconds is None:
        return []
    text = f"Same order sent {seconds} s ago: this would be a second one"
    return [Problem(TicketField.SIZE, text, is_warning=True)]


def seconds_since_same(
    context: TicketContext, intent: OrderIntent, *, cash: Micros, shares: Micros
) -> int | None:
    """Return how long ago the same order went out; None where that is too long, or never was."""
    window = context.rules.duplicate_window
    ages = [
        context.now - order.created_at
        for order in context.recent
        if window
        and is_same_order(order, intent, cash=cash, shares=shares)
        and context.now - order.created_at <= window
    ]
    return max(min(ages), timedelta()).seconds if ages else None


def is_same_order(order: Order, intent: OrderIntent, *, cash: Micros, shares: Micros) -> bool:
    """Whether an intent would do what an order of ours did that was not refused.

    Args:
        order: one of ours.
        intent: what would be sent.
        cash: the dollars it would sign.
        shares: the shares it would sign.
    """
    if order.status is OrderStatus.REJECTED:
        return False
    if (order.token_id, order.side) != (intent.token_id, intent.side):
        return False
    if isinstance(intent, MarketBuyIntent):
        # The book sets its price: the same dollars spent at once are the same order.
        spent = notional_ceil(order.price, order.original_size)
        same_price = order.price == ratio_ceil(cash, shares) if shares else False
        is_near = abs(spent - cash) < _CENT or (same_price and order.original_size == shares)
        return is_near and not order.time_in_force.rests
    return (order.price, order.original_size) == (intent.price, shares)
