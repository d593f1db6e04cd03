"""The tape: public trades, newest first, one a line."""

from collections import deque
from dataclasses import replace
from typing import NamedTuple

from pmtui.domain.books.tape import TapeFilter, TapeGap, TapeRow, oldest_public, tape_rows
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill
from pmtui.service.views import TapeView
from pmtui.ui.cells import Cell, Emphasis, Line, blank_line, fit_line, line_width
from pmtui.ui.format import format_size_compact, format_whole_size
from pmtui.ui.theme.theme import Role
from pmtui.ui.units import read_price, write_clock

_TIME, _SIDE, _PRICE, _OWN = 9, 5, 7, 2
"""Side and price with the blank after them; the sign of an own trade and what we did; the time with
the blank before it."""
_SIZE, _NARROW_SIZE = 7, 5
WIDTH = _SIDE + _PRICE + _SIZE + _OWN + _TIME
_DID = {Side.BUY: "bought", Side.SELL: "sold", None: "bought and sold"}
OWN_MARK = "◂"
"""Before what we did in a trade. No other sign of the screen becomes the same one in ASCII."""
_LETTERS = {Side.BUY: "B", Side.SELL: "S", None: " "}


class _Plan(NamedTuple):
    """The columns there is room for: whole ones, because half a size is a wrong size."""

    side: bool
    size: int
    """0 where there is room for the price at most."""
    time: bool

    @property
    def width(self) -> int:
        return _SIDE * self.side + _PRICE + self.size + _OWN + _TIME * self.time


_PLANS = (
    _Plan(side=True, size=_SIZE, time=True),
    _Plan(side=True, size=_NARROW_SIZE, time=True),
    _Plan(side=True, size=_SIZE, time=False),
    _Plan(side=True, size=_NARROW_SIZE, time=False),
    _Plan(side=False, size=_SIZE, time=False),
    _Plan(side=False, size=_NARROW_SIZE, time=False),
    _Plan(side=False, size=0, time=False),
)
"""From the widest. The time goes first, the size never before the side."""


def paint_tape(
    view: TapeView,
    width: int,
    height: int,
    *,
    fills: tuple[Fill, ...] = (),
    wanted: TapeFilter = TapeFilter.ALL,
    skip: int = 0,
    tick: Micros | None = None,
) -> tuple[Line, ...]:
    """Show as many trades as there are lines, from the newest or after some that are skipped.

    One that was ours carries a mark and what we did, and how much of it where that is less than
    all; alone, ours are shown in our own size. Where trades may be missing between two, or only ours
    are known, a line says so.
    """
    passed = tape_rows(view.prints, fills, wanted, skip + height)
    newer = passed[skip - 1].trade.at if 0 < skip <= len(passed) else None
    gaps = deque(gap for gap in view.gaps if newer is None or gap.after < newer)
    begins = oldest_public(view.prints) if view.prints and wanted is not TapeFilter.OWN else None
    lines: list[Line] = []
    for row in passed[skip:]:
        while gaps and gaps[0].after >= row.trade.at:
            lines.append(paint_gap(gaps.popleft(), width))
        if begins is not None and row.trade.at < begins:
            begins = None
            begin = (Cell("Older: your fills only", Role.DIM),)
            lines.append(fit_line(begin, width))
        own = row._replace(trade=replace(row.trade, size=row.own))
        shown = own if wanted is TapeFilter.OWN else row
        lines.append(paint_row(shown, width, tick=tick))
    lines += [paint_gap(gap, width) for gap in gaps]
    if not passed[skip:]:
        nothing = not view.prints and wanted is not TapeFilter.OWN
        words = "No trades yet." if nothing else _none_of(wanted)
        lines.append(fit_line((Cell(words, Role.DIM),), width))
    return tuple(lines[:height])


def paint_gap(gap: TapeGap, width: int) -> Line:
    """Say from when on, or between when, trades may be missing; in fewer words where it is narrow."""
    since, until = (write_clock(at) for at in (gap.after, gap.before or gap.after))
    words: tuple[str, ...]
    if gap.before is None:
        words = (
            f"No trades received since {since}",
            f"none received {since}",
            f"no data {since}",
        )
    elif not gap.is_final:
        words = (f"Fetching trades from {since}", f"fetching {since}")
    else:
        words = (f"Missing trades {since}-{until}", f"gap {since}-{until}", f"gap {since}")
    text = next((each for each in words if len(each) <= width), words[-1])
    return fit_line((Cell(text, Role.NOTICE_WARN),), width)


def paint_row(row: TapeRow, width: int, *, tick: Micros | None = None) -> Line:
    """Show the aggressor's side, price, size and time, and what we did in it.

    A narrow pane goes without the time, then the side.
    """
    plan, trade = _plan_for(width), row.trade
    if plan is None:
        return blank_line(width)
    role = Role.BID if trade.side is Side.BUY else Role.ASK
    price = read_price(trade.price, tick=tick, width=_PRICE - 1)
    cells = [Cell(f"{trade.side.value:<{_SIDE}}", role)] if plan.side else []
    cells += [Cell(f"{price} ", role)]
    if plan.size:
        cells.append(Cell(format_whole_size(trade.size, width=plan.size)))
    if row.own:
        mark = OWN_MARK + _LETTERS[row.own_side]
        cells.append(Cell(mark, Role.OWN_ORDER, Emphasis.BOLD))
    else:
        cells.append(Cell(" " * _OWN))
    if plan.time:
        cells.append(Cell(f" {write_clock(trade.at)}", Role.DIM))
    if row.own:
        who = "you" if row.own >= trade.size else f"you {_DID[row.own_side]}"
        what = _DID[row.own_side] if who == "you" else format_size_compact(row.own)
        for text in (f" {who} {what}", f" {what}"):
            part = Cell(text, Role.OWN_ORDER)
            if line_width((*cells, part)) <= width:
                cells.append(part)
                break
    return fit_line(tuple(cells), width)


def times_end(width: int) -> int:
    """Return the cells up to the end of the times; 0 where there is no room for them."""
    plan = _plan_for(width)
    if plan is None or not plan.time:
        return 0
    return min(width, plan.width)


def _plan_for(width: int) -> _Plan | None:
    return next((plan for plan in _PLANS if plan.width <= width), None)


def _none_of(wanted: TapeFilter) -> str:
    if wanted is TapeFilter.OWN:
        return "None of your fills in view."
    return f"No trades of {wanted.value:,}+, none of yours."
