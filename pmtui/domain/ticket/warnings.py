"""What the ticket warns of and never stops: likely mistypings, and the venue's present state.

A price far from the market, a large sum and the same order twice may be mistakes. A state of the
venue is known from some answer a while ago; it may be over by now, so the trader reads what will
probably happen and decides. Orders that do not come from a ticket (moved, sold whole, scaled) are
checked by the same rules; several orders of one card are one action, so their sum counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from pmtui.domain.formats import format_cents, format_dollars_down, format_dollars_up
from pmtui.domain.markets.market import Side
from pmtui.domain.markets.venue_state import VenueFact, VenueState
from pmtui.domain.money import Micros, notional_ceil, ratio_ceil
from pmtui.domain.orders.order import (
    LimitIntent,
    MarketBuyIntent,
    Order,
    OrderIntent,
    OrderStatus,
    TimeInForce,
)
from pmtui.domain.orders.self_trade import check_own
from pmtui.domain.ticket.draft import (
    OrderKind,
    Problem,
    TicketContext,
    TicketDraft,
    TicketField,
    TicketRules,
)
from pmtui.domain.ticket.numbers import TicketNumbers, estimate

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
    """Return the warning about a price that is far on the wrong side of the midpoint."""
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
    """Return the warning about a large sum of dollars in one order."""
    if not is_large(context, amount):
        return []
    bound = format_dollars_down(context.rules.notional_warning)
    text = f"Large: {format_dollars_up(amount)} in {what} (your warning: {bound})"
    return [Problem(TicketField.SIZE, text, is_warning=True)]


def is_large(context: TicketContext, amount: Micros) -> bool:
    """Whether it is a sum that the trader wants to hear of."""
    rules = context.rules
    return rules.warns_of_size and amount >= rules.notional_warning


def check_again(
    context: TicketContext, intent: OrderIntent, *, cash: Micros, shares: Micros
) -> list[Problem]:
    """Return the warning about an order that was sent a moment ago already."""
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


_REFUSED = {
    VenueState.BANNED: "The venue has banned this account; it refuses orders",
    VenueState.DISABLED: "Trading is disabled; the venue refuses orders now",
    VenueState.RESTARTING: "The venue is restarting; it refuses orders for a while",
    VenueState.CANCEL_ONLY: "The venue is cancel-only; it refuses orders now",
    VenueState.MARKET_NOT_READY: "The market is not ready for orders yet",
}


def check_venue(draft: TicketDraft, context: TicketContext) -> list[Problem]:
    """Say what the venue's state does to a draft, whatever its price and size."""
    problems: list[Problem] = []
    for fact in context.venue:
        match fact.state:
            case VenueState.REGION_REFUSED:
                place = f" ({fact.text})" if 0 < len(fact.text) <= 12 else ""
                text = f"The venue refuses orders from this region{place}"
                problems.append(_warning(TicketField.OUTCOME, text))
            case VenueState.CLOSE_ONLY if draft.side is Side.BUY:
                text = "The account may only close positions, not buy"
                problems.append(_warning(TicketField.SIDE, text))
            case VenueState.POST_ONLY if not draft.is_post_only:
                problems.append(_warn_of_post_only(draft, context, fact))
            case VenueState.BUDGET_LOW:
                text = f"Near the request limit: {fact.text}"
                problems.append(_warning(TicketField.OUTCOME, text))
            case _ if fact.state in _REFUSED:
                problems.append(_warning(TicketField.OUTCOME, _REFUSED[fact.state]))
            case _:
                pass
    return problems


def check_delay(
    draft: TicketDraft, context: TicketContext, numbers: TicketNumbers
) -> list[Problem]:
    """Say that what would take waits first, where the market makes it wait."""
    delay = next((f for f in context.venue if f.state is VenueState.DELAYED), None)
    takes = numbers.displayed_at_limit > 0 or not draft.time_in_force.rests
    if delay is None or draft.is_post_only or not takes:
        return []
    span = delay.text if 0 < len(delay.text) <= 12 else "a while"
    text = f"Taker orders wait {span} here and cannot be cancelled meanwhile"
    return [_warning(TicketField.TIME_IN_FORCE, text)]


def _warn_of_post_only(draft: TicketDraft, context: TicketContext, fact: VenueFact) -> Problem:
    rests = draft.time_in_force.rests and draft.kind is OrderKind.LIMIT
    fix = replace(
        draft,
        kind=OrderKind.LIMIT,
        time_in_force=draft.time_in_force if rests else TimeInForce.GTC,
        is_post_only=True,
    )
    left = "" if fact.until is None else f" for {max((fact.until - context.now).seconds, 1)} s"
    return Problem(
        TicketField.POST_ONLY,
        f"The venue takes post-only orders only{left}",
        is_warning=True,
        fix=fix if draft.kind is OrderKind.LIMIT else None,
    )


def _warning(field: TicketField, text: str) -> Problem:
    return Problem(field, text, is_warning=True)


@dataclass(frozen=True, slots=True)
class PlannedOrder:
    """An order of a card, with the dollars that it signs."""

    intent: LimitIntent
    cash: Micros


def action_warnings(planned: Sequence[PlannedOrder], context: TicketContext) -> tuple[str, ...]:
    """Return what the trader should hear before these orders are sent, each thing once.

    Args:
        planned: orders of one token and side, at least one.
        context: of their market and token.
    """
    found: list[Problem] = []
    for order in planned:
        intent = order.intent
        draft = TicketDraft(
            intent.side,
            context.terms.token_ids.index(intent.token_id),
            time_in_force=intent.time_in_force,
            is_post_only=intent.is_post_only,
        )
        numbers = estimate(
            intent, cash=order.cash, shares=intent.size, book=context.book,
            fee=context.terms.fee, available_cash=None,
        )  # fmt: skip
        found += check_venue(draft, context)
        found += check_delay(draft, context, numbers)
        found += check_again(context, intent, cash=order.cash, shares=intent.size)
    # Of several prices the worst stands for all: the highest to buy at, the lowest to sell at.
    is_buy = planned[0].intent.side is Side.BUY
    prices = sorted(planned, key=lambda order: order.intent.price, reverse=is_buy)
    found += check_price(context, prices[0].intent)
    size = Micros(sum(order.intent.size for order in planned))
    found += check_own(context, replace(prices[0].intent, size=size))
    total = Micros(sum(order.cash for order in planned))
    what = "one order" if len(planned) == 1 else f"these {len(planned)} orders"
    found += check_notional(context, total, what=what)
    return tuple(dict.fromkeys(problem.text for problem in found))


def needs_card(rules: TicketRules, worth: Micros, *, is_doubtful: bool) -> bool:
    """Return whether an order of the ticket is shown on a card before it is sent.

    Args:
        rules: of the user.
        worth: dollars that it may cost or bring, the most that its fee can be included.
        is_doubtful: whether there is any reason against it, which always asks for a card.
    """
    return is_doubtful or worth > rules.confirm_above
