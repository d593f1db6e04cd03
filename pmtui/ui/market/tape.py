"""Panes of painted lines on the trading screen: the tape, and what is ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from typing_extensions import override

from pmtui.domain.account.position import Position
from pmtui.domain.books.tape import TapeFilter, tape_rows
from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order, TradePrint
from pmtui.service.views import TapeView
from pmtui.ui.cells import Cell, Line, fit_line, line_width
from pmtui.ui.format import format_money_change, format_size
from pmtui.ui.keys.actions import bindings_of
from pmtui.ui.ladder.paint_ladder import profit_role
from pmtui.ui.market.paint_tape import paint_tape, times_end
from pmtui.ui.plain import plain
from pmtui.ui.portfolio.paint_position import OrderPlace, paint_own_orders, paint_positions
from pmtui.ui.theme.theme import Role
from pmtui.ui.units import zone_at
from pmtui.ui.widgets.line_pane import LinePane
from pmtui.ui.widgets.scrolling_pane import ScrollingPane


class TapePane(ScrollingPane):
    """Public trades of the outcome on show. Scrolled back it stands still, whatever is traded."""

    TITLE: ClassVar[str] = "TAPE"
    DEFAULT_CSS = "TapePane { height: 1fr; }"

    _view = TapeView((), 0)
    _tick: Micros | None = None
    _fills: tuple[Fill, ...] = ()
    _shown: tuple[object, ...] = ()
    wanted = TapeFilter.ALL
    """Which of them are shown."""
    _held: TradePrint | None = None
    """The first on show, where older ones are looked at."""

    def show(
        self, view: TapeView, *, fills: tuple[Fill, ...] = (), tick: Micros | None = None
    ) -> None:
        """Show these trades, and which of them were ours."""
        shown = (fills, tick)
        # The same view until it tells something new: trades fetched later may stand anywhere in it.
        if view is not self._view or shown != self._shown:
            self._shown = shown
            self._view, self._fills, self._tick = view, fills, tick
            self.repaint()

    def next_filter(self) -> TapeFilter:
        """Change to the next filter and return it."""
        self.wanted, self._held = self.wanted.next, None
        self.repaint()
        return self.wanted

    @override
    def title(self) -> Line:
        newer = self._place()
        above = Cell(f"  {newer} newer above", Role.NOTICE_WARN) if newer else Cell("")
        name, wanted = Cell(self.TITLE, Role.HEADING), Cell(f"  {self.wanted.words}", Role.KEY)
        if line_width((name, wanted)) >= self.title_width:
            # What is shown matters more than what it is called.
            name, wanted = Cell(""), wanted._replace(text=self.wanted.words)
        return name, wanted, above

    @override
    def value(self) -> Line:
        """Name the zone of the times."""
        prints = self._view.prints
        has_times = prints and times_end(self.size.width)
        return (Cell(zone_at(prints[0].at), Role.DIM),) if has_times else ()

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
        """Return how many newer trades are above; 0 when what was held is gone."""
        if self._held is None:
            return 0
        passed = self._passed()
        return passed.index(self._held) if self._held in passed else 0


class PositionPane(LinePane):
    """Shares of both outcomes, at the value that the whole program shows."""

    DEFAULT_CSS = "PositionPane { height: 2; }"

    _positions: tuple[Position, ...] = ()
    _labels: tuple[str, ...] = ()
    _words = ""
    _are_known = True

    def show(
        self,
        positions: tuple[Position, ...],
        *,
        labels: tuple[str, ...],
        words: str = "",
        are_known: bool = True,
    ) -> None:
        """Show these positions, or say why they are not known, or that others may be held."""
        self._positions, self._labels, self._words = positions, labels, words
        self._are_known = are_known
        self.repaint()

    @override
    def title(self) -> Line:
        return (Cell("POSITION", Role.HEADING),)

    @override
    def value(self) -> Line:
        if not self._words and (net := self._net()):
            # The lines below tell the gain of each.
            return net
        gains = [p.unrealized for p in self._positions if p.size]
        if self._words or not gains or None in gains:
            return ()
        gain = Micros(sum(each for each in gains if each is not None))
        return (Cell(f"{format_money_change(gain)}", profit_role(gain)), Cell(" at mid", Role.DIM))

    def _net(self) -> Line:
        """Say what both outcomes come to where any of the second one is held."""
        held = {p.outcome_index: p.size for p in self._positions if p.size}
        if len(self._labels) != 2 or not held.get(1):
            return ()
        net = Micros(held.get(0, 0) - held[1])
        sign = "-" if net < 0 else "+" if net else ""
        text = f"{sign}{format_size(Micros(abs(net)))} {plain(self._labels[0], 12)}"
        role = Role.ASK if net < 0 else Role.BID
        return (Cell("net ", Role.DIM), Cell(text, role))

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        if self._words:
            return _paint_words(self._words, width)
        return paint_positions(
            self._positions, self._labels, width, are_known=self._are_known,
        )  # fmt: skip


class OrdersPane(ScrollingPane):
    """Open orders in this market; with the focus, one of them is the one that keys act on."""

    TITLE: ClassVar[str] = "WORKING"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("global.open")

    @dataclass
    class Picked(Message):
        """The trader wants to see an order on the ladder."""

        order: Order

    _orders: tuple[Order, ...] = ()
    _protections: tuple[Line, ...] = ()
    _places: Mapping[OrderId, OrderPlace] = MappingProxyType({})
    _cursor: OrderId | None = None
    _index = 0
    """Where the cursor stood, for when its order is gone."""
    _first = 0

    @property
    def selected(self) -> Order | None:
        """The order under the cursor; None without the focus."""
        return self._at_cursor() if self.has_focus else None

    def show(
        self, orders: tuple[Order, ...], *, protections: tuple[Line, ...] = (),
        places: Mapping[OrderId, OrderPlace] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        """Show these orders and where they stand, and what this program alone watches over."""
        self._orders, self._protections, self._places = orders, protections, places
        self.repaint()

    def forget_cursor(self) -> None:
        """Point at no order: others come."""
        self._cursor, self._index, self._first = None, 0, 0

    @override
    def scroll_rows(self, rows: int) -> None:
        _ = self._at_cursor()
        self._point_at(self._index + rows)

    def action_open(self) -> None:
        """Show the order under the cursor on the ladder."""
        order = self._at_cursor()
        if order is not None:
            self.post_message(self.Picked(order))

    def on_click(self, event: events.Click) -> None:
        """Point at the order clicked; a double click shows it on the ladder."""
        offset = event.get_content_offset(self)
        row = -1 if offset is None else offset.y - self.title_rows
        if not 0 <= row < len(self._orders) - self._first:
            return
        event.stop()
        self._point_at(self._first + row)
        if event.chain == 2:
            self.action_open()

    def _point_at(self, index: int) -> None:
        if self._orders:
            self._index = min(max(index, 0), len(self._orders) - 1)
            self._cursor = self._orders[self._index].order_id
        self.repaint()

    def _at_cursor(self) -> Order | None:
        if not self._orders:
            return None
        ids = [order.order_id for order in self._orders]
        if self._cursor in ids:
            self._index = ids.index(self._cursor)
        else:
            # What keys act on must not change by itself when an order ends: the next key points.
            self._index = min(self._index, len(ids) - 1)
            if self._cursor is not None:
                return None
            self._cursor = ids[self._index]
        return self._orders[self._index]

    @override
    def title(self) -> Line:
        count = f"  {len(self._orders)}" if self._orders else ""
        return (Cell(self.TITLE, Role.HEADING), Cell(count, Role.DIM))

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        watched = tuple(fit_line(line, width) for line in self._protections)
        room = max(1, height - len(watched))
        if watched and not self._orders:
            return watched[:height]
        if self.has_focus and self._orders:
            return (*self._paint_with_cursor(width, room), *watched)
        return (*paint_own_orders(self._orders, width, room, places=self._places), *watched)

    def _paint_with_cursor(self, width: int, room: int) -> tuple[Line, ...]:
        order = self._at_cursor()
        self._first = min(max(self._first, self._index - room + 1), self._index)
        shown = self._orders[self._first : self._first + room]
        lines = paint_own_orders(shown, width - 1, room, places=self._places)
        mark = "▸"
        return tuple(
            (Cell(mark if own is order else " ", Role.KEY), *line)
            for own, line in zip(shown, lines, strict=True)
        )


def _paint_words(words: str, width: int) -> tuple[Line, ...]:
    return (fit_line((Cell(words, Role.DIM),), width),)
