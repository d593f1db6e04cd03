"""Conditional orders as lines and rows; always with the word that they live here only."""

from datetime import datetime

from pmtui.domain.conditional import Conditional, ConditionalState, say_conditional
from pmtui.ui.cells import Cell, Column, Line, Row
from pmtui.ui.format import format_age
from pmtui.ui.plain import Align, plain
from pmtui.ui.theme import Role

LIVES_HERE = "They live only while this program runs: the venue knows nothing of them."

CONDITIONAL_COLUMNS = (
    Column("state", "State", 8),
    Column("age", "Age", 4, align=Align.RIGHT),
    Column("what", "What it does", 34, grow=1),
    Column("title", "Market", 16, grow=1),
    Column("reason", "Why", 22, priority=1),
)

_ROLES = {
    ConditionalState.WATCHING: Role.NOTICE_GOOD,
    ConditionalState.SELLING: Role.ARMED,
    ConditionalState.RESTING: Role.NOTICE_WARN,
}


def paint_conditional_row(each: Conditional, now: datetime) -> Row:
    """Show one conditional order as a row."""
    return Row(
        each.conditional_id,
        (
            Cell(each.state.value, _ROLES.get(each.state, Role.DIM)),
            Cell(format_age((now - each.created_at).total_seconds()), Role.DIM),
            Cell(plain(say_conditional(each))),
            Cell(plain(each.title), Role.DIM),
            Cell(plain(each.reason), Role.DIM),
        ),
    )


def paint_protection(each: Conditional) -> Line:
    """Show one conditional order as a line beside the position it belongs to."""
    words = plain(say_conditional(each))
    return (Cell(f"{each.state.value}: ", _ROLES.get(each.state, Role.DIM)), Cell(words))
