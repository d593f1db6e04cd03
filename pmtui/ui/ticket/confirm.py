"""The card between ticket and venue: it shows what is signed, and is read to its end."""

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Region
from textual.getters import query_one
from textual.message import Message
from typing_extensions import override

from pmtui.service.surface import PreparedOrder, Subscription
from pmtui.service.topics import Topic
from pmtui.ui.cells import Cell, Line
from pmtui.ui.facts import key_of
from pmtui.ui.frame import is_live
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import STOPPING, bindings_for, bindings_of
from pmtui.ui.modal import Modal
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_confirm import Occasion, paint_confirm
from pmtui.ui.ticket.ticket_state import WOULD_BE_REFUSED, numbers_of, review_order, topics_of
from pmtui.ui.widgets.line_pane import ScrollingPane
from pmtui.ui.widgets.text_line import KeyLine, TextLine, answer_entries, answer_keys

ARMING_PAUSE_S = 0.15
"""A second enter of an impatient finger must not send what nobody has read."""
READ_ON = "Read on"
"""The label of the agreeing key while it turns the page."""
_CLOCK_S = 1.0
_CHROME_ROWS = 4
"""Rows of border, hint and keys."""
_MOVING = frozenset({"up", "down", "j", "k", "pageup", "pagedown", "home", "end"})

PaintLines = Callable[[int], tuple[Line, ...]]
"""Returns the lines of a card for a width."""


class CardLines(ScrollingPane):
    """The lines of a card, scrollable where they do not fit."""

    DEFAULT_CSS = "CardLines { height: 1fr; }"

    class Scrolled(Message):
        """Another page is visible."""

    def __init__(self, paint_lines: PaintLines) -> None:
        super().__init__(id="card-lines")
        self._paint_lines_of = paint_lines
        self._first = 0
        self._is_read = False

    @property
    def is_read(self) -> bool:
        """Whether the last line has been visible at this size."""
        return self._is_read

    def unread(self) -> None:
        """Want all lines to be visible again, from the first: there is a new one."""
        self._first, self._is_read = 0, False

    @property
    def is_long(self) -> bool:
        """Whether there are more lines than fit."""
        return len(self._paint_lines_of(self.size.width)) > self.size.height

    @property
    @override
    def page_rows(self) -> int:
        return max(1, self.size.height - 1)

    @override
    def scroll_rows(self, rows: int) -> None:
        self._first = max(self._first + rows, 0)
        self._place(len(self._paint_lines_of(self.size.width)), self.size.height)
        self.repaint()
        self.post_message(self.Scrolled())

    def _place(self, lines: int, height: int) -> None:
        """Keep the page within the lines, and note when the last one is on it."""
        self._first = min(self._first, max(lines - height, 0))
        self._is_read = self._is_read or self._first + height >= lines

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        lines = self._paint_lines_of(width)
        self._place(len(lines), height)
        shown = lines[self._first : self._first + height]
        below = len(lines) - self._first - height
        if below > 0 and height > 1:
            more = Cell(f"{below + 1} more lines below", Role.NOTICE_WARN)
            return (*shown[:-1], (more,))
        return shown


def _nowhere() -> Region | None:
    return None


