"""A pane of lines that takes the keys: arrows and pages move within it."""

from abc import abstractmethod
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from typing_extensions import override

from pmtui.ui.keys.actions import bindings_of
from pmtui.ui.widgets.line_pane import LinePane

_FAR = 1_000_000
_WHEEL_ROWS = 3


class ScrollingPane(LinePane, can_focus=True):
    """Subclasses say in `scroll_rows` what moving by rows means."""

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
        """Move so many rows down, or up."""

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
        """Look further up."""
        event.stop()
        self.scroll_rows(-_WHEEL_ROWS)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Look further down."""
        event.stop()
        self.scroll_rows(_WHEEL_ROWS)
