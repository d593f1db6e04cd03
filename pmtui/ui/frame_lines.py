"""The lines around a screen's body: status above; tour, notice and keys below."""

from collections.abc import Callable
from functools import partial
from typing import Any

from textual.app import ComposeResult
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Input

from pmtui.service.topics import LogTopic, StatusTopic
from pmtui.ui.cells import Cell, Line
from pmtui.ui.format import format_size_compact
from pmtui.ui.keys.actions import FooterEntry, entries_of
from pmtui.ui.message_line import MessageLine
from pmtui.ui.paint_status import count_news, paint_loss, paint_status
from pmtui.ui.portfolio.paint_log import paint_notice
from pmtui.ui.replay.replay_line import ReplayLine
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.text_line import KeyLine, TextLine

SMALLEST = Size(40, 12)
"""Every screen shows what it is for down to here; below it says so."""


_IN_PALETTE = ("global.open", "global.back")


class FrameLines:
    """The lines of one screen. The line of the notices also shows what a key is answered with."""

    def __init__(
        self,
        screen: Screen[None],
        surface: Surface,
        *,
        entries: Callable[[], tuple[FooterEntry, ...]],
        are_keys_locked: Callable[[], bool],
    ) -> None:
        """Build the lines, empty.

        Args:
            screen: the one that they surround.
            surface: the service and the user's choices.
            entries: the keys that work on the screen right now, the nearest first.
            are_keys_locked: whether single keys trade nothing right now, armed or not.
        """
        self._screen = screen
        self._surface = surface
        self._entries = entries
        self._are_keys_locked = are_keys_locked
        self._greeting: Line = ()
        self._status = TextLine(id="status")
        self._loss = TextLine(id="loss")
        self._tour = TextLine(id="tour")
        self._notice = TextLine(id="notice")
        self._footer = KeyLine((), surface.options, width=0, id="footer")
        self.message_line = MessageLine(surface.queries, self._show_notice)
        """Answers keys in the place of the notices."""

    def compose_above(self) -> ComposeResult:
        """Yield what stands above the body."""
        yield self._status
        yield self._loss

    def compose_below(self) -> ComposeResult:
        """Yield what stands below the body."""
        if (replay := self._surface.replay) is not None:
            yield ReplayLine(
                replay, self._surface.options.keymap, on_pause_change=self.show_status
            )  # fmt: skip
        yield self._tour
        yield self._notice
        yield self._footer

    def show_all(self) -> None:
        """Lay the lines out for the width there is."""
        self.show_status()
        self._show_notice()
        self.show_footer()

    def show_topic(self, topic: StatusTopic | LogTopic) -> None:
        """Show what the lines tell of this topic."""
        if isinstance(topic, StatusTopic):
            self.show_status()
        self._show_notice()

    def show_status(self) -> None:
        """Show profile, money, and what the sources are worth; below it that the service is gone."""
        loss, width = self._surface.loss, self._screen.size.width
        self._screen.set_class(loss is not None, "-unserved")
        if loss is not None:
            account, keymap = self._surface.queries.account(), self._surface.options.keymap
            self._loss.show(
                paint_loss(loss, account, keymap=keymap, width=width, is_typing=self._is_typing)
            )
        replay = self._surface.replay
        self._status.show(
            paint_status(
                self._surface.queries.status(),
                self._screen.size.width,
                armed_size=self._armed_size,
                news=count_news(self._surface.queries.log()),
                are_keys_locked=self._are_keys_locked(),
                paused_reason="" if replay is None else replay.view().paused_reason,
            )
        )

    @property
    def _is_typing(self) -> bool:
        return isinstance(self._screen.focused, Input)

    @property
    def _armed_size(self) -> str:
        presets, chosen = self._surface.options.presets, self._surface.memory.now.preset
        size = presets[chosen if 0 <= chosen < len(presets) else 0]
        return format_size_compact(size, width=6).strip()

    def show_footer(self) -> None:
        """Show the keys that work right here: below a question, those that answer it."""
        above = self._screen.app.screen
        if above is not self._screen and above.is_modal:
            entries = self._entries_of(above)
        else:
            entries = self._entries()
        self._footer.show_keys(entries, self._screen.size.width)

    def _entries_of(self, question: Screen[Any]) -> tuple[FooterEntry, ...]:
        own = question.query(KeyLine)
        if own:
            # What it calls its keys: one key has one verb on the whole screen.
            return own.first().entries
        ids = (active.binding.id for active in question.active_bindings.values())
        # The palette is Textual's own, and its keys have no names of ours.
        keymap = self._surface.options.keymap
        return entries_of(ids, keymap) or entries_of(_IN_PALETTE, keymap)

    def note_key(self) -> None:
        """Mark the notice on the line as read, once it was visible long enough."""
        if self._surface.notice_age.note_key(self._surface.queries.monotonic()):
            self._show_notice()

    def show_tour(self, line: Line) -> None:
        """Show what the tour says next; nothing takes its line away again."""
        self._screen.set_class(bool(line), "-touring")
        self._tour.show(line)

    def greet(self, line: Line) -> None:
        """Show this on the line of the notices whenever there is none."""
        self._greeting = line
        self._show_notice()

    def _show_notice(self) -> None:
        if message := self.message_line.current():
            self._notice.show_in_width(message.paint)
            return
        is_replay = self._surface.replay is not None
        notice = self._surface.notice_age.pick(self._surface.queries, is_replay=is_replay)
        if notice is None:
            self._notice.show(_explain_too_small(self._screen.size) or self._greeting)
        else:
            self._notice.show_in_width(partial(paint_notice, notice))


def _explain_too_small(size: Size) -> Line:
    width, height = size
    if not width or (width >= SMALLEST.width and height >= SMALLEST.height):
        return ()
    return (Cell(f" {width}x{height} needs {SMALLEST.width}x{SMALLEST.height}", Role.NOTICE_WARN),)
