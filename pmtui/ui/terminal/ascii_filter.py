"""Plain ASCII for terminals that show nothing else: the only place where characters are replaced.

Screens and painters never ask what the terminal can show. Their output passes this filter, where
each cell becomes one cell of ASCII, so that nothing moves. `is_ascii` is only for what must be
drawn differently: braille curves, candles of different shapes, QR codes.
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
"""Replaces a character without an ASCII equivalent."""

_SIGNS = {
    # After a word `~` is a cut, before a number "about"; a letter or `_` would belong to the word.
    "¢": "c", "…": "~", "–": "-", "—": "-", "−": "-", "‘": "'", "’": "'", "“": '"', "”": '"',
    "·": ".", "•": "*", "×": "x", "→": ">", "←": "<", "↑": "^", "↓": "v", "▸": ">", "◂": "<",
    "«": "<", "»": ">", "‹": "<", "›": ">", "±": "~", "≈": "~", "≥": ">", "≤": "<", "€": "E",
    "▲": "^", "▼": "v", "▴": "+", "▾": "-", "△": "-", "▽": "-", "◆": "%", "◇": "-",
    "●": "o", "○": "o", "★": "*", "☆": ".", "■": "#", "Δ": "d", "►": ">", "◄": "<", "░": ".",
    # Frames: corners and crossings first, overridden by the straight strokes.
    **dict.fromkeys(map(chr, range(0x2500, 0x2580)), "+"),
    **dict.fromkeys("─━╌╍═╴╶╸╺╼╾", "-"),
    **dict.fromkeys("┄┅┈┉", "."),
    **dict.fromkeys("│┃┆┇┊┋╎╏║╵╷╹╻╽╿", "|"),
    # Bars: any part of a cell shows something, and half a cell or more shows a full block.
    **dict.fromkeys("▁▂▃▖▗▏▎▍▕", "."), **dict.fromkeys("▄▅▆▇", ":"), **dict.fromkeys("█▌▋▊▉▐▀▒", "#"),
    # Braille dots of a curve; charts draw differently where they can.
    **dict.fromkeys(map(chr, range(0x2801, 0x2900)), "*"), "\u2800": " ",
    # Characters of Textual's palette.
    "▔": "-", "🔎": "/",
}  # fmt: skip
_PAIRS = {"≥ ": ">=", "≤ ": "<="}
"""Two-cell replacements that keep an inclusive limit distinct from an exclusive one."""


@lru_cache(maxsize=4096)
def to_ascii_cells(text: str) -> str:
    """Return the text in ASCII, in the same number of cells."""
    for pair, signs in _PAIRS.items():
        text = text.replace(pair, signs)
    # A wide character leaves its second cell blank.
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
    """Replaces everything that is not ASCII."""

    @override
    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment
            if segment.text.isascii()
            else Segment(to_ascii_cells(segment.text), segment.style, segment.control)
            for segment in segments
        ]


def is_ascii(widget: Widget | App[Any]) -> bool:
    """Return whether a mounted widget, or an application, is shown in ASCII only."""
    return any(isinstance(each, AsciiFilter) for each in widget.app.get_line_filters())
