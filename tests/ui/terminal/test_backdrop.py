"""What lies behind a form, dimmed."""

import pytest
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.color import Color
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Static
from typing_extensions import override

from pmtui.ui.modal import Dimming
from pmtui.ui.terminal.backdrop import Shades, _look, _mapped
from pmtui.ui.terminal.span_compositor import SpanCompositor, use_spans
from tests.ui.wait import settle

TINT = Color.parse("#0b0f14").with_alpha(0.6)
CYAN = Style(color=RichColor.parse("#5fd7d7"), bgcolor=RichColor.parse("#0b0f14"))


def test_among_256_colours_what_is_dimmed_is_grey_and_its_ground_stays() -> None:
    look = _look(CYAN, TINT, Shades.GREYS)
    assert look.color is not None
    assert look.color.triplet is not None
    assert len(set(look.color.triplet)) == 1
    assert look.bgcolor == CYAN.bgcolor


def test_with_all_colours_it_keeps_its_hue() -> None:
    look = _look(CYAN, TINT, Shades.ALL)
    assert look.color is not None
    assert look.color.triplet is not None
    assert len(set(look.color.triplet)) > 1


@pytest.mark.parametrize("shades", [Shades.FAINT, Shades.NONE])
def test_with_few_colours_a_selected_row_is_faint_like_any_other(shades: Shades) -> None:
    usual = Style(color="default", bgcolor="default")
    selected = Style(color="default", bgcolor="default", bold=True, reverse=True)
    tint = Color.parse("transparent")
    look = _look(selected, tint, shades)
    assert look == _look(usual, tint, shades) + Style(bold=False, reverse=False)
    assert look.dim


@pytest.mark.parametrize("shades", [Shades.FAINT, Shades.NONE])
def test_with_few_colours_the_blanks_of_a_selected_row_are_not_reversed(shades: Shades) -> None:
    row = Strip([Segment("a" + " " * 8, Style(bgcolor="default", reverse=True))])
    strip = _mapped(row, Color.parse("transparent"), shades)
    assert not any(style is not None and style.reverse for _, style, _ in strip)


def test_without_colour_an_entry_stays_underlined() -> None:
    look = _look(CYAN + Style(underline=True), TINT, Shades.NONE)
    assert look.underline
    assert look.color is None


class Front(ModalScreen[None]):
    """Says how to show what is behind it."""

    DEFAULT_CSS = "Front { background: transparent; }"

    def __init__(self) -> None:
        super().__init__()
        self.dimming = Dimming(self)


class Lines(App[None]):
    """Two lines behind another screen."""

    @override
    def compose(self) -> ComposeResult:
        yield Static("one", id="one")
        yield Static("two", id="two")


async def test_what_changes_behind_a_screen_is_shown_through_our_compositor() -> None:
    app = Lines()
    async with app.run_test(size=(20, 6)) as pilot:
        front = Front()
        await app.push_screen(front)
        for screen in app.screen_stack:
            use_spans(screen)
            screen.refresh(layout=True)
        await settle(pilot)
        for y, name in ((0, "one"), (1, "two"), (0, "one")):
            app.screen_stack[0].query_one(f"#{name}", Static).update(f"new {name}")
            await settle(pilot)
            compositor = front._compositor
            assert isinstance(compositor, SpanCompositor)
            assert f"new {name}" in compositor.render_strips()[y].text
