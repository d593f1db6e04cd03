"""The ladder's cursor on the price chart: a line through it at the cursor's price."""

from pmtui.domain.money import Micros
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.charts.canvas import BLANKS, Drawing, row_of_price
from pmtui.ui.theme.theme import Role
from pmtui.ui.units import read_price


def mark_price(drawing: Drawing, price: Micros | None) -> tuple[Line, ...]:
    """Draw a line at a price where the curve is not, with the price beside it.

    Args:
        drawing: what was drawn.
        price: where; None or a price out of sight leaves the picture as it is.
    """
    lines = drawing.lines
    row = None if price is None else row_of_price(price, drawing.prices, drawing.rows)
    if row is None or price is None or row >= len(lines):
        return lines
    width = line_width(lines[row])
    label = f" {read_price(price)}".ljust(drawing.axis)
    stroke = "─"
    canvas = _cropped(lines[row], width - len(label))
    marked = [cell for run in canvas for cell in _stroked(run, stroke)]
    line = (*marked, Cell(label, Role.KEY, Emphasis.BOLD | Emphasis.REVERSE))
    return (*lines[:row], line, *lines[row + 1 :])


def _stroked(cell: Cell, stroke: str) -> list[Cell]:
    """Put the stroke where a cell shows nothing or the grid alone."""
    is_grid = bool(cell.emphasis & Emphasis.DIM)
    if is_grid or all(mark in BLANKS for mark in cell.text):
        return [Cell(stroke * len(cell.text), Role.KEY, ground=cell.ground)]
    return [
        Cell(stroke, Role.KEY, ground=cell.ground) if mark in BLANKS else cell._replace(text=mark)
        for mark in cell.text
    ]


def _cropped(line: Line, width: int) -> list[Cell]:
    """Return the left part of a line; characters of a chart are one cell wide each."""
    kept: list[Cell] = []
    for cell in line:
        room = width - sum(len(each.text) for each in kept)
        if room <= 0:
            break
        kept.append(cell._replace(text=cell.text[:room]))
    return kept


def add_out_of_range(
    title: Line, price: Micros | None, prices: tuple[Micros, Micros], width: int
) -> Line:
    """Say in the title where the cursor is when it is out of sight."""
    if price is None or prices[0] <= price <= prices[1]:
        return title
    where = "above" if price > prices[1] else "below"
    words = Cell(f" cursor {read_price(price)} {where} ", Role.KEY)
    kept = tuple(cell for cell in title if cell.text.strip())
    line = (*kept, words)
    return fit_line(line, width) if line_width(line) <= width else title
