"""Prints answers on standard output: tables for people, rows for spreadsheets, records for programs.

Numbers, times and short ids are shown in full or not at all. Texts may be truncated after a word; a long id may
lose its middle. The least important column is left out first.

JSON lines and CSV are written page by page, so that the reader of a long list can stop early. The venue's text
is escaped if it would control a terminal or be a spreadsheet formula.
"""

import csv
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TextIO
from unicodedata import category, east_asian_width

from pmtui.cli.output import printable, utf8_output, warn
from pmtui.cli.tables import to_csv, to_json
from pmtui.reads.answers import Book
from pmtui.reads.read import Read
from pmtui.reads.records import Cell, Record, ranked, row_columns, summary, to_record, to_rows

MARK = "…"
_NO_CELL = frozenset({"Mn", "Me", "Cf"})
_TWO_CELLS = frozenset({"W", "F"})
GAP = "  "
_LEAST_WORDS = 32
"""Cells that a text column keeps while a less important column is shown."""
_LONG_ID = 24
_SHORT_ID = 11
"""Cells of a shortened id: the first six and the last four."""


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    cells: tuple[str, ...]
    whole: int
    """Cells of its widest text."""
    is_words: bool

    @property
    def least(self) -> int:
        """The narrowest useful width."""
        if self.is_words:
            return min(self.whole, max(_LEAST_WORDS, len(self.name)))
        is_id = self.whole > max(_LONG_ID, len(self.name))
        return max(len(self.name), _SHORT_ID) if is_id else self.whole


@dataclass(frozen=True, slots=True)
class Table:
    """A table laid out for a given width."""

    lines: tuple[str, ...]
    left_out: tuple[str, ...]
    """Columns without room."""
    shortened: tuple[str, ...]
    """Id columns that are shortened."""


def lay_out(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int | None,
    ranks: Sequence[str],
    is_chosen: bool = False,
) -> Table:
    """Lay out a header and rows.

    Args:
        names: the columns from left to right.
        rows: a cell for each column.
        width: of the terminal; None if there is no limit.
        ranks: the columns with the most important first.
        is_chosen: whether the user named these columns, so that none is left out.
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
    """Return the width of each shown column; the most important one is always shown."""
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
        wanted = column.whole - sizes.get(column.name, column.whole)
        # An id column gets its full width or none: part of an id is of no use.
        is_whole_only = not column.is_words
        given = 0 if is_whole_only and wanted > left else min(wanted, max(left, 0))
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
    # A single long word has no better place to be cut.
    kept = room[:cut].rstrip(" ,;:") if cut >= len(room) // 2 else _head(text, size - 1)
    return kept + MARK


def _head(text: str, size: int) -> str:
    """Return the longest prefix of a text that fits in a number of cells."""
    end = 0
    while end < len(text) and cells_of(text[: end + 1]) <= size:
        end += 1
    return text[:end]


def cells_of(text: str) -> int:
    """Return the number of terminal cells of a text: East Asian characters take two, accents none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if category(c) in _NO_CELL else 2 if east_asian_width(c) in _TWO_CELLS else 1
        for c in text
    )


class Format(StrEnum):
    """The format of an answer."""

    TABLE = "table"
    JSON = "json"
    JSON_LINES = "jsonl"
    CSV = "csv"


class Printer:
    """Writes one answer in one format, page by page."""

    def __init__(
        self, read: Read, form: Format, columns: tuple[str, ...], out: TextIO | None = None
    ) -> None:
        """Prepare to write.

        Args:
            read: the read that is answered.
            form: the format.
            columns: the requested columns; empty for the usual ones.
            out: None for standard output.
        """
        self._read = read
        self._form = form
        is_table = form is Format.TABLE
        usual = summary(read.answer, is_list=read.is_list) if is_table else row_columns(read.answer)
        self._columns = columns or usual
        self._is_chosen = bool(columns)
        self._out = out or utf8_output()
        self._rows: list[dict[str, Cell]] = []
        self._records: list[Record] = []
        self._csv = csv.writer(self._out, lineterminator="\n")
        self._has_begun = False

    def write(self, items: Sequence[object]) -> None:
        """Write a page, or keep it if the format needs the whole answer.

        Raises:
            OSError: the output cannot be written.
        """
        match self._form:
            case Format.TABLE:
                self._rows += [
                    row for item in items for row in to_rows(item, self._columns, has_ids=False)
                ]
            case Format.JSON:
                self._records += map(self._record, items)
            case Format.JSON_LINES:
                self._out.writelines(to_json(self._record(item)) + "\n" for item in items)
            case Format.CSV:
                if not self._has_begun:
                    self._csv.writerow(self._columns)
                for item in items:
                    for row in to_rows(item, self._columns):
                        self._csv.writerow([to_csv(_text(row[name])) for name in self._columns])
        self._has_begun = True
        self._out.flush()

    def finish(self) -> None:
        """Write the rest of the answer.

        Raises:
            OSError: the output cannot be written.
        """
        if self._form is Format.TABLE:
            self._write_table()
        elif self._form is Format.JSON and self._read.is_list:
            for number, record in enumerate(self._records):
                self._out.write((",\n" if number else "[\n") + to_json(record))
            self._out.write("\n]\n" if self._records else "[]\n")
        elif self._form is Format.JSON:
            self._out.writelines(to_json(record) + "\n" for record in self._records)
        elif self._form is Format.CSV and not self._has_begun:
            self._csv.writerow(self._columns)
        self._out.flush()

    def _record(self, item: object) -> Record:
        if not self._is_chosen:
            return to_record(item)
        return {name: cell for row in to_rows(item, self._columns) for name, cell in row.items()}

    def _write_table(self) -> None:
        texts = [[_shown(row[name]) for name in self._columns] for row in self._rows]
        if not self._read.is_list and self._read.answer is not Book:
            width = max(map(len, self._columns))
            pairs = ((n, t) for row in texts for n, t in zip(self._columns, row, strict=True))
            lines = [f"{name:<{width}}{GAP}{text}".rstrip() for name, text in pairs]
        else:
            lines = [*self._aligned(texts)]
        self._out.writelines(line + "\n" for line in lines)

    def _aligned(self, rows: list[list[str]]) -> Sequence[str]:
        table = lay_out(
            self._columns,
            rows,
            width=shutil.get_terminal_size().columns if self._out.isatty() else None,
            ranks=ranked(self._read.answer, self._columns),
            is_chosen=self._is_chosen,
        )
        missing = [f"no room for {', '.join(table.left_out)}"] if table.left_out else []
        missing += [f"{', '.join(table.shortened)} shortened"] if table.shortened else []
        if missing:
            warn(f"pmtui get: {'; '.join(missing)}: --columns chooses, --format csv has all")
        return table.lines


def _shown(cell: Cell) -> str:
    text = _text(cell)
    if text is None:
        return "-"
    if isinstance(text, bool):
        return "yes" if text else "no"
    return printable(text)


def _text(cell: Cell) -> str | bool | None:
    return str(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell
