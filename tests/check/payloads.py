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
    """Examples of a documentation that differ from what the service sends."""

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
            line += f", {len(self.doubtful)} examples unlike the service"
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
    folder = relative.parts[0] if len(relative.parts) > 1 else root.name
    try:
        documents = list(_documents(path))
    except (OSError, EOFError, zlib.error) as error:
        report.problems.append(f"file cannot be read: {error}")
        return report
    for document in documents:
        for body, kind, status in _unwrapped(document):
            if status is not None and status >= 400:
                finding = examine_refusal(status, body)
            else:
                finding = examine(body, folder)
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
    try:
        wrapper = _LINE.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield document, "recording", None
        return
    if "canonical" in wrapper and "sha1" in wrapper:
        yield _text_of(wrapper["canonical"]).encode(), "recording", None
    elif "results" in wrapper and "meta" in wrapper:
        for row in msgspec.json.decode(wrapper["results"], type=list[msgspec.Raw]):
            probe = _LINE.decode(row)
            body = next((probe[key] for key in PROBED if key in probe), row)
            yield _body_of(body), "recording", _status_of(probe)
    elif "body" in wrapper and ("status" in wrapper or "path" in wrapper):
        origin = "example" if "api" in wrapper else "recording"
        yield _body_of(wrapper["body"]), origin, _status_of(wrapper)
    elif "body" in wrapper and not {"id", "createdAt"} <= wrapper.keys():
        yield _body_of(wrapper["body"]), "recording", None
    elif "raw" in wrapper:
        yield bytes(wrapper["raw"]), "recording", None
    else:
        yield document, "recording", None


def _status_of(wrapper: dict[str, msgspec.Raw]) -> int | None:
    stated = msgspec.json.decode(wrapper.get("status", msgspec.Raw(b"null")))
    return int(stated) if str(stated).isdigit() else None


def _body_of(raw: msgspec.Raw) -> bytes:
    # A body that was no JSON is kept by recorders as a text.
    value = msgspec.json.decode(raw)
    return value.encode() if isinstance(value, str) else bytes(raw)


def _text_of(raw: msgspec.Raw) -> str:
    return msgspec.json.decode(raw, type=str)


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
