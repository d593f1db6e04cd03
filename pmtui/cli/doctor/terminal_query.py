"""Asking the terminal itself: its name and whether it takes a picture whole (synchronized output).

The question about the kind of terminal comes last and is answered by every terminal of the last forty
years, so that a terminal which does not know the others keeps nobody waiting.
"""

import asyncio
import os
import re
import select
import termios
import time
import tty
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress
from dataclasses import dataclass

from pmtui.ui.terminal.driver import MUTE, PLAIN

DEADLINE_S = 1.0
"""A round trip to the other side of the world is a third of it."""
_QUESTIONS = b"\x1b[>0q\x1b[?2026$p\x1b[c"
"""XTVERSION, DECRQM for mode 2026, and primary device attributes (xterm's ctlseqs)."""
_NAME = re.compile(rb"\x1bP>\|([^\x1b]{0,80})\x1b\\")
_MODE = re.compile(rb"\x1b\[\?2026;(\d)\$y")
_KIND = re.compile(rb"\x1b\[\?[\d;]*c")
_KNOWS = (b"1", b"2", b"3")
"""Answers of a terminal that knows the mode: set, reset, always set."""


@dataclass(frozen=True, slots=True)
class TerminalAnswers:
    """What the terminal says of itself."""

    has_answered: bool
    name: str = ""
    """With its version, where it tells one."""
    is_synchronized: bool | None = None
    """Whether it shows a picture only when it is whole; None where it does not say."""


SILENT = TerminalAnswers(has_answered=False)


def ask_terminal(term: str) -> TerminalAnswers:
    """Ask the terminal that this program is controlled from; it may not be asked, or not answer.

    Args:
        term: its `TERM`. Some print what they do not know, and are not asked.
    """
    if term in (*MUTE, *PLAIN):
        return SILENT
    try:
        handle = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return SILENT
    try:
        before = termios.tcgetattr(handle)
        try:
            tty.setcbreak(handle, termios.TCSAFLUSH)
            return read_answers(_exchange(handle))
        finally:
            # What comes too late would be typed into the shell.
            termios.tcsetattr(handle, termios.TCSAFLUSH, before)
    except (OSError, termios.error):
        return SILENT
    finally:
        os.close(handle)


def read_answers(said: bytes) -> TerminalAnswers:
    """Return what a terminal's answers mean."""
    name, mode = _NAME.search(said), _MODE.search(said)
    return TerminalAnswers(
        has_answered=bool(_KIND.search(said)),
        name=name[1].decode("ascii", "replace") if name else "",
        is_synchronized=mode[1] in _KNOWS if mode else False if _KIND.search(said) else None,
    )


def _exchange(handle: int) -> bytes:
    with os.fdopen(os.dup(handle), "wb", buffering=0) as out:
        _ = out.write(_QUESTIONS)
    said, deadline = b"", time.monotonic() + DEADLINE_S
    while not _KIND.search(said):
        left_s = deadline - time.monotonic()
        if left_s <= 0 or not select.select([handle], [], [], left_s)[0]:
            break
        said += os.read(handle, 1_024)
    return said


async def ask_tmux(option: str) -> str:
    """Return a server option of the tmux around us; empty where it does not say."""
    try:
        process = await asyncio.create_subprocess_exec(
            "tmux", "show-options", "-sv", option, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL
        )
    except OSError:
        return ""
    try:
        async with asyncio.timeout(DEADLINE_S):
            said, _ = await process.communicate()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        return ""
    return said.decode("ascii", "replace").strip()[:40]
