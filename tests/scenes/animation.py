"""A session as one SVG that moves: every row of the terminal drawn once for each time it stands."""

import re
from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import groupby, pairwise
from typing import NamedTuple

from tests.scenes.picture import FONTS

CELL_WIDTH, ROW_HEIGHT, BASELINE, MARGIN = 8.4, 17, 13, 10
"""In the picture's own units; letters of 14 are as wide as a cell in every usual monospaced font."""
PAGE, LETTERS = "#0f141b", "#d7dde6"
"""Where the program leaves both to the terminal."""
_COLORS = {
    "default": PAGE,
    "black": "#000000", "red": "#cd3131", "green": "#0dbc79", "brown": "#e5e510", "blue": "#2472c8",
    "magenta": "#bc3fbc", "cyan": "#11a8cd", "white": "#e5e5e5",
}  # fmt: skip


class Run(NamedTuple):
    """Neighbouring cells of one look; colours as the emulator names them, or as six hex digits."""

    x: int
    text: str
    color: str
    ground: str
    is_bold: bool


Row = tuple[Run, ...]


class Frame(NamedTuple):
    """What the terminal showed from a time on."""

    at_s: float
    rows: tuple[Row, ...]


def animate(frames: Sequence[Frame], columns: int, *, length_s: float) -> str:
    """Return the picture.

    Args:
        frames: in order, the first at 0 s; all with as many rows.
        columns: cells of a row.
        length_s: how long all of it takes before it begins again.
    """
    height = len(frames[0].rows) * ROW_HEIGHT + 2 * MARGIN
    width = round(columns * CELL_WIDTH + 2 * MARGIN)
    page = _page_of(frames)
    palette, rows = _Palette(), []
    for y in range(len(frames[0].rows)):
        for row, spans in _spans_of(frames, y, length_s).items():
            drawn = _draw(
                tuple(r for r in row if r.text.strip() or r.ground != page), y, palette, page
            )
            if drawn:
                rows.append(f"<g>{_shown(spans, length_s)}{drawn}</g>")
    style = f"text{{font:14px {FONTS};fill:{LETTERS}}}.b{{font-weight:bold}}"
    lines = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
        f"<style>{style}{palette.rules()}</style>",
        f'<rect width="{width}" height="{height}" rx="6" class="{palette.name(page)}"/>',
        *rows,
        "</svg>",
    )
    return "\n".join(lines) + "\n"


def _page_of(frames: Sequence[Frame]) -> str:
    """Return the background of most cells: the page has it, and they need none of their own."""
    counts: Counter[str] = Counter()
    for run in (run for frame in frames for row in frame.rows for run in row):
        counts[run.ground] += len(run.text)
    return counts.most_common(1)[0][0] if counts else "default"


def _spans_of(
    frames: Sequence[Frame], y: int, length_s: float
) -> dict[Row, list[tuple[float, float]]]:
    ends = [later.at_s for _, later in pairwise(frames)] + [length_s]
    spans: dict[Row, list[tuple[float, float]]] = {}
    stands = zip(frames, ends, strict=True)
    for row, group in groupby(stands, key=lambda each: each[0].rows[y]):
        whole = list(group)
        spans.setdefault(row, []).append((whole[0][0].at_s, whole[-1][1]))
    return spans


def _shown(spans: Sequence[tuple[float, float]], length_s: float) -> str:
    if list(spans) == [(0, length_s)]:
        return ""
    changes: list[tuple[float, str]] = [] if spans[0][0] == 0 else [(0.0, "hidden")]
    for begin, end in spans:
        changes += [(begin, "visible"), (end, "hidden")]
    if changes[-1][0] >= length_s:
        changes.pop()
    times = ";".join(f"{at / length_s:.4f}" for at, _ in changes)
    values = ";".join(value for _, value in changes)
    return (
        f'<animate attributeName="visibility" calcMode="discrete" dur="{length_s:g}s" '
        f'repeatCount="indefinite" keyTimes="{times}" values="{values}"/>'
    )


_WORDS = re.compile(r"\S+(?: \S+)*")


class _Palette:
    """Names the colours of a picture, so that each is spelt once."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self, color: str) -> str:
        """Return the class of a colour."""
        return self._names.setdefault(color, f"c{len(self._names)}")

    def rules(self) -> str:
        """Return the classes as a style sheet."""
        found = (
            (name, _COLORS.get(c.removeprefix("bright"), f"#{c}"))
            for c, name in self._names.items()
        )
        return "".join(f".{name}{{fill:{color}}}" for name, color in found)


def _draw(row: Row, y: int, palette: _Palette, page: str) -> str:
    top = MARGIN + y * ROW_HEIGHT
    parts = []
    for run in row:
        x = f"{MARGIN + run.x * CELL_WIDTH:g}"
        if run.ground != page:
            parts.append(
                f'<rect class="{palette.name(run.ground)}" x="{x}" y="{top}" '
                f'width="{len(run.text) * CELL_WIDTH:.1f}" height="{ROW_HEIGHT}"/>'
            )
        looks = ["b"] if run.is_bold else []
        looks += [palette.name(run.color)] if run.color != "default" else []
        kind = f' class="{" ".join(looks)}"' if looks else ""
        # Not every viewer keeps spaces: each group of words has a place of its own.
        for words in _WORDS.finditer(run.text):
            at = f"{MARGIN + (run.x + words.start()) * CELL_WIDTH:g}"
            parts.append(
                f'<text{kind} x="{at}" y="{top + BASELINE}">{escape(words.group())}</text>'
            )
    return "".join(parts)
