"""Runs one of the test programs in a terminal of fixed size and keeps what it writes."""

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
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

import pyte

# The emulator prints the private queries it does not know.
_QUERIES = re.compile(rb"\x1b\[[<>=][0-9;]*u|\x1b\[\?[0-9;]*\$p")


class PtyChild:
    """A Python module under a pseudo terminal."""

    def __init__(
        self,
        module: str,
        *arguments: str,
        columns: int = 80,
        rows: int = 24,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.master, slave = os.openpty()
        self.process: subprocess.Popen[bytes] | None = None
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._unfed = bytearray()
        self._fed = 0
        self.resize(columns, rows)
        inherited = {
            k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")
        }
        defaults = {
            "TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8",
            "TEXTUAL_ANIMATIONS": "none",
        }  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={**inherited, **defaults, **(env or {})},
        )  # fmt: skip
        os.close(slave)
        os.set_blocking(self.master, False)
        self.output = bytearray()
        self.is_mute = False
        """Whether questions for the cursor stay unanswered, as on a line with much before them."""
        self.unanswered = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)

    def resize(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._screen.resize(rows, columns)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if self.process is not None:
            self.process.send_signal(signal.SIGWINCH)

    def row(self, y: int) -> str:
        """Return the text of a line."""
        return "".join(self.screen.buffer[y][x].data for x in range(self.columns))

    def send(self, data: bytes) -> None:
        os.write(self.master, data)

    def freeze(self) -> None:
        """Read no more, as a line does that broke somewhere on its way."""
        self._flow(termios.TCOOFF)

    def thaw(self) -> None:
        """Read again."""
        self._flow(termios.TCOON)

    def _flow(self, action: int) -> None:
        # At the program's end of the line: at ours it would stop the keys.
        assert self.process is not None
        end = os.open(f"/proc/{self.process.pid}/fd/2", os.O_RDWR | os.O_NOCTTY)
        termios.tcflow(end, action)
        os.close(end)

    def hang_up(self) -> None:
        """Take the terminal away."""
        os.close(self.master)
        self.master = os.open(os.devnull, os.O_RDWR)

    def pump(self, wait_s: float) -> bytes:
        """Read what has arrived, waiting for some of it."""
        if not select.select([self.master], [], [], wait_s)[0]:
            return b""
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:
            return b""
        self.output += data
        if b"\x1b[?2026$p" in data:
            self.send(b"\x1b[?2026;2$y")
        self.unanswered += data.count(b"\x1b[6n")
        if not self.is_mute:
            self.answer()
        return data

    def answer(self) -> None:
        """Say where the cursor is, as often as was asked."""
        self.send(b"\x1b[1;1R" * self.unanswered)
        self.unanswered = 0

    def until(self, predicate: Callable[[], object], what: str, *, timeout_s: float = 90.0) -> None:
        deadline = time.monotonic() + timeout_s
        while not predicate():
            if time.monotonic() > deadline:
                raise AssertionError(
                    f"waited {timeout_s} s in vain: {what}\n{self.output[-2000:]!r}"
                )
            self.pump(0.05)

    @property
    def screen(self) -> pyte.Screen:
        """What a terminal shows that was fed everything so far."""
        self._unfed += self.output[self._fed :]
        self._fed = len(self.output)
        # A query cut in two would slip through the filter: keep the tail for the next time.
        cut = self._unfed.rfind(b"\x1b")
        cut = cut if cut >= 0 and len(self._unfed) - cut < 16 else len(self._unfed)
        self._stream.feed(_QUERIES.sub(b"", bytes(self._unfed[:cut])))
        del self._unfed[:cut]
        return self._screen
