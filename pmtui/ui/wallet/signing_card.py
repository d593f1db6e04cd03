"""The card before the wallet signs anything: as long as needed, and read to its end.

A card longer than the screen scrolls, and enter turns its pages: it signs only after the last line
has been visible.
"""

from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.getters import query_one
from typing_extensions import override

from pmtui.service.topics import WalletTopic
from pmtui.ui.cells import Cell, Line
from pmtui.ui.facts import key_of
from pmtui.ui.frame import is_live
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import CardScreen
from pmtui.ui.widgets.line_pane import ScrollingPane
from pmtui.ui.widgets.text_line import TextLine, answer_keys

WIDTH = 78
"""Fits a hash and its name on one line."""
_CHROME_COLUMNS = 4
_CHROME_ROWS = 4
"""Border, hint and keys."""

PaintLines = Callable[[int], tuple[Line, ...]]
"""Returns the lines of a card for a width."""


class CardLines(ScrollingPane):
    """The lines of a card, scrollable."""

    def __init__(self, paint_lines: PaintLines) -> None:
        super().__init__(id="card-lines")
        self._paint_lines_of = paint_lines
        self._first = 0
        self._is_read = False

    @property
    def is_read(self) -> bool:
        """Whether the last line has been visible at this size."""
        return self._is_read

    def count_lines(self, width: int) -> int:
        """Return the number of lines at a width."""
        return len(self._paint_lines_of(width))

    @property
    @override
    def page_rows(self) -> int:
        return max(1, self.size.height - 1)

    @override
    def scroll_rows(self, rows: int) -> None:
        last = max(self.count_lines(self.size.width) - self.size.height, 0)
        self._first = min(max(self._first + rows, 0), last)
        self.repaint()

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        lines = self._paint_lines_of(width)
        self._first = min(self._first, max(len(lines) - height, 0))
        self._is_read = self._is_read or self._first + height >= len(lines)
        shown = lines[self._first : self._first + height]
        below = len(lines) - self._first - height
        if below > 0 and height > 1:
            more = Cell(f"{below + 1} more lines below", Role.NOTICE_WARN)
            return (*shown[:-1], (more,))
        return shown


class SigningCard(CardScreen):
    """Shows what is about to be signed or submitted; enter does it once the card has been read."""

    AGREE = "Sign and submit"

    DEFAULT_CSS = f"""
    SigningCard {{ align: center middle; }}
    SigningCard > #card {{ width: {WIDTH}; max-width: 100%; max-height: 100%; }}
    SigningCard CardLines {{ height: 1fr; }}
    """

    lines = query_one("#card-lines", CardLines)

    def __init__(self, paint_lines: PaintLines, *, surface: Surface, agree: str = AGREE) -> None:
        """Ask for confirmation."""
        super().__init__(surface=surface)
        self._paint_lines_of = paint_lines
        self._agree = agree

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        return self._paint_lines_of(width)

    @override
    def compose(self) -> ComposeResult:
        options = self._surface.options
        with Vertical(id="card"):
            yield CardLines(self._paint_lines_of)
            yield TextLine(id="hint")
            yield answer_keys(self._agree, options, width=WIDTH - _CHROME_COLUMNS)

    @override
    def on_mount(self) -> None:
        """Take as many rows as the lines need, and subscribe to the wallet.

        The screen behind may not watch it, and the card shows cash and shares after the step.
        """
        subscribe = self._surface.subscriptions.subscribe
        self._watching = subscribe([WalletTopic()], lambda _: self.call_next(self._fit_mounted))
        self._fit()
        self.lines.focus()

    def _fit_mounted(self) -> None:
        if is_live(self):
            self._fit()

    @override
    def on_resize(self) -> None:
        self._fit()

    @override
    def on_key(self, event: events.Key) -> None:
        # Textual also calls CardScreen.on_key unless it is prevented.
        is_accept = event.key in self._surface.options.keymap.keys_of("confirm.accept")
        is_moving = event.key in _MOVING
        if is_moving or (is_accept and not self.lines.is_read):
            event.prevent_default()
        if is_accept and not self.lines.is_read:
            event.stop()
            self.lines.action_page_down()
            key = key_of(self._surface.options.keymap, "confirm.accept")
            self.hint.show(
                (
                    Cell(
                        f"More to read: {key} turns the page, and signs at the end",
                        Role.NOTICE_WARN,
                    ),
                )
            )

    def _fit(self) -> None:
        columns, rows = self.app.size
        width = min(WIDTH, columns) - _CHROME_COLUMNS
        needed = self.lines.count_lines(width) + _CHROME_ROWS
        self.query_one("#card", Vertical).styles.height = min(needed, rows)
        self.lines.repaint()


_MOVING = frozenset({"up", "down", "j", "k", "pageup", "pagedown", "home", "end"})
