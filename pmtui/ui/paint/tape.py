"""The tape: public trades, newest first, one a line."""

from pmtui.domain.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.order import TradePrint
from pmtui.service.views import TapeView
from pmtui.ui.cells import Cell, Line, fit_line
from pmtui.ui.format import format_price, format_size_compact
from pmtui.ui.theme import Role

_TIME, _SIDE, _PRICE, _SIZE = 8, 4, 6, 8
WIDTH = _TIME + _SIDE + _PRICE + _SIZE + 3
_WITHOUT_TIME = WIDTH - _TIME - 1


def paint_tape(
    view: TapeView,
    width: int,
    height: int,
    *,
    tick: Micros | None = None,
    ascii_only: bool = False,
) -> tuple[Line, ...]:
    """Show as many trades as there are lines."""
    if not view.prints:
        return (fit_line((Cell("No trades yet.", Role.DIM),), width, ascii_only=ascii_only),)
    return tuple(
        paint_print(trade, width, tick=tick, ascii_only=ascii_only)
        for trade in view.prints[:height]
    )


def paint_print(
    trade: TradePrint, width: int, *, tick: Micros | None = None, ascii_only: bool = False
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
    if width >= WIDTH:
        cells.append(Cell(f" {time}", Role.DIM))
    return fit_line(tuple(cells), width, ascii_only=ascii_only)
