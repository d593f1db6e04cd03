"""Output of commands: plain lines on standard output and standard error, and the log file.

Any line may contain text from a venue, a file or another program. Characters that control a terminal,
reorder text or are invisible are replaced, so that only line breaks written here break a line. The log
records errors for debugging, without secrets or local variables.
"""

import logging
import os
import re
import select
import sys
import traceback
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import TextIO

from typing_extensions import override

from pmtui.config.paths import make_private, open_to_append, private_dir

WITHOUT_CURSOR = ("", "dumb", "unknown")
"""Values of `TERM` for terminals that can only print lines."""
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_ROOM_WAIT_S = 0.5
_lost: list[OSError] = []
MAX_BYTES = 2_000_000
BACKUPS = 2

# Anything that looks like a private key, a signature, a credential header, or the user and password
# in a URL.
_SECRETS = re.compile(
    r"(?<=://)[^/\s@]+(?=@)"
    r"|(?<![0-9a-fA-F])(?:0x)?[0-9a-fA-F]{64}(?:[0-9a-fA-F]*)"
    r"|(?i:(?:secret|passphrase|private[_ ]?key|authorization|POLY_\w+|RELAYER_\w+)['\"]?\s*[:=]\s*)\S+"
)


def printable(text: str) -> str:
    """Return a text as one line without control, format, private and unassigned characters."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else REPLACEMENT for c in text)


def show(*lines: str) -> None:
    """Write lines to standard output; if that fails, the program continues, see `lost_output`."""
    try:
        _write(sys.stdout, lines)
    except OSError as error:
        _lost.append(error)
        discard_output()


def lost_output() -> OSError | None:
    """Return why lines of `show` were lost, once: the disk is full, or the reader is gone."""
    error = _lost[0] if _lost else None
    _lost.clear()
    return error


def warn(*lines: str) -> None:
    """Write lines to standard error; if that fails, there is nowhere to report it."""
    try:
        _write(sys.stderr, lines)
    except OSError:
        _discard(sys.stderr)


def warn_over(line: str) -> None:
    """Show a line of progress on standard error, replacing the previous one; nothing in a file."""
    if not sys.stderr.isatty():
        return
    try:
        _write(sys.stderr, (line,), end="")
        # Return to the beginning and erase a longer previous line, as the last step of each.
        sys.stderr.write("\x1b[K\r")
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


def ask(prompt: str) -> str:
    """Show a question on standard error and return the typed line; empty at end of input."""
    _write(sys.stderr, (prompt,), end=" ")
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        warn("")
    return line.strip()


def show_last(lines: list[str]) -> None:
    """Write lines bypassing Python's buffer, which would try again at exit and fail the program.

    A screen that is gone is no error, and a terminal that does not read must not block us.
    """
    text = "".join(f"{printable(line)}\n" for line in lines)
    with suppress(OSError):
        if select.select([], [1], [], _ROOM_WAIT_S)[1]:
            os.write(1, text.encode(errors="replace"))


def open_closed_streams() -> None:
    """Open the null device in place of standard streams that were closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nowhere, mode, encoding="utf-8"))


def data_output() -> TextIO:
    """Return standard output for data that its writer has sanitised."""
    return sys.stdout


def utf8_output() -> TextIO:
    """Return standard output for data instead of text for this terminal: the same bytes everywhere."""
    out = data_output()
    if isinstance(out, TextIOWrapper):
        out.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    return out


def write_line(line: bytes) -> None:
    """Write a protocol line to standard output at once; its writer has sanitised it."""
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def discard_output() -> None:
    """Discard buffered output, which would make the interpreter fail at exit."""
    _discard(sys.stdout)


def _discard(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def is_at_terminal() -> bool:
    """Whether both standard input and output are terminals."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def why_no_full_screen() -> str:
    """Return why no full screen can be drawn here, or "" if one can."""
    if not is_at_terminal():
        return "this needs a terminal on standard input and output"
    if not sys.stderr.isatty():
        # Textual draws on this stream.
        return (
            "this needs a terminal on standard error too; errors go to the log file by themselves"
        )
    term = os.environ.get("TERM", "")
    if term not in WITHOUT_CURSOR:
        return ""
    stated = f"TERM is {term}" if term else "TERM is not set"
    return (
        f"{stated}: such a terminal cannot move its cursor. In a terminal emulator, set TERM to its "
        "kind, for example TERM=xterm-256color; commands such as `pmtui get` and `pmtui doctor` "
        "need none"
    )


def show_crash(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Write the traceback of a bug: its message may quote outside text, or contain a secret."""
    if issubclass(kind, KeyboardInterrupt):
        warn("given up")
        return
    text = redact("".join(traceback.format_exception(kind, error, trace)))
    warn(*text.removesuffix("\n").split("\n"))


def _write(stream: TextIO, lines: tuple[str, ...], *, end: str = "\n") -> None:
    text = "".join(printable(line) + end for line in lines)
    # While Textual captures printed output, a stream has no encoding.
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()


class PrivateRotatingHandler(RotatingFileHandler):
    """Keeps a log in private files: the current one and the rotated ones."""

    @override
    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        for rolled in path.parent.glob(f"{path.name}.*"):
            make_private(rolled)
        return os.fdopen(open_to_append(path), "a", encoding=self.encoding)


def redact(text: str) -> str:
    """Return a text with anything that looks like a secret redacted."""
    return _SECRETS.sub("<redacted>", text)


class RedactingFormatter(logging.Formatter):
    """Redacts anything that looks like a secret, in messages and tracebacks."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def start_logging(path: Path) -> None:
    """Send warnings and worse to a file that only the user can read."""
    private_dir(path.parent)
    handler = PrivateRotatingHandler(
        path, maxBytes=MAX_BYTES, backupCount=BACKUPS, encoding="utf-8"
    )
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
