"""The panes above and below the positions: equity, today, risk and profit by event."""

from collections.abc import Callable, Sequence
from datetime import date, datetime

from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from typing_extensions import override

from pmtui.domain.account.exposure import EventProfit, Exposure, exposure_of, profit_by_event
from pmtui.domain.account.pnl import (
    DayFigures,
    EquityPoint,
    day_of,
    fills_of_day,
    midnight_before,
    since,
)
from pmtui.domain.account.position import Activity
from pmtui.domain.formats import count
from pmtui.domain.money import ZERO, Micros, cents_near, ratio_floor
from pmtui.domain.orders.order import Fill, Liquidity
from pmtui.ui.cells import Cell, Emphasis, Line, bar_text
from pmtui.ui.charts.equity import draw_equity
from pmtui.ui.facts import join_facts, name_fact, paint_gain
from pmtui.ui.format import (
    format_cost,
    format_money,
    format_money_change,
    format_percent,
)
from pmtui.ui.plain import cell_width, plain
from pmtui.ui.portfolio.paint_portfolio import Portfolio, unrealized_in
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role, sign_role
from pmtui.ui.widgets.line_pane import LinePane
from pmtui.ui.widgets.panel import Panel

_HUNDRED = 100
STACKED_FROM = 18
"""Rows from which today stands above risk, with room for all lines of both."""
_MOST_BAR = 60
_VALUE_ROOM = 16
"""Cells for a profit, the middle, and the blank after the name."""


def exposure_in(own: Portfolio) -> Exposure:
    """Return the exposure of all positions that are not resolved."""
    live = [p for p in own.account.positions if not p.is_redeemable]
    return exposure_of(live, own.events)


def profits_in(own: Portfolio) -> tuple[EventProfit, ...]:
    """Return the profit by event."""
    return profit_by_event(own.account.positions, own.closed, own.events)


def paint_equity_value(equity: Micros | None, today: Micros | None) -> Line:
    """Paint the equity and the day's result, which excludes transfers of cash."""
    if equity is None:
        return ()
    worth = Cell(format_money(equity), Role.HEADING, Emphasis.BOLD)
    if today is None:
        return (worth,)
    return (worth, Cell(f"  {format_money_change(today)}", sign_role(today)))


def until_now(
    points: tuple[EquityPoint, ...], equity: Micros | None, now: datetime
) -> tuple[EquityPoint, ...]:  # fmt: skip
    """Return the samples, continued to the current equity."""
    if equity is None or not points or points[-1].value == equity:
        return points
    return (*points, EquityPoint(max(now, points[-1].at), equity))


def paint_today(
    figures: DayFigures | None, fills: Sequence[Fill], now: datetime,
    *, transfers: Micros = ZERO, since_purchase: Micros | None = None,
) -> tuple[Line, ...]:  # fmt: skip
    """Paint the parts of the day's result, which add up to it, and the number of fills.

    Args:
        figures: the day's figures; None while unknown.
        fills: own fills of any day.
        now: the time.
        transfers: cash received today less cash sent: part of the equity, not of the result.
        since_purchase: the unrealised gain in the positions' rows; a note explains if it differs
            from the day's.
    """
    if figures is None:
        return ((Cell("The day's figures are loading.", Role.DIM),),)
    today = fills_of_day(fills, day_of(now))
    makers = sum(fill.liquidity is Liquidity.MAKER for fill in today)
    traded = count(len(today), "fill")
    if today:
        traded += f", {_HUNDRED * makers // len(today)}% maker"
    return (
        _fact("realised", paint_gain(figures.realized)),
        _fact("unrealised", paint_gain(figures.unrealized)),
        _fact("fees", Cell(format_money_change(Micros(-figures.fees)), Role.DIM)),
        *(
            (_fact("transfers", paint_gain(transfers)._replace(role=Role.DIM)),)
            if transfers
            else ()
        ),
        (Cell(traded, Role.DIM),),
        *(
            ((Cell("unrealised: since midnight", Role.DIM),),)
            if since_purchase not in (None, figures.unrealized)
            else ()
        ),
    )


