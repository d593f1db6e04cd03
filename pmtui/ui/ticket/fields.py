"""The ticket's fields and their layout: in rows of a pane, or side by side on one line."""

import re
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Region, Size
from textual.getters import query_one
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.ticket.draft import Step, TicketField
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, focus_mark
from pmtui.ui.keys.actions import STOPPING, bindings_of, find_action
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.role_styles import RoleStyles
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.focus import shows_focus
from pmtui.ui.widgets.text_line import TextLine

MORE = "»"
"""After a value that a key changes."""
_STOPPING_KEYS = frozenset(key for each in STOPPING for key in find_action(each).keys)
_MOST_TYPED = 64
"""Longer than any number; a text of this length is refused."""


class TextBlock(Widget):
    """Lines of cells; asks for layout only when their number changes."""

    DEFAULT_CSS = """
    TextBlock { height: auto; width: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        """Start empty."""
        super().__init__(id=id)
        self._lines: tuple[Line, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines shown."""
        return self._lines

    def show(self, lines: tuple[Line, ...]) -> None:
        """Show these lines and repaint those that changed."""
        old, self._lines = self._lines, lines
        if not self.is_mounted or old == lines:
            return
        if len(old) != len(lines) and self.styles.height is not None and self.styles.height.is_auto:
            self.refresh(layout=True)
            return
        for y in range(max(len(old), len(lines))):
            before = old[y] if y < len(old) else None
            after = lines[y] if y < len(lines) else None
            if before != after:
                self.refresh(Region(0, y, self.size.width, 1))

    @override
    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines)

    @override
    def render_line(self, y: int) -> Strip:
        if y >= len(self._lines):
            return Strip([Segment(" " * self.size.width, self.rich_style)], self.size.width)
        line = fit_line(self._lines[y], self.size.width)
        return RoleStyles.of_widget(self).strip(line)


