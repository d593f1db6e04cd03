"""The theme to start with where nobody chose one: of the colours that the terminal has."""

from collections.abc import Mapping
from typing import Final, Literal

from rich.console import Console

from pmtui.ui.theme.theme import DEFAULT_THEME

_Known = Literal["auto", "standard", "256", "truecolor", "windows"]
_FORCED: Final[Mapping[str, _Known]] = {
    "standard": "standard",
    "256": "256",
    "truecolor": "truecolor",
    "windows": "windows",
}
"""What Textual's own variable may say of the terminal."""


def usual_theme(environ: Mapping[str, str], *, is_grey: bool) -> str:
    """Return its name: shades of twenty-four bits that are reduced to sixteen cannot be read.

    Args:
        environ: what tells of the terminal.
        is_grey: whether no colour is to be sent at all.
    """
    if is_grey:
        return "slate"
    forced = _FORCED.get(environ.get("TEXTUAL_COLOR_SYSTEM", "auto"), "auto")
    console = Console(force_terminal=True, color_system=forced, _environ=environ)
    return "ansi" if console.color_system == "standard" else DEFAULT_THEME
