"""A question that must be answered before something dangerous happens."""

from typing import ClassVar

from typing_extensions import override

from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import CardScreen
from pmtui.ui.ticket.paint_ticket import wrap_line

WIDTH = 64
_MOST_LINES = 8


class QuestionScreen(CardScreen):
    """Shows a few lines; enter confirms, escape cancels."""

    WIDTH: ClassVar[int] = WIDTH
    PAUSE_S: ClassVar[float] = 0.0
    """It signs nothing: a kill switch does not wait."""

    DEFAULT_CSS = """
    QuestionScreen.-danger > #card { border: heavy $error; }
    """

    def __init__(
        self, title: str, lines: tuple[Line, ...], *, agree: str, surface: Surface,
        is_danger: bool = False,
    ) -> None:  # fmt: skip
        """Ask for confirmation.

        Args:
            title: what is about to happen.
            lines: the numbers that matter, painted.
            agree: the label of the agreeing key, in a word or two.
            surface: keys and character set of this user.
            is_danger: whether it stops all trading, so that the frame is red.
        """
        super().__init__(surface=surface, agree=agree)
        _ = self.set_class(is_danger, "-danger")
        self.about = title
        """What is about to happen."""
        self._lines_of_it = lines

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        title: Line = (Cell(self.about, Role.HEADING, Emphasis.BOLD),)
        parts = (wrap_line(line, width, most=_MOST_LINES) for line in self._lines_of_it)
        return (title, *(part for wrapped in parts for part in wrapped))
