"""The chart of one outcome's prices."""

from collections.abc import Sequence
from datetime import datetime

from typing_extensions import override

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import PriceLine
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, TradePrint
from pmtui.service.views import HistoryView
from pmtui.ui.cells import Cell, Line
from pmtui.ui.charts.paint_chart import (
    ChartData,
    ChartStyle,
    add_out_of_range,
    chart_words,
    draw_chart,
    mark_price,
    paint_chart_title,
)
from pmtui.ui.charts.plot import Drawing
from pmtui.ui.terminal.ascii_filter import is_ascii
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.drawn_pane import Draw, DrawnPane, Picture


class ChartPane(DrawnPane, can_focus=True):
    """Price history of the outcome on show."""

    _view: HistoryView | None = None
    _token_id: TokenId | None = None
    _now: datetime | None = None
    _line = PriceLine(())
    _cursor: Micros | None = None
    _style = ChartStyle.LINE
    _prints: tuple[TradePrint, ...] = ()
    _fills: tuple[Fill, ...] = ()

    @property
    def style(self) -> ChartStyle:
        """Whether it draws a line or candles."""
        return self._style

    def show(
        self,
        view: HistoryView,
        line: PriceLine,
        *,
        token_id: TokenId,
        now: datetime,
        prints: Sequence[TradePrint] = (),
        fills: Sequence[Fill] = (),
    ) -> None:
        """Show a price over time as soon as it is drawn.

        Args:
            view: what is known of the history.
            line: the price up to now.
            token_id: whose price it is.
            now: our clock.
            prints: public trades of it, for the volume.
            fills: own fills of any token; those of this one are marked.
        """
        self._view, self._line, self._token_id, self._now = view, line, token_id, now
        self._prints = tuple(prints)
        self._fills = tuple(fill for fill in fills if fill.token_id == token_id)
        self.repaint()

    def switch_style(self) -> None:
        """Draw candles in the place of the line, or the other way round."""
        is_line = self._style is ChartStyle.LINE
        self._style = ChartStyle.CANDLES if is_line else ChartStyle.LINE
        self.repaint()

    def mark(self, price: Micros | None) -> None:
        """Mark the price that the ladder points at, or none."""
        if price != self._cursor:
            self._cursor = price
            self.repaint()

    def clear(self) -> None:
        """Show no curve: that of another market must not stand here."""
        self._view, self._token_id, self._line = None, None, PriceLine(())
        self._prints, self._fills = (), ()
        self.repaint()

    @override
    def title(self) -> Line:
        return self._titles()[0]

    @override
    def value(self) -> Line:
        return self._titles()[1]

    def _titles(self) -> tuple[Line, Line]:
        if self._view is None or self._now is None:
            return (Cell("PRICE", Role.HEADING),), ()
        width = self.title_width
        name, value = paint_chart_title(self._view, self._line, self._now, width)
        if self.shown is None:
            return name, value
        return add_out_of_range(name, self._cursor, self.shown.prices, width), value

    @override
    def words(self, width: int, height: int) -> str:
        return "" if self._view is None else chart_words(self._view, self._line, width, height)

    @override
    def picture(self, width: int, height: int) -> Picture | None:
        view = self._view
        if view is None or chart_words(view, self._line, width, height):
            return None
        points = self._line.points
        grown = (len(points), points[:1], points[-1:], len(self._prints), self._prints[:1])
        version = (view.version, *grown, len(self._fills), self._line.until)
        subject = (self._token_id, self._style)
        return Picture(subject, view.interval, version, width, height)

    @override
    def drawing(self, picture: Picture) -> Draw | None:
        line = self._line
        if not line.is_drawable:
            return None
        data = ChartData(line.points, line.until, self._prints, self._fills, self._style)
        ascii_only = is_ascii(self)

        def draw() -> Drawing:
            return draw_chart(data, picture.width, picture.height, ascii_only=ascii_only)

        return draw

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        lines = super().paint(width, height)
        if self.shown is None:
            return lines
        return mark_price(self.shown, self._cursor)
