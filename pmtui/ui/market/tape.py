"""Panes of painted lines on the trading screen: the tape, the position and own orders.

The tape shows public trades, newest first, one a line; own trades are marked.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import BindingType
from textual.message import Message
from typing_extensions import override

from pmtui.domain.account.position import Position
from pmtui.domain.books.tape import TapeFilter, TapeGap, TapeRow, oldest_public, tape_rows
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order, TradePrint
from pmtui.service.views import TapeView
from pmtui.ui.cells import Cell, Emphasis, Line, blank_line, choose_form, fit_line, line_width
from pmtui.ui.format import (
    format_size_compact,
    format_whole_size,
    read_price,
    write_clock,
    zone_at,
)
from pmtui.ui.keys.actions import bindings_of
from pmtui.ui.portfolio.paint_position import (
    NOTHING_PAID,
    PositionFacts,
    gain_forms,
    net_of,
    paint_net,
    paint_position_facts,
    paint_positions,
)
from pmtui.ui.portfolio.paint_working import (
    WorkingOrder,
    head_rows,
    mark_working_row,
    paint_own_orders,
    paint_working_details,
    paint_working_head,
    paint_working_row,
)
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_pane import LinePane, ScrollingPane

_TIME, _SIDE, _PRICE, _OWN = 9, 5, 7, 3
"""Side and price include the blank after them, the time the blank before it; `_OWN` is a blank, the
mark of an own trade and its side."""
_SIZE, _MIDDLE_SIZE, _NARROW_SIZE = 7, 6, 5
WIDTH = _SIDE + _PRICE + _SIZE + _OWN + _TIME
_MINUTE = timedelta(minutes=1)
_DID = {Side.BUY: "bought", Side.SELL: "sold", None: "bought and sold"}
_WORD = len(_DID[Side.BUY])
OWN_MARK = "◂"
"""The mark of own trades. No other sign on the screen becomes the same one in ASCII."""
_LETTERS = {Side.BUY: "B", Side.SELL: "S", None: " "}


class _Plan(NamedTuple):
    """The columns that fit: whole ones, because half a size is a wrong size."""

    side: bool
    size: int
    """0 if at most the price fits."""
    time: bool

    @property
    def width(self) -> int:
        return _SIDE * self.side + _PRICE + self.size + _OWN + _TIME * self.time


_PLANS = (
    _Plan(side=True, size=_SIZE, time=True),
    _Plan(side=True, size=_MIDDLE_SIZE, time=True),
    _Plan(side=True, size=_NARROW_SIZE, time=True),
    _Plan(side=True, size=_SIZE, time=False),
    _Plan(side=True, size=_NARROW_SIZE, time=False),
    _Plan(side=False, size=_SIZE, time=False),
    _Plan(side=False, size=_NARROW_SIZE, time=False),
    _Plan(side=False, size=0, time=False),
)
"""The widest first. The time is dropped first, and the side before the size."""


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
    """Paint trades from the newest, or from the one after `skip`, up to the height.

    Own trades are marked with their side, and their size if it is less than the whole; filtered to
    own trades, they show the own size. A line marks where trades may be missing, or where only own
    trades are known.
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
    """Paint since when, or between when, trades may be missing; abbreviated if narrow."""
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
    """Paint the aggressor's side, price, size and time, and the own side.

    A narrow pane drops the time, then the side.
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
        mark = f" {OWN_MARK}{_LETTERS[row.own_side]}"
        cells.append(Cell(mark, Role.OWN_ORDER, Emphasis.BOLD))
    else:
        cells.append(Cell(" " * _OWN))
    when = (Cell(f" {write_clock(trade.at)}", Role.DIM),) if plan.time else ()
    if not row.own:
        return fit_line((*cells, *when), width)
    parts = _own_parts(row)
    forms = [(*cells, *when, part) for part in parts]
    if row.own < trade.size:
        # How much of it was ours matters more than when it was.
        forms += [(*cells, part) for part in parts]
    return fit_line(choose_form((*forms, (*cells, *when)), width), width)


def _own_parts(row: TapeRow) -> tuple[Cell, ...]:
    """Return texts of what was ours of a trade, the longest first.

    Purchases and sales take the same cells: in a column where only one of the words fits, the other
    trades would look like somebody else's.
    """
    did, size = _DID[row.own_side], format_size_compact(row.own).strip()
    more = " " * (_WORD - len(did))
    is_whole = row.own >= row.trade.size
    texts = (
        (f"you {did}{more}", f"{did}{more}")
        if is_whole
        else (f"you {did} {size}{more}", f"you {size}", size)
    )
    return tuple(Cell(f" {text}", Role.OWN_ORDER) for text in texts)


def paint_rate(prints: Sequence[TradePrint], now: datetime) -> tuple[Line, ...]:
    """Paint how many trades the last minute had and how many shares, the longest form first."""
    recent = [trade for trade in prints if now - trade.at < _MINUTE]
    if not recent:
        return ()
    # More may have come than are kept.
    more = "+" if len(recent) == len(prints) else ""
    rate = Cell(f"{len(recent)}{more}/min", Role.TEXT)
    size = format_whole_size(Micros(sum(trade.size for trade in recent)), width=6).strip()
    return ((rate, Cell(" · sum ", Role.DIM), Cell(f"{size}{more}")), (rate,))


def times_end(width: int) -> int:
    """Return the width up to the end of the times; 0 if they do not fit."""
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


class TapePane(ScrollingPane):
    """Public trades of the outcome shown. When scrolled back, new trades do not move it."""

    TITLE: ClassVar[str] = "TAPE"
    DEFAULT_CSS = "TapePane { height: 1fr; }"

    _view = TapeView((), 0)
    _now: datetime | None = None
    _tick: Micros | None = None
    _fills: tuple[Fill, ...] = ()
    _shown: tuple[object, ...] = ()
    wanted = TapeFilter.ALL
    """The filter."""
    _held: TradePrint | None = None
    """The first trade shown when scrolled back."""

    def show(
        self, view: TapeView, *, now: datetime | None = None, fills: tuple[Fill, ...] = (),
        tick: Micros | None = None,
    ) -> None:  # fmt: skip
        """Show these trades, which of them were own, and what the last minute before `now` had."""
        self._now = now
        shown = (fills, tick)
        # The view changes only with news, though late trades may be inserted anywhere in it.
        if view is not self._view or shown != self._shown:
            self._shown = shown
            self._view, self._fills, self._tick = view, fills, tick
            self.repaint()
        elif self.panel is not None:
            # The rate falls with the clock alone.
            self.panel.show_title(*self.titles())

    def next_filter(self) -> TapeFilter:
        """Switch to the next filter and return it."""
        self.wanted, self._held = self.wanted.next, None
        self.repaint()
        return self.wanted

    @override
    def title(self) -> Line:
        newer = self._place()
        above = Cell(f"  {newer} newer above", Role.NOTICE_WARN) if newer else Cell("")
        name, wanted = Cell(self.TITLE, Role.HEADING), Cell(f"  {self.wanted.words}", Role.KEY)
        if line_width((name, wanted)) >= self.title_width:
            # The filter matters more than the pane's name.
            name, wanted = Cell(""), wanted._replace(text=self.wanted.words)
        return name, wanted, above

    @override
    def value(self) -> Line:
        """Return the rate of the last minute, and the zone of the times."""
        prints = self._view.prints
        has_times = prints and times_end(self.size.width)
        zone: Line = (Cell(zone_at(prints[0].at), Role.DIM),) if has_times else ()
        rates = () if self._now is None else paint_rate(prints, self._now)
        gap = (Cell("  "),) if zone else ()
        forms = [(*rate, *gap, *zone) for rate in rates]
        room = self.title_width - line_width(self.title())
        return next((form for form in forms if line_width(form) <= room), zone)

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        return paint_tape(
            self._view, width, height, fills=self._fills, wanted=self.wanted, tick=self._tick,
            skip=self._place(),
        )  # fmt: skip

    @override
    def scroll_rows(self, rows: int) -> None:
        passed = self._passed()
        last = max(0, len(passed) - self.page_rows)
        place = min(max(self._place() + rows, 0), last)
        self._held = passed[place] if place else None
        self.repaint()

    def _passed(self) -> list[TradePrint]:
        prints = self._view.prints
        most = len(prints) + len(self._fills)
        return [row.trade for row in tape_rows(prints, self._fills, self.wanted, most)]

    def _place(self) -> int:
        """Return how many newer trades are above; 0 if the held trade is gone."""
        if self._held is None:
            return 0
        passed = self._passed()
        return passed.index(self._held) if self._held in passed else 0


class PositionPane(LinePane):
    """Shares of both outcomes, valued as everywhere in the program; on tall screens exit and stops too."""

    DEFAULT_CSS = "PositionPane { height: 1fr; }"

    _positions: tuple[Position, ...] = ()
    _labels: tuple[str, ...] = ()
    _words = ""
    _are_known = True
    _facts: PositionFacts | None = None
    _fees: Mapping[TokenId, Micros] = NOTHING_PAID

    def show(
        self,
        positions: tuple[Position, ...],
        *,
        labels: tuple[str, ...],
        words: str = "",
        are_known: bool = True,
        facts: PositionFacts | None = None,
        fees: Mapping[TokenId, Micros] = NOTHING_PAID,
    ) -> None:
        """Show these positions, why they are unknown, or that there may be others."""
        self._positions, self._labels, self._words = positions, labels, words
        self._are_known, self._facts, self._fees = are_known, facts, fees
        self.repaint()

    @override
    def title(self) -> Line:
        """Return the pane's name; the net size in its place where only one of them fits."""
        name, net, gains = (Cell("POSITION", Role.HEADING),), self._net, self._gains
        if net and gains and line_width((*name, *net[1:], *gains[-1])) + 2 > self.title_width:
            return net[1:]
        return name

    @property
    def _net(self) -> Line:
        return () if self._words else net_of(self._positions, self._labels)

    @property
    def _gains(self) -> tuple[Line, ...]:
        return () if self._words else gain_forms(self._positions, self._fees)

    @override
    def value(self) -> Line:
        """Return the unrealised gain, after the net size if both fit."""
        gains, net = self._gains, self._net
        if net and self.title() == net[1:]:
            net = ()
        gap = Cell("  ")
        forms = [(*net, gap, *gain) for gain in gains if net]
        forms += [(*net[1:], Cell(" "), *gains[-1])] if net and gains else []
        forms += [*gains] or [net]
        room = self.title_width - line_width(self.title())
        return choose_form(forms, room)

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        if self._words:
            return (fit_line((Cell(self._words, Role.DIM),), width),)
        held = sum(1 for position in self._positions if position.size)
        lines = paint_positions(
            self._positions, self._labels, width, are_known=self._are_known,
            is_gain_told=held == 1 and bool(self.value()), fees=self._fees,
        )  # fmt: skip
        if self._facts is None or height <= len(lines):
            return lines
        facts = paint_position_facts(self._facts, width)
        if net := paint_net(self._positions, self._labels, self._facts.net, width):
            facts = (net, *facts)
        return (*lines, *(fit_line(line, width) for line in facts))[:height]


