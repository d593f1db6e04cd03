"""A screen that answers keys in words, on the line of the notices: nothing is ever covered."""

from datetime import datetime, timedelta

from typing_extensions import override

from pmtui.ui.cells import Cell
from pmtui.ui.screens.frame import FrameScreen
from pmtui.ui.theme import Role
from pmtui.ui.widgets.text_line import TextLine

_SAID_FOR = timedelta(seconds=5)


class SayingScreen(FrameScreen):
    """A frame whose subclasses can say why a key did what it did."""

    _said_until: datetime | None = None
    _said = ""

    def say(self, text: str) -> None:
        """Say it for a few seconds; the log's notices wait."""
        self._said = text
        self._said_until = self.surface.queries.now() + _SAID_FOR
        self.query_one("#notice", TextLine).show((Cell(f" {text}", Role.NOTICE_WARN),))

    def take_back(self, *beginnings: str) -> None:
        """Let go of what was said, if it begins so and is true no more; notices show again."""
        if self._said.startswith(beginnings):
            self._said_until = None
            self._show_notice()

    @override
    def _show_notice(self) -> None:
        if self._said_until is not None and self.surface.queries.now() < self._said_until:
            return
        self._said, self._said_until = "", None
        super()._show_notice()
