"""Lays rows out in columns for a terminal's width: which columns there is room for, and how wide each is.

Numbers, times and short ids are shown whole or not at all. Words may end early, between two of them; a long id
may lose its middle. What matters least is left out first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import category, east_asian_width

MARK = "…"
_NO_CELL = frozenset({"Mn", "Me", "Cf"})
_TWO_CELLS = frozenset({"W", "F"})
GAP = "  "
_LEAST_WORDS = 32
"""Cells that a column of words keeps as long as anything less important is shown."""
_LONG_ID = 24
_SHORT_ID = 11
"""Cells of a shortened id: the first six and the last four."""


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    cells: tuple[str, ...]
    whole: int
    """Cells that the widest of it takes."""
    is_words: bool

    @property
    def least(self) -> int:
        """The width below which it is of no use."""
        if self.is_words:
            return min(self.whole, max(_LEAST_WORDS, len(self.name)))
        is_id = self.whole > max(_LONG_ID, len(self.name))
        return max(len(self.name), _SHORT_ID) if is_id else self.whole


@dataclass(frozen=True, slots=True)
class Table:
    """A table that fits."""

    lines: tuple[str, ...]
    left_out: tuple[str, ...]
    """Columns without room."""
    shortened: tuple[str, ...]
    """Columns of ids that are not shown whole."""


def lay_out(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int | None,
    ranks: Sequence[str],
    is_chosen: bool = False,
) -> Table:
    """Lay out a head and rows.

    Args:
        names: of the columns, from left to right.
        rows: a cell for each column.
        width: of the terminal; None where nothing needs to fit.
        ranks: the names again, the most important first.
        is_chosen: whether these very columns were asked for, so that none is left out.
    """
    columns = {
        name: _column(name, tuple(row[number] for row in rows)) for number, name in enumerate(names)
    }
    if width is None:
        sizes = {name: column.whole for name, column in columns.items()}
    else:
        sizes = _sizes([columns[name] for name in ranks], width, is_chosen=is_chosen)
    shown = [columns[name] for name in names if name in sizes]
    head = GAP.join(_fitted(column, column.name, sizes[column.name]) for column in shown)
    body = (
        GAP.join(_fitted(column, column.cells[number], sizes[column.name]) for column in shown)
        for number in range(len(rows))
    )
    return Table(
        tuple(line.rstrip() for line in (head, *body)),
        tuple(name for name in names if name not in sizes),
        tuple(c.name for c in shown if not c.is_words and sizes[c.name] < c.whole),
    )


def _column(name: str, cells: tuple[str, ...]) -> _Column:
    return _Column(
        name, cells, max(map(cells_of, (name, *cells))), is_words=any(" " in cell for cell in cells)
    )


def _sizes(ranked: Sequence[_Column], width: int, *, is_chosen: bool) -> dict[str, int]:
    """Return how wide each column is that is shown; the most important one always is."""
    sizes: dict[str, int] = {}
    left = width + len(GAP)
    for column in ranked:
        size = column.least + len(GAP)
        if size <= left or is_chosen:
            sizes[column.name] = column.least
            left -= size
        elif not sizes:
            sizes[column.name] = max(width, 1)
            left = 0
    for column in ranked:
        # Ids grow whole or stay short: a cell more of one tells nobody anything.
        more = column.whole - sizes.get(column.name, column.whole)
        given = max(0, min(more, left)) if column.is_words else more * (more <= left)
        if given:
            sizes[column.name] += given
            left -= given
    return sizes


def _fitted(column: _Column, text: str, size: int) -> str:
    if cells_of(text) > size:
        text = _shortened(column, text, size)
    return text + " " * (size - cells_of(text))


def _shortened(column: _Column, text: str, size: int) -> str:
    if not column.is_words:
        tail = (size - 1) * 2 // 5
        return _head(text, size - 1 - tail) + MARK + _head(text[::-1], tail)[::-1]
    room = _head(text, size)
    cut = room.rfind(" ")
    # A single long word is cut wherever it must be.
    kept = room[:cut].rstrip(" ,;:") if cut >= len(room) // 2 else _head(text, size - 1)
    return kept + MARK


def _head(text: str, size: int) -> str:
    """Return as much of a text as fits so many cells."""
    end = 0
    while end < len(text) and cells_of(text[: end + 1]) <= size:
        end += 1
    return text[:end]


def cells_of(text: str) -> int:
    """Return how many cells of a terminal a text takes: East Asian characters take two, accents none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if category(c) in _NO_CELL else 2 if east_asian_width(c) in _TWO_CELLS else 1
        for c in text
    )
