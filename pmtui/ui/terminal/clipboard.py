"""What to write so that a text gets to the clipboard of the terminal that the trader sits at.

OSC 52 goes as far as the first program in between. tmux takes it for itself where `set-clipboard` is
`on`, and passes on what is wrapped for it where `allow-passthrough` is; GNU screen drops it, but
passes on a device control string. Each layer needs its own wrapping; that of the innermost program
comes last.
"""

import os
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from textual.app import App

from pmtui.ui.terminal.terminal_kind import (
    has_no_clipboard,
    is_behind_mosh,
    is_in_screen,
    is_in_tmux,
    may_be_screen,
)

_ESCAPE, _END, _STRING = "\x1b", "\x1b\\", "\x1bP"
SCREEN_TAKES = 512
"""Screen cuts strings of more than 768 bytes; several in a row come out as one."""
AGAIN_S = 0.4
"""mosh sends what has changed, a few times a second: the same text again is no change. So the
clipboard is emptied first, for so long."""


class ClipboardWriter:
    """Copies to the clipboard of the trader's own machine, through whatever lies between."""

    hand_over: Callable[[str], Awaitable[bool]] | None = None
    """Gives a text to a program around us that takes none from the terminal; returns whether it did."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app

    @property
    def is_there(self) -> bool:
        """Whether the terminal may have a clipboard."""
        is_plain = getattr(self._app._driver, "is_plain", False)
        return not is_plain and not has_no_clipboard(os.environ)

    def copy(self, text: str) -> None:
        """Copy a text, by way of `hand_over` as well where there is one."""
        is_again = text == self._app.clipboard
        self._app._clipboard = text
        if is_again and is_behind_mosh(os.environ):
            self._write("")
            _ = self._app.set_timer(AGAIN_S, partial(self._send, text))
        else:
            self._send(text)

    def _send(self, text: str) -> None:
        if self.hand_over is None:
            self._write(text)
        else:
            _ = self._app.run_worker(self._send_around(self.hand_over, text), name="copy")

    async def _send_around(self, hand_over: Callable[[str], Awaitable[bool]], text: str) -> None:
        self._write(text, tmux_has_it=await hand_over(text))

    def _write(self, text: str, *, tmux_has_it: bool = False) -> None:
        if self._app._driver is not None:
            sequence = clipboard_sequence(text, os.environ, tmux_has_it=tmux_has_it)
            self._app._driver.write(sequence)


def clipboard_sequence(text: str, environ: Mapping[str, str], *, tmux_has_it: bool = False) -> str:
    """Return the sequences that copy a text; an empty one empties the clipboard.

    Args:
        text: what to copy.
        environ: what tells of the terminal.
        tmux_has_it: whether the tmux around us was given the text in another way, too.
    """
    # BEL ends it: within a string of Screen's or of tmux's, ESC \ would end that one.
    plain = f"{_ESCAPE}]52;c;{b64encode(text.encode()).decode()}\a"
    return wrap_for_terminal(plain, environ, tmux_has_it=tmux_has_it)


def wrap_for_terminal(plain: str, environ: Mapping[str, str], *, tmux_has_it: bool = False) -> str:
    """Return a sequence so that it gets to the terminal through what lies between.

    Args:
        plain: as the terminal reads it, ended by BEL.
        environ: what tells of the terminal.
        tmux_has_it: whether the tmux around us needs none of its own.
    """
    if is_in_tmux(environ):
        beyond = _through_tmux(_through_screen(plain) if is_in_screen(environ) else plain)
        return beyond if tmux_has_it else plain + beyond
    # Both are sent: Screen uses the wrapped one, every other terminal the plain one.
    return plain + _through_screen(plain) if may_be_screen(environ) else plain


def _through_tmux(sequence: str) -> str:
    return f"{_STRING}tmux;{sequence.replace(_ESCAPE, 2 * _ESCAPE)}{_END}"


def _through_screen(sequence: str) -> str:
    pieces = (sequence[at : at + SCREEN_TAKES] for at in range(0, len(sequence), SCREEN_TAKES))
    return "".join(f"{_STRING}{piece}{_END}" for piece in pieces)
