"""The depth chart: both sides of the book on the ladder, added up."""

from typing_extensions import override

from pmtui.domain.books.book_view import (
    BookState,
    BookView,
    DepthCurve,
    Reach,
    depth_curve,
    span_around,
    telling_reach,
)
from pmtui.domain.money import Micros
from pmtui.ui.cells import Cell, Line, fit_line
from pmtui.ui.charts.paint_depth import (
    MIN_HEIGHT,
    MIN_WIDTH,
    depth_scale,
    largest_depth,
    paint_depth,
    paint_depth_title,
)
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_pane import LinePane


class DepthPane(LinePane, can_focus=True):
    """Depth of the book on show; added up only while somebody looks."""

    DEFAULT_CSS = "DepthPane { height: 1fr; }"

    _book: BookView | None = None
    _cursor: Micros | None = None
    _curve: DepthCurve | None = None
    _chosen: Reach | None = None
    _reach = Reach.TEN
    """How far the levels that matter reach in the market on show."""
    _scale = 1

    @property
    def reach(self) -> Reach:
        """How far from the middle it shows: as the trader chose, else as the book asks for."""
        return self._chosen or self._reach

    def show(self, book: BookView | None, cursor: Micros | None) -> None:
        """Show a book, and where the ladder points."""
        if book is not self._book:
            self._fit_reach(book)
            self._book = book
            self._curve = None
        elif cursor == self._cursor:
            return
        self._cursor = cursor
        if self.region.area:
            self.repaint()

    def shift_reach(self, steps: int) -> bool:
        """Look less far or farther; return whether that was possible."""
        before = self.reach
        self._chosen = before.shifted(steps)
        self.repaint()
        return self._chosen is not before

    def _fit_reach(self, book: BookView | None) -> None:
        """Choose once for each market: a scale that follows the book would never stand still."""
        before = self._book
        has_levels = book is not None and bool(book.bids or book.asks)
        had_levels = before is not None and bool(before.bids or before.asks)
        is_other = book is not None and before is not None and book.token_id != before.token_id
        if book is not None and has_levels and (is_other or not had_levels):
            self._reach = telling_reach(book)

    @override
    def title(self) -> Line:
        return self._titles()[0]

    @override
    def value(self) -> Line:
        return self._titles()[1]

    def _titles(self) -> tuple[Line, Line]:
        if self._book is None:
            return (Cell("DEPTH", Role.HEADING),), ()
        return paint_depth_title(
            self._book, self._added_up(self._book), self.reach, self._cursor, self.title_width,
        )  # fmt: skip

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        book = self._book
        words = ""
        if width < MIN_WIDTH or height < MIN_HEIGHT:
            words = "No room for the chart."
        elif book is None or book.state is BookState.LOADING:
            words = "Loading the book…"
        elif not (book.bids or book.asks):
            words = "The book is empty."
        if words or book is None:
            return (fit_line((Cell(words, Role.DIM),), width),)
        curve, span = self._added_up(book), span_around(book, self.reach)
        self._scale = depth_scale(largest_depth(curve, span), self._scale)
        return paint_depth(
            curve, span, width, height, scale=self._scale, cursor=self._cursor,
            is_good=book.state.is_good,
        )  # fmt: skip

    def _added_up(self, book: BookView) -> DepthCurve:
        if self._curve is None:
            self._curve = depth_curve(book)
        return self._curve
