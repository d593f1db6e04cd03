"""The ladder's cursor on the price chart: a line through it at the cursor's price."""

from pmtui.domain.money import Micros
from pmtui.ui.cells import Cell, Line, fit_line, join_runs, line_width
from pmtui.ui.format import format_price
from pmtui.ui.theme.theme import Role

_BLANKS = " \N{BRAILLE PATTERN BLANK}"


def mark_price(
    curve: tuple[Line, ...],
    price: Micros | None,
    prices: tuple[Micros, Micros],
    *,
    ascii_only: bool = False,
) -> tuple[Line, ...]:
    """Draw a line at a price where the curve is not, with the price before it.

    Args:
        curve: what `draw_chart` drew: its axis, then the canvas; the last line names times.
        price: where; None or a price out of sight leaves the curve as it is.
        prices: the lowest and the highest price on show.
        ascii_only: whether to keep to ASCII.
    """
    row = None if price is None else row_of_price(price, prices, len(curve) - 1)
    if row is None or price is None:
        return curve
    gutter, *canvas = curve[row]
    axis = line_width((gutter,))
    label = f"{format_price(price, ascii_only=ascii_only):>{axis - 1}} "
    text = "".join(cell.text for cell in canvas)[len(label) - axis :]
    role = canvas[0].role if canvas else Role.DIM
    stroke = "-" if ascii_only else "─"
    marks = [(Role.KEY, stroke) if mark in _BLANKS else (role, mark) for mark in text]
    line = (Cell(label, Role.KEY), *join_runs(marks))
    return (*curve[:row], line, *curve[row + 1 :])


def row_of_price(price: Micros, prices: tuple[Micros, Micros], rows: int) -> int | None:
    """Return the row of a price on a canvas of so many, from the top; None out of sight."""
    low, high = prices
    if rows < 1 or not low <= price <= high or low == high:
        return None
    return (2 * (high - price) * (rows - 1) + (high - low)) // (2 * (high - low))


def add_out_of_range(
    title: Line,
    price: Micros | None,
    prices: tuple[Micros, Micros],
    width: int,
    *,
    ascii_only: bool = False,
) -> Line:
    """Say in the title where the cursor is when it is out of sight."""
    if price is None or prices[0] <= price <= prices[1]:
        return title
    where = "above" if price > prices[1] else "below"
    words = Cell(f" cursor {format_price(price, ascii_only=ascii_only)} {where} ", Role.KEY)
    kept = tuple(cell for cell in title if cell.text.strip())
    line = (*kept, words)
    return fit_line(line, width, ascii_only=ascii_only) if line_width(line) <= width else title
