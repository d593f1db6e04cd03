"""Answers on standard output: rows for people and spreadsheets, records for programs.

JSON lines and CSV are written page by page, so that a long list can be cut off by whoever reads it. What
the venue sent is blotted out where it would steer a terminal or be a spreadsheet's formula.
"""

import csv
import io
import shutil
from collections.abc import Sequence
from enum import StrEnum
from typing import TextIO

from pmtui.cli.export.tables import to_csv, to_json
from pmtui.cli.get.table import GAP, lay_out
from pmtui.cli.output import data_output, harmless, warn
from pmtui.reads.answers import Book
from pmtui.reads.read import Read
from pmtui.reads.records import Cell, Record, ranked, row_columns, summary, to_record, to_rows


class Format(StrEnum):
    """How an answer is written."""

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
            read: what is answered.
            form: how.
            columns: those that were asked for; empty for the usual ones.
            out: standard output where it is None.
        """
        self._read = read
        self._form = form
        is_table = form is Format.TABLE
        usual = summary(read.answer, is_list=read.is_list) if is_table else row_columns(read.answer)
        self._columns = columns or usual
        self._is_chosen = bool(columns)
        self._out = out or _utf8_output()
        self._rows: list[dict[str, Cell]] = []
        self._records: list[Record] = []
        self._csv = csv.writer(self._out, lineterminator="\n")
        self._has_begun = False

    def write(self, items: Sequence[object]) -> None:
        """Write a page, or keep it where the format needs the whole.

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
        """Write what was kept.

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
    return harmless(text)


def _text(cell: Cell) -> str | bool | None:
    return str(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell


def _utf8_output() -> TextIO:
    out = data_output()
    if isinstance(out, io.TextIOWrapper):
        # Data, not words for this terminal: the same bytes everywhere.
        out.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    return out
