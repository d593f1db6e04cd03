"""Where a card stands so that neither it nor the ticket it is about hides the other: pure."""

from collections.abc import Callable
from typing import NamedTuple

CARD_WIDTH = 42
NARROWEST = 28
"""Below this a card would break its facts into too many lines to be read at a glance."""
WIDE = 76
"""A card above a ticket has few rows: wide enough for two facts on a line."""
LADDER = 42
"""Columns at the left of a small screen where the ladder is, best left to be seen."""
_LEAST_ABOVE = 14
"""Rows above a ticket that are enough for a wide card."""
_GAP = 2


class Place(NamedTuple):
    """A region of the screen, in cells."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first column after it."""
        return self.x + self.width


def place_card(
    screen: tuple[int, int],
    ticket: Place | None,
    height_of: Callable[[int], int],
    least_of: Callable[[int], int] | None = None,
) -> Place:
    """Return where the card goes.

    At the right where there is no ticket, as wide as it must be to be read to its end. Else to the
    right of the ticket if it fits there, narrower if need be; else to its left; above one
    that takes the whole width, beside the ladder if nothing has to be left out for it; else over
    it, as high up as it goes, so that the last lines of the ticket stay to be read.

    Args:
        screen: columns and rows.
        ticket: the region not to be covered; None where there is none.
        height_of: rows the card takes at a width, borders included.
        least_of: rows it cannot do without; as many as it takes where absent.
    """
    columns, rows = screen
    widest = min(CARD_WIDTH, columns)
    if ticket is not None and is_above(screen, ticket):
        width = min(CARD_WIDTH, columns - LADDER)
        if width < NARROWEST or (least_of or height_of)(width) > ticket.y:
            width = min(WIDE, columns)
        height = min(height_of(width), ticket.y)
        return Place(columns - width, ticket.y - height, width, height)
    if ticket is None or ticket.width == 0:
        if columns - LADDER >= NARROWEST:
            widest = min(widest, columns - LADDER)
        if height_of(widest) > rows:
            widest = min(WIDE, columns)
        return _at(columns - widest, widest, rows, height_of)
    space = columns - ticket.right
    if space >= NARROWEST:
        width = min(widest, space)
        if height_of(width) <= rows:
            return _at(columns - width, width, rows, height_of)
    if ticket.x >= widest:
        x = ticket.x - widest - min(_GAP, ticket.x - widest)
        return _at(x, widest, rows, height_of)
    return Place(columns - widest, 0, widest, min(height_of(widest), rows))


def is_above(screen: tuple[int, int], ticket: Place) -> bool:
    """Return whether a card stands above the ticket: nothing is beside it, and enough above."""
    is_whole_width = screen[0] - ticket.width < NARROWEST
    return is_whole_width and ticket.y >= _LEAST_ABOVE


def rows_for_card(screen: tuple[int, int], ticket: Place | None) -> int:
    """Return how many rows a card may take."""
    return ticket.y if ticket is not None and is_above(screen, ticket) else screen[1]


def _at(x: int, width: int, rows: int, height_of: Callable[[int], int]) -> Place:
    height = min(height_of(width), rows)
    # One row above the last, which tells the keys, where there is room.
    return Place(x, max(rows - height - 1, 0), width, height)