class Choice(Widget, can_focus=True):
    """A choice of a few values; keys and clicks request the next one from the parent."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of(
        "ticket.next_choice", "ticket.previous_choice"
    )

    DEFAULT_CSS = """
    Choice { height: 1; width: auto; }
    """

    @dataclass
    class Moved(Message):
        """The trader wants the next or the previous value."""

        choice: "Choice"
        step: Step

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's word
        """Start empty."""
        super().__init__(id=id)
        self._cell = Cell("")

    @property
    def text(self) -> str:
        """The value shown."""
        return self._cell.text

    def show(self, text: str, role: Role = Role.TEXT) -> None:
        """Show a value."""
        cell = Cell(text, role)
        if cell != self._cell:
            self._cell = cell
            if self.is_mounted:
                self.refresh(layout=False)

    def action_next_choice(self) -> None:
        """Request the next value."""
        self.post_message(self.Moved(self, Step.UP))

    def action_previous_choice(self) -> None:
        """Request the previous value."""
        self.post_message(self.Moved(self, Step.DOWN))

    def on_click(self) -> None:
        """Request the next value."""
        self.action_next_choice()

    def on_focus(self) -> None:
        """Show the focus."""
        self.refresh(layout=False)

    def on_blur(self) -> None:
        """Remove the focus highlight."""
        self.refresh(layout=False)

    @override
    def render_line(self, y: int) -> Strip:
        ground = Role.CURSOR_ROW if shows_focus(self) else None
        cell = self._cell._replace(ground=ground, emphasis=Emphasis.BOLD)
        line = fit_line((cell,), self.size.width)
        return RoleStyles.of_widget(self).strip(line)


class EntryLabel(TextLine):
    """The name of an entry; bright and marked while its entry has the focus."""

    def __init__(self, name: str, entry: str) -> None:
        """Name the entry with this id."""
        super().__init__(classes="label")
        self._word = name
        self.entry = entry
        """The id of the named widget."""
        self.mark(is_here=False)

    def mark(self, *, is_here: bool) -> None:
        """Show whether the entry has the focus."""
        role = Role.KEY if is_here else Role.DIM
        self.show((Cell("▸" if is_here else " ", Role.KEY), Cell(self._word, role)))


class NumberField(Input, inherit_bindings=False):
    """A text field for a number; up and down request a step, enter is left to the ticket."""

    DEFAULT_CSS = """
    /* Without a background of its own only a line shows where to type. */
    NumberField:ansi, NumberField:nocolor { text-style: underline; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(b for b in Input.BINDINGS if not (isinstance(b, Binding) and b.key == "enter")),
        *bindings_of("ticket.step_up", "ticket.step_down"),
    ]

    @dataclass
    class Stepped(Message):
        """The trader wants a higher or a lower value."""

        field: "NumberField"
        step: Step

    class Restricted(Message):
        """A letter was typed that belongs to no number; it is kept and checked as typed."""

    def __init__(self, *, id: str, characters: str) -> None:  # noqa: A002 - Textual's word
        """Build a field.

        Args:
            id: of the widget.
            characters: the allowed characters, as the inside of a regular expression's set.
        """
        # Nothing is dropped: `1e3` without its letter would be another valid number.
        super().__init__(id=id, compact=True, max_length=_MOST_TYPED)
        self._foreign = re.compile(f"[^{characters}]")
        self.cursor_blink = False

    @override
    def restricted(self) -> None:
        """Notify the parent: a key that is silently ignored looks like a fault."""
        super().restricted()
        self.post_message(self.Restricted())

    @override
    def check_consume_key(self, key: str, character: str | None) -> bool:
        # Textual asks about the default keys, and then puts the user's in their place.
        return key not in _STOPPING_KEYS and super().check_consume_key(key, character)

    def on_key(self, event: events.Key) -> None:
        """Leave the keys that stop trading to the app."""
        is_urgent = isinstance(self.app, TerminalApp) and event.key in self.app.key_queue.urgent
        if is_urgent and self._foreign.match(event.character or ""):
            event.prevent_default()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Notify the parent of a letter that was meant as a key, or is a typo."""
        typed = event.value[: self.cursor_position][-1:]
        if typed.isalpha() and self._foreign.match(typed):
            self.post_message(self.Restricted())

    def write(self, text: str) -> None:
        """Replace the text as if it had been typed."""
        self.value = text
        self.cursor_position = len(text)

    def fill(self, text: str) -> None:
        """Replace the text with that of a draft, which is not told of it."""
        if self.value != text:
            with self.prevent(Input.Changed):
                self.value = text
            self.cursor_position = len(text)

    def offer(self, text: str) -> None:
        """Fill in a proposal, selected so that typing replaces it."""
        self.value = text
        self.select_all()

    def action_step_up(self) -> None:
        """Request the next higher value."""
        self.post_message(self.Stepped(self, Step.UP))

    def action_step_down(self) -> None:
        """Request the next lower value."""
        self.post_message(self.Stepped(self, Step.DOWN))


FIELD_WIDGETS = {
    TicketField.SIDE: "#ticket-side",
    TicketField.OUTCOME: "#ticket-side",
    TicketField.KIND: "#ticket-kind",
    TicketField.TIME_IN_FORCE: "#ticket-time-in-force",
    TicketField.EXPIRY: "#ticket-expiry",
    TicketField.POST_ONLY: "#ticket-post-only",
    TicketField.PRICE: "#ticket-price",
    TicketField.SIZE: "#ticket-size",
    TicketField.STOP: "#ticket-stop",
    TicketField.TARGET: "#ticket-target",
}


class TicketLayout(Vertical):
    """The fields, and the blocks of lines about them; filled by subclasses."""

    DEFAULT_CSS = """
    TicketLayout { display: none; width: 100%; height: 100%; }
    TicketLayout.-open { display: block; }
    TicketLayout .ticket-row { height: 1; }
    TicketLayout .ticket-label { width: 7; }
    TicketLayout #ticket-side { width: 7; }
    TicketLayout NumberField { background: $surface; }
    TicketLayout NumberField:focus { background: $primary 35%; }
    TicketLayout #ticket-kind { width: 8; }
    TicketLayout #ticket-time-in-force { width: 5; }
    TicketLayout #ticket-post-only { width: 15; }
    TicketLayout #ticket-unit { width: 10; }
    TicketLayout #ticket-price { width: 8; }
    TicketLayout #ticket-size { width: 12; }
    TicketLayout #ticket-expiry { width: 7; visibility: hidden; }
    TicketLayout.-timed #ticket-expiry { visibility: visible; }
    TicketLayout.-market #ticket-post-only { display: none; }
    TicketLayout.-market #ticket-price { width: 13; }
    TicketLayout #ticket-stop, TicketLayout #ticket-target { width: 7; }
    TicketLayout #ticket-target-label { width: 8; }
    TicketLayout.-sell #ticket-attached, TicketLayout.-low #ticket-attached { display: none; }
    /* A slim pane: the words of a row stand closer. */
    TicketLayout.-slim.-market #ticket-kind { width: 9; }
    TicketLayout.-slim #ticket-time-in-force { width: 6; }
    TicketLayout.-slim #ticket-expiry { width: 5; display: none; }
    TicketLayout.-slim.-timed #ticket-expiry { display: block; }
    TicketLayout.-slim #ticket-post-only { width: 14; }
    TicketLayout.-slim #ticket-stop, TicketLayout.-slim #ticket-target { width: 6; }
    TicketLayout #ticket-figures { height: 1fr; }
    TicketLayout #ticket-below { display: none; }

    /* On one line: the same fields in the same order, all that is said of them below. */
    TicketLayout.-line { layout: horizontal; height: 3; }
    TicketLayout.-line TextBlock { display: none; }
    TicketLayout.-line #ticket-below { display: block; dock: bottom; height: 2; width: 100%; }
    TicketLayout.-line .ticket-row { width: auto; }
    TicketLayout.-line #ticket-attached { display: none; }
    TicketLayout.-line .ticket-what { width: 1fr; }
    TicketLayout.-line #ticket-side { width: 6; }
    TicketLayout.-line #ticket-kind { width: 7; }
    TicketLayout.-line #ticket-time-in-force { width: 4; }
    TicketLayout.-line #ticket-expiry { width: 6; margin-left: 1; }
    /* Cut short, `post-only` would read as a verb. */
    TicketLayout.-line #ticket-post-only { width: 14; }
    TicketLayout.-line #ticket-price-label { width: 4; }
    TicketLayout.-line.-market #ticket-price-label { width: 7; }
    TicketLayout.-line #ticket-price { width: 6; }
    TicketLayout.-line.-market #ticket-price { width: 13; }
    TicketLayout.-line #ticket-touch { width: 2; }
    TicketLayout.-line #ticket-size-label { width: 6; }
    TicketLayout.-line #ticket-size { width: 11; }
    TicketLayout.-line #ticket-unit { width: 8; }
    /* Too narrow for all of that: the words go, the side and the unit stay. */
    TicketLayout.-line.-tight #ticket-expiry { display: none; }
    TicketLayout.-line.-tight.-timed #ticket-expiry { display: block; }
    TicketLayout.-line.-tight #ticket-post-only { width: 7; }
    TicketLayout.-line.-tight #ticket-size { width: 7; }
    TicketLayout.-line.-tight.-timed #ticket-kind { display: none; }
    """

    side = query_one("#ticket-side", Choice)
    kind = query_one("#ticket-kind", Choice)
    time_in_force = query_one("#ticket-time-in-force", Choice)
    post_only = query_one("#ticket-post-only", Choice)
    unit = query_one("#ticket-unit", Choice)
    price = query_one("#ticket-price", NumberField)
    size_field = query_one("#ticket-size", NumberField)
    expiry = query_one("#ticket-expiry", NumberField)
    stop = query_one("#ticket-stop", NumberField)
    target = query_one("#ticket-target", NumberField)
    outcome = query_one("#ticket-outcome", TextLine)
    touch = query_one("#ticket-touch", TextLine)
    figures = query_one("#ticket-figures", TextBlock)
    state = query_one("#ticket-state", TextBlock)
    below = query_one("#ticket-below", TextBlock)

    def __init__(self, surface: Surface, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        """Build empty fields."""
        super().__init__(id=id)
        self.has_whole_form = True
        """Whether the screen has room for all of it where it stands on one line."""
        self.surface = surface

    @override
    def compose(self) -> ComposeResult:
        with Horizontal(classes="ticket-row ticket-what"):
            yield Choice(id="ticket-side")
            yield TextLine(id="ticket-outcome")
        yield TextBlock(id="ticket-side-notes")
        with Horizontal(classes="ticket-row"):
            yield Choice(id="ticket-kind")
            yield Choice(id="ticket-time-in-force")
            yield NumberField(id="ticket-expiry", characters="0-9smhdcloeSMHDCLOE")
            yield Choice(id="ticket-post-only")
        yield TextBlock(id="ticket-kind-notes")
        with Horizontal(classes="ticket-row"):
            yield TextLine(id="ticket-price-label", classes="ticket-label")
            yield NumberField(id="ticket-price", characters="0-9.,¢")
            yield TextLine(id="ticket-touch")
        yield TextBlock(id="ticket-price-notes")
        with Horizontal(classes="ticket-row"):
            yield TextLine(id="ticket-size-label", classes="ticket-label")
            yield NumberField(id="ticket-size", characters="0-9.,$%")
            yield Choice(id="ticket-unit")
        yield TextBlock(id="ticket-size-notes")
        with Horizontal(classes="ticket-row", id="ticket-attached"):
            yield TextLine(id="ticket-stop-label", classes="ticket-label")
            yield NumberField(id="ticket-stop", characters="0-9.,¢")
            yield TextLine(id="ticket-target-label")
            yield NumberField(id="ticket-target", characters="0-9.,¢")
            yield TextLine((Cell(" ¢", Role.DIM),))
        yield TextBlock(id="ticket-attached-notes")
        yield TextBlock(id="ticket-figures")
        yield TextBlock(id="ticket-state")
        yield TextBlock(id="ticket-below")

    @override
    def render_lines(self, crop: Region) -> list[Strip]:
        strips = super().render_lines(crop)
        at = 1 - crop.x
        is_framed = self.styles.border_top[0] not in ("", "none")
        if is_framed and self.has_focus_within and not crop.y and 0 <= at < crop.width and strips:
            # Where a panel has it: within the title, Textual's frame would move the words.
            left, here, right = (
                strips[0].crop(*ends) for ends in ((0, at), (at, at + 1), (at + 1,))
            )
            mark = Strip([Segment(focus_mark(), each.style) for each in here], 1)
            for each in self.get_line_filters():
                mark = mark.apply_filter(each, self.background_colors[1])
            strips[0] = Strip.join([left, mark, right])
        return strips

    def action_next_field(self) -> None:
        """Move to the next field."""
        self._move_focus(1)

    def action_previous_field(self) -> None:
        """Move to the previous field."""
        self._move_focus(-1)

    def _move_focus(self, step: int) -> None:
        # Wrap around: past the last field the same keys would be the screen's commands.
        fields = [each for each in self.screen.focus_chain if self in each.ancestors]
        focused = self.screen.focused
        if focused in fields:
            _ = fields[(fields.index(focused) + step) % len(fields)].focus()
