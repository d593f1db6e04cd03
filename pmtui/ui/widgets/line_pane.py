"""Panes of painted lines under a title, which repaint only changed lines; one of them scrolls.

In a `Panel` the title and the value stand in the frame, and all lines belong to the pane.
"""

from abc import abstractmethod
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from pmtui.ui.cells import Cell, Line, blank_line, fit_line, focus_mark
from pmtui.ui.keys.actions import bindings_of
from pmtui.ui.theme.role_styles import RoleStyles
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.panel import Panel


class LinePane(Widget):
    """Subclasses return their lines from `paint`; `repaint` refreshes those that changed."""

    TITLE: ClassVar[str] = ""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        """Start empty."""
        super().__init__(id=id)
        self._lines: tuple[Line, ...] = ()
        self._is_overdue = False
        """Whether a repaint is pending because the pane had no size."""

    def paint(self, width: int, height: int) -> tuple[Line, ...]:  # noqa: ARG002 - for subclasses
        """Return the lines to show, at most `width` cells wide; none by default."""
        return ()

    def title(self) -> Line:
        """Return the title line; empty for none."""
        return (Cell(self.TITLE, Role.HEADING),) if self.TITLE else ()

    def value(self) -> Line:
        """Return the main value, shown at the right end of the frame's title."""
        return ()

    def titles(self) -> tuple[Line, Line]:
        """Return title and value; overridden by panes that make them together."""
        return self.title(), self.value()

    @property
    def panel(self) -> Panel | None:
        """The frame around the pane, if any."""
        parent = self.parent
        return parent if isinstance(parent, Panel) else None

    @property
    def title_width(self) -> int:
        """The width available to title and value."""
        return self.size.width if self.panel is None else self.panel.title_room

    @property
    def title_rows(self) -> int:
        """Lines that the title takes from the pane."""
        return 1 if self.panel is None and self.titles()[0] else 0

    def repaint(self) -> None:
        """Repaint and refresh the lines that changed."""
        width, height = self.size
        self._is_overdue = not self.is_mounted or not width or not height
        if self._is_overdue:
            return
        old, lines = self._lines, self._paint_lines(width, height)
        changed = [
            Region(0, y, width, 1)
            for y in range(height)
            if (old[y] if y < len(old) else ()) != (lines[y] if y < len(lines) else ())
        ]
        if changed:
            self.refresh(*changed)

    def on_resize(self) -> None:
        """Repaint for the new size."""
        self.repaint()

    @override
    def watch_has_focus(self, _has_focus: bool) -> None:
        """Show the focus."""
        super().watch_has_focus(_has_focus)
        self.repaint()

    def _marked(self, title: Line, width: int) -> Line:
        if not title or not self.has_focus:
            return title
        # A title filled up to the width would lose its last blank to an ellipsis.
        *cells, last = title
        whole = (*cells, last._replace(text=last.text.rstrip()))
        room = fit_line(whole, width - 1)
        return (Cell(focus_mark(), Role.KEY), *room)

    def _paint_lines(self, width: int, height: int) -> tuple[Line, ...]:
        if self.panel is not None:
            self.panel.show_title(*self.titles())
            title: Line = ()
        else:
            title = self._marked(self.titles()[0], width)
        lines = ((title,) if title else ()) + self.paint(width, height - bool(title))
        self._lines = lines[:height]
        return self._lines

    @override
    def render_line(self, y: int) -> Strip:
        width, height = self.size
        if self._is_overdue and width and height:
            # A pane is not always notified when it comes into view, for example when Textual
            # scrolls.
            self._is_overdue = False
            self._paint_lines(width, height)
        line = self._lines[y] if y < len(self._lines) else blank_line(width)
        return RoleStyles.of_widget(self).strip(fit_line(line, width))


_FAR = 1_000_000
_WHEEL_ROWS = 3


class ScrollingPane(LinePane, can_focus=True):
    """Subclasses implement scrolling in `scroll_rows`."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of(
        "global.move_up", "global.move_down", "global.page_up", "global.page_down",
        "global.move_to_top", "global.move_to_end",
    )  # fmt: skip

    @property
    def page_rows(self) -> int:
        """Rows below the title."""
        return max(1, self.size.height - self.title_rows)

    @abstractmethod
    def scroll_rows(self, rows: int) -> None:
        """Move down by so many rows; up if negative."""

    def action_move_up(self) -> None:
        """Move one row up."""
        self.scroll_rows(-1)

    def action_move_down(self) -> None:
        """Move one row down."""
        self.scroll_rows(1)

    @override
    def action_page_up(self) -> None:
        self.scroll_rows(-self.page_rows)

    @override
    def action_page_down(self) -> None:
        self.scroll_rows(self.page_rows)

    def action_move_to_top(self) -> None:
        """Move to the first row."""
        self.scroll_rows(-_FAR)

    def action_move_to_end(self) -> None:
        """Move to the last row."""
        self.scroll_rows(_FAR)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.scroll_rows(-_WHEEL_ROWS)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.scroll_rows(_WHEEL_ROWS)
