"""The fewest bytes that turn one picture into another: what a frame is measured by.

A greedy encoder over the cells of an emulator: short gaps are written again where that is shorter,
moves are the shorter of relative and absolute, and a style is sent as its difference, also from
frame to frame.
"""

import re
from collections.abc import Iterator
from itertools import groupby, zip_longest
from typing import NamedTuple

import pyte

GAPS = (0, 2, 4)
"""Unchanged cells between changed ones that are written again: the best for each line counts."""
FRAME_END = b"\x1b[?2026l"
_UNKNOWN = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p|\x1b[P_^][^\x1b]*\x1b\\")
_NAMES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
_FLAGS = {"bold": "1", "italics": "3", "underscore": "4", "blink": "5", "reverse": "7"}


class Cell(NamedTuple):
    """A character and how it looks."""

    text: str
    foreground: str
    background: str
    flags: tuple[str, ...]

    @property
    def look(self) -> tuple[str, str, tuple[str, ...]]:
        """What is sent before it."""
        return self.foreground, self.background, self.flags


class Smallest:
    """Feeds frames to an emulator and counts what each could have cost."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._look: tuple[str, str, tuple[str, ...]] = ("39", "49", ())
        self._at = (-1, -1)
        self._shown = self._cells()

    def costs(self, output: bytes) -> Iterator[tuple[int, int]]:
        """Return, for each frame of an output, its bytes and the fewest that would have done."""
        *frames, _ = output.split(FRAME_END)
        for frame in frames:
            self._stream.feed(readable(frame))
            before, self._shown = self._shown, self._cells()
            if fewest := self._encode(before):
                yield len(frame) + len(FRAME_END), fewest

    def feed(self, output: bytes) -> None:
        """Take what came before, uncounted."""
        self._stream.feed(readable(output))
        self._shown = self._cells()

    def _cells(self) -> list[list[Cell]]:
        screen = self._screen
        return [
            [_cell(screen.buffer[y][x]) for x in range(screen.columns)] for y in range(screen.lines)
        ]

    def _encode(self, before: list[list[Cell]]) -> int:
        size = 0
        for y, (old, row) in enumerate(zip(before, self._shown, strict=True)):
            changed = [a != b for a, b in zip(old, row, strict=True)]
            if any(changed):
                size += self._line(y, row, changed)
        return size

    def _line(self, y: int, row: list[Cell], changed: list[bool]) -> int:
        start = self._look, self._at
        tries = []
        for gap in GAPS:
            self._look, self._at = start
            size = sum(self._run(x, y, row[x:end]) for x, end in _runs(changed, gap))
            tries.append((size, self._look, self._at))
        size, self._look, self._at = min(tries)
        return size

    def _run(self, x: int, y: int, cells: list[Cell]) -> int:
        size = self._move(x, y)
        for look, group in groupby(cells, key=lambda cell: cell.look):
            size += self._dress(look) + len("".join(cell.text for cell in group).encode())
        self._at = (x + len(cells), y)
        return size

    def _move(self, x: int, y: int) -> int:
        if (x, y) == self._at:
            return 0
        address = len(f"\x1b[{y + 1};{x + 1}H")
        step = x - self._at[0]
        return min(address, len(f"\x1b[{step}C")) if y == self._at[1] and step > 0 else address

    def _dress(self, look: tuple[str, str, tuple[str, ...]]) -> int:
        old, self._look = self._look, look
        if look == old:
            return 0
        colors = [new for new, was in zip(look[:2], old[:2], strict=True) if new != was]
        whole = ["0", *look[2], *(color for color in look[:2] if color not in ("39", "49"))]
        is_adding = set(look[2]) >= set(old[2])
        parts = [*(set(look[2]) - set(old[2])), *colors] if is_adding else whole
        return min(len(f"\x1b[{';'.join(each)}m") for each in (parts, whole))


def readable(output: bytes) -> bytes:
    """Return what the emulator understands of an output."""
    return _UNKNOWN.sub(b"", output)


def _runs(changed: list[bool], gap: int) -> Iterator[tuple[int, int]]:
    places = [x for x, is_changed in enumerate(changed) if is_changed]
    start = None
    for x, following in zip_longest(places, places[1:]):
        start = x if start is None else start
        if following is None or following - x > gap + 1:
            yield start, x + 1
            start = None


def _cell(char: pyte.screens.Char) -> Cell:
    flags = tuple(code for name, code in _FLAGS.items() if getattr(char, name))
    return Cell(char.data, _color(char.fg, 30), _color(char.bg, 40), flags)


def _color(name: str, base: int) -> str:
    if name == "default":
        return str(base + 9)
    if name in _NAMES:
        return str(base + _NAMES.index(name))
    if name.startswith("bright"):
        return str(base + 60 + _NAMES.index(name.removeprefix("bright")))
    channels = (str(int(name[i : i + 2], 16)) for i in (0, 2, 4))
    return f"{base + 8};2;{';'.join(channels)}"
