"""Answers to keys, shown on the notice line so that they cover nothing."""

from collections.abc import Callable, Container
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from pmtui.service.surface import Queries
from pmtui.service.views import Level, LogEntry, LogView
from pmtui.ui.cells import Cell, Line
from pmtui.ui.plain import ellipsize_words
from pmtui.ui.theme.theme import Role

_SAID_FOR_S = 5.0
_CONFIRMED_FOR_S = 3.0
NOTICE_LIFE_S = 12
SEEN_AFTER_S = 2.0
"""A notice that was visible for this long counts as seen when a key is pressed."""
FORM_REST_S = 1.5
"""How long keys may still be meant for a form that did not open."""
_AS_BAD = frozenset({Level.WARNING, Level.BAD})
"""An answer to a key is a warning at most: notices of these levels come before it."""
_ANY = frozenset({Level.GOOD, *_AS_BAD})


class NoticeAge:
    """Chooses the notice to show, and keeps how long it has been visible on any screen.

    News of own orders stays until a key is pressed after it was visible long enough, or until the
    log is read. Other notices expire.
    """

    def __init__(self) -> None:
        self._notice: tuple[int, datetime] | None = None
        self._since_s = 0.0
        self._seen_up_to: int | None = None
        """The last entry that was visible when a key was pressed; None at first."""
        self._in_sight: tuple[int, float] | None = None
        """The entry shown, and since when."""

    def note_key(self, now_s: float) -> bool:
        """Mark the visible notice as seen if it was visible long enough; return whether it was."""
        if self._in_sight is None or now_s - self._in_sight[1] < SEEN_AFTER_S:
            return False
        self._seen_up_to = max(self._in_sight[0], self._seen_up_to or 0)
        return True

    def pick(self, queries: Queries, *, is_replay: bool) -> LogEntry | None:
        """Return the log entry to show now; None for none.

        Args:
            queries: the service.
            is_replay: whether the entries have recorded times, which give no age.
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
            # Older entries were shown to another terminal, or in an earlier run.
            began = queries.now() - timedelta(seconds=NOTICE_LIFE_S)
            old = (e.sequence for e in log.entries if is_replay or e.at < began)
            self._seen_up_to = max(old, default=0)
        told = (e for e in reversed(log.entries) if e.level is not Level.INFO)
        latest = next((e for e in told if not is_over(e, log)), None)
        if latest is not None and self.age_s(latest, queries, is_replay=is_replay) <= NOTICE_LIFE_S:
            return latest
        seen = self._seen_up_to
        unread = list(takewhile(lambda e: e.sequence > log.read_up_to, reversed(log.entries)))
        stays = (e for e in unread if e.sequence > seen and is_own_news(e))
        return next(stays, None) or next(
            (e for e in unread if e.until_read and not is_over(e, log)), None
        )

    def age_s(self, entry: LogEntry, queries: Queries, *, is_replay: bool) -> float:
        """Return the age of an entry in real seconds, counted from when it was first seen.

        Args:
            entry: the latest notice.
            queries: the service, for both its clocks.
            is_replay: whether the entries have recorded times, which give no age.
        """
        now_s, notice = queries.monotonic(), (entry.sequence, entry.at)
        if notice != self._notice:
            age_s = 0.0 if is_replay else (queries.now() - entry.at).total_seconds()
            self._notice, self._since_s = notice, now_s - age_s
        return now_s - self._since_s


def is_over(entry: LogEntry, log: LogView) -> bool:
    """Return whether the cause of a notice until read has ended since."""
    if not entry.until_read or not entry.cause:
        return False
    later = takewhile(lambda e: e.sequence > entry.sequence, reversed(log.entries))
    return any(each.cause == entry.cause and not each.until_read for each in later)


def is_own_news(entry: LogEntry) -> bool:
    """Return whether an entry is news of an own order, stop or target."""
    return entry.kind == "order" and entry.level is not Level.INFO


@dataclass(frozen=True, slots=True)
class Message:
    """An answer to a key."""

    text: str
    role: Role
    until_s: float
    known_up_to: int
    """The latest log entry when the message was shown."""
    yields_to: Container[Level]
    """Newer log entries of these levels replace it."""
    is_confirmation: bool = False
    is_refusal: bool = False
    """Whether it says why a key did nothing: the good end of an earlier one is not to replace it."""

    def paint(self, width: int) -> Line:
        """Return the message, ellipsized at a word."""
        return (Cell(f" {ellipsize_words(self.text, width - 1)}", self.role),)


class MessageLine:
    """The answers of one screen: the latest stays for a few seconds unless it is withdrawn.

    It knows no widget. The screen shows `current` in place of a notice, and `changed` is called
    when that differs.
    """

    def __init__(self, queries: Queries, changed: Callable[[], None]) -> None:
        self._queries = queries
        self._changed = changed
        self._message: Message | None = None
        self._count = 0
        self._refused_at_s: float | None = None
        """When a form or a question last failed to open."""

    def show(self, text: str) -> None:
        """Show a warning for a few seconds; a notice of the same level replaces it."""
        self._show(text, Role.NOTICE_WARN, _SAID_FOR_S, _AS_BAD)

    def confirm(self, text: str) -> None:
        """Show a confirmation briefly; any newer notice replaces it."""
        self._show(text, Role.TEXT, _CONFIRMED_FOR_S, _ANY, is_confirmation=True)

    def refuse(self, text: str) -> None:
        """Show why a key did nothing, for as long as other answers."""
        self._show(text, Role.NOTICE_WARN, _SAID_FOR_S, _AS_BAD, is_refusal=True)

    @property
    def mark(self) -> int:
        """The place of the newest message, to ask later what came after it."""
        return self._count

    def is_refusing_since(self, mark: int) -> bool:
        """Return whether the message in force refuses a key and came after a mark."""
        message = self.current()
        return message is not None and message.is_refusal and self._count > mark

    def refuse_form(self, text: str) -> None:
        """Show why a form or a question does not open; the next keys may be meant for it."""
        self._refused_at_s = self._queries.monotonic()
        self.show(text)

    def ignores_key(self) -> bool:
        """Return whether a key may be meant for a form that did not open, and show so if it may."""
        at_s = self._refused_at_s
        is_recent = at_s is not None and self._queries.monotonic() - at_s < FORM_REST_S
        if is_recent:
            # Ignored only for a moment: a trader who reads this presses again.
            self.show("The form did not open: keys are ignored for a moment, try again.")
        return is_recent

    def forget_refusal(self) -> None:
        """Stop ignoring keys."""
        self._refused_at_s = None

    def take_back(self, *beginnings: str) -> None:
        """Withdraw the message if it starts with one of these; notices show again."""
        if self._message is not None and self._message.text.startswith(beginnings):
            self._clear()

    def take_back_confirmation(self) -> None:
        """Withdraw a confirmation because the view has changed."""
        if self._message is not None and self._message.is_confirmation:
            self._clear()

    def current(self) -> Message | None:
        """Return the current message; None once it has expired or a notice replaced it."""
        message = self._message
        if message is not None and (
            self._queries.monotonic() >= message.until_s or self._is_outdone(message)
        ):
            self._message = None
        return self._message

    def _show(
        self, text: str, role: Role, duration_s: float, yields_to: Container[Level], *,
        is_confirmation: bool = False, is_refusal: bool = False,
    ) -> None:  # fmt: skip
        self._count += 1
        entries = self._queries.log().entries
        self._message = Message(
            text, role, self._queries.monotonic() + duration_s, entries[-1].sequence if entries else 0,
            yields_to, is_confirmation, is_refusal,
        )  # fmt: skip
        self._changed()

    def _clear(self) -> None:
        self._message = None
        self._changed()

    def _is_outdone(self, message: Message) -> bool:
        entries = reversed(self._queries.log().entries)
        newer = takewhile(lambda entry: entry.sequence > message.known_up_to, entries)
        return any(entry.level in message.yields_to for entry in newer)
