"""What is drawn: finished lines, and where prices stand on them."""

from typing import NamedTuple

from pmtui.domain.money import Micros
from pmtui.ui.cells import Line


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
