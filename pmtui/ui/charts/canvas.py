"""A sheet of cells that a chart is laid on, layer over layer, and the drawing that comes of it."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from pmtui.domain.money import Micros
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.theme.theme import Role

BLANKS = " \N{BRAILLE PATTERN BLANK}"
_BRAILLE = range(0x2800, 0x2900)


class Mark(NamedTuple):
    """One character of a chart."""

    text: str = " "
    role: Role = Role.DIM
    emphasis: Emphasis = Emphasis.NONE
    ground: Role | None = None


class Canvas:
    """Rows of characters; what is laid on later stands above."""

    def __init__(self, columns: int, rows: int) -> None:
        """Begin with nothing."""
        self.columns, self.rows = columns, rows
        self._marks = [[Mark()] * columns for _ in range(rows)]

    def put(
        self, column: int, row: int, text: str, role: Role, emphasis: Emphasis = Emphasis.NONE
    ) -> None:
        """Lay one character; outside of the canvas it is lost."""
        if 0 <= column < self.columns and 0 <= row < self.rows:
            below = self._marks[row][column]
            both = ord(text) in _BRAILLE and ord(below.text) in _BRAILLE
            shown = chr(ord(text) | ord(below.text)) if both else text
            self._marks[row][column] = Mark(shown, role, emphasis, below.ground)

    def draw(self, lines: Sequence[str], role: Role, *, top: int = 0) -> None:
        """Lay the marks of drawn lines; blanks let through what is below."""
        for row, line in enumerate(lines):
            for column, text in enumerate(line):
                if text not in BLANKS:
                    self.put(column, row + top, text, role)

    def tint_below(self, lines: Sequence[str], ground: Role) -> None:
        """Tint what is below the topmost mark of each column of drawn lines."""
        for column in range(self.columns):
            texts = [line[column : column + 1] or " " for line in lines]
            top = next((row for row, text in enumerate(texts) if text not in BLANKS), None)
            for row in range(self.rows if top is None else top + 1, len(lines)):
                self._marks[row][column] = self._marks[row][column]._replace(ground=ground)

    def line(self, row: int) -> Line:
        """Return a row as cells, neighbours that look alike in one."""
        runs = groupby(self._marks[row], key=lambda mark: mark[1:])
        return tuple(
            Cell("".join(mark.text for mark in marks), role, emphasis, ground)
            for (role, emphasis, ground), marks in runs
        )


class Drawing(NamedTuple):
    """Lines of a chart, and what it takes to point at a price on them."""

    lines: tuple[Line, ...]
    prices: tuple[Micros, Micros]
    """The lowest and the highest price on show."""
    rows: int
    """How many lines from the top these prices reach over; volume and times stand below."""
    axis: int
    """The cells at the right that name prices."""


def row_of_price(price: Micros, prices: tuple[Micros, Micros], rows: int) -> int | None:
    """Return the row of a price on a canvas of so many, from the top; None out of sight."""
    low, high = prices
    if rows < 1 or not low <= price <= high or low == high:
        return None
    return (2 * (high - price) * (rows - 1) + (high - low)) // (2 * (high - low))
