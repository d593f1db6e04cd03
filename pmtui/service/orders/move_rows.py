"""Moves in the journal that a killed session left half done: what was cancelled, what was not sent."""

import sqlite3
from dataclasses import dataclass

from pmtui.domain.ids import OrderId

PLANNED = "to be replaced by "
"""How the line begins that is written before the old order is cancelled."""


@dataclass(frozen=True, slots=True)
class CutOffMove:
    """A move without an end."""

    old: OrderId
    new: OrderId
    text: str
    """What was to take the old order's place, in words."""
    was_sent: bool
    """Whether the new order may have left."""


def read_cut_off_moves(connection: sqlite3.Connection) -> tuple[CutOffMove, ...]:
    """Return the moves whose last line is their plan, oldest first."""
    rows = connection.execute(
        "SELECT order_id, text FROM entries WHERE sequence IN "
        "(SELECT MAX(sequence) FROM entries WHERE kind = 'move' GROUP BY order_id) "
        "AND text LIKE ? ORDER BY sequence",
        (f"{PLANNED}%",),
    )
    moves = []
    for old, text in rows.fetchall():
        new, _, words = text.removeprefix(PLANNED).partition(": ")
        found = connection.execute("SELECT 1 FROM orders WHERE order_id = ?", (new,)).fetchone()
        moves.append(CutOffMove(OrderId(old), OrderId(new), words, was_sent=found is not None))
    return tuple(moves)
