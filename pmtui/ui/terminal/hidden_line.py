"""Reads one line from the terminal without showing it, while the application is suspended.

Secrets are not typed into widgets: what is typed here is neither painted nor kept, and goes to nobody but
the caller. The event loop goes on meanwhile, so that orders, stops and heartbeats do not wait.
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
"""Stand around pasted text where the terminal was not told otherwise in time."""


class HiddenLine:
    """The bytes of a line as they come in."""

    def __init__(self) -> None:
        self._line = bytearray()
        self.is_given_up = False

    @property
    def text(self) -> str | None:
        """What was typed; None where it was given up or is no text."""
        if self.is_given_up:
            return None
        try:
            return self._line.decode()
        except UnicodeDecodeError:
            return None

    def feed(self, data: bytes) -> bool:
        """Add typed characters; returns whether the line is complete."""
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
    """Ask for a line at a terminal that shows nothing of what is typed.

    Returns None when it was given up, when it is no text, or when the terminal is gone.

    Args:
        fileno: where it is typed.
        prompt: what is asked; dropped where the terminal reads no more, as nothing waits for it.
        output: where the prompt goes.
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
            # Only now: what is typed at the sight of it must not be shown, nor thrown away.
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
    """Deliver every byte at once and show none; keys that send signals are bytes as well."""
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
        # What was typed after the line is nobody's command.
        with suppress(termios.error):
            termios.tcsetattr(fileno, termios.TCSAFLUSH, before)
