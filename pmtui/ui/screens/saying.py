"""A screen that answers keys in words, on the line of the notices: nothing is ever covered."""

from datetime import datetime, timedelta

from typing_extensions import override

from pmtui.service.views import LogEntry
from pmtui.ui.cells import Cell
from pmtui.ui.screens.frame import FrameScreen
from pmtui.ui.theme import Role
from pmtui.ui.widgets.text_line import TextLine

_SAID_FOR = timedelta(seconds=5)
_CONFIRMED_FOR = timedelta(seconds=2)


class SayingScreen(FrameScreen):
    """A frame whose subclasses can say why a key did what it did."""

    _said_until: datetime | None = None
    _said = ""
    _is_confirmation = False
    _noticed: LogEntry | None = None
    """The notice that a confirmation came after."""

    def say(self, text: str) -> None:
        """Say it for a few seconds; the log's notices wait."""
        self._tell(text, Role.NOTICE_WARN, _SAID_FOR)

    def confirm(self, text: str) -> None:
        """Name for a moment what changed in sight; it never keeps a newer notice waiting."""
        self._tell(text, Role.TEXT, _CONFIRMED_FOR)
        self._is_confirmation, self._noticed = True, self.latest_notice()

    def take_back(self, *beginnings: str) -> None:
        """Let go of what was said, if it begins so and is true no more; notices show again."""
        if self._said.startswith(beginnings):
            self._fall_silent()

    def take_back_confirmation(self) -> None:
        """Let go of what was confirmed: something else is in sight now."""
        if self._is_confirmation:
            self._fall_silent()

    def _tell(self, text: str, role: Role, duration: timedelta) -> None:
        self._said, self._is_confirmation = text, False
        self._said_until = self.surface.queries.now() + duration
        self.query_one("#notice", TextLine).show((Cell(f" {text}", role),))

    def _fall_silent(self) -> None:
        self._said_until = None
        self._show_notice()

    @override
    def _show_notice(self) -> None:
        until = self._said_until
        is_due = until is not None and self.surface.queries.now() < until
        if is_due and not (self._is_confirmation and self.latest_notice() != self._noticed):
            return
        self._said, self._said_until, self._is_confirmation = "", None, False
        super()._show_notice()
