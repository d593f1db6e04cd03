"""The only way from a command to standard output and standard error: plain lines.

What a venue, a file or another program sent may stand in any line. Characters that steer a terminal,
reorder text or are invisible are replaced, so that only the line breaks written here break a line.
"""

import os
import select
import sys
import traceback
from contextlib import suppress
from types import TracebackType
from typing import TextIO

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_ROOM_WAIT_S = 0.5


def harmless(text: str) -> str:
    """Return a text as one line without control, format, private and unassigned characters."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else REPLACEMENT for c in text)


def show(*lines: str) -> None:
    """Write lines to standard output."""
    _write(sys.stdout, lines)


def warn(*lines: str) -> None:
    """Write lines to standard error."""
    _write(sys.stderr, lines)


def ask(prompt: str) -> str:
    """Show a question on standard error and return the line that is typed; empty at the end."""
    _write(sys.stderr, (prompt,), end=" ")
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        warn("")
    return line.strip()


def show_last(lines: list[str]) -> None:
    """Write lines past Python's buffer, which would try again at the very end and fail the program.

    A screen that is gone is no error, and a terminal that does not read must not keep us here.
    """
    text = "".join(f"{harmless(line)}\n" for line in lines)
    with suppress(OSError):
        if select.select([], [1], [], _ROOM_WAIT_S)[1]:
            os.write(1, text.encode(errors="replace"))


def data_output() -> TextIO:
    """Return standard output for data that its writer has made harmless."""
    return sys.stdout


def is_at_terminal() -> bool:
    """Whether both standard input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def show_crash(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Write the traceback of a bug: its message may quote what somebody sent."""
    if issubclass(kind, KeyboardInterrupt):
        warn("given up")
        return
    for part in traceback.format_exception(kind, error, trace):
        warn(*part.removesuffix("\n").split("\n"))


def _write(stream: TextIO, lines: tuple[str, ...], *, end: str = "\n") -> None:
    text = "".join(harmless(line) + end for line in lines)
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()
