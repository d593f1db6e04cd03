"""Panes of painted lines on the trading screen: the tape, and what is ours."""

from typing import ClassVar

from typing_extensions import override

from pmtui.domain.conditional import Conditional
from pmtui.domain.money import Micros
from pmtui.domain.order import Fill, Order
from pmtui.domain.position import Position
from pmtui.domain.tape import TapeFilter
from pmtui.service.views import TapeView
from pmtui.ui.cells import Cell, Line, fit_line
from pmtui.ui.paint.conditional import paint_protection
from pmtui.ui.paint.position import paint_own_orders, paint_positions
from pmtui.ui.paint.tape import paint_tape
from pmtui.ui.theme import Role
from pmtui.ui.widgets.line_pane import LinePane


class TapePane(LinePane):
    """Public trades of the outcome on show."""

    TITLE: ClassVar[str] = "Trades"
    DEFAULT_CSS = "TapePane { height: 1fr; }"

    _view = TapeView((), 0)
    _tick: Micros | None = None
    _fills: tuple[Fill, ...] = ()
    _shown: tuple[object, ...] = ()
    _wanted = TapeFilter.ALL

    def show(
        self, view: TapeView, *, fills: tuple[Fill, ...] = (), tick: Micros | None = None
    ) -> None:
        """Show these trades, and which of them were ours."""
        shown = (view.sequence, view.prints[:1], fills, tick)
        if shown != self._shown:
            self._shown = shown
            self._view, self._fills, self._tick = view, fills, tick
            self.repaint()

    def next_filter(self) -> TapeFilter:
        """Change to the next filter and return it."""
        self._wanted = self._wanted.next
        self.repaint()
        return self._wanted

    @override
    def title(self) -> Line:
        return (Cell(self.TITLE, Role.HEADING), Cell(f"  {self._wanted.words}", Role.KEY))

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        return paint_tape(
            self._view, width, height, fills=self._fills, wanted=self._wanted, tick=self._tick,
            ascii_only=self.ascii_only,
        )  # fmt: skip


class PositionPane(LinePane):
    """Shares of both outcomes, at the value that the whole program shows."""

    DEFAULT_CSS = "PositionPane { height: 2; }"

    _positions: tuple[Position, ...] = ()
    _labels: tuple[str, ...] = ()
    _words = ""

    def show(
        self,
        positions: tuple[Position, ...],
        *,
        labels: tuple[str, ...],
        words: str = "",
    ) -> None:
        """Show these positions, or say why they are not known."""
        self._positions, self._labels, self._words = positions, labels, words
        self.repaint()

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        if self._words:
            return _say(self._words, width, ascii_only=self.ascii_only)
        return paint_positions(self._positions, self._labels, width, ascii_only=self.ascii_only)


class OrdersPane(LinePane):
    """Open orders in this market."""

    TITLE: ClassVar[str] = "Own orders"

    _orders: tuple[Order, ...] = ()
    _conditionals: tuple[Conditional, ...] = ()

    def show(
        self, orders: tuple[Order, ...], *, conditionals: tuple[Conditional, ...] = ()
    ) -> None:
        """Show these orders, and below them what this program alone watches over."""
        self._orders, self._conditionals = orders, conditionals
        self.repaint()

    @override
    def title(self) -> Line:
        count = f"  {len(self._orders)}" if self._orders else ""
        return (Cell(self.TITLE, Role.HEADING), Cell(count, Role.DIM))

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        ascii_only = self.ascii_only
        watched = tuple(
            fit_line(paint_protection(each), width, ascii_only=ascii_only)
            for each in self._conditionals
        )
        room = max(1, height - len(watched))
        if watched and not self._orders:
            return watched[:height]
        return (*paint_own_orders(self._orders, width, room, ascii_only=ascii_only), *watched)


def _say(words: str, width: int, *, ascii_only: bool) -> tuple[Line, ...]:
    return (fit_line((Cell(words, Role.DIM),), width, ascii_only=ascii_only),)
