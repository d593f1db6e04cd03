"""Reads one line from the terminal without echo, while the application is suspended.

Secrets are not typed into widgets: this line is neither painted nor kept, and goes only to the
caller. The event loop keeps running, so that orders, stops and heartbeats do not wait.
"""

import asyncio
import os
import select
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress

LONGEST = 4_096
"""Bytes of a line; more are refused."""
_READ_BYTES = 1_024
_ENTER = frozenset(b"\r\n")
_ERASE = frozenset(b"\x7f\x08")
_CLEAR = 0x15
_GIVE_UP = frozenset(b"\x03\x04\x1b")
"""Control-c, control-d and escape."""
_PASTE = (b"\x1b[200~", b"\x1b[201~")
"""Enclose pasted text if bracketed paste was not turned off in time."""


class HiddenLine:
    """Collects the bytes of a line."""

    def __init__(self) -> None:
        self._line = bytearray()
        self.is_given_up = False

    @property
    def text(self) -> str | None:
        """The typed text; None if it was cancelled or is not UTF-8."""
        if self.is_given_up:
            return None
        try:
            return self._line.decode()
        except UnicodeDecodeError:
            return None

    def feed(self, data: bytes) -> bool:
        """Add typed bytes; return whether the line is complete."""
        for mark in _PASTE:
            data = data.replace(mark, b"")
        for byte in data:
            if byte in _ENTER:
                return True
            if byte in _GIVE_UP or len(self._line) >= LONGEST:
                self.is_given_up = True
                return True
            if byte in _ERASE:
                del self._line[-1:]
            elif byte == _CLEAR:
                self._line.clear()
            else:
                self._line.append(byte)
        return False


async def ask_hidden_line(fileno: int, prompt: str, *, output: int) -> str | None:
    """Ask for a line at a terminal without echo.

    Returns None if it was cancelled, is not UTF-8, or the terminal is gone.

    Args:
        fileno: the descriptor to read from.
        prompt: the prompt; dropped if the terminal does not read.
        output: the descriptor to write the prompt to.
    """
    loop = asyncio.get_running_loop()
    line, done = HiddenLine(), loop.create_future()

    def take() -> None:
        try:
            data = os.read(fileno, _READ_BYTES)
        except OSError:
            data = b""
        line.is_given_up = line.is_given_up or not data
        if (not data or line.feed(data)) and not done.done():
            done.set_result(None)

    with _without_echo(fileno):
        loop.add_reader(fileno, take)
        try:
            # Prompt only now: what is typed in reply must neither be echoed nor flushed.
            _write_if_there_is_room(output, prompt)
            await done
            _write_if_there_is_room(output, "\n")
        finally:
            loop.remove_reader(fileno)
    return line.text


def _write_if_there_is_room(fileno: int, text: str) -> None:
    with suppress(OSError):
        if select.select((), (fileno,), (), 0)[1]:
            os.write(fileno, text.encode())


@contextmanager
def _without_echo(fileno: int) -> Iterator[None]:
    """Turn off echo and line mode; keys that send signals arrive as bytes, too."""
    try:
        before = termios.tcgetattr(fileno)
    except termios.error:
        yield
        return
    quiet = termios.tcgetattr(fileno)
    quiet[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
    termios.tcsetattr(fileno, termios.TCSAFLUSH, quiet)
    try:
        yield
    finally:
        # Input typed after the line is discarded.
        with suppress(termios.error):
            termios.tcsetattr(fileno, termios.TCSAFLUSH, before)
