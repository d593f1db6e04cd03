"""A terminal for whole programs: a pty, an emulator behind it, and keys by their names.

It answers what a modern terminal answers, is the controlling terminal of its program (so that
closing it hangs up), and leaves no process behind.
"""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte

from tests.journeys.processes import end_processes_of

PROGRAM = Path(sys.executable).with_name("pmtui")
"""The installed console script."""

DEADLINE_S = 60.0
_READ_BYTES = 1 << 16
_DRAIN_S = 0.05

_KEYS = {
    "enter": "\r", "escape": "\x1b", "tab": "\t", "backspace": "\x7f", "space": " ",
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
    "home": "\x1b[H", "end": "\x1b[F", "pageup": "\x1b[5~", "pagedown": "\x1b[6~",
    "shift+tab": "\x1b[Z", "delete": "\x1b[3~",
}  # fmt: skip

# What the emulator would print because it does not know it.
_UNKNOWN = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p|\x1b[P_^][^\x1b]*\x1b\\")
_WHOLE = re.compile(rb"\x1b(?:\[[0-9;?]*[a-zA-Z]|[()][0-9A-Z]|[0-9=>])[^\x1b]*")
_PLAIN_CENTS = re.compile(r"(?<=[0-9 ])c(?![a-z])")
_FRAME_START, _FRAME_END = b"\x1b[?2026h", b"\x1b[?2026l"
_TAIL = 32
"""Bytes from the last escape on that may still be half a sequence, unless it is whole."""

_ANSWERS = {
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",
    b"\x1b[?2048$p": b"\x1b[?2048;0$y",
    b"\x1b[c": b"\x1b[?62;22c",
    b"\x1b[6n": b"\x1b[1;1R",
}
_QUESTION = re.compile(b"|".join(map(re.escape, _ANSWERS)))

# Starts a program as a login shell does: with its terminal, and with the signals of one in front,
# which a test run in the background of a script would not pass on.
_LAUNCHER = (
    sys.executable,
    "-I",
    "-S",
    "-c",
    (
        "import fcntl, os, signal, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
        "signal.signal(signal.SIGINT, signal.SIG_DFL); "
        "os.execvp(sys.argv[1], sys.argv[1:])"
    ),
)


