"""What the terminal shows, cell by cell, and the shortest output for what it should show.

Pure except for its buffer: pieces of lines in, one string of escape sequences out. It knows nothing
of Textual but its text styles.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from sys import intern
from typing import NamedTuple, TypeAlias

from rich.cells import cell_len, split_graphemes
from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style

Piece: TypeAlias = tuple[int, int, Sequence[Segment]]
"""Column, row and segments of a part of a line."""

_GAP = 4
"""So many unchanged cells are rewritten rather than skipped: moving the cursor costs as much."""

_ATTRIBUTES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 21, 51, 52, 53)
_UNKNOWN: None = None
_CUBE = (0, 95, 135, 175, 215, 255)
"""The levels of each component in the 216-colour cube of terminals with 256 colours."""


class _Look(NamedTuple):
    """A style as the terminal's codes."""

    attributes: str
    foreground: str
    background: str
    link: str


_PLAIN = _Look("", "39", "49", "")


class ScreenBuffer:
    """Remembers every cell of a terminal of fixed size."""

    def __init__(self, width: int, height: int, color_system: ColorSystem | None) -> None:
        """Start with unknown cells, so that the first frame is written in full.

        Args:
            width: columns.
            height: lines.
            color_system: the terminal's colours; None for no colour.
        """
        self.size = (width, height)
        self._colors = color_system
        self._chars: list[list[str | None]] = [[_UNKNOWN] * width for _ in range(height)]
        self._looks: list[list[_Look | None]] = [[_UNKNOWN] * width for _ in range(height)]
        self._look_of: dict[Style | None, _Look] = {None: _PLAIN}
        self._out: list[str] = []
        self._at = (-1, -1)
        self._look = _PLAIN

    def encode(self, pieces: Iterable[Piece]) -> str:
        """Return the output that makes the terminal show these pieces, and remember them."""
        self._out = []
        # Others may have moved the cursor since the last frame; the style is reset by ourselves.
        self._at = (-1, -1)
        self._look = _PLAIN
        for x, y, segments in pieces:
            self._encode_piece(x, y, segments)
        if self._look is not _PLAIN:
            self._write_look(_PLAIN)
        frame, self._out = "".join(self._out), []
        return frame

    def _encode_piece(self, x: int, y: int, segments: Sequence[Segment]) -> None:
        width, height = self.size
        if not 0 <= y < height:
            return
        for text, style, control in segments:
            if control or not text:
                continue
            cells = list(text) if text.isascii() and text.isprintable() else cells_of(text)
            if x + len(cells) > width:
                cells = _cut(cells, width - x)
            if cells:
                self._encode_cells(x, y, cells, self._to_look(style))
            x += len(cells)

    def _encode_cells(self, x: int, y: int, cells: list[str], look: _Look) -> None:
        chars, looks = self._chars[y], self._looks[y]
        size = len(cells)
        if chars[x : x + size] == cells and looks[x : x + size] == [look] * size:
            return
        changed = [chars[x + i] != cell or looks[x + i] != look for i, cell in enumerate(cells)]
        for start, end in _runs(changed, cells):
            self._write_run(x + start, y, cells[start:end], look)
            chars[x + start : x + end] = cells[start:end]
            looks[x + start : x + end] = [look] * (end - start)

    def _write_run(self, x: int, y: int, cells: list[str], look: _Look) -> None:
        self._break_wide_cells(x, y, len(cells))
        self._move_to(x, y)
        self._write_look(look)
        text = "".join(cells)
        if not any(map(_has_doubtful_width, cells)):
            self._out.append(text)
            self._at = (x + len(cells), y)
        else:
            self._write_clusters(x, y, cells)
        # At the right edge terminals differ in where the cursor is.
        if x + len(cells) >= self.size[0]:
            self._at = (-1, -1)

    # Blank the room for a character of doubtful width first, and address the next one directly:
    # whatever the terminal makes of it, the rest of the line stays in place.
    def _write_clusters(self, x: int, y: int, cells: list[str]) -> None:
        for i, cell in enumerate(cells):
            if not cell:
                continue
            self._move_to(x + i, y)
            if _has_doubtful_width(cell):
                room = 2 if i + 1 < len(cells) and not cells[i + 1] else 1
                self._out.append(" " * room)
                self._at = (-1, -1)
                self._move_to(x + i, y)
                self._out.append(cell)
                self._at = (-1, -1)
            else:
                self._out.append(cell)
                wide = i + 1 < len(cells) and not cells[i + 1]
                self._at = (x + i + (2 if wide else 1), y)

    # Terminals blank the other half of a wide character that is overwritten: mark it unknown.
    def _break_wide_cells(self, x: int, y: int, size: int) -> None:
        chars = self._chars[y]
        if x > 0 and chars[x] == "":
            chars[x - 1] = _UNKNOWN
        if x + size < self.size[0] and chars[x + size] == "":
            chars[x + size] = _UNKNOWN

    def _move_to(self, x: int, y: int) -> None:
        at_x, at_y = self._at
        if (at_x, at_y) == (x, y):
            return
        if at_y == y and 0 <= at_x < x:
            step = x - at_x
            self._out.append(f"\x1b[{step}C" if step > 1 else "\x1b[C")
        else:
            self._out.append(f"\x1b[{y + 1};{x + 1}H")
        self._at = (x, y)

    def _write_look(self, new: _Look) -> None:
        old = self._look
        if new == old:
            return
        if new[:3] == _PLAIN[:3]:
            parts = [""]
        elif old.attributes != new.attributes:
            # Only a full reset turns attributes off reliably.
            colors = (new.foreground, new.background)
            parts = ["0", *(c for c in (new.attributes, *colors) if c not in ("", "39", "49"))]
        else:
            parts = [c for c, o in zip(new[1:3], old[1:3], strict=True) if c != o]
        if parts:
            self._out.append(f"\x1b[{';'.join(parts)}m")
        if old.link != new.link:
            self._out.append(f"\x1b]8;{new.link or ';'}\x1b\\")
        self._look = new

    def _to_look(self, style: Style | None) -> _Look:
        look = self._look_of.get(style)
        if look is None:
            if len(self._look_of) > 4096:
                self._look_of = {None: _PLAIN}
            look = self._look_of[style] = _look_of(style, self._colors) if style else _PLAIN
        return look


