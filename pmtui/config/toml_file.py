"""A TOML file with the line number of every key, for error messages."""

import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pmtui.config.paths import why_untrusted

Key = tuple[str, ...]

MAX_BYTES = 1 << 20
"""Bytes in a file; one that a person wrote has a thousandth of that."""

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_TABLE = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(rf"\s*({_DOTTED})\s*=\s*(.*)$")
_PARTS = re.compile(_PART)
_TOKEN = re.compile(r"""\"{3}|'{3}|"(?:[^"\\]|\\.)*"|'[^']*'|[\[\]{}]|#.*$""", re.MULTILINE)
_ERROR_PLACE = re.compile(r"^(.*?) \(at (?:line (\d+), column \d+|end of document)\)$", re.DOTALL)


EXIT_CODE = 2
"""Exit code for wrong usage or configuration."""


def plain_line(text: str) -> str:
    """Return a text as one line without control characters: names and paths may contain anything."""
    line = " ".join(text.split())
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line)


class ConfigError(ValueError):
    """A setting cannot be used. The message states in one line where it is and what is wrong."""

    exit_code = EXIT_CODE

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(plain_line(f"{place}: {problem}"))
        self.place = plain_line(place)
        """`file:line`, the name of an environment variable, or an option."""
        self.problem = plain_line(problem)


@dataclass(frozen=True, slots=True)
class TomlFile:
    """The contents of a file, with line numbers."""

    path: Path
    values: Mapping[str, object] = field(default_factory=dict)
    lines: Mapping[Key, int] = field(default_factory=dict)

    def place(self, key: Key) -> str:
        """Return `file:line` of a key, or of the nearest table that contains it.

        A part may itself be dotted: `a.b` finds `a.b = 1` as well as `"a.b" = 1`.
        """
        dotted = {".".join(stated): line for stated, line in self.lines.items()}
        for length in range(len(key), 0, -1):
            if (line := dotted.get(".".join(key[:length]))) is not None:
                return f"{self.path}:{line}"
        return str(self.path)

    def has(self, key: Key) -> bool:
        """Whether the file sets a key."""
        node: object = self.values
        for part in key:
            if not isinstance(node, Mapping) or part not in node:
                return False
            node = node[part]
        return True


def read_toml(path: Path) -> TomlFile:
    """Read a file; a missing file counts as empty.

    Raises:
        ConfigError: the file cannot be read, others could have written it, or it is not TOML.
    """
    try:
        text = read_trusted_text(path)
    except FileNotFoundError:
        return TomlFile(path)
    except OSError as error:
        raise ConfigError(str(path), error.strerror or "cannot be read") from error
    except UntrustedFileError as error:
        raise ConfigError(str(path), str(error)) from error
    try:
        return TomlFile(path, decode_toml(text), key_lines(text))
    except tomllib.TOMLDecodeError as error:
        found = _ERROR_PLACE.match(str(error))
        problem = found.group(1) if found else str(error)
        # The parser's message for a missing quote, by far the most common slip.
        problem += ": a text stands in quotes" if problem == "Invalid value" else ""
        line = found.group(2) if found and found.group(2) else str(text.count("\n") + 1)
        raise ConfigError(f"{path}:{line}", problem) from error


class UntrustedFileError(ValueError):
    """A file that others could have written, or that is not text of a reasonable size."""


def read_trusted_text(path: Path) -> str:
    """Read a text file that only the user or root can have written.

    Raises:
        OSError: it cannot be read.
        UntrustedFileError: others could have written it, or it is too long or not UTF-8.
    """
    with open(path, "rb", opener=_open_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise UntrustedFileError("no regular file")
        if reason := why_untrusted(path):
            raise UntrustedFileError(f"refused: {reason}")
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise UntrustedFileError(f"longer than {MAX_BYTES} bytes")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise UntrustedFileError("not UTF-8") from None


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe is not waited for until somebody writes to it."""
    return os.open(path, flags | os.O_NONBLOCK)


def decode_toml(text: str) -> dict[str, object]:
    """Decode TOML, with any nesting and any numbers.

    Raises:
        TOMLDecodeError: it is not valid, nested too deeply, or holds a number of too many digits.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError("Nested too deeply (at end of document)") from None
    except ValueError:
        # Python itself refuses to parse thousands of digits.
        raise tomllib.TOMLDecodeError("A number has too many digits (at end of document)") from None


def key_lines(text: str) -> dict[Key, int]:
    """Return the line number, counted from 1, of each key and table in a valid file."""
    lines: dict[Key, int] = {}
    table: Key = ()
    open_until: str | None = None
    depth = 0
    for number, line in enumerate(text.splitlines(), start=1):
        rest = line
        if open_until is None and depth == 0:
            if header := _TABLE.match(line):
                table = _split(header.group(1))
                lines.setdefault(table, number)
                continue
            assignment = _ASSIGNMENT.match(line)
            if assignment is None:
                continue
            key = table + _split(assignment.group(1))
            lines.setdefault(key, number)
            rest = assignment.group(2)
        open_until, depth = _carry(rest, open_until, depth)
    return lines


def _carry(rest: str, open_until: str | None, depth: int) -> tuple[str | None, int]:
    # Whether a value continues on the next line: inside a long string, or inside brackets.
    position = 0
    while position < len(rest):
        if open_until is not None:
            end = rest.find(open_until, position)
            if end < 0:
                return open_until, depth
            position = end + 3
            open_until = None
            continue
        token = _TOKEN.search(rest, position)
        if token is None:
            break
        position = token.end()
        mark = token.group()
        if mark in ('"""', "'''"):
            open_until = mark
        elif mark in "[{":
            depth += 1
        elif mark in "]}":
            depth = max(depth - 1, 0)
    return open_until, depth


def _split(dotted: str) -> Key:
    return tuple(part.strip("\"'") for part in _PARTS.findall(dotted))
