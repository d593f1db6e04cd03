import pytest

from pmtui.ui.theme.theme import DEFAULT_THEME
from pmtui.ui.theme.theme_files import load_themes, usual_theme


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({"TERM": "linux"}, "ansi"),
        ({"TERM": "xterm"}, "ansi"),
        ({"TERM": "screen"}, "ansi"),
        ({"TERM": "screen-256color"}, DEFAULT_THEME),
        ({"TERM": "putty-256color"}, DEFAULT_THEME),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, DEFAULT_THEME),
        ({"TERM": "xterm-256color", "TEXTUAL_COLOR_SYSTEM": "standard"}, "ansi"),
    ],
)
def test_a_theme_is_chosen_of_the_colours_there_are(environ: dict[str, str], name: str) -> None:
    assert usual_theme(environ, is_grey=False) == name
    assert usual_theme(environ, is_grey=True) == "slate"
    assert {"slate", "ansi"} <= {theme.name for theme in load_themes()[0]}
