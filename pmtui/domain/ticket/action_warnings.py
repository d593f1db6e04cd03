"""What the ticket would warn of, for orders that do not come from a ticket: moved, sold whole, scaled.

The rules are the ticket's own; several orders of one card are one deed, so their sum counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import LimitIntent
from pmtui.domain.orders.self_trade import check_own
from pmtui.domain.ticket.draft import Problem, TicketContext, TicketDraft
from pmtui.domain.ticket.numbers import estimate
from pmtui.domain.ticket.venue import check_delay, check_venue
from pmtui.domain.ticket.warnings import check_again, check_notional, check_price


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