def paint_today_value(figures: DayFigures | None, equity: Micros | None) -> Line:
    """Paint the day's result, and what part of the equity it is; empty while unknown."""
    if figures is None:
        return ()
    before = 0 if equity is None else equity - figures.total
    total = paint_gain(figures.total)
    total = total._replace(text=total.text.strip())
    if before <= 0:
        return (total,)
    share = format_percent(ratio_floor(figures.total, Micros(before)), decimals=2)
    return (total, Cell(f" {share}", sign_role(figures.total)))


def transfers_on(activity: Sequence[Activity], day: date) -> Micros:
    """Return the cash received on a day less the cash sent."""
    signs = {"DEPOSIT": 1, "WITHDRAWAL": -1}
    of_day = (each for each in activity if day_of(each.at) == day)
    return Micros(sum(signs.get(each.kind, 0) * (each.cash or 0) for each in of_day))


def paint_risk(exposure: Exposure | None, equity: Micros | None) -> tuple[Line, ...]:
    """Show what positions are worth and cost, and what comes of that value; None is not read yet."""
    if exposure is None:
        return ((Cell("The positions are not read yet.", Role.DIM),),)
    from_now = Cell("  from now", Role.DIM)
    lines = [
        (*_fact("value", Cell(format_money(exposure.value))), *_share(exposure.value, equity)),
        _fact("cost", Cell(format_cost(exposure.cost), Role.DIM)),
        (*_fact("worst case", paint_gain(exposure.if_worst)), from_now),
        (*_fact("best case", paint_gain(exposure.if_best)), from_now),
    ]
    if exposure.largest is not None and exposure.value:
        name, value = exposure.largest
        lines.append((*_fact("largest", Cell(format_money(value))), *_share(value, exposure.value)))
        lines.append((Cell(plain(name), Role.DIM),))
    return tuple(lines)


def paint_exposure_line(exposure: Exposure, equity: Micros | None, width: int) -> Line:
    """Paint equity and exposure in one line, for a screen without room for panes."""
    facts: list[Cell | Line] = []
    if equity is not None:
        facts.append(name_fact("equity", Cell(format_money(equity))))
    if exposure.cost or exposure.value:
        value = name_fact("exposure", Cell(format_money(exposure.value)))
        facts.append((*value, *_share(exposure.value, equity)))
        facts.append(name_fact("worst", paint_gain(exposure.if_worst)))
        facts.append(name_fact("best", paint_gain(exposure.if_best)))
    if exposure.largest is not None and exposure.value:
        name, value_of_it = exposure.largest
        largest = (Cell(plain(name, 24), Role.DIM), *_share(value_of_it, exposure.value))
        facts.append((Cell("largest ", Role.DIM), *largest))
    return join_facts(facts, width)


