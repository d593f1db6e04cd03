"""Tables on standard output: CSV that no spreadsheet runs, JSON, JSON lines. Nothing but data.

Titles and reasons are other people's words: in CSV, a cell that a spreadsheet would take for a
formula gets an apostrophe in front, and what would steer a terminal is blotted out.
"""

import csv
import io
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TextIO

from pmtui.cli.output import REPLACEMENT, data_output, harmless
from pmtui.cli.usage import UNAVAILABLE, refuse

Cell = str | bool | None
Record = Mapping[str, object]
"""For JSON: cells, and lists of records."""

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


class Format(StrEnum):
    """How a table is written."""

    CSV = "csv"
    JSON = "json"
    JSON_LINES = "jsonl"


@dataclass(frozen=True, slots=True)
class Table:
    """What is exported: the same facts as rows of equal cells and as records."""

    columns: Sequence[str]
    rows: Sequence[Mapping[str, Cell]]
    records: Sequence[Record]

    @classmethod
    def flat(cls, columns: Sequence[str], rows: Sequence[Mapping[str, Cell]]) -> "Table":
        """Make a table whose records are its rows."""
        return cls(columns, rows, rows)


def print_table(table: Table, form: Format) -> int:
    """Write a table to standard output; returns the exit code."""
    out = data_output()
    if isinstance(out, io.TextIOWrapper):
        # Data, not words for this terminal: the same bytes everywhere.
        out.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    try:
        write_table(table, form, out)
        out.flush()
    except BrokenPipeError:
        # Whoever read has seen enough; there is nobody left to complain to.
        _let_go(out)
        return 0
    except OSError as error:
        _let_go(out)
        return refuse(f"the output cannot be written: {error.strerror}", code=UNAVAILABLE)
    return 0


def write_table(table: Table, form: Format, out: TextIO) -> None:
    """Write a table.

    Raises:
        OSError: the output cannot be written.
    """
    match form:
        case Format.CSV:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(table.columns)
            for row in table.rows:
                writer.writerow([to_csv(row[column]) for column in table.columns])
        case Format.JSON:
            for number, record in enumerate(table.records):
                out.write((",\n" if number else "[\n") + _json(record))
            out.write("\n]\n" if table.records else "[]\n")
        case Format.JSON_LINES:
            for record in table.records:
                out.write(_json(record) + "\n")


def to_csv(cell: Cell) -> str:
    """Return a cell's text as no spreadsheet and no terminal acts on it: one line, no formula."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if _NUMBER.fullmatch(cell):
        return cell
    text = harmless(cell)
    # Blotted characters count as none: a spreadsheet may drop them.
    is_formula = text.lstrip(f" '{REPLACEMENT}").startswith(_FORMULA_STARTS)
    return f"'{text}" if is_formula else text


def _json(record: Record) -> str:
    text = json.dumps(record, ensure_ascii=False)
    if text.isprintable():
        return text
    # They stand in strings only, where the escaped form means the same.
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def _let_go(out: TextIO) -> None:
    """Send what is still buffered nowhere, or the interpreter would fail on it while it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, out.fileno())
    os.close(nowhere)
