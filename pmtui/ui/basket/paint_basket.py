"""A basket's legs, what they come to, and how each ended."""

from collections.abc import Sequence

from pmtui.domain.money import Micros
from pmtui.domain.orders.basket import BasketLeg, BasketPlan, BasketSide
from pmtui.domain.orders.order import Accepted, OrderStatus, Rejected, Unknown, Verdict
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import Mode
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line
from pmtui.ui.facts import ABSENT, count
from pmtui.ui.format import (
    format_average,
    format_cost,
    format_money_change,
    format_past_money,
    format_price,
    format_size,
)
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_confirm import limit_price, paint_fact, paint_question, signed_amounts
from pmtui.ui.ticket.paint_ticket import wrap_text
from pmtui.ui.ticket.scaled import paint_leg_end

_WORDS = {BasketSide.YES: "Yes", BasketSide.NO: "No"}
_FINE = (Role.DIM, Role.NOTICE_GOOD)
"""How a leg looks that nothing is wrong with."""
_LEGS_IN_A_COLUMN = 10
_MOST_COLUMNS = 3
_COST = 10
_PRICE = 7
_END = 26
ONE_BY_ONE = "Legs fill whole or not at all, each by itself: some may fill and others not."


def paint_legs(
    plan: BasketPlan, width: int, ends: Sequence[Cell] = (), *, most: int
) -> tuple[Line, ...]:
    """Show every leg with its price and cost, or why it cannot be bought, and how it ended.

    Where not all fit into `most` lines, those that are in the way of a whole basket come first.
    """
    legs: list[tuple[bool, Line]] = []
    for number, leg in enumerate(plan.legs):
        end = ends[number] if number < len(ends) else _state_of(leg)
        room = max(width - _PRICE - _COST - _END - 4, 8)
        cells = (
            Cell(f"{plain(leg.name, room):<{room}} "),
            Cell(_price(leg.average).rjust(_PRICE), Role.ASK),
            Cell(f"{format_past_money(leg.cost) if leg.intent else ABSENT:>{_COST}}  ", Role.DIM),
            end,
        )
        legs.append((end.role in _FINE, fit_line(cells, width)))
    if len(legs) > most:
        left = len(legs) - most + 1
        legs = sorted(legs, key=lambda each: each[0])[: most - 1]
        legs.append((True, (Cell(f"and {count(left, 'more leg')}", Role.DIM),)))
    return tuple(line for _, line in legs)


def paint_basket_totals(plan: BasketPlan, available: Micros | None) -> tuple[Line, ...]:
    """Show what all legs cost, what they pay in the end, and what stays of it after fees."""
    words = _WORDS[plan.side]
    cost = format_cost(Micros(plan.cost + plan.fees))
    lines: list[Line] = [
        (
            Cell(f"{count(len(plan.intents), 'leg')} for "),
            Cell(cost, Role.HEADING),
            Cell(f" with fees of {format_past_money(plan.fees)}", Role.DIM),
        )
    ]
    gain = plan.gain
    if plan.is_rest and plan.is_whole:
        lines.append((Cell("These legs complete the basket that was bought.", Role.DIM),))
    elif gain is None:
        missing = [leg for leg in plan.legs if leg.intent is None]
        name = plain(missing[0].name, 24) if missing else ""
        lines.append((Cell(f"No whole set: {name}: {missing[0].problem}", Role.NOTICE_WARN),))
    else:
        role = Role.UP if gain > 0 else Role.DOWN
        lines.append(
            (
                Cell(f"All {words} pay {format_past_money(plan.pays)} whoever wins: ", Role.DIM),
                Cell(f"{format_money_change(gain)} after fees", role, Emphasis.BOLD),
            )
        )
    if available is not None and plan.cost + plan.fees > available:
        lines.append((Cell(f"Cash free: {format_past_money(available)} only", Role.NOTICE_WARN),))
    return tuple(lines)


def paint_basket_card(
    orders: Sequence[PreparedOrder], plan: BasketPlan, width: int, *, mode: Mode, doubt: str = ""
) -> tuple[Line, ...]:
    """Show every leg from the fields that are hashed, and what the whole basket brings."""
    words = _WORDS[plan.side]
    question = f"Buy {format_size(plan.sets)} {words} in {count(len(orders), 'market')}?"
    lines: list[Line] = [paint_question(mode, question)]
    lines += _card_legs(orders, [leg.name for leg in plan.legs if leg.intent], width)
    facts = [("Spends", format_cost(plan.cost)), ("Fees", f"{format_past_money(plan.fees)} now")]
    if plan.gain is not None:
        facts.append(("Pays", format_past_money(plan.pays)))
        facts.append(("Brings", format_money_change(plan.gain)))
    for name, value in (*facts, ("TIF", "FOK")):
        lines += paint_fact(name, value, width)
    lines += [(Cell(part, Role.DIM),) for part in wrap_text(ONE_BY_ONE, width)]
    if doubt:
        lines += [(Cell(part, Role.NOTICE_BAD),) for part in wrap_text(plain(doubt), width)]
    return tuple(lines)


def _card_legs(orders: Sequence[PreparedOrder], names: Sequence[str], width: int) -> list[Line]:
    """Lay the legs out in one column, or in some where they are many: none may be left out."""
    columns = min(-(-len(orders) // _LEGS_IN_A_COLUMN), _MOST_COLUMNS)
    rows, part = -(-len(orders) // columns), width // columns
    legs: list[Line] = []
    for order, name in zip(orders, names, strict=True):
        cash, _ = signed_amounts(order)
        spent = f"{format_cost(cash)} ≤ {format_price(limit_price(order))}"
        room = max(part - len(spent) - 2, 4)
        cells = (Cell(f"{plain(name, room):<{room}} "), Cell(spent, Role.BID), Cell(" "))
        legs.append(fit_line(cells, part))
    return [tuple(cell for leg in legs[row::rows] for cell in leg) for row in range(rows)]


def paint_basket_sent(verdicts: Sequence[Verdict], legs: int) -> Line:
    """Say how many legs are bought, once the venue has said so."""
    if len(verdicts) < legs:
        return (Cell("sending", Role.NOTICE_WARN, Emphasis.BOLD),)
    bought = sum(is_bought(verdict) for verdict in verdicts)
    unknown = sum(isinstance(verdict, Unknown) for verdict in verdicts)
    text = f"{bought} of {legs} legs bought"
    if unknown:
        text += f", {unknown} unconfirmed"
    role = Role.NOTICE_GOOD if bought == legs else Role.NOTICE_BAD
    missing = sum(isinstance(verdict, Rejected) for verdict in verdicts)
    then = (
        f"Enter prices the {count(missing, 'missing leg')} again." if missing else "Enter closes."
    )
    return (Cell(f"{text}. {then}", role, Emphasis.BOLD),)


def is_bought(verdict: Verdict) -> bool:
    """Whether a leg is whole."""
    return isinstance(verdict, Accepted) and verdict.status is OrderStatus.FILLED


def paint_end(verdict: Verdict | None) -> Cell:
    """Say how a leg ended."""
    if isinstance(verdict, Accepted) and verdict.status is OrderStatus.FILLED:
        return Cell(f"bought {format_size(verdict.filled_size)}", Role.NOTICE_GOOD)
    return paint_leg_end(verdict, None)


def _state_of(leg: BasketLeg) -> Cell:
    if leg.intent is None:
        return Cell(leg.problem, Role.NOTICE_WARN)
    return Cell(f"≤ {format_price(leg.intent.worst_price)}", Role.DIM)


def _price(average: Micros | None) -> str:
    return ABSENT if average is None else format_average(average)
