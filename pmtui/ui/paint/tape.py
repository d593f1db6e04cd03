"""The tape: public trades, newest first, one a line."""

from collections import deque
from datetime import datetime

from pmtui.domain.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.order import Fill, TradePrint
from pmtui.domain.tape import TapeFilter, filter_prints
from pmtui.domain.tape_gaps import TapeGap
from pmtui.service.views import TapeView
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.format import format_price, format_size_compact
from pmtui.ui.theme import Role

_TIME, _SIDE, _PRICE, _SIZE, _OWN = 8, 4, 6, 8, 1
WIDTH = _TIME + _SIDE + _PRICE + _SIZE + _OWN + 2
_WITHOUT_TIME = WIDTH - _TIME - 1
_NONE = Micros(0)


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

    One that was ours carries a mark, and how much of it where that is less than all; where trades
    may be missing between two, a line says so.
    """
    passed = filter_prints(view.prints, fills, wanted, skip + height)
    newer = passed[skip - 1][0].at if 0 < skip <= len(passed) else None
    gaps = deque(gap for gap in view.gaps if newer is None or gap.after < newer)
    lines: list[Line] = []
    for trade, own in passed[skip:]:
        while gaps and gaps[0].after >= trade.at:
            lines.append(paint_gap(gaps.popleft(), width, ascii_only=ascii_only))
        lines.append(paint_print(trade, width, own=own, tick=tick, ascii_only=ascii_only))
    lines += [paint_gap(gap, width, ascii_only=ascii_only) for gap in gaps]
    if not passed[skip:]:
        words = "No trades yet." if not view.prints else f"No trade here is {_missing(wanted)}."
        lines.append(fit_line((Cell(words, Role.DIM),), width, ascii_only=ascii_only))
    return tuple(lines[:height])


def paint_gap(gap: TapeGap, width: int, *, ascii_only: bool = False) -> Line:
    """Say from when on, or between when, trades may be missing; in fewer words where it is narrow."""
    since, until = (_time(at) for at in (gap.after, gap.before or gap.after))
    words: tuple[str, ...]
    if gap.before is None:
        words = (
            f"No trades heard since {since}",
            f"nothing heard since {since}",
            f"unheard {since}",
        )
    elif not gap.is_final:
        words = (f"Fetching trades from {since}", f"fetching {since}")
    else:
        words = (f"Missing trades {since}-{until}", f"gap {since}-{until}", f"gap {since}")
    text = next((each for each in words if len(each) <= width), words[-1])
    return fit_line((Cell(text, Role.NOTICE_WARN),), width, ascii_only=ascii_only)


def paint_print(
    trade: TradePrint,
    width: int,
    *,
    own: Micros = _NONE,
    tick: Micros | None = None,
    ascii_only: bool = False,
) -> Line:
    """Show side, price, size and time; a narrow pane goes without the time, then the side."""
    is_buy = trade.side is Side.BUY
    role = Role.BID if is_buy else Role.ASK
    price = format_price(trade.price, tick=tick, width=_PRICE, ascii_only=ascii_only)
    size = format_size_compact(trade.size, width=_SIZE)
    time = _time(trade.at)
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
    if 0 < own < trade.size:
        part = Cell(f" {format_size_compact(own)} own", Role.OWN_ORDER)
        if line_width((*cells, part)) <= width:
            cells.append(part)
    return fit_line(tuple(cells), width, ascii_only=ascii_only)


def _time(at: datetime) -> str:
    return f"{at.astimezone():%H:%M:%S}"


def _missing(wanted: TapeFilter) -> str:
    return "yours" if wanted is TapeFilter.OWN else f"of {wanted.value:,} shares or more"
