"""A pane that comes into sight shows what it was told while it was out of it."""

from textual import events
from textual.message import Message
from textual.widget import Widget
from typing_extensions import override

from pmtui.ui.cells import Cell, Line, fit_line
from pmtui.ui.widgets.line_pane import LinePane
from tests.ui.stage import Stage, shown_text
from tests.ui.wait import settle


class _Words(LinePane):
    DEFAULT_CSS = "_Words { height: 2; }"
    words = "before"

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        return ((Cell(self.words.ljust(width)),),)

    # Textual sends no word of the size when a pane comes into sight while something scrolls.
    @override
    def check_message_enabled(self, message: Message) -> bool:
        is_lost = self.words == "meanwhile" and isinstance(message, events.Resize)
        return not is_lost and super().check_message_enabled(message)


async def test_what_was_told_out_of_sight_is_painted_when_it_is_rendered() -> None:
    pane = _Words()
    async with Stage(Widget(), pane).run_test() as pilot:
        await settle(pilot)
        pane.display = False
        await settle(pilot)
        pane.words = "meanwhile"
        pane.repaint()
        pane.display = True
        await settle(pilot)
        await settle(pilot)
        assert shown_text(pane)[0].startswith("meanwhile")


class _Titled(LinePane, can_focus=True):
    DEFAULT_CSS = "_Titled { height: 1; }"

    @override
    def title(self) -> Line:
        return fit_line((Cell("Depth"),), self.size.width)


async def test_a_title_filled_up_to_the_width_is_not_cut_by_the_mark_of_the_focus() -> None:
    pane = _Titled()
    async with Stage(pane).run_test() as pilot:
        pane.focus()
        await settle(pilot)
        assert pane.has_focus
        assert shown_text(pane)[0].split() == ["■Depth"]