# Terminals disagree on joined characters and on emoji newer than they are.
def _has_doubtful_width(cell: str) -> bool:
    return len(cell) > 1 or cell >= "\U0001f000"


def _look_of(style: Style, colors: ColorSystem | None) -> _Look:
    bits = style._attributes & style._set_attributes
    attributes = ";".join(str(code) for bit, code in enumerate(_ATTRIBUTES) if bits >> bit & 1)
    foreground, background = "39", "49"
    if colors is not None:
        if style.color is not None:
            foreground = ";".join(reduced(style.color, colors).get_ansi_codes())
        if style.bgcolor is not None:
            background = ";".join(reduced(style.bgcolor, colors).get_ansi_codes(foreground=False))
    link = f"id={style.link_id};{style.link}" if style.link else ""
    return _Look(attributes, foreground, background, link)


def reduced(color: Color, colors: ColorSystem) -> Color:
    """Return the nearest colour that the terminal has.

    With 256 colours, greys are candidates for every colour: the library turns dark shades into navy
    and teal, on which little can be read.
    """
    if colors is not ColorSystem.EIGHT_BIT or color.triplet is None:
        return color.downgrade(colors)
    red, green, blue = color.triplet
    sixths = [min(range(6), key=lambda i: abs(_CUBE[i] - part)) for part in color.triplet]
    level = min(max(round((0.299 * red + 0.587 * green + 0.114 * blue - 8) / 10), 0), 23)
    cube, grey = tuple(_CUBE[i] for i in sixths), (8 + 10 * level,) * 3
    is_grey = _distance(grey, color.triplet) < _distance(cube, color.triplet)
    number = 232 + level if is_grey else 16 + 36 * sixths[0] + 6 * sixths[1] + sixths[2]
    return Color.from_ansi(number)


def _distance(one: Sequence[int], other: Sequence[int]) -> float:
    """Return the difference of two colours, weighted by the eye's sensitivity to each component."""
    mean = (one[0] + other[0]) / 2
    red, green, blue = (a - b for a, b in zip(one, other, strict=True))
    return (2 + mean / 256) * red**2 + 4 * green**2 + (2 + (255 - mean) / 256) * blue**2


@lru_cache(maxsize=4096)
def _cached_cells(text: str) -> tuple[str, ...]:
    cells: list[str] = []
    for start, end, width in split_graphemes(text)[0]:
        cluster = text[start:end]
        # Control characters have no width and would move the cursor: they never reach the terminal.
        cluster = "".join(c for c in cluster if c.isprintable() or cell_len(c) or ord(c) > 0x9F)
        if width and cluster:
            # One string for all cells that look the same: a rule of 160 dashes would be 160 of them.
            cells.append(intern(cluster))
            cells.extend([""] * (width - 1))
    return tuple(cells)


def cells_of(text: str) -> list[str]:
    """Return a text cell by cell; the second cell of a wide character is empty."""
    return list(_cached_cells(text))


def _cut(cells: list[str], size: int) -> list[str]:
    if size <= 0:
        return []
    is_half = cells[size] == ""
    return [*cells[: size - 1], " "] if is_half else cells[:size]


def _runs(changed: list[bool], cells: list[str]) -> Iterable[tuple[int, int]]:
    size = len(changed)
    i = 0
    while i < size:
        if not changed[i]:
            i += 1
            continue
        start = last = i
        while i < size and i - last <= _GAP:
            if changed[i]:
                last = i
            i += 1
        end = last + 1
        # Never split a wide character.
        while start > 0 and not cells[start]:
            start -= 1
        while end < size and not cells[end]:
            end += 1
        i = end
        yield start, end
