"""The panes around the positions on a screen with room: equity, today, risk, and profit by event."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Horizontal
from typing_extensions import override

from pmtui.domain.account.pnl import day_of, midnight_before, since
from pmtui.ui.cells import Cell, Line
from pmtui.ui.facts import paint_gain
from pmtui.ui.format import format_money
from pmtui.ui.portfolio.paint_portfolio import Portfolio, unrealized_in
from pmtui.ui.portfolio.paint_summary import (
    draw_equity,
    exposure_in,
    paint_equity_value,
    paint_profits,
    paint_risk,
    paint_today,
    profits_in,
    transfers_on,
)
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_pane import LinePane
from pmtui.ui.widgets.panel import Panel

Painter = Callable[[int, int], tuple[Line, ...]]


class FigurePane(LinePane):
    """Shows what it is handed, under a title with the value that matters."""

    def __init__(self, name: str, *, id: str) -> None:  # noqa: A002 - Textual's word
        """Start empty, under a name."""
        super().__init__(id=id)
        self._heading = name
        self._value: Line = ()
        self._inputs: object = None
        self._painter: Painter | None = None

    def show(self, inputs: object, value: Line, painter: Painter) -> None:
        """Show other figures; the same inputs again cost nothing."""
        if inputs != self._inputs or self._painter is None:
            self._inputs, self._value, self._painter = inputs, value, painter
            self.repaint()

    @override
    def title(self) -> Line:
        return (Cell(self._heading, Role.HEADING),)

    @override
    def value(self) -> Line:
        return self._value

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        return () if self._painter is None else self._painter(width, height)


class Summary(Horizontal):
    """Equity, today and risk, side by side above the positions."""

    DEFAULT_CSS = """
    Summary { height: 9; display: none; }
    Summary Panel { width: 1fr; }
    Summary #today-panel, Summary #risk-panel { width: 34; }
    """

    def __init__(self, surface: Surface) -> None:
        """Build the panes of one account."""
        super().__init__(id="summary")
        self._surface = surface
        self._equity = FigurePane("EQUITY today", id="equity")
        self._today = FigurePane("TODAY (UTC)", id="today")
        self._risk = FigurePane("RISK", id="risk")
        self.profit_rows = 1
        """Lines that tell of profits."""
        self.profits = FigurePane("PROFIT BY EVENT to date, gross", id="profits")

    @override
    def compose(self) -> ComposeResult:
        yield Panel(self._equity)
        yield Panel(self._today, id="today-panel")
        yield Panel(self._risk, id="risk-panel")

    def show(self, own: Portfolio) -> None:
        """Show how things stand now."""
        queries = self._surface.queries
        status, now = queries.status(), queries.now()
        equity, figures = status.portfolio_value, status.day_figures
        points = since(queries.activity().equity, midnight_before(now))
        # The title goes with the status line and the panel of today; the curve with its samples.
        result = None if figures is None else figures.total
        self._equity.show(
            (points, equity, result), paint_equity_value(equity, result),
            lambda w, h: draw_equity(points, w, h),
        )  # fmt: skip
        day = now.date()
        total: Line = () if figures is None else (paint_gain(figures.total),)
        transfers = transfers_on(own.activity, day_of(now))
        gain = unrealized_in(own) if own.is_read else None
        self._today.show(
            (figures, equity, own.fills, day, transfers, gain), total,
            lambda _w, _h: paint_today(
                figures, equity, own.fills, now, transfers=transfers, since_purchase=gain
            ),
        )  # fmt: skip
        exposure = exposure_in(own) if own.is_read else None
        invested = () if exposure is None else (Cell(format_money(exposure.value)),)
        self._risk.show(
            (exposure, equity), invested, lambda _w, _h: paint_risk(exposure, equity)
        )  # fmt: skip
        found = profits_in(own) if own.is_read else None
        self.profit_rows = max(len(found or ()), 1)
        self.profits.show(found, (), lambda w, h: paint_profits(found, w, h))
