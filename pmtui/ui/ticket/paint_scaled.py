"""A scaled ladder as lines: what each leg would be, and what became of it."""

from collections.abc import Sequence

from pmtui.domain.markets.market import Side
from pmtui.domain.money import cents_down, cents_up, format_micros
from pmtui.domain.orders.order import Accepted, Order, OrderStatus, Rejected, Unknown, Verdict
from pmtui.domain.ticket.scaled import Leg, ScaledPlan, ScaledProblem, TotalUnit
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line
from pmtui.ui.format import format_past_money, format_price, format_size
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role

_LEGS_IN_A_COLUMN = 8
_ROOMY = 56
"""With fewer cells a leg tells its money or its end, not both."""


def paint_plan(
    plan: ScaledPlan,
    crossing: Sequence[Leg],
    ends: Sequence[Cell],
    *,
    width: int = 64,
) -> tuple[Line, ...]:
    """Show the legs and their sum; many legs stand in two columns.

    Args:
        plan: the ladder.
        crossing: its legs that the book would meet at once.
        ends: what became of each leg, in their order; fewer while nothing is known.
        width: cells there are.
    """
    is_narrow = width < _ROOMY
    is_wide = len(plan.legs) <= _LEGS_IN_A_COLUMN
    legs = []
    # Each leg by itself, as it will be charged or paid: whoever multiplies finds the same.
    to_cents = cents_up if plan.spec.side is Side.BUY else cents_down
    parts = [to_cents(leg.cash) for leg in plan.legs]
    for number, leg in enumerate(plan.legs):
        end = ends[number] if number < len(ends) else None
        if end is None and leg in crossing:
            end = Cell("would cross", Role.NOTICE_WARN)
        cash = parts[number]
        cells = [
            Cell(f"{format_price(leg.price):>{6 if is_narrow else 7}}", _role(plan)),
            Cell(f" {format_size(leg.size):>{8 if is_narrow else 10}}"),
        ]
        if (end is None and not (is_narrow and not is_wide)) or (is_wide and not is_narrow):
            cells.append(Cell(f" {format_past_money(cash):>11}", Role.DIM))
        if end is not None:
            cells += [Cell("  "), end]
        legs.append(tuple(cells))
    rows = len(legs) if is_wide else -(-len(legs) // 2)
    half = width // (1 if is_wide else 2)
    lines: list[Line] = [
        tuple(cell for leg in legs[row::rows] for cell in fit_line(leg, half))
        for row in range(rows)
    ]
    cash = to_cents(plan.cash)
    columns = (6, 8) if is_narrow else (7, 10)
    total = (
        f"{'total':>{columns[0]}} {format_size(plan.shares):>{columns[1]}} "
        f"{format_past_money(cash):>11}"
    )
    note = _describe_rest(plan, is_off=sum(parts) != cash)
    lines.append((Cell(total, Role.TEXT, Emphasis.BOLD), Cell(note, Role.DIM)))
    return tuple(lines)


def _describe_rest(plan: ScaledPlan, *, is_off: bool) -> str:
    """Say why the column comes to another sum than stands below it, and what was left out."""
    rounding = f"rows round {'up' if plan.spec.side is Side.BUY else 'down'}" if is_off else ""
    if not plan.left_over:
        return f"  {rounding}" if rounding else ""
    unit = "$" if plan.spec.unit is TotalUnit.DOLLARS else ""
    left = f"{unit}{format_micros(plan.left_over)}"
    if rounding:
        return f"  {rounding}; {left} left"
    return f"  {left} left over"


def paint_scaled_problem(problem: ScaledProblem) -> Line:
    """Show why there is no ladder yet."""
    return (
        Cell(f"{problem.field.value.capitalize()}: {plain(problem.text, 70)}", Role.NOTICE_WARN),
    )


def paint_sent(verdicts: Sequence[Verdict], count: int) -> Line:
    """Say how many legs the venue took, once it has said so."""
    if not verdicts:
        return (Cell("sending", Role.NOTICE_WARN, Emphasis.BOLD),)
    taken = sum(isinstance(verdict, Accepted) for verdict in verdicts)
    unknown = sum(isinstance(verdict, Unknown) for verdict in verdicts)
    text = f"{taken} of {count} working"
    if unknown:
        text += f", {unknown} unconfirmed"
    role = Role.NOTICE_GOOD if taken == count else Role.NOTICE_WARN
    return (Cell(f"{text}. Enter closes; edit to send more.", role),)


def paint_leg_end(verdict: Verdict | None, known: Order | None) -> Cell:
    """Say where a leg stands: by the account where it still knows it, else by its verdict."""
    if known is not None and known.status is OrderStatus.UNKNOWN:
        return Cell("unconfirmed", Role.NOTICE_WARN, Emphasis.BOLD)
    if known is not None and verdict is not None:
        return Cell(known.status.value, Role.NOTICE_GOOD)
    match verdict:
        case None:
            return Cell("sending", Role.NOTICE_WARN)
        case Accepted():
            return Cell(plain(verdict.text, 24), Role.NOTICE_GOOD)
        case Rejected():
            return Cell(f"refused: {plain(verdict.reason, 40)}", Role.NOTICE_BAD)
        case Unknown():
            return Cell("unconfirmed", Role.NOTICE_WARN, Emphasis.BOLD)


def _role(plan: ScaledPlan) -> Role:
    return Role.BID if plan.spec.side is Side.BUY else Role.ASK
