"""A question that must be answered before something dangerous happens."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from typing_extensions import override

from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.frame import ladder_edge
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.modal import Modal, form_below
from pmtui.ui.surface import Options
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_ticket import wrap_line
from pmtui.ui.widgets.text_line import TextLine, answer_keys

WIDTH = 64
MOST_LINES = 4
_FRAME = 4
_NARROWEST = 34
"""With fewer cells inside its frame, a question covers the ladder instead of standing beside it."""


class QuestionScreen(Modal[bool]):
    """Shows a few lines; enter confirms, escape cancels."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.CONFIRM)

    DEFAULT_CSS = """
    QuestionScreen { align: center middle; }
    QuestionScreen.-beside { align: right middle; }
    QuestionScreen > #card {
        width: 68; max-width: 100%; height: auto; background: $panel; border: heavy $warning;
        padding: 0 1;
    }
    QuestionScreen.-danger > #card { border: heavy $error; }
    """

    def __init__(
        self, title: str, lines: tuple[Line, ...], *, agree: str, options: Options,
        is_danger: bool = False,
    ) -> None:  # fmt: skip
        """Ask for confirmation.

        Args:
            title: what is about to happen.
            lines: the numbers that matter, painted.
            agree: the label of the agreeing key, in a word or two.
            options: keys and character set of this user.
            is_danger: whether it stops all trading, so that the frame is red.
        """
        super().__init__(classes="-danger" if is_danger else None)
        self._title = title
        self._agree = agree
        self._lines = lines
        self._options = options
        self._opened_time = 0.0

    @override
    def compose(self) -> ComposeResult:
        edge = ladder_edge(self.app)
        beside = self.app.size.width - edge - _FRAME
        is_beside = edge > 0 and beside >= _NARROWEST
        self.set_class(is_beside, "-beside")
        inner = min(WIDTH, beside) if is_beside else WIDTH
        form = form_below(self)
        with Vertical(id="card") as card:
            card.styles.width = inner + _FRAME
            # Nothing of the form that it is about looks out from behind it.
            card.styles.min_height = form.height if form is not None else 0
            yield TextLine((Cell(self._title, Role.HEADING, Emphasis.BOLD),))
            # Lines are wrapped, not cropped.
            for line in self._lines:
                for part in wrap_line(line, inner, most=MOST_LINES):
                    yield TextLine(part)
            yield TextLine()
            yield answer_keys(self._agree, self._options, width=inner)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Note from when on a key can be an answer."""
        self._opened_time = event.time

    def on_key(self, event: events.Key) -> None:
        """Ignore an agreeing key that was pressed before the question opened."""
        keys = self._options.keymap.keys_of("confirm.accept")
        if event.key in keys and event.time <= self._opened_time:
            event.stop()

    def action_accept(self) -> None:
        """Confirm."""
        _ = self.dismiss(result=True)

    def action_decline(self) -> None:
        """Cancel."""
        _ = self.dismiss(result=False)