class OrdersPane(ScrollingPane):
    """Open orders in this market; with the focus, keys act on the selected one."""

    TITLE: ClassVar[str] = "WORKING"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("global.open")

    @dataclass
    class Picked(Message):
        """The trader wants to see an order on the ladder."""

        order: Order

    _rows: tuple[WorkingOrder, ...] = ()
    _protections: tuple[tuple[Line, ...], ...] = ()
    _guards = ""
    _cursor: OrderId | None = None
    _index = 0
    """The cursor's line, for when its order is gone."""
    _first = 0

    @property
    def selected(self) -> Order | None:
        """The selected order; None without the focus."""
        return self._at_cursor() if self.has_focus else None

    @property
    def line_count(self) -> int:
        """How many orders and stops there are."""
        return len(self._rows) + len(self._protections)

    def show(
        self, rows: tuple[WorkingOrder, ...], *, protections: tuple[tuple[Line, ...], ...] = (),
        guards: str = "",
    ) -> None:  # fmt: skip
        """Show these orders, the stops below them, and how many of these there are, in words."""
        self._rows, self._protections, self._guards = rows, protections, guards
        self.repaint()

    def forget_cursor(self) -> None:
        """Remove the cursor because other orders come."""
        self._cursor, self._index, self._first = None, 0, 0

    @override
    def scroll_rows(self, rows: int) -> None:
        _ = self._at_cursor()
        self._point_at(self._index + rows)

    def action_open(self) -> None:
        """Show the selected order on the ladder."""
        order = self._at_cursor()
        if order is not None:
            self.post_message(self.Picked(order))

    def on_click(self, event: events.Click) -> None:
        """Select the clicked order; a double click shows it on the ladder."""
        offset = event.get_content_offset(self)
        row = -1 if offset is None else offset.y - self.title_rows - head_rows(self._list_rows)
        if not 0 <= row < len(self._rows) - self._first:
            return
        event.stop()
        self._point_at(self._first + row)
        if event.chain == 2:
            self.action_open()

    def _point_at(self, index: int) -> None:
        if self._rows:
            self._index = min(max(index, 0), len(self._rows) - 1)
            self._cursor = self._rows[self._index].order.order_id
        self.repaint()

    def _at_cursor(self) -> Order | None:
        if not self._rows:
            return None
        ids = [row.order.order_id for row in self._rows]
        if self._cursor in ids:
            self._index = ids.index(self._cursor)
        else:
            # When an order ends, keys must not act on another one until the trader selects it.
            self._index = min(self._index, len(ids) - 1)
            if self._cursor is not None:
                return None
            self._cursor = ids[self._index]
        return self._rows[self._index].order

    @property
    def _list_rows(self) -> int:
        """The lines for orders and their column titles."""
        return max(1, self.page_rows - len(self._protections))

    @override
    def title(self) -> Line:
        counts = [str(len(self._rows))] if self._rows else []
        if self._guards:
            counts.append(self._guards)
        text = f"  {' · '.join(counts)}" if counts else ""
        return (Cell(self.TITLE, Role.HEADING), Cell(text, Role.DIM))

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        watched = tuple(fit_line(choose_form(each, width), width) for each in self._protections)
        room = max(1, height - len(watched))
        if watched and not self._rows:
            return watched[:height]
        if self.has_focus and self._rows:
            return (*self._paint_with_cursor(width, room), *watched)
        return (*paint_own_orders(self._rows, width, room), *watched)

    def _paint_with_cursor(self, width: int, room: int) -> tuple[Line, ...]:
        order = self._at_cursor()
        heads = head_rows(room)
        room -= heads
        self._first = min(max(self._first, self._index - room + 1), self._index)
        shown = self._rows[self._first : self._first + room]
        rows = (
            mark_working_row(line) if row.order is order else line
            for row in shown
            for line in (paint_working_row(row, width),)
        )
        lines = (*((paint_working_head(width),) if heads else ()), *rows)
        return (*lines, *self._details(width)) if len(shown) < room else lines

    def _details(self, width: int) -> tuple[Line, ...]:
        """Return a line with what the columns leave out of the selected order."""
        order = self._at_cursor()
        found = (row for row in self._rows if row.order is order)
        return tuple(line for row in found if (line := paint_working_details(row, width)))
