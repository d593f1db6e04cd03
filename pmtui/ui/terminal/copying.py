"""Copying to the clipboard of the trader's own machine, through whatever lies between."""

import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from textual.app import App
from typing_extensions import override

from pmtui.ui.frame import FrameScreen
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.clipboard import clipboard_sequence
from pmtui.ui.terminal.terminal_kind import has_no_clipboard, is_behind_mosh
from pmtui.ui.ticket.paint_confirm import shorten

_LONGEST_TOLD = 40
"""What is longer is told by its two ends: a token has 77 digits."""
AGAIN_S = 0.4
"""mosh sends what has changed, a few times a second: the same text again is no change. So the
clipboard is emptied first, for so long."""


class Copying(App[Any]):
    """An application with something to copy."""

    surface: Surface
    hand_over: Callable[[str], Awaitable[bool]] | None = None
    """Gives a text to a program around us that takes none from the terminal; tells whether it did."""

    def action_copy(self) -> None:
        """Copy what is under the cursor to the clipboard of the trader's own machine."""
        what, text = self.screen.to_copy() if isinstance(self.screen, FrameScreen) else ("", "")
        if text:
            self.copy_to_clipboard(text)
        said = self._told(what, text) if text else "Nothing to copy here."
        line = self.screen.message_line if isinstance(self.screen, FrameScreen) else None
        if line is not None:
            # A line of its own covers nothing.
            line.say(said)
        else:
            self.notify(said, markup=False, timeout=4)

    @override
    def copy_to_clipboard(self, text: str) -> None:
        is_again = text == self._clipboard
        self._clipboard = text
        if is_again and is_behind_mosh(os.environ):
            self._write("")
            _ = self.set_timer(AGAIN_S, partial(self._copy, text))
        else:
            self._copy(text)

    def _copy(self, text: str) -> None:
        if self.hand_over is None:
            self._write(text)
        else:
            _ = self.run_worker(self._copy_around(self.hand_over, text), name="copy")

    async def _copy_around(self, hand_over: Callable[[str], Awaitable[bool]], text: str) -> None:
        self._write(text, tmux_has_it=await hand_over(text))

    def _write(self, text: str, *, tmux_has_it: bool = False) -> None:
        if self._driver is not None:
            self._driver.write(clipboard_sequence(text, os.environ, tmux_has_it=tmux_has_it))

    def _told(self, what: str, text: str) -> str:
        if getattr(self._driver, "is_plain", False) or has_no_clipboard(os.environ):
            # Whole if there is room, as it can only be selected on the screen.
            ways = f"No clipboard here. The {what}: {text}", f"{what}: {text}"
            return next((said for said in ways if len(said) < self.size.width - 1), text)
        is_ascii = self.surface.options.ascii_only
        shown = text if len(text) <= _LONGEST_TOLD else shorten(text, ascii_only=is_ascii)
        return f"Copied the {what}: {shown}"
