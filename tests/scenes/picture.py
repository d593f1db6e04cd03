"""Pictures that are the same everywhere: no fonts from afar, stable names, and a text to compare."""

import re
from functools import cache
from html import unescape
from itertools import zip_longest

from rich.color import Color as RichColor
from rich.color import ColorSystem
from textual.color import Color

from pmtui.ui.terminal.screen_buffer import reduced

_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_PREFIX = re.compile(r"terminal-\d+")
_LINE = re.compile(
    r'<text (?:font-family="[^"]*" )?class="(?!terminal-title)[^"]*" x="([0-9.]+)" y="([0-9.]+)"[^>]*>(.*?)</text>'
)
_NAME = re.compile(r"[^a-z0-9]+")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
CELL_WIDTH = 12.2
"""Of the exporter, in its own units."""
FONTS = "'DejaVu Sans Mono', ui-monospace, Menlo, Consolas, monospace"
"""Of one width each. A name that a machine has comes first: some programs that draw SVG read no other."""
BRAILLE_FONTS = "DejaVu Sans, monospace"
"""The same family of one width has no Braille; each text says how long it is, so that columns hold."""
_EXPORTED_FONTS = "Fira Code, monospace"
_BRAILLE = re.compile(r"<text (?=[^>]*>[^<]*[\u2801-\u28ff])")


def canonical(svg: str, scene: str) -> str:
    """Return a picture without what differs between machines.

    Args:
        svg: as Textual exports it.
        scene: names its classes, which Textual derives from the content instead.
    """
    plain = _FONT_FACE.sub("", svg)
    named = _PREFIX.sub(_NAME.sub("-", scene), plain).replace(_EXPORTED_FONTS, FONTS)
    named = _BRAILLE.sub(f'<text font-family="{BRAILLE_FONTS}" ', named)
    return "\n".join(line.rstrip() for line in named.splitlines()) + "\n"


def in_256_colours(svg: str) -> str:
    """Return a picture as a terminal of 256 colours shows it."""
    return _COLOUR.sub(lambda found: _nearest(found[0]), svg)


@cache
def _nearest(colour: str) -> str:
    asked_for = RichColor.from_rgb(*Color.parse(colour).rgb)
    return Color(*reduced(asked_for, ColorSystem.EIGHT_BIT).get_truecolor()).hex.lower()


def text_rows(svg: str) -> list[str]:
    """Return what a picture shows, line by line."""
    lines: dict[float, dict[int, str]] = {}
    for x, y, text in _LINE.findall(svg):
        lines.setdefault(float(y), {})[round(float(x) / CELL_WIDTH)] = unescape(text)
    rows = []
    for y in sorted(lines):
        row = ""
        for column, text in sorted(lines[y].items()):
            row = row.ljust(column) + text.replace("\xa0", " ")
        rows.append(row.rstrip())
    return rows


def first_difference(old: str, new: str) -> str:
    """Return the first text row that differs, both ways; empty where only looks differ."""
    rows = zip_longest(text_rows(old), text_rows(new), fillvalue="")
    for number, (before, after) in enumerate(rows):
        if before != after:
            return f"row {number}\n  was {before}\n  is  {after}"
    return ""
