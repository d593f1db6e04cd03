"""What a confirm card says of money: given, got, the fee, and what that comes to.

What is signed bounds a whole order. One that is killed in part has no such bound but for each
share, so its sums are what it would do as the book is, and say so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pmtui.domain.money import Micros, cents_down, cents_near, cents_up
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.domain.orders.order import TimeInForce
from pmtui.domain.ticket.estimate import TicketNumbers
from pmtui.service.surface import PreparedOrder
from pmtui.ui.facts import count_shares
from pmtui.ui.format import (
    format_cost,
    format_money,
    format_past_money,
    format_price,
    format_size,
)

Facts = list[tuple[str, str]]
_FINEST_TICK = 100
"""Micros: every tick size is a multiple of it."""


@dataclass(frozen=True, slots=True)
class _Sum:
    """What one order signs, or several that share everything but price and size."""

    head: PreparedOrder
    cash: Micros
    shares: Micros
    worst_fee: Micros


def signed_amounts(order: PreparedOrder) -> tuple[Micros, Micros]:
    """Return dollars and shares as they are hashed."""
    draft = order.unsigned.draft
    given, taken = Micros(draft.maker_amount), Micros(draft.taker_amount)
    return (given, taken) if draft.is_buy else (taken, given)


def limit_price(order: PreparedOrder) -> Micros:
    """Return the worst price at which it can fill.

    What the amounts say is off the grid by the dust of their rounding; no book has a level between
    it and the nearest multiple of the finest tick.
    """
    return Micros((order.price + _FINEST_TICK // 2) // _FINEST_TICK * _FINEST_TICK)


def spends(order: PreparedOrder) -> bool:
    """Whether it is bounded by dollars: a purchase that does not rest."""
    draft = order.unsigned.draft
    return draft.is_buy and not order.intent.time_in_force.rests


def may_fill_in_part(order: PreparedOrder) -> bool:
    """Whether what does not fill at once is dropped: its whole amounts promise nothing."""
    return order.intent.time_in_force is TimeInForce.FAK


def describe_money(order: PreparedOrder, numbers: TicketNumbers | None) -> Facts:
    """Say what is given and got, the fee, and what is left or to be paid with it.

    Args:
        order: as prepared.
        numbers: what it would do as the book is, where that is known.
    """
    return _describe_sum(_sum_of((order,)), numbers)


def describe_money_of_all(orders: Sequence[PreparedOrder]) -> Facts:
    """Say the same of resting orders that leave together, all of them added up.

    What fills now is not in it: they would meet the same book, one after the other.
    """
    return _describe_sum(_sum_of(orders), None)


def _sum_of(orders: Sequence[PreparedOrder]) -> _Sum:
    amounts = [signed_amounts(order) for order in orders]
    return _Sum(
        head=orders[0],
        cash=Micros(sum(cash for cash, _ in amounts)),
        shares=Micros(sum(shares for _, shares in amounts)),
        worst_fee=Micros(sum(order.worst_fee for order in orders)),
    )


def _describe_sum(whole: _Sum, numbers: TicketNumbers | None) -> Facts:
    return [
        *_exchanged(whole, numbers),
        ("Fee", _describe_fee(whole, numbers)),
        *_total(whole, numbers),
    ]


def _exchanged(whole: _Sum, numbers: TicketNumbers | None) -> Facts:
    order, cash, shares = whole.head, whole.cash, whole.shares
    size = count_shares(shares)
    price = format_price(limit_price(order))
    is_partial = may_fill_in_part(order)
    if not order.unsigned.draft.is_buy:
        if is_partial:
            return [("Size", f"up to {size}"), ("Proceeds", f"at least {price} a share")]
        return [("Size", size), ("Proceeds", f"at least {format_money(cash)}")]
    given = ("Max cost", format_cost(cash))
    if is_partial:
        wins = "$1.00 a share"
        if numbers is not None and numbers.fills_now:
            wins = f"{format_money(numbers.fills_now)} for what fills now"
        most = f"up to {_most(numbers)} " if numbers is not None and numbers.fills_now else ""
        return [given, ("Size", f"{most}shares at {price} or less"), ("Max payout", wins)]
    got = f"{size} or more" if spends(order) else size
    if spends(order) and numbers is not None and numbers.most_shares > shares:
        got = f"{format_size(shares)} to {_most(numbers)} shares"
    return [given, ("Size", got), ("Max payout", format_money(shares))]


def _most(numbers: TicketNumbers) -> str:
    """Write the most shares that come as the book is, rounded up to hundredths."""
    return format_size(Micros(-(-numbers.most_shares // SIZE_STEP) * SIZE_STEP))


def _has_fee(whole: _Sum) -> bool:
    return bool(whole.worst_fee) and not whole.head.unsigned.draft.is_post_only


def _describe_fee(whole: _Sum, numbers: TicketNumbers | None) -> str:
    order = whole.head
    if order.unsigned.draft.is_post_only:
        return "none (maker)"
    if not whole.worst_fee:
        return "none"
    most = format_cost(_most_fee(whole, numbers))
    none = "; none on what rests" if order.intent.time_in_force.rests else ""
    if numbers is None:
        # Dollars that fill below the limit bring more shares, and so a larger fee.
        return f"about {most}" if spends(order) else f"at most {most}{none}"
    if not numbers.fills_now:
        return f"none now, up to {most} if it fills" + (" at once" if none else "")
    # As the ticket beside it says: rounded up, so that a small fee is not called none.
    now = format_cost(numbers.fee)
    return f"about {now}{'' if now == most else f', at most {most}'}{none if numbers.rests else ''}"


def _most_fee(whole: _Sum, numbers: TicketNumbers | None) -> Micros:
    return whole.worst_fee if numbers is None else numbers.most_fee


def _total(whole: _Sum, numbers: TicketNumbers | None) -> Facts:
    """Add the fee to what is given or take it from what is got, where there is one.

    Of the cents on show, so that the lines of the card add up.
    """
    if not _has_fee(whole):
        return []
    order, cash = whole.head, whole.cash
    is_buy = order.unsigned.draft.is_buy
    most = cents_up(_most_fee(whole, numbers))
    if may_fill_in_part(order) and numbers is not None:
        if not numbers.fills_now:
            return []
        paid, fee = cents_near(numbers.fills_now_cash), cents_up(numbers.fee)
        total = Micros(paid + fee if is_buy else paid - fee)
        ends = "with that fee" if is_buy else "after that fee"
        return [("Total", f"about {format_past_money(total)} {ends}, as the book is")]
    if not is_buy:
        if may_fill_in_part(order):
            return []
        rest = Micros(cents_down(cash) - most)
        return [("Total", f"at least {format_money(rest)} after that fee")]
    bound = "about" if spends(order) and numbers is None else "at most"
    total = Micros(cents_up(cash) + most)
    return [("Total", f"{bound} {format_cost(total)} with fee")]
