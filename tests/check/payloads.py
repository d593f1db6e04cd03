"""`payloads DIR`: decodes every recorded payload under a folder and names what failed.

The folder is laid out like a collection of recordings: one folder per source (gamma, clob, data,
user, ws, errors, docs_examples, …) with JSON or JSON lines, gzip or not. Recorders' own wrappings
are taken off; what is inside goes through the decoders the program uses. Kinds that nothing in the
program reads are listed as such and counted apart.
"""

import argparse
import gzip
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from typing_extensions import override

from tests.check.hash_rows import examine_hash_row, is_hash_row
from tests.check.payload_kinds import Finding, examine, examine_refusal

SUFFIXES = (".json", ".jsonl", ".ndjson")
PROBED = ("sampleData", "body", "response")
"""Where a prober keeps the body of an answer."""
SHOWN = 5
"""Reasons printed for a file; all are counted."""

_LINE = msgspec.json.Decoder(dict[str, msgspec.Raw])


@dataclass
class FileReport:
    """What came of one file."""

    path: str
    kinds: Counter[str] = field(default_factory=Counter)
    ok: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    """Examples of a documentation that differ from what the venue sends."""

    def add(self, finding: Finding, *, is_example: bool) -> None:
        if not finding.is_read:
            self.unread[finding.kind] += 1
            return
        self.kinds[finding.kind] += 1
        self.ok += finding.ok
        target = self.doubtful if is_example else self.problems
        target += [f"{finding.kind}: {problem}" for problem in finding.problems]

    @override
    def __str__(self) -> str:
        kinds = ", ".join(self.kinds) or "nothing to decode"
        line = f"{self.path}: {kinds}: {self.ok} ok, {len(self.problems)} failed"
        if self.doubtful:
            line += f", {len(self.doubtful)} examples unlike the venue"
        if self.unread:
            counts = ", ".join(f"{kind} × {count}" for kind, count in self.unread.items())
            line += f"; not read: {counts}"
        shown = [f"  {problem}" for problem in self.problems[:SHOWN]]
        if len(self.problems) > SHOWN:
            shown.append(f"  … and {len(self.problems) - SHOWN} more")
        return "\n".join([line, *shown])


class UnusableFolderError(Exception):
    """There is nothing to check; the text is one line."""


def check_folder(root: Path) -> list[FileReport]:
    """Decode every payload file under a folder."""
    if not root.is_dir():
        raise UnusableFolderError(f"{root}: no such folder")
    files = [p for p in sorted(root.rglob("*")) if p.is_file() and _is_payload(p)]
    if not files:
        raise UnusableFolderError(f"{root}: no JSON below this folder")
    return [check_file(path, root) for path in files]


def check_file(path: Path, root: Path) -> FileReport:
    """Decode every payload of one file."""
    relative = path.relative_to(root)
    report = FileReport(str(relative))
    folders = (root.resolve().name, *relative.parts[:-1])
    try:
        documents = list(_documents(path))
    except (OSError, EOFError, zlib.error) as error:
        report.problems.append(f"file cannot be read: {error}")
        return report
    if not documents:
        report.problems.append("file is empty")
    for document in documents:
        row = _wrapper_of(document)
        if is_hash_row(row):
            report.add(examine_hash_row(msgspec.json.decode(document)), is_example=False)
            continue
        for body, kind, status in _unwrapped(document):
            if status is not None and status >= 400:
                finding = examine_refusal(status, body)
            else:
                finding = examine(body, folders)
            report.add(finding, is_example=kind == "example")
    return report


def _is_payload(path: Path) -> bool:
    name = path.name.removesuffix(".gz")
    return name.endswith(SUFFIXES)


def _documents(path: Path) -> Iterator[bytes]:
    # One JSON value, or one on each line; told by trying, because suffixes lie.
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        yield from (line for line in raw.splitlines() if line.strip())
    else:
        yield raw


def _unwrapped(document: bytes) -> Iterator[tuple[bytes, str, int | None]]:
    """Take a recorder's wrapping off: yields bodies with their origin and status."""
    wrapper = _wrapper_of(document)
    if "results" in wrapper and "meta" in wrapper:
        probes = msgspec.json.decode(wrapper["results"])
        for probe in probes if isinstance(probes, list) else [probes]:
            row = probe if isinstance(probe, dict) else {}
            body = next((row[key] for key in PROBED if key in row), probe)
            yield _body_of(body), "recording", _status_of(row.get("status"))
        return
    status = msgspec.json.decode(wrapper.get("status", msgspec.Raw(b"null")))
    if "body" in wrapper and ("status" in wrapper or "path" in wrapper):
        origin = "example" if "api" in wrapper else "recording"
        yield _kept(wrapper["body"]), origin, _status_of(status)
    elif "body" in wrapper and not {"id", "createdAt"} <= wrapper.keys():
        yield _kept(wrapper["body"]), "recording", None
    elif "raw" in wrapper:
        yield _kept(wrapper["raw"]), "recording", None
    else:
        yield document, "recording", None


def _wrapper_of(document: bytes) -> dict[str, msgspec.Raw]:
    try:
        # All of it, as what is kept raw is not looked at.
        is_object = isinstance(msgspec.json.decode(document), dict)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return _LINE.decode(document) if is_object else {}


def _status_of(stated: object) -> int | None:
    text = str(stated)
    return int(text) if text.isascii() and text.isdigit() and len(text) == 3 else None


def _kept(raw: msgspec.Raw) -> bytes:
    # A body that was no JSON is kept by recorders as a text.
    value = msgspec.json.decode(raw)
    return value.encode() if isinstance(value, str) else bytes(raw)


def _body_of(value: object) -> bytes:
    return value.encode() if isinstance(value, str) else msgspec.json.encode(value)


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register the subcommand."""
    parser = subparsers.add_parser(
        "payloads", help="decode every recorded payload under a folder", description=__doc__
    )
    parser.add_argument("folder", metavar="DIR", type=Path)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print a line per file and a total; 1 when anything failed, 2 when there was nothing."""
    folder: Path = args.folder
    try:
        reports = check_folder(folder)
    except UnusableFolderError as error:
        print(error, file=sys.stderr)
        return 2
    for report in reports:
        print(report)
    ok = sum(report.ok for report in reports)
    failed = sum(len(report.problems) for report in reports)
    unread = sum(sum(report.unread.values()) for report in reports)
    print(f"{len(reports)} files: {ok} ok, {failed} failed, {unread} of kinds not read")
    return 1 if failed else 0
