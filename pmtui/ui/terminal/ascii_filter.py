"""Plain ASCII for a terminal that shows nothing else: the one place where characters are replaced.

Screens and painters never ask what the terminal can show. Whatever they paint passes this filter on its
way out, where each cell becomes one cell of ASCII, so that nothing moves. Only what has to be drawn in
another way altogether asks `is_ascii`: curves of braille dots, candles told apart by their shapes, codes
for a camera.
"""

import unicodedata
from functools import lru_cache
from typing import Any

from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter
from textual.widget import Widget
from typing_extensions import override

from pmtui.ui.terminal.screen_buffer import cells_of

UNKNOWN = "?"
"""Stands for a character that has no like in ASCII."""

_SIGNS = {
    "¢": "c", "…": "~", "–": "-", "—": "-", "−": "-", "‘": "'", "’": "'", "“": '"', "”": '"',
    "·": ".", "•": "*", "×": "x", "→": ">", "←": "<", "↑": "^", "↓": "v", "▸": ">", "◂": "<",
    "«": "<", "»": ">", "‹": "<", "›": ">", "±": "~", "≈": "~", "≥": ">", "≤": "<", "€": "E",
    "▲": "^", "▼": "v", "▴": "^", "▾": "v", "△": "-", "▽": "-", "◆": "%", "◇": "-",
    "●": "o", "○": "o", "★": "*", "☆": ".", "■": "#", "Σ": "S", "░": ".",
    # Frames: corners and crossings first, the straight strokes over them.
    **dict.fromkeys(map(chr, range(0x2500, 0x2580)), "+"),
    **dict.fromkeys("─━╌╍═╴╶╸╺╼╾", "-"),
    **dict.fromkeys("┄┅┈┉", "."),
    **dict.fromkeys("│┃┆┇┊┋╎╏║╵╷╹╻╽╿", "|"),
    # Bars. Anything in a cell is seen, and what fills half of it or more counts as all of it.
    **dict.fromkeys("▁▂▃▏▎▍▕", "."), **dict.fromkeys("▄▅▆▇", ":"), **dict.fromkeys("█▌▋▊▉▐▀", "#"),
    # Dots of a curve: charts draw in another way where they can.
    **dict.fromkeys(map(chr, range(0x2801, 0x2900)), "*"), "\u2800": " ",
    # What Textual's palette is drawn with.
    "▔": "-", "🔎": "/",
}  # fmt: skip
_PAIRS = {"≥ ": ">=", "≤ ": "<="}
"""Two cells that say more together: a limit that is included is not one that is left out."""


@lru_cache(maxsize=4096)
def to_ascii_cells(text: str) -> str:
    """Return a text in ASCII that takes as many cells as the text does."""
    for pair, signs in _PAIRS.items():
        text = text.replace(pair, signs)
    # A wide character leaves a cell behind that belongs to nobody then.
    return "".join(_to_ascii(cell) if cell else " " for cell in cells_of(text))


def _to_ascii(cell: str) -> str:
    if cell.isascii():
        return cell
    if cell in _SIGNS:
        return _SIGNS[cell]
    spelled = unicodedata.normalize("NFKD", cell)
    letters = [c for c in spelled if not unicodedata.combining(c)]
    is_one = len(letters) == 1 and letters[0].isascii() and letters[0].isprintable()
    return letters[0] if is_one else UNKNOWN


class AsciiFilter(LineFilter):
    """Lets nothing but ASCII through."""

    @override
    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment
            if segment.text.isascii()
            else Segment(to_ascii_cells(segment.text), segment.style, segment.control)
            for segment in segments
        ]


def is_ascii(widget: Widget | App[Any]) -> bool:
    """Whether a widget that is mounted, or an application, is shown in ASCII only."""
    return any(isinstance(each, AsciiFilter) for each in widget.app.get_line_filters())
