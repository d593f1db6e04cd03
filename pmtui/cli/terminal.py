"""The surrounding terminal: its characters, its colours, its clipboard, and blocked output."""

import asyncio
import locale
import logging
import os
import sys
import threading
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping

from pmtui.ui.terminal.cell_diff import WITHOUT_COLOR

DEADLINE_S = 2.0
"""Seconds for tmux to accept a text."""
_PASS_ON = ("tmux", "load-buffer", "-w", "-")
"""From version 3.2 on. `-w`: also into the clipboard of the terminal that shows tmux."""
_PLAIN = ("vt100", "vt102", "vt220", "linux")
"""Terminals that lack most of our characters; the font of the Linux console has at most 512."""


def is_without_color() -> bool:
    """Whether to use no colour; sets NO_COLOR, the only variable that Textual reads."""
    if os.environ.get("TERM", "") in WITHOUT_COLOR or wants_no_color(os.environ):
        os.environ["NO_COLOR"] = "1"
    return bool(os.environ.get("NO_COLOR"))


def wants_no_color(environ: Mapping[str, str]) -> bool:
    """Whether the user asked for no colour.

    `NO_COLOR` takes precedence over everything else; `CLICOLOR=0` counts unless `CLICOLOR_FORCE`
    overrides it.
    """
    if environ.get("NO_COLOR"):
        return True
    is_forced = environ.get("CLICOLOR_FORCE", "0") not in ("", "0")
    return environ.get("CLICOLOR") == "0" and not is_forced


def is_ascii_terminal() -> bool:
    """Whether the terminal shows ASCII only, by its type and the user's locale."""
    encoding = locale.getpreferredencoding(do_setlocale=False).lower().replace("-", "")
    is_plain = os.environ.get("TERM", "") in _PLAIN or _asked_locale() in ("C", "POSIX")
    return is_plain or encoding not in ("utf8", "utf")


def _asked_locale() -> str:
    """Return the locale that the user set; Python replaces a plain `C` in its own settings."""
    if everything := os.environ.get("LC_ALL"):
        return everything
    letters = "" if sys.flags.utf8_mode else os.environ.get("LC_CTYPE")
    return letters or os.environ.get("LANG", "")


async def copy_to_tmux(text: str, *, command: tuple[str, ...] = _PASS_ON) -> bool:
    """Send a text to tmux for its buffer and the clipboard; return whether tmux accepted it."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL
        )
    except OSError:
        return False
    try:
        async with asyncio.timeout(DEADLINE_S):
            await process.communicate(text.encode())
    except TimeoutError:
        process.kill()
        await process.wait()
    return process.returncode == 0


def exit_despite_stuck_output(code: int) -> None:
    """Exit at once if the output thread is blocked by a terminal that no longer reads.

    Any further output would block as well.
    """
    if any(thread.name == "textual-output" for thread in threading.enumerate()):
        logging.shutdown()
        os._exit(code)
