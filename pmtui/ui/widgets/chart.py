"""The chart: drawn by plotext in a thread, kept until series, interval or size change."""

import asyncio
from datetime import datetime
from typing import NamedTuple

from textual.worker import Worker
from typing_extensions import override

from pmtui.domain.history import Interval
from pmtui.domain.ids import TokenId
from pmtui.domain.money import ONE, Micros
from pmtui.service.views import HistoryView
from pmtui.ui.cells import Cell, Line, fit_line
from pmtui.ui.paint.chart import chart_words, draw_chart, paint_chart_title, price_range
from pmtui.ui.paint.chart_cursor import add_out_of_range, mark_price
from pmtui.ui.theme import Role
from pmtui.ui.widgets.line_pane import LinePane

_SETTLE_S = 1.0
"""A series that grows with every trade is drawn at most this often."""


class _Picture(NamedTuple):
    """What decides how a drawing looks. Not the theme: the drawing names roles, no colours."""

    token_id: TokenId | None
    interval: Interval
    version: int
    points: int
    width: int
    height: int

    def is_same_frame(self, other: "_Picture | None") -> bool:
        """Whether only the series has grown."""
        return other is not None and self[:2] == other[:2] and self[4:] == other[4:]


class ChartPane(LinePane, can_focus=True):
    """Price history of the outcome on show."""

    DEFAULT_CSS = "ChartPane { height: 1fr; }"

    _view: HistoryView | None = None
    _token_id: TokenId | None = None
    _now: datetime | None = None
    _wanted: _Picture | None = None
    _drawn: _Picture | None = None
    _curve: tuple[Line, ...] = ()
    _range: tuple[Micros, Micros] = (Micros(0), ONE)
    _cursor: Micros | None = None
    _worker: Worker[None] | None = None

    @property
    def is_drawn(self) -> bool:
        """Whether the curve on show is of the newest series."""
        return self._wanted is not None and self._drawn == self._wanted

    def show(self, view: HistoryView, *, token_id: TokenId, now: datetime) -> None:
        """Show a history as soon as it is drawn."""
        self._view, self._token_id, self._now = view, token_id, now
        self.repaint()

    def mark(self, price: Micros | None) -> None:
        """Mark the price that the ladder points at, or none."""
        if price != self._cursor:
            self._cursor = price
            super().repaint()

    def clear(self) -> None:
        """Show no curve: that of another market must not stand here."""
        self._view, self._token_id, self._wanted = None, None, None
        super().repaint()

    @override
    def repaint(self) -> None:
        self._want()
        super().repaint()

    @override
    def title(self) -> Line:
        if self._view is None or self._now is None:
            return (Cell("Price", Role.HEADING),)
        line = paint_chart_title(self._view, self._now, self.size.width, ascii_only=self.ascii_only)
        out = self._cursor if self._curve and self._is_fitting else None
        return add_out_of_range(line, out, self._range, self.size.width, ascii_only=self.ascii_only)

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        words = "" if self._view is None else chart_words(self._view, width, height)
        if self._view is None or words:
            return (fit_line((Cell(words, Role.DIM),), width, ascii_only=self.ascii_only),)
        if not self._is_fitting:
            return ()
        return mark_price(self._curve, self._cursor, self._range, ascii_only=self.ascii_only)

    @property
    def _is_fitting(self) -> bool:
        """The old curve stays until the new one is drawn, unless it shows something else."""
        return self._wanted is not None and self._wanted.is_same_frame(self._drawn)

    def _want(self) -> None:
        width, height = self.size
        view = self._view
        if view is None or not height or chart_words(view, width, height - 1):
            self._wanted = None
            return
        self._wanted = _Picture(
            self._token_id, view.interval, view.version, len(view.points), width, height - 1
        )
        is_idle = self._worker is None or self._worker.is_finished
        if is_idle and self._wanted != self._drawn:
            self._worker = self.run_worker(self._draw(), group="chart")

    async def _draw(self) -> None:
        while (picture := self._wanted) is not None and picture != self._drawn:
            view = self._view
            if view is None:
                return
            has_grown = picture.is_same_frame(self._drawn)
            curve = await asyncio.to_thread(
                draw_chart, view.points, picture.width, picture.height,
                ascii_only=self.ascii_only,
            )  # fmt: skip
            self._curve, self._drawn, self._range = curve, picture, price_range(view.points)
            super().repaint()
            if has_grown:
                await asyncio.sleep(_SETTLE_S)
