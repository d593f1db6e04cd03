"""A line of cells that repaints only when they change and never asks for layout."""

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from pmtui.ui.cells import Line, fit_line
from pmtui.ui.role_styles import RoleStyles


class TextLine(Widget):
    """One row of the screen, given as cells and cropped to the width there is."""

    DEFAULT_CSS = """
    TextLine { height: 1; width: 1fr; }
    """

    def __init__(
        self, line: Line = (), *, name: str | None = None, id: str | None = None,  # noqa: A002 - the toolkit's word
        classes: str | None = None, ascii_only: bool = False,
    ) -> None:  # fmt: skip
        """Start with a line, empty unless given."""
        super().__init__(name=name, id=id, classes=classes)
        self._line: Line = line
        self._ascii_only = ascii_only
        self._role_styles: RoleStyles | None = None

    @property
    def line(self) -> Line:
        """The cells on show, before they are cropped to the width."""
        return self._line

    def show(self, line: Line) -> None:
        """Show these cells; the same cells again cost nothing."""
        if line != self._line:
            self._line = line
            if self.is_mounted:
                self.refresh(layout=False)

    @override
    def render_line(self, y: int) -> Strip:
        if self._role_styles is None:
            self._role_styles = RoleStyles.of_widget(self)
        if y:
            return Strip([Segment(" " * self.size.width, self.rich_style)], self.size.width)
        return self._role_styles.strip(
            fit_line(self._line, self.size.width, ascii_only=self._ascii_only)
        )

    @override
    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._role_styles = None
