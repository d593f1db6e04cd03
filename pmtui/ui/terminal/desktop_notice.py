"""Clipboard and notices for the trader's own machine, sent through tmux, Screen and mosh."""

import os
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import partial
from typing import Any

from textual.app import App

from pmtui.domain.notices import DesktopWay


def is_in_tmux(environ: Mapping[str, str]) -> bool:
    """Return whether tmux is the innermost multiplexer: of tmux in Screen, not of the reverse."""
    term = environ.get("TERM", "")
    return term.startswith("tmux") or bool(environ.get("TMUX") and not environ.get("STY"))


def is_in_screen(environ: Mapping[str, str]) -> bool:
    """Return whether GNU screen runs on this machine."""
    return bool(environ.get("STY"))


def may_be_screen(environ: Mapping[str, str]) -> bool:
    """Return whether GNU screen may be in between; remotely only the terminal's name tells."""
    is_named_so = environ.get("TERM", "").startswith("screen")
    return is_in_screen(environ) or (is_named_so and not environ.get("TMUX"))


ASK_KIND = "\x1b[>c"
_SCREEN = 83
_KIND = re.compile(r"\x1b\[>(\d{1,4})[;\d]*c")


def is_known_by_name_only(environ: Mapping[str, str]) -> bool:
    """Return whether a remote Screen or tmux is in between; their replies to `ASK_KIND` differ."""
    return may_be_screen(environ) and not is_in_screen(environ)


def is_another_kind(text: str) -> bool:
    """Return whether a text has a reply to `ASK_KIND` that is not Screen's, which starts with 83.

    Source: "Device Attributes (Secondary DA)" in xterm's ctlseqs; both programs send the code of
    their first letter.
    """
    found = _KIND.search(text)
    return found is not None and int(found[1]) != _SCREEN


def is_behind_mosh(environ: Mapping[str, str]) -> bool:
    """Return whether this shell was started by mosh, which sets this for its own terminal."""
    return bool(environ.get("NCURSES_NO_UTF8_ACS"))


def has_no_clipboard(environ: Mapping[str, str]) -> bool:
    """Return whether the terminal is known not to support a clipboard."""
    return environ.get("TERM", "").startswith("putty")


def forget_true_color(environ: MutableMapping[str, str]) -> None:
    """Remove the promise of true colour that GNU screen in between cannot keep.

    Screen inherits the promise and reads such colours as blinking, dim and reversed text. Its own
    256 colours remain.
    """
    if may_be_screen(environ):
        _ = environ.pop("COLORTERM", None)


_ESCAPE, _END, _STRING = "\x1b", "\x1b\\", "\x1bP"
SCREEN_TAKES = 512
"""Screen truncates strings of more than 768 bytes; several in a row are joined."""
AGAIN_S = 0.4
"""mosh sends changes a few times a second, and the same text again is no change. So the
clipboard is emptied first, for this long."""


class ClipboardWriter:
    """Copies to the clipboard of the trader's own machine, through whatever is in between."""

    hand_over: Callable[[str], Awaitable[bool]] | None = None
    """Passes a text to a surrounding program that ignores the terminal's; returns whether it
    did."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app

    @property
    def is_there(self) -> bool:
        """Whether the terminal may have a clipboard."""
        is_plain = getattr(self._app._driver, "is_plain", False)
        return not is_plain and not has_no_clipboard(os.environ)

    def copy(self, text: str) -> None:
        """Copy a text, also through `hand_over` if there is one."""
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
        environ: the environment, which describes the terminal.
        tmux_has_it: whether the surrounding tmux got the text in another way, too.
    """
    # Ended by BEL: within a string of Screen or tmux, ESC \ would end that string.
    plain = f"{_ESCAPE}]52;c;{b64encode(text.encode()).decode()}\a"
    return wrap_for_terminal(plain, environ, tmux_has_it=tmux_has_it)


def wrap_for_terminal(plain: str, environ: Mapping[str, str], *, tmux_has_it: bool = False) -> str:
    """Return a sequence wrapped so that it reaches the terminal through what is in between.

    Args:
        plain: the sequence for the terminal, ended by BEL.
        environ: the environment, which describes the terminal.
        tmux_has_it: whether the surrounding tmux needs none of its own.
    """
    if is_in_tmux(environ):
        beyond = _through_tmux(_through_screen(plain) if is_in_screen(environ) else plain)
        return beyond if tmux_has_it else plain + beyond
    # Both are sent: Screen uses the wrapped one, any other terminal the plain one.
    return plain + _through_screen(plain) if may_be_screen(environ) else plain


def _through_tmux(sequence: str) -> str:
    return f"{_STRING}tmux;{sequence.replace(_ESCAPE, 2 * _ESCAPE)}{_END}"


def _through_screen(sequence: str) -> str:
    pieces = (sequence[at : at + SCREEN_TAKES] for at in range(0, len(sequence), SCREEN_TAKES))
    return "".join(f"{_STRING}{piece}{_END}" for piece in pieces)


_TITLE = "pmtui"


class DesktopNotices:
    """Asks the trader's own terminal to show notices, through whatever is in between."""

    def __init__(self, app: App[Any], way: DesktopWay) -> None:
        self._app, self._way = app, way

    def show(self, text: str) -> None:
        """Show a notice: a plain line without control characters."""
        driver = self._app._driver
        if driver is None or getattr(driver, "is_plain", False):
            return
        sequence = notice_sequence(text, self._way, os.environ)
        if sequence:
            driver.write(sequence)


def notice_sequence(text: str, way: DesktopWay, environ: Mapping[str, str]) -> str:
    """Return the sequence that shows a notice; empty when notices are off."""
    # A semicolon would end the title of one form, and start the progress bar of the other.
    words = text.replace(";", ",")
    match way:
        case DesktopWay.OFF:
            return ""
        case DesktopWay.OSC_9:
            return wrap_for_terminal(f"{_ESCAPE}]9;{_TITLE}: {words}\a", environ)
        case DesktopWay.OSC_777:
            return wrap_for_terminal(f"{_ESCAPE}]777;notify;{_TITLE};{words}\a", environ)
