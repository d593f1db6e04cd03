"""The chart of an event: the histories of its leading outcomes over each other."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from typing_extensions import override

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import Interval
from pmtui.service.views import HistoryView
from pmtui.ui.cells import Cell, Line
from pmtui.ui.charts.canvas import Drawing
from pmtui.ui.charts.paint_overlay import (
    Curve,
    curves_of,
    describe_coming,
    draw_overlay,
    overlay_words,
    paint_overlay_title,
)
from pmtui.ui.terminal.ascii_filter import is_ascii
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.drawn_pane import Draw, DrawnPane, Picture


class Leader(NamedTuple):
    """An outcome on the chart."""

    name: str
    token_id: TokenId
    history: HistoryView
    """With what is known of the price up to now."""


class OverlayPane(DrawnPane):
    """Price histories of the leading outcomes."""

    _leaders: tuple[Leader, ...] = ()
    _interval = Interval.DAY

    _until: datetime | None = None
    """Where the time shown ends."""

    def show(
        self, leaders: Sequence[Leader], interval: Interval, *, until: datetime | None = None
    ) -> None:
        """Show these histories as soon as they are drawn, the likeliest outcome first."""
        self._leaders, self._interval, self._until = tuple(leaders), interval, until
        self.repaint()

    @override
    def title(self) -> Line:
        return self._titles()[0]

    @override
    def value(self) -> Line:
        return self._titles()[1]

    def _titles(self) -> tuple[Line, Line]:
        if not self._leaders:
            return (Cell("PRICE", Role.HEADING),), ()
        curves = [
            Curve(number, leader.history.points, leader.name)
            for number, leader in enumerate(self._leaders, 1)
        ]
        coming = describe_coming(self._histories)
        return paint_overlay_title(self._interval, curves, self.title_width, coming=coming)

    @override
    def words(self, width: int, height: int) -> str:
        return overlay_words(self._histories, width, height) if self._leaders else ""

    @property
    @override
    def is_gathering(self) -> bool:
        return bool(describe_coming(self._histories))

    @override
    def picture(self, width: int, height: int) -> Picture | None:
        if not self._leaders or self.words(width, height):
            return None
        tokens = tuple(leader.token_id for leader in self._leaders)
        grown = tuple(
            (view.version, len(view.points), view.points[-1:]) for view in self._histories
        )
        return Picture(tokens, self._interval, grown, width, height)

    @override
    def drawing(self, picture: Picture) -> Draw | None:
        curves = curves_of(self._histories, [leader.name for leader in self._leaders])
        until, ascii_only = self._until, is_ascii(self)
        if not curves:
            return None

        def draw() -> Drawing:
            size = (picture.width, picture.height)
            return draw_overlay(curves, *size, until=until, ascii_only=ascii_only)

        return draw

    @property
    def _histories(self) -> list[HistoryView]:
        return [leader.history for leader in self._leaders]
