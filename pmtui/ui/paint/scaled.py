"""A scaled ladder as lines: what each leg would be, and what became of it."""

from collections.abc import Sequence

from pmtui.domain.cents import cents_down, cents_up, parts_of_sum
from pmtui.domain.market import Side
from pmtui.domain.money import Micros, format_micros
from pmtui.domain.order import Order, OrderStatus
from pmtui.domain.scaled import Leg, ScaledPlan, ScaledProblem, TotalUnit
from pmtui.domain.verdict import Accepted, Rejected, Unknown, Verdict
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line
from pmtui.ui.format import format_past_money, format_price, format_size
from pmtui.ui.plain import plain
from pmtui.ui.theme import Role

_LEGS_IN_A_COLUMN = 8


def paint_plan(
    plan: ScaledPlan,
    crossing: Sequence[Leg],
    ends: Sequence[Cell],
    *,
    width: int = 64,
    ascii_only: bool = False,
) -> tuple[Line, ...]:
    """Show the legs and their sum; many legs stand in two columns.

    Args:
        plan: the ladder.
        crossing: its legs that the book would meet at once.
        ends: what became of each leg, in their order; fewer while nothing is known.
        width: cells there are.
        ascii_only: whether the terminal shows plain ASCII only.
    """
    is_wide = len(plan.legs) <= _LEGS_IN_A_COLUMN
    legs = []
    # To the cent so that the column adds up: a leg alone may be off by one of them.
    is_buy = plan.spec.side is Side.BUY
    parts = parts_of_sum((leg.cash for leg in plan.legs), cents_up if is_buy else cents_down)
    for number, leg in enumerate(plan.legs):
        end = ends[number] if number < len(ends) else None
        if end is None and leg in crossing:
            end = Cell("meets the book", Role.NOTICE_WARN)
        cash = parts[number]
        cells = [
            Cell(f"{format_price(leg.price, ascii_only=ascii_only):>7}", _role(plan)),
            Cell(f" {format_size(leg.size):>10}"),
        ]
        if is_wide or end is None:
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
    total = (
        f"{'in all':>7} {format_size(plan.shares):>10} {format_past_money(Micros(sum(parts))):>11}"
    )
    unit = "$" if plan.spec.unit is TotalUnit.DOLLARS else ""
    left = f"  {unit}{format_micros(plan.left_over)} has no room on the grid"
    note = Cell(left if plan.left_over else "", Role.DIM)
    lines.append((Cell(total, Role.TEXT, Emphasis.BOLD), note))
    return tuple(lines)


def paint_scaled_problem(problem: ScaledProblem) -> Line:
    """Show why there is no ladder yet."""
    return (Cell(f"{problem.field.value}: {plain(problem.text, 70)}", Role.NOTICE_WARN),)


def paint_sent(verdicts: Sequence[Verdict], count: int) -> Line:
    """Say how many legs the venue took, once it has said so."""
    if not verdicts:
        return (Cell("sending", Role.NOTICE_WARN, Emphasis.BOLD),)
    taken = sum(isinstance(verdict, Accepted) for verdict in verdicts)
    unknown = sum(isinstance(verdict, Unknown) for verdict in verdicts)
    text = f"{taken} of {count} accepted"
    if unknown:
        text += f", {unknown} unknown and being checked"
    role = Role.NOTICE_GOOD if taken == count else Role.NOTICE_WARN
    return (Cell(f"{text}; enter closes, a changed entry starts anew", role),)


def paint_leg_end(verdict: Verdict | None, known: Order | None) -> Cell:
    """Say where a leg stands: by the account where it still knows it, else by its verdict."""
    if known is not None and known.status is OrderStatus.UNKNOWN:
        return Cell("unknown, checking", Role.NOTICE_WARN, Emphasis.BOLD)
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
            return Cell("unknown, checking", Role.NOTICE_WARN, Emphasis.BOLD)


def _role(plan: ScaledPlan) -> Role:
    return Role.BID if plan.spec.side is Side.BUY else Role.ASK