class CardScreen(Modal[bool]):
    """Shows what is about to be signed; enter sends it, escape changes nothing.

    Lines that do not fit scroll: enter turns the page, and sends only after the last line has been
    visible.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)
    WIDTH: ClassVar[int] = 38
    AGREE: ClassVar[str] = "Send"
    """The label of the agreeing key."""
    PAUSE_S: ClassVar[float] = ARMING_PAUSE_S
    """For how long it has to be visible before the agreeing key works."""

    DEFAULT_CSS = """
    CardScreen > #card { border: heavy $warning; }
    """

    hint = query_one("#hint", TextLine)
    lines = query_one("#card-lines", CardLines)

    def __init__(
        self, *, surface: Surface, orders: Sequence[PreparedOrder] = (),
        doubt: Callable[[], str] = lambda: "", form: Callable[[], Region | None] = _nowhere,
        agree: str = "",
    ) -> None:  # fmt: skip
        """Ask for confirmation.

        Args:
            surface: the service, for its clock and mode, and the user's choices.
            agree: the label of the agreeing key, in a word or two; empty for the usual one.
            orders: what is sent; what may change the reasons against them is followed.
            doubt: returns why it may be a mistake now; empty for no reason.
            form: returns the region of the form that it is about, if that is not the screen below.
        """
        super().__init__()
        self._surface = surface
        self._label = agree or self.AGREE
        self._orders = tuple(orders)
        self._doubt_now = doubt
        self._doubt = doubt()
        self.place.repeated = form
        self._shown_at_s: float | None = None
        self._opened_time = 0.0
        self._has_details = False
        self._tallest = (0, 0)
        """Its width, and the most lines that it has had in that."""
        self._watching: Subscription | None = None

    @property
    def details_key(self) -> str:
        """The key that shows addresses and id; empty once they are shown."""
        keymap = self._surface.options.keymap
        return "" if self._has_details else key_of(keymap, "confirm.details")

    def action_details(self) -> None:
        """Show addresses and id as well, on a card that has them."""
        self._has_details = True
        self.fit()

    @abstractmethod
    def card_lines(self, width: int) -> tuple[Line, ...]:
        """Return the card's lines, painted from the fields that are hashed."""

    def judge_again(self) -> bool:
        """Take the reasons against it as they are now; return whether there is a new one to be read."""
        before, self._doubt = self._doubt, self._doubt_now()
        return bool(self._doubt) and not before

    @property
    @override
    def rows(self) -> int:
        # It does not shrink: what is being read keeps its place.
        width, lines = self.inner, len(self.card_lines(self.inner))
        if self._tallest[0] == width:
            lines = max(lines, self._tallest[1])
        self._tallest = width, lines
        return lines + _CHROME_ROWS

    @property
    def room(self) -> int:
        """The lines that it may have without going lower than the ladder."""
        return max(self.place.area(0).height - _CHROME_ROWS, 1)

    @override
    def fit(self) -> None:
        super().fit()
        self.query_one("#card").styles.height = self.rows
        self._show_keys()
        self.lines.repaint()

    @on(CardLines.Scrolled)
    def _show_keys(self) -> None:
        """Show what the agreeing key does now."""
        is_long = self.rows > self.place.area(self.rows).height
        agree = READ_ON if is_long and not self.lines.is_read else self.agree
        self.query_one(KeyLine).show_keys(answer_entries(agree, self._surface.options), self.inner)

    def on_mount(self) -> None:
        """Follow what the reasons against it depend on: the screen behind rests meanwhile."""
        self.lines.focus()
        if self._orders:
            self.follow(topics_of(self._orders))
            # Time alone makes a timed order too short, also while the book is quiet.
            _ = self.set_interval(_CLOCK_S, self._update)

    def follow(self, topics: Iterable[Topic]) -> None:
        """Show what changes with these topics."""
        subscribe = self._surface.subscriptions.subscribe
        self._watching = subscribe(list(topics), lambda _: self.call_next(self._update))

    def on_unmount(self) -> None:
        """Watch nothing any more."""
        if self._watching is not None:
            self._watching.close()

    def _update(self) -> None:
        """Show what it says as of now, where it stands; more lines make it taller."""
        if not is_live(self):
            return
        if self.judge_again():
            # Whoever is about to agree has not read it yet.
            self._shown_at_s = None
            self.lines.unread()
            self.call_after_refresh(self._start_pause)
        self.fit()

    @property
    def agree(self) -> str:
        """The label of the agreeing key now."""
        return self._label

    @override
    def compose(self) -> ComposeResult:
        with Vertical(id="card", classes="frame"):
            yield CardLines(self.card_lines)
            yield TextLine(id="hint")
            yield answer_keys(self.agree, self._surface.options, width=self.inner)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Start the pause once the card is visible."""
        self._opened_time = event.time
        self.call_after_refresh(self._start_pause)

    def on_key(self, event: events.Key) -> None:
        """Ignore a sending key that was pressed before the card could be read to its end."""
        keymap = self._surface.options.keymap
        if event.key not in keymap.keys_of("confirm.accept"):
            known = ("confirm.decline", "confirm.details", *STOPPING)
            meant = {key for action in known for key in keymap.keys_of(action)}
            is_moving = event.key in _MOVING and self.lines.is_long
            if event.is_printable and event.key not in meant and not is_moving:
                self.want_answer()
            return
        if not self.lines.is_read:
            event.stop()
            self.lines.action_page_down()
            self._warn(f"{READ_ON}: {key_of(keymap, 'confirm.accept')} turns the page")
        elif event.time <= self._opened_time or not self.is_armed:
            event.stop()
            self._warn("Too quick: read it first")
            if self.PAUSE_S:
                self._await_pause()
        elif (
            self.PAUSE_S
            and isinstance(self.app, TerminalApp)
            and (still_s := self.app.terminal.stood_still_s)
        ):
            event.stop()
            self._warn(f"Line stalled {still_s:.0f} s: press again")

    def want_answer(self) -> None:
        """Show that a key did nothing because the card comes first."""
        back = key_of(self._surface.options.keymap, "confirm.decline")
        self._warn(f"Answer first; {back} to go back")

    def _warn(self, text: str) -> None:
        self.hint.show((Cell(text, Role.NOTICE_WARN),))

    @property
    def is_armed(self) -> bool:
        """Whether the card has been visible for long enough."""
        shown_at_s = self._shown_at_s
        return not self.PAUSE_S or (
            shown_at_s is not None
            and self._surface.queries.monotonic() - shown_at_s >= self.PAUSE_S
        )

    def action_accept(self) -> None:
        """Send."""
        if self.is_armed:
            _ = self.dismiss(result=True)

    def action_decline(self) -> None:
        """Cancel without a change."""
        _ = self.dismiss(result=False)

    def _start_pause(self) -> None:
        if self._shown_at_s is None:
            self._shown_at_s = self._surface.queries.monotonic()

    def _await_pause(self) -> None:
        """Show when the key that came too early may be pressed again."""
        if self.is_armed:
            self._warn(f"Press again to {self.agree.lower()}")
        else:
            self.set_timer(ARMING_PAUSE_S, self._await_pause)


_FIGURES = re.compile(r"[0-9][0-9.,]*")


def _kind_of(warning: str) -> str:
    """Return what a warning is about, without the figures that move with the market."""
    return _FIGURES.sub("0", warning)


class ConfirmScreen(CardScreen):
    """Shows a prepared order; enter sends it, escape returns to the unchanged ticket."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("confirm.details")

    def __init__(
        self,
        order: PreparedOrder,
        *,
        surface: Surface,
        doubt: str = "",
        warnings: tuple[str, ...] = (),
        also: tuple[tuple[str, str], ...] = (),
        form: Callable[[], Region | None] = _nowhere,
    ) -> None:
        """Ask for confirmation.

        Args:
            order: the order to send.
            surface: the service, for its clock and mode, and the user's choices.
            doubt: why sending it may be a mistake; empty for none.
            warnings: further reasons against it.
            also: further facts, as names and values.
            form: returns the region of the form that it is about, if that is not the screen below.
        """
        super().__init__(surface=surface, orders=(order,), form=form)
        self._order = order
        self._own_doubt = doubt
        self._refusal = ""
        found = review_order(surface, order)
        judged = set() if found is None else {_kind_of(text) for text in found.warnings}
        self._lasting = tuple(text for text in warnings if _kind_of(text) not in judged)
        """Those that are of what was typed, which does not change any more."""
        self._occasion = Occasion(warnings=warnings, estimates=also)
        _ = self.judge_again()

    @override
    def judge_again(self) -> bool:
        before, was_refused = self._occasion.warnings, bool(self._refusal)
        numbers = numbers_of(self._surface, self._order)
        found = review_order(self._surface, self._order)
        if found is not None:
            now = {_kind_of(text): text for text in (*self._lasting, *found.warnings)}
            known = dict.fromkeys(map(_kind_of, before))
            # Those that stay keep their lines, with the figures of now.
            kinds = (*(k for k in known if k in now), *(k for k in now if k not in known))
            self._refusal = found.refusal
            self._occasion = replace(self._occasion, warnings=tuple(now[k] for k in kinds))
        self._occasion = replace(self._occasion, numbers=numbers)
        is_refused = bool(self._refusal) and not was_refused
        return is_refused or len(self._occasion.warnings) > len(before)

    @property
    def _against(self) -> str:
        if not self._refusal:
            return self._own_doubt
        return f"{WOULD_BE_REFUSED}: {self._refusal}. {self._own_doubt}".rstrip()

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        return paint_confirm(
            self._order,
            width,
            mode=self._surface.queries.status().mode,
            doubt=self._against,
            height=self.room,
            occasion=replace(self._occasion, details_key=self.details_key),
        )
