"""The tape: public trades, newest first, one a line."""

from pmtui.domain.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.order import Fill, TradePrint
from pmtui.domain.tape import TapeFilter, filter_prints
from pmtui.service.views import TapeView
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line
from pmtui.ui.format import format_price, format_size_compact
from pmtui.ui.theme import Role

_TIME, _SIDE, _PRICE, _SIZE, _OWN = 8, 4, 6, 8, 1
WIDTH = _TIME + _SIDE + _PRICE + _SIZE + _OWN + 2
_WITHOUT_TIME = WIDTH - _TIME - 1


def paint_tape(
    view: TapeView,
    width: int,
    height: int,
    *,
    fills: tuple[Fill, ...] = (),
    wanted: TapeFilter = TapeFilter.ALL,
    skip: int = 0,
    tick: Micros | None = None,
    ascii_only: bool = False,
) -> tuple[Line, ...]:
    """Show as many trades as there are lines, from the newest or after some that are skipped.

    One that was ours carries a mark.
    """
    shown = filter_prints(view.prints, fills, wanted, skip + height)[skip:]
    if not shown:
        words = "No trades yet." if not view.prints else f"No trade here is {_missing(wanted)}."
        return (fit_line((Cell(words, Role.DIM),), width, ascii_only=ascii_only),)
    return tuple(
        paint_print(trade, width, own=own, tick=tick, ascii_only=ascii_only) for trade, own in shown
    )


def paint_print(
    trade: TradePrint,
    width: int,
    *,
    own: bool = False,
    tick: Micros | None = None,
    ascii_only: bool = False,
) -> Line:
    """Show side, price, size and time; a narrow pane goes without the time, then the side."""
    is_buy = trade.side is Side.BUY
    role = Role.BID if is_buy else Role.ASK
    price = format_price(trade.price, tick=tick, width=_PRICE, ascii_only=ascii_only)
    size = format_size_compact(trade.size, width=_SIZE)
    time = f"{trade.at.astimezone():%H:%M:%S}"
    cells = [Cell(f"{price} ", role), Cell(size)]
    if width >= _WITHOUT_TIME:
        cells.insert(0, Cell(f"{trade.side.value:<{_SIDE}} ", role))
    if own:
        cells[0] = Cell(cells[0].text, Role.OWN_ORDER, Emphasis.BOLD)
        cells.append(Cell("*", Role.OWN_ORDER, Emphasis.BOLD))
    else:
        cells.append(Cell(" "))
    if width >= WIDTH:
        cells.append(Cell(time, Role.DIM))
    return fit_line(tuple(cells), width, ascii_only=ascii_only)


def _missing(wanted: TapeFilter) -> str:
    return "yours" if wanted is TapeFilter.OWN else f"of {wanted.value:,} shares or more"
