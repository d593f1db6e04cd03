"""A line of cells that repaints only when they change and never asks for layout."""

from collections.abc import Callable

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from pmtui.ui.cells import Line, fit_line
from pmtui.ui.theme.role_styles import RoleStyles


class TextLine(Widget):
    """One row of the screen, given as cells and cropped to the width there is."""

    DEFAULT_CSS = """
    TextLine { height: 1; width: 1fr; }
    """

    _role_styles: RoleStyles | None = None

    def __init__(
        self, line: Line = (), *, name: str | None = None, id: str | None = None,  # noqa: A002 - Textual's word
        classes: str | None = None,
    ) -> None:  # fmt: skip
        """Start with a line, empty unless given."""
        super().__init__(name=name, id=id, classes=classes)
        self._line: Line = line
        self._paint: Callable[[int], Line] | None = None
        self._width = 0

    @property
    def line(self) -> Line:
        """The cells on show, before they are cropped to the width."""
        return self._line

    def show(self, line: Line) -> None:
        """Show these cells; the same cells again cost nothing."""
        self._paint = None
        self._show(line)

    def show_in_width(self, paint: Callable[[int], Line]) -> None:
        """Show what is painted for the width there is, and anew as soon as it is another one."""
        self._paint, self._width = paint, self.size.width
        if self._width:
            self._show(paint(self._width))

    def _show(self, line: Line) -> None:
        if line != self._line:
            self._line = line
            if self.is_mounted:
                self.refresh(layout=False)

    @property
    def role_styles(self) -> RoleStyles:
        """The styles of the theme in use."""
        if self._role_styles is None:
            self._role_styles = RoleStyles.of_widget(self)
        return self._role_styles

    @override
    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._role_styles = None

    @override
    def render_line(self, y: int) -> Strip:
        if y:
            return Strip([Segment(" " * self.size.width, self.rich_style)], self.size.width)
        if self._paint is not None and self._width != self.size.width:
            # It is not told of a new size: a line that comes into sight is not always.
            self._width = self.size.width
            self._line = self._paint(self._width)
        return self.role_styles.strip(fit_line(self._line, self.size.width))
