"""What lies behind a form, dimmed."""

from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color

from pmtui.ui.terminal.backdrop import _look

TINT = Color.parse("#0b0f14").with_alpha(0.6)
CYAN = Style(color=RichColor.parse("#5fd7d7"), bgcolor=RichColor.parse("#0b0f14"))


def test_among_256_colours_what_is_dimmed_is_grey_and_its_ground_stays() -> None:
    look = _look(CYAN, TINT, is_grey=True)
    assert look.color is not None
    assert look.color.triplet is not None
    assert len(set(look.color.triplet)) == 1
    assert look.bgcolor == CYAN.bgcolor


def test_with_all_colours_it_keeps_its_hue() -> None:
    look = _look(CYAN, TINT, is_grey=False)
    assert look.color is not None
    assert look.color.triplet is not None
    assert len(set(look.color.triplet)) > 1
