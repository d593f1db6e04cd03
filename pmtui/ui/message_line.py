"""A screen that answers keys in words, on the line of the notices: nothing is ever covered."""

from collections.abc import Container
from datetime import datetime, timedelta
from itertools import takewhile

from typing_extensions import override

from pmtui.service.views import Level
from pmtui.ui.cells import Cell, Line
from pmtui.ui.frame import FrameScreen
from pmtui.ui.paint.ellipsize import cut_words
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.text_line import TextLine

_SAID_FOR = timedelta(seconds=5)
_CONFIRMED_FOR = timedelta(seconds=2)
FORM_REST = timedelta(seconds=1.5)
"""So long may fingers go on typing into a form that they expected."""
_AS_BAD = frozenset({Level.WARNING, Level.BAD})
"""What a key is answered with is a warning at most: news of these kinds goes before it."""
_ANY = frozenset({Level.GOOD, *_AS_BAD})


class SayingScreen(FrameScreen):
    """A frame whose subclasses can say why a key did what it did."""

    _said_until: datetime | None = None
    _said = ""
    _is_confirmation = False
    _said_after = 0
    """The last entry of the log when it was said: what is older was known by then."""
    _yields_to: Container[Level] = _AS_BAD
    _refused_at: datetime | None = None
    """When a form or a question did not open that a key had asked for."""

    def say(self, text: str) -> None:
        """Say it for a few seconds, unless the log tells of something as bad meanwhile."""
        self._tell(text, Role.NOTICE_WARN, _SAID_FOR)
        self._yields_to = _AS_BAD

    def refuse_form(self, text: str) -> None:
        """Say why a form or a question does not open; what is typed next may be meant for it."""
        self._refused_at = self.surface.queries.now()
        self.say(text)

    def rests_after_refusal(self) -> bool:
        """Say that a key rests, where it may be meant for a form that did not open."""
        at = self._refused_at
        is_recent = at is not None and timedelta() <= self.surface.queries.now() - at < FORM_REST
        if is_recent:
            # The rest is no longer for it: who reads this presses again.
            self.say("The form did not open: keys are ignored for a moment, try again.")
        return is_recent

    def forget_refusal(self) -> None:
        """Let keys mean what they usually do."""
        self._refused_at = None

    def confirm(self, text: str) -> None:
        """Name for a moment what changed in sight; it never keeps a newer notice waiting."""
        self._tell(text, Role.TEXT, _CONFIRMED_FOR)
        self._is_confirmation, self._yields_to = True, _ANY

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
        entries = self.surface.queries.log().entries
        self._said_after = entries[-1].sequence if entries else 0

        def paint(width: int) -> Line:
            return (Cell(f" {cut_words(text, width - 1)}", role),)

        self.query_one("#notice", TextLine).show_in_width(paint)

    def _fall_silent(self) -> None:
        self._said_until = None
        self._show_notice()

    @override
    def _show_notice(self) -> None:
        until = self._said_until
        is_due = until is not None and self.surface.queries.now() < until
        if is_due and not self._is_outdone():
            return
        self._said, self._said_until, self._is_confirmation = "", None, False
        super()._show_notice()

    def _is_outdone(self) -> bool:
        """Whether something has been told since that must not wait for what a key said."""
        entries = reversed(self.surface.queries.log().entries)
        newer = takewhile(lambda entry: entry.sequence > self._said_after, entries)
        return any(entry.level in self._yields_to for entry in newer)
