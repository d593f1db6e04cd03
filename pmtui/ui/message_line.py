"""What a screen answers a key with, on the line of the notices: nothing is ever covered."""

from collections.abc import Callable, Container
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from pmtui.service.surface import Queries
from pmtui.service.views import Level, LogEntry
from pmtui.ui.cells import Cell, Line
from pmtui.ui.plain import ellipsize_words
from pmtui.ui.theme.theme import Role

_SAID_FOR_S = 5.0
_CONFIRMED_FOR_S = 3.0
NOTICE_LIFE_S = 12
SEEN_AFTER_S = 2.0
"""A notice that was shown for so long when a key is pressed has been seen."""
FORM_REST_S = 1.5
"""So long may fingers go on typing into a form that they expected."""
_AS_BAD = frozenset({Level.WARNING, Level.BAD})
"""What a key is answered with is a warning at most: news of these kinds goes before it."""
_ANY = frozenset({Level.GOOD, *_AS_BAD})


class NoticeAge:
    """Which notice there is to show, and for how long a person could have read it, on whichever screen.

    What became of orders stays until a key is pressed after it was in sight long enough to be seen,
    or until the log is read. Anything else leaves by itself.
    """

    def __init__(self) -> None:
        self._notice: tuple[int, datetime] | None = None
        self._since_s = 0.0
        self._seen_up_to: int | None = None
        """The last entry that was in sight when a key was pressed; None until the first look."""
        self._in_sight: tuple[int, float] | None = None
        """The entry that is shown, and since when."""

    def note_key(self, now_s: float) -> bool:
        """Mark the visible message as seen if it was shown long enough; returns whether it was."""
        if self._in_sight is None or now_s - self._in_sight[1] < SEEN_AFTER_S:
            return False
        self._seen_up_to = max(self._in_sight[0], self._seen_up_to or 0)
        return True

    def pick(self, queries: Queries, *, is_replay: bool) -> LogEntry | None:
        """Return the entry of the log to show now; None where there is none.

        Args:
            queries: the service.
            is_replay: whether the times of entries are recorded ones, which say nothing of an age.
        """
        found = self._choose(queries, is_replay=is_replay)
        if found is None:
            self._in_sight = None
        elif self._in_sight is None or self._in_sight[0] != found.sequence:
            self._in_sight = found.sequence, queries.monotonic()
        return found

    def _choose(self, queries: Queries, *, is_replay: bool) -> LogEntry | None:
        log = queries.log()
        newest = log.entries[-1].sequence if log.entries else 0
        if self._seen_up_to is None or newest < self._seen_up_to:
            # What is older than a notice lasts was told to somebody else, or in the run before.
            began = queries.now() - timedelta(seconds=NOTICE_LIFE_S)
            old = (e.sequence for e in log.entries if is_replay or e.at < began)
            self._seen_up_to = max(old, default=0)
        latest = next((e for e in reversed(log.entries) if e.level is not Level.INFO), None)
        if latest is not None and self.age_s(latest, queries, is_replay=is_replay) <= NOTICE_LIFE_S:
            return latest
        seen = self._seen_up_to
        unread = list(takewhile(lambda e: e.sequence > log.read_up_to, reversed(log.entries)))
        stays = (e for e in unread if e.sequence > seen and is_own_news(e))
        return next(stays, None) or next((e for e in unread if e.until_read), None)

    def age_s(self, entry: LogEntry, queries: Queries, *, is_replay: bool) -> float:
        """Return the age of an entry in real seconds, from the moment on when it was first seen.

        Args:
            entry: the newest one that is a notice.
            queries: the service, for both its clocks.
            is_replay: whether the times of entries are recorded ones, which say nothing of an age.
        """
        now_s, notice = queries.monotonic(), (entry.sequence, entry.at)
        if notice != self._notice:
            age_s = 0.0 if is_replay else (queries.now() - entry.at).total_seconds()
            self._notice, self._since_s = notice, now_s - age_s
        return now_s - self._since_s


def is_own_news(entry: LogEntry) -> bool:
    """Whether an entry tells what became of an order, a stop or a target of ours."""
    return entry.kind == "order" and entry.level is not Level.INFO


@dataclass(frozen=True, slots=True)
class Message:
    """An answer to a key, with the time until which it is shown, by the monotonic clock."""

    text: str
    role: Role
    until_s: float
    known_up_to: int
    """The last entry of the log when the message came: what is older was known by then."""
    yields_to: Container[Level]
    """Newer entries of the log of these levels take its place."""
    is_confirmation: bool = False

    def paint(self, width: int) -> Line:
        """Return the message, shortened at a word to the width there is."""
        return (Cell(f" {ellipsize_words(self.text, width - 1)}", self.role),)


class MessageLine:
    """The answers of one screen: the newest is in force for a few seconds, unless it is withdrawn.

    It knows no widget. The screen shows `current` in the place of a notice, and is told by
    `changed` when that is another one.
    """

    def __init__(self, queries: Queries, changed: Callable[[], None]) -> None:
        self._queries = queries
        self._changed = changed
        self._message: Message | None = None
        self._refused_at_s: float | None = None
        """When a form or a question did not open that a key had asked for."""

    def show(self, text: str) -> None:
        """Say it for a few seconds, unless the log tells of something as bad meanwhile."""
        self._show(text, Role.NOTICE_WARN, _SAID_FOR_S, _AS_BAD)

    def confirm(self, text: str) -> None:
        """Name for a moment what changed in sight; it never keeps a newer notice waiting."""
        self._show(text, Role.TEXT, _CONFIRMED_FOR_S, _ANY, is_confirmation=True)

    def refuse_form(self, text: str) -> None:
        """Say why a form or a question does not open; what is typed next may be meant for it."""
        self._refused_at_s = self._queries.monotonic()
        self.show(text)

    def ignores_key(self) -> bool:
        """Return whether a key may be meant for a form that did not open, and say so if it may."""
        at_s = self._refused_at_s
        is_recent = at_s is not None and self._queries.monotonic() - at_s < FORM_REST_S
        if is_recent:
            # The keys are ignored once: whoever reads this presses again.
            self.show("The form did not open: keys are ignored for a moment, try again.")
        return is_recent

    def forget_refusal(self) -> None:
        """Restore the usual meaning of keys."""
        self._refused_at_s = None

    def take_back(self, *beginnings: str) -> None:
        """Withdraw the message if it begins so and is true no more; notices show again."""
        if self._message is not None and self._message.text.startswith(beginnings):
            self._clear()

    def take_back_confirmation(self) -> None:
        """Withdraw what was confirmed: something else is in sight now."""
        if self._message is not None and self._message.is_confirmation:
            self._clear()

    def current(self) -> Message | None:
        """Return the message in force; None once it is too old, or something as bad has come."""
        message = self._message
        if message is not None and (
            self._queries.monotonic() >= message.until_s or self._is_outdone(message)
        ):
            self._message = None
        return self._message

    def _show(
        self, text: str, role: Role, duration_s: float, yields_to: Container[Level], *,
        is_confirmation: bool = False,
    ) -> None:  # fmt: skip
        entries = self._queries.log().entries
        self._message = Message(
            text, role, self._queries.monotonic() + duration_s, entries[-1].sequence if entries else 0,
            yields_to, is_confirmation,
        )  # fmt: skip
        self._changed()

    def _clear(self) -> None:
        self._message = None
        self._changed()

    def _is_outdone(self, message: Message) -> bool:
        entries = reversed(self._queries.log().entries)
        newer = takewhile(lambda entry: entry.sequence > message.known_up_to, entries)
        return any(entry.level in message.yields_to for entry in newer)
