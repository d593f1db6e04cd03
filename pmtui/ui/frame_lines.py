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
from pmtui.ui.replay_line import ReplayLine
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.text_line import KeyLine, TextLine

SMALLEST = Size(40, 12)
"""Every screen works down to this size; a smaller one shows a warning."""


_IN_PALETTE = ("global.open", "global.back")


class FrameLines:
    """The lines of one screen. The notice line also shows the answers to keys."""

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
            screen: the screen that they surround.
            surface: the service and the user's choices.
            entries: returns the keys that work now, the nearest first.
            are_keys_locked: returns whether single keys are locked now, armed or not.
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
        """Shows the answers to keys in place of the notices."""

    def compose_above(self) -> ComposeResult:
        """Yield the lines above the body."""
        yield self._status
        yield self._loss

    def compose_below(self) -> ComposeResult:
        """Yield the lines below the body."""
        if (replay := self._surface.replay) is not None:
            yield ReplayLine(
                replay, self._surface.options.keymap, on_pause_change=self.show_status
            )  # fmt: skip
        yield self._tour
        yield self._notice
        yield self._footer

    def show_all(self) -> None:
        """Repaint all lines for the current width."""
        self.show_status()
        self._show_notice()
        self.show_footer()

    def show_topic(self, topic: StatusTopic | LogTopic) -> None:
        """Update the lines that show this topic."""
        if isinstance(topic, StatusTopic):
            self.show_status()
        self._show_notice()

    def show_status(self) -> None:
        """Show profile, money and the health of the sources; below, whether the service is gone."""
        loss, width = self._surface.loss, self._screen.size.width
        self._screen.set_class(loss is not None, "-unserved")
        if loss is not None:
            account, keymap = self._surface.queries.account(), self._surface.options.keymap
            is_typing = isinstance(self._screen.focused, Input)
            self._loss.show(
                paint_loss(loss, account, keymap=keymap, width=width, is_typing=is_typing)
            )
        replay = self._surface.replay
        self._status.show(
            paint_status(
                self._surface.queries.status(),
                self._screen.size.width,
                armed_size=format_size_compact(self._surface.single_key_size, width=6).strip(),
                news=count_news(self._surface.queries.log()),
                are_keys_locked=self._are_keys_locked(),
                paused_reason="" if replay is None else replay.view().paused_reason,
            )
        )

    def show_footer(self) -> None:
        """Show the keys that work now; those of the modal if one is open."""
        above = self._screen.app.screen
        if above is not self._screen and above.is_modal:
            entries = self._entries_of(above)
        else:
            entries = self._entries()
        self._footer.show_keys(entries, self._screen.size.width)

    def _entries_of(self, question: Screen[Any]) -> tuple[FooterEntry, ...]:
        own = question.query(KeyLine)
        if own:
            # Use the modal's own labels, also later ones: a key has one label on the whole screen.
            own.first().on_change = self.show_footer
            return own.first().entries
        ids = (active.binding.id for active in question.active_bindings.values())
        # The palette is Textual's own; its keys have no entries in our registry.
        keymap = self._surface.options.keymap
        return entries_of(ids, keymap) or entries_of(_IN_PALETTE, keymap)

    def note_key(self) -> None:
        """Mark the visible notice as read if it was visible long enough."""
        if self._surface.notice_age.note_key(self._surface.queries.monotonic()):
            self._show_notice()

    def show_tour(self, line: Line) -> None:
        """Show a line of the tour, which nothing else replaces."""
        self._screen.set_class(bool(line), "-touring")
        self._tour.show(line)

    def greet(self, line: Line) -> None:
        """Show this line whenever there is no notice."""
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
