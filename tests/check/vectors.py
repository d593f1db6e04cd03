"""`vectors FILE…`: recomputes every row of golden-vector files and names what differs.

Two shapes are understood: sections of rows (`orders`, `l2Auth`, `amounts`, …) and a list of
vectors that each name their kind. Rows of a kind this program does not compute are counted, never
passed. A row that cannot be read is a failing row.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pmtui.recording.reader import read_bytes
from tests.check.clob_vectors import clob_rows
from tests.check.row import Json, Row
from tests.check.wallet_vectors import wallet_rows

_SHOWN = 60


class UnusableFileError(Exception):
    """A file that holds no vectors; the text is one line."""


@dataclass
class Report:
    """What came of the rows of one or more files."""

    passed: int = 0
    failures: list[str] = field(default_factory=list)
    unsupported: Counter[str] = field(default_factory=Counter)

    @property
    def summary(self) -> str:
        checked = self.passed + len(self.failures)
        line = f"{checked} rows checked: {self.passed} passed, {len(self.failures)} failed"
        skipped = ", ".join(f"{kind} × {n}" for kind, n in sorted(self.unsupported.items()))
        return f"{line}; not supported: {skipped}" if skipped else line


def load_document(path: Path) -> dict[str, Json]:
    """Read a vectors file, or say in one line why it is none."""
    try:
        document = json.loads(read_bytes(path))
    except OSError as error:
        raise UnusableFileError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise UnusableFileError(f"{path}: not JSON: {_one_line(str(error))}") from error
    if not isinstance(document, dict):
        raise UnusableFileError(f"{path}: not a file of vectors: the top level is no object")
    if not any(True for _ in rows_of(document)):
        raise UnusableFileError(f"{path}: not a file of vectors: no known section with rows")
    return document


def rows_of(document: Mapping[str, Json]) -> Iterator[Row]:
    """Every row of a document of either shape."""
    yield from clob_rows(document)
    yield from wallet_rows(document)


def check_document(document: Mapping[str, Json], report: Report, *, prefix: str = "") -> None:
    """Recompute the rows of a document into a report."""
    for row in rows_of(document):
        if row.compute is None:
            report.unsupported[row.kind] += 1
            continue
        problem = _problem(row, row.compute)
        if problem is None:
            report.passed += 1
        else:
            report.failures.append(prefix + problem)


def _problem(row: Row, compute: Callable[[], Json]) -> str | None:
    where = f"{row.path} {row.name}".strip()
    try:
        computed = compute()
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        text = _one_line(f"{type(error).__name__}: {error}")
        return f"{where}: malformed row: {text}"
    differences = list(_differences(row.expected, computed, ""))
    differences += [
        f"{name}: missing" for name in row.required if not _has_leaf(row.expected, name)
    ]
    if not differences:
        return None
    more = f" (and {len(differences) - 1} more fields)" if len(differences) > 1 else ""
    return f"{where}: {differences[0]}{more}"


def _differences(expected: Json, computed: Json, path: str) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(computed, dict):
        for key, value in expected.items():
            inner = f"{path}.{key}" if path else str(key)
            if key in computed:
                yield from _differences(value, computed[key], inner)
            else:
                yield f"{_one_line(inner)}: not a field of such a row"
    elif type(expected) is not type(computed) or expected != computed:
        yield f"{path or 'row'}: {_contrast(expected, computed)}"


def _contrast(expected: Json, computed: Json) -> str:
    left, right = _text(expected), _text(computed)
    start = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), 0)
    if start < _SHOWN // 2:
        return f"expected {_cut(left, 0)}, got {_cut(right, 0)}"
    return f"differs at character {start}: expected {_cut(left, start)}, got {_cut(right, start)}"


def _cut(text: str, start: int) -> str:
    head = "…" if start else ""
    tail = "…" if len(text) > start + _SHOWN else ""
    return f"{head}{text[start : start + _SHOWN]}{tail}"


def _text(value: Json) -> str:
    return _one_line(value) if isinstance(value, str) else json.dumps(value)


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def _has_leaf(expected: Json, name: str) -> bool:
    value: Any = expected
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            return False
        value = value[part]
    return True


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("vectors", help="recompute golden vectors")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    report = Report()
    unusable = 0
    for path in args.files:
        try:
            document = load_document(path)
        except UnusableFileError as problem:
            unusable += 1
            print(problem, file=sys.stderr)
        else:
            check_document(document, report, prefix=f"{path}: ")
    for line in report.failures:
        print(line)
    if unusable < len(args.files):
        print(report.summary)
    if report.failures:
        return 1
    return 2 if unusable else 0