def paint_profits(
    profits: Sequence[EventProfit] | None, width: int, height: int
) -> tuple[Line, ...]:
    """Paint profits by event as bars from the middle: losses to the left, gains to the right.

    Args:
        profits: the largest first; None while they are not read.
        width: of the pane.
        height: of the pane.
    """
    if profits is None:
        return ((Cell("Not read yet.", Role.DIM),),)
    if not profits:
        return ((Cell("Nothing realised or held yet.", Role.DIM),),)
    # A profit shown as zero has no bar.
    cents = [cents_near(profit.total) for profit in profits]
    most = max(map(abs, cents)) or 1
    # The bars begin where the names end, and take the room that these leave.
    longest = max(cell_width(plain(profit.name)) for profit in profits[:height])
    name_width = max(min(longest, width - 2 * max(width // 4, 4) - _VALUE_ROOM), 8)
    bar = max(min((width - name_width - _VALUE_ROOM) // 2, _MOST_BAR), 4)
    lines = []
    for profit, shown in zip(profits[:height], cents, strict=False):
        loss = bar_text(max(-shown, 0), most, bar, is_from_right=True)
        gain = bar_text(max(shown, 0), most, bar)
        lines.append(
            (
                Cell(f"{plain(profit.name, name_width):<{name_width}} "),
                Cell(loss, Role.DOWN),
                Cell("│", Role.DIM),
                Cell(gain, Role.UP),
                Cell(f"{format_money_change(profit.total):>13}", sign_role(profit.total)),
            )
        )
    return tuple(lines)


_LABEL = 11


def _fact(name: str, value: Cell) -> Line:
    return (Cell(f"{name:<{_LABEL}}", Role.DIM), value._replace(text=f"{value.text:>11}"))


def _share(part: Micros, whole: Micros | None) -> Line:
    if not whole or whole < 0:
        return ()
    return (Cell(f"  {format_percent(ratio_floor(part, whole))}", Role.DIM),)


Painter = Callable[[int, int], tuple[Line, ...]]


class FigurePane(LinePane):
    """Shows given figures under a title with the main value."""

    def __init__(self, name: str, *, id: str) -> None:  # noqa: A002 - Textual's word
        """Start empty, with a name."""
        super().__init__(id=id)
        self._heading = name
        self._value: Line = ()
        self._inputs: object = None
        self._painter: Painter | None = None

    def show(self, inputs: object, value: Line, painter: Painter) -> None:
        """Show other figures; does nothing when the inputs are unchanged."""
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
    """Equity, today and risk above the positions: side by side, or with the equity beside the others."""

    DEFAULT_CSS = """
    Summary { height: 9; display: none; }
    Summary Panel { width: 1fr; }
    Summary #figures { width: 70; height: 100%; layout: horizontal; }
    Summary #today-panel { width: 34; }
    Summary #risk-panel { width: 36; }
    Summary.-stacked #figures { width: 36; layout: vertical; }
    Summary.-stacked #figures Panel { width: 100%; height: 1fr; }
    """

    def __init__(self, surface: Surface) -> None:
        """Build the panes of one account."""
        super().__init__(id="summary")
        self._surface = surface
        self._equity = FigurePane("EQUITY today", id="equity")
        self._today = FigurePane("TODAY (UTC)", id="today")
        self._risk = FigurePane("RISK", id="risk")
        self.profit_rows = 1
        """Lines with profits."""
        self.profits = FigurePane("PROFIT BY EVENT to date, gross", id="profits")

    @override
    def compose(self) -> ComposeResult:
        yield Panel(self._equity)
        with Container(id="figures"):
            yield Panel(self._today, id="today-panel")
            yield Panel(self._risk, id="risk-panel")

    def take(self, rows: int) -> None:
        """Take so many rows; from `STACKED_FROM` on the curve has the width, too."""
        self.styles.height = rows
        self.set_class(rows >= STACKED_FROM, "-stacked")

    def show(self, own: Portfolio) -> None:
        """Show the current figures."""
        queries = self._surface.queries
        status, now = queries.status(), queries.now()
        equity, figures = status.portfolio_value, status.day_figures
        points = since(queries.activity().equity, midnight_before(now))
        # Samples are apart: title, pane of today and the end of the curve follow the status line.
        result = None if figures is None else figures.total
        self._equity.show(
            (points, equity, result), paint_equity_value(equity, result),
            lambda w, h: draw_equity(until_now(points, equity, now), w, h),
        )  # fmt: skip
        day = now.date()
        transfers = transfers_on(own.activity, day_of(now))
        gain = unrealized_in(own) if own.is_read else None
        self._today.show(
            (figures, equity, own.fills, day, transfers, gain),
            paint_today_value(figures, equity),
            lambda _w, _h: paint_today(
                figures, own.fills, now, transfers=transfers, since_purchase=gain
            ),
        )  # fmt: skip
        exposure = exposure_in(own) if own.is_read else None
        value = () if exposure is None else (Cell(format_money(exposure.value)),)
        self._risk.show(
            (exposure, equity), value, lambda _w, _h: paint_risk(exposure, equity)
        )  # fmt: skip
        found = profits_in(own) if own.is_read else None
        self.profit_rows = max(len(found or ()), 1)
        self.profits.show(found, (), lambda w, h: paint_profits(found, w, h))