class Terminal:
    """A program in a terminal of a given size and kind."""

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        home: Path,
        size: tuple[int, int] = (120, 36),
        term: str = "xterm-256color",
        env: Mapping[str, str] | None = None,
        is_controlling: bool = True,
        is_guest: bool = False,
    ) -> None:
        """Start the program.

        Args:
            command: program and arguments.
            home: its `PMTUI_HOME`; every process that has it is ended with the terminal.
            size: columns and rows.
            term: value of `TERM`; queries are answered where such a terminal does.
            env: further variables.
            is_controlling: whether the program is hung up with the terminal; not for stopwatches,
                because it takes a launcher.
            is_guest: whether what else runs for the home goes on when this terminal is closed.
        """
        self._is_guest = is_guest
        self.home = home
        self.output = bytearray()
        self.started_at = time.perf_counter()
        self.first_output_at: float | None = None
        self._answers = term.startswith(("xterm", "screen", "tmux", "putty"))
        self._tells_modes = not term.startswith("putty")
        self.read_bytes = _READ_BYTES
        """How much is read at a time; a slow line carries little."""
        self.is_plain = False
        """Whether cents are spelt `c` on the screen; who reads it finds them as everywhere."""
        self._heard = 0
        self._unfed = bytearray()
        self._has_hung_up = False
        self._emulator = pyte.Screen(*size)
        self._rows: list[str] = []
        self._stream = pyte.ByteStream(self._emulator)
        self._master, slave = os.openpty()
        self.size = size
        self._set_size(size)
        self._process = subprocess.Popen(
            [*(_LAUNCHER if is_controlling else ()), *map(str, command)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**_inherited(), "TERM": term, **_defaults(home), **(env or {})},
        )
        os.close(slave)
        os.set_blocking(self._master, False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The program's process id."""
        return self._process.pid

    @property
    def byte_count(self) -> int:
        """How much the program has written so far."""
        return len(self.output)

    def press(self, *keys: str) -> None:
        """Press keys: single characters, or names such as `enter`, `ctrl+t`, `pagedown`."""
        os.write(self._master, "".join(_sequence(key) for key in keys).encode())

    def type(self, text: str) -> None:
        """Press one key for each character."""
        os.write(self._master, text.encode())

    def paste(self, text: str) -> None:
        """Hand in a text at once, as a modern terminal does."""
        os.write(self._master, f"\x1b[200~{text}\x1b[201~".encode())

    def rows(self) -> list[str]:
        """Return the lines on the screen, trailing blanks cut."""
        self._feed()
        columns, lines = self._emulator.columns, self._emulator.lines
        del self._rows[lines:]
        self._rows += [""] * (lines - len(self._rows))
        # Conditions read the screen after every piece of output, which changes a few lines.
        for y in filter(range(lines).__contains__, self._emulator.dirty):
            line = self._emulator.buffer[y]
            # The second cell of a wide character is empty.
            self._rows[y] = "".join([line[x].data for x in range(columns)]).rstrip()
        self._emulator.dirty.clear()
        return (
            [_PLAIN_CENTS.sub("¢", row) for row in self._rows] if self.is_plain else [*self._rows]
        )

    def text(self) -> str:
        """Return the screen as one text."""
        return "\n".join(self.rows())

    def cells(self) -> list[list[tuple[str, str, str, bool]]]:
        """Return each cell's text, colour, background and whether it is bold, line by line.

        Colours are names, or six hex digits. The second cell of a wide character has no text.
        """
        self._feed()
        screen = self._emulator
        lines = ([screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines))
        return [
            [
                (c.data, c.bg, c.fg, c.bold) if c.reverse else (c.data, c.fg, c.bg, c.bold)
                for c in line
            ]
            for line in lines
        ]

    def rows_in_reverse(self) -> list[str]:
        """Return the lines that are shown in reverse from their first letter on."""
        rows = self.rows()
        starts = [(y, len(row) - len(row.lstrip())) for y, row in enumerate(rows) if row]
        return [rows[y] for y, x in starts if self._emulator.buffer[y][x].reverse]

    def cursor(self) -> tuple[int, int]:
        """Return column and line of the cursor, which sits in the field that has the keys."""
        self._feed()
        return self._emulator.cursor.x, self._emulator.cursor.y

    def cursor_row(self) -> str:
        """Return the line the cursor is on."""
        rows = self.rows()
        return rows[self.cursor()[1]]

    def row_with(self, *parts: str) -> str | None:
        """Return the first line that holds all of these texts, or None."""
        return next((row for row in self.rows() if all(p in row for p in parts)), None)

    def until(
        self, predicate: Callable[[], object], what: str, *, deadline_s: float = DEADLINE_S
    ) -> None:
        """Read until something holds, or fail with its name and the screen."""
        end = time.monotonic() + deadline_s
        while not predicate():
            left = end - time.monotonic()
            if left <= 0 or (not self.pump(min(left, 0.2)) and self.has_ended()):
                if predicate():
                    return
                raise AssertionError(self._failure(what, deadline_s))

    def until_text(self, text: str, *, deadline_s: float = DEADLINE_S) -> None:
        """Read until a text is on the screen."""
        self.until(lambda: text in self.text(), f"{text!r} on the screen", deadline_s=deadline_s)

    def until_gone(self, text: str, *, deadline_s: float = DEADLINE_S) -> None:
        """Read until a text is no longer on the screen."""
        self.until(lambda: text not in self.text(), f"{text!r} gone", deadline_s=deadline_s)

    def pump(self, wait_s: float) -> bytes:
        """Read what has arrived, waiting so long for some of it, and answer its questions."""
        if self._has_hung_up or not select.select([self._master], [], [], wait_s)[0]:
            return b""
        try:
            data = os.read(self._master, self.read_bytes)
        except OSError:
            # The other side is gone; the emulator keeps what it showed last.
            self._has_hung_up = True
            return b""
        if self.first_output_at is None:
            self.first_output_at = time.perf_counter()
        self.output += data
        self._unfed += data
        if self._answers:
            self._answer()
        return data

    def pump_for(self, duration_s: float) -> None:
        """Read as a terminal does for a while."""
        end = time.monotonic() + duration_s
        while (left := end - time.monotonic()) > 0 and not self._has_hung_up:
            self.pump(left)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size; the kernel tells the program."""
        self._feed()
        self.size = (columns, rows)
        self._emulator.resize(rows, columns)
        self._set_size(self.size)

    def send_signal(self, number: signal.Signals) -> None:
        """Send the program a signal."""
        os.kill(self.pid, number)

    def freeze(self) -> None:
        """Stop reading without a word, as a line does that broke somewhere on its way."""
        # At the program's end: at ours it would stop the keys.
        end = os.open(f"/proc/{self.pid}/fd/2", os.O_RDWR | os.O_NOCTTY)
        termios.tcflow(end, termios.TCOOFF)
        os.close(end)

    def hang_up(self) -> None:
        """Take the terminal away, as a broken connection does."""
        self._has_hung_up = True
        os.close(self._master)
        self._master = os.open(os.devnull, os.O_RDWR)

    def exit_code(self, *, deadline_s: float = DEADLINE_S) -> int:
        """Wait for the program's end and return how it ended."""
        end = time.monotonic() + deadline_s
        while self._process.poll() is None and time.monotonic() < end:
            if not self.pump(_DRAIN_S) and self._has_hung_up:
                with suppress(subprocess.TimeoutExpired):
                    return self._process.wait(max(0.1, end - time.monotonic()))
        code = self._process.poll()
        assert code is not None, self._failure("the end of the program", deadline_s)
        while self.pump(0):
            pass
        return code

    def close(self) -> None:
        """End the program and everything it has started."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._master)
        if not self._is_guest:
            end_processes_of(self.home)

    def has_ended(self) -> bool:
        """Whether the program has ended, or has let go of its terminal."""
        return self._has_hung_up or self._process.poll() is not None

    def _answer(self) -> None:
        for asked in _QUESTION.finditer(self.output, self._heard):
            if self._tells_modes or not asked.group().endswith(b"$p"):
                os.write(self._master, _ANSWERS[asked.group()])
            self._heard = asked.end()

    def _feed(self) -> None:
        # A sequence cut in two would slip through the filter: keep the tail for the next time.
        cut = self._unfed.rfind(b"\x1b")
        cut = cut if cut >= 0 and len(self._unfed) - cut < _TAIL else len(self._unfed)
        # What is whole is shown at once, or the picture would lack its last piece.
        if _WHOLE.fullmatch(self._unfed[cut:]):
            cut = len(self._unfed)
        # A frame is shown when it is complete, as terminals do that were told where it begins.
        began = self._unfed.rfind(_FRAME_START)
        if self._answers and began > self._unfed.rfind(_FRAME_END):
            cut = min(cut, began)
        self._stream.feed(_UNKNOWN.sub(b"", bytes(self._unfed[:cut])))
        del self._unfed[:cut]

    def _set_size(self, size: tuple[int, int]) -> None:
        columns, rows = size
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _failure(self, what: str, deadline_s: float) -> str:
        columns, _ = self.size
        frame = "─" * columns
        code = self._process.poll()
        state = "runs" if code is None else f"has ended with {code}"
        log = self.home / "state" / "pmtui.log"
        said = log.read_text(errors="replace")[-3_000:] if log.exists() else ""
        return (
            f"waited in vain for {what}, at most {deadline_s:.0f} s; the program {state}\n{frame}\n"
            f"{self.text()}\n{frame}\n{said}"
        )


def _sequence(key: str) -> str:
    if key in _KEYS:
        return _KEYS[key]
    if key.startswith("ctrl+"):
        return chr(ord(key.removeprefix("ctrl+").upper()) - 64)
    if len(key) != 1:
        raise ValueError(f"no such key: {key}")
    return key


def _inherited() -> dict[str, str]:
    """What a login shell would pass on, without what would change the program under test."""
    ours = ("PMTUI_", "TEXTUAL", "PYTEST_", "ESCDELAY")
    exact = {
        "NO_COLOR", "COLUMNS", "LINES", "COLORTERM", "TERM", "TERM_PROGRAM", "TMUX",
        "STY", "TERMCAP", "NCURSES_NO_UTF8_ACS",
    }  # fmt: skip
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(ours) and name not in exact
    }


def _defaults(home: Path) -> dict[str, str]:
    return {"PMTUI_HOME": str(home), "LC_ALL": "C.UTF-8", "COLORTERM": "truecolor"}
