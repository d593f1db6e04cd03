"""Checks the terminal: its replies, its abilities, and the programs between it and pmtui.

The query for the device attributes comes last. Every terminal replies to it, so one that ignores the
other queries causes no wait.
"""

import asyncio
import os
import re
import select
import shutil
import termios
import time
import tty
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from rich.console import Console

from pmtui.cli.doctor.findings import Figure, Finding, State, Subject
from pmtui.cli.output import is_at_terminal
from pmtui.cli.terminal import is_ascii_terminal, wants_no_color
from pmtui.ui.terminal.desktop_notice import (
    has_no_clipboard,
    is_behind_mosh,
    is_in_screen,
    is_in_tmux,
    may_be_screen,
)
from pmtui.ui.terminal.driver import MUTE, PLAIN

DEADLINE_S = 1.0
"""Three times a round trip to the other side of the world."""
_QUESTIONS = b"\x1b[>0q\x1b[?2026$p\x1b[c"
"""XTVERSION, DECRQM for mode 2026, and primary device attributes (xterm's ctlseqs)."""
_NAME = re.compile(rb"\x1bP>\|([^\x1b]{0,80})\x1b\\")
_MODE = re.compile(rb"\x1b\[\?2026;(\d)\$y")
_KIND = re.compile(rb"\x1b\[\?[\d;]*c")
_KNOWS = (b"1", b"2", b"3")
"""Replies of a terminal that supports the mode: set, reset, permanently set."""
SLOW_ESCAPE_MS = 100
"""A longer delay of `esc` is noticeable, and a letter typed during it is lost."""
_COLORS = {"standard": 16, "256": 256, "truecolor": 1 << 24}


@dataclass(frozen=True, slots=True)
class TerminalAnswers:
    """The terminal's replies to our queries."""

    has_answered: bool
    name: str = ""
    """Name and version, if it states them."""
    is_synchronized: bool | None = None
    """Whether it supports synchronized output; None if it did not reply."""


SILENT = TerminalAnswers(has_answered=False)


def ask_terminal(term: str) -> TerminalAnswers:
    """Query the controlling terminal; a simple one is not queried, because it would print the query.

    Args:
        term: the value of `TERM`.
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
            # A late reply would be typed into the shell.
            termios.tcsetattr(handle, termios.TCSAFLUSH, before)
    except (OSError, termios.error):
        return SILENT
    finally:
        os.close(handle)


def read_answers(output: bytes) -> TerminalAnswers:
    """Decode a terminal's replies."""
    name, mode = _NAME.search(output), _MODE.search(output)
    has_answered = bool(_KIND.search(output))
    if mode:
        is_synchronized: bool | None = mode[1] in _KNOWS
    else:
        # A terminal that answered only the last query does not know the mode.
        is_synchronized = False if has_answered else None
    return TerminalAnswers(
        has_answered=has_answered,
        name=name[1].decode("ascii", "replace") if name else "",
        is_synchronized=is_synchronized,
    )


def _exchange(handle: int) -> bytes:
    with os.fdopen(os.dup(handle), "wb", buffering=0) as out:
        _ = out.write(_QUESTIONS)
    output, deadline = b"", time.monotonic() + DEADLINE_S
    while not _KIND.search(output):
        left_s = deadline - time.monotonic()
        if left_s <= 0 or not select.select([handle], [], [], left_s)[0]:
            break
        output += os.read(handle, 1_024)
    return output


async def ask_tmux(option: str) -> str:
    """Return an option of the tmux server we run in; empty if it does not reply."""
    try:
        process = await asyncio.create_subprocess_exec(
            "tmux", "show-options", "-sv", option, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL
        )
    except OSError:
        return ""
    try:
        async with asyncio.timeout(DEADLINE_S):
            output, _ = await process.communicate()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        return ""
    return output.decode("ascii", "replace").strip()[:40]


LEAST_COLUMNS, LEAST_ROWS = 80, 24
"""A smaller terminal lacks columns and panes that a trader needs."""


@dataclass(frozen=True, slots=True)
class TerminalFacts:
    """The facts from which the findings are derived."""

    is_terminal: bool
    columns: int
    rows: int
    environ: Mapping[str, str]
    is_ascii: bool
    answers: TerminalAnswers = SILENT
    tmux_escape_ms: str = ""
    tmux_clipboard: str = ""

    @property
    def term(self) -> str:
        """The terminal's name for the programs in it."""
        return self.environ.get("TERM", "")


async def check_terminal() -> tuple[Finding, ...]:
    """Check the terminal that this command runs in."""
    environ = os.environ
    size = shutil.get_terminal_size((0, 0))
    is_terminal = is_at_terminal()
    in_tmux = is_in_tmux(environ) and bool(environ.get("TMUX"))
    facts = TerminalFacts(
        is_terminal=is_terminal,
        columns=size.columns,
        rows=size.lines,
        environ=environ,
        is_ascii=is_ascii_terminal(),
        answers=ask_terminal(environ.get("TERM", "")) if is_terminal else SILENT,
        tmux_escape_ms=await ask_tmux("escape-time") if in_tmux else "",
        tmux_clipboard=await ask_tmux("set-clipboard") if in_tmux else "",
    )
    return terminal_findings(facts)


def terminal_findings(facts: TerminalFacts) -> tuple[Finding, ...]:
    """Return the findings for a session in such a terminal."""
    if not facts.is_terminal:
        text = "standard input or output is no terminal, so it was not looked at"
        return (_finding("terminal", State.SKIPPED, text),)
    return (
        _kind(facts),
        _size(facts),
        _colors(facts),
        _characters(facts),
        _connection_path(facts),
        _clipboard(facts),
        _synchronized(facts),
    )


def _finding(name: str, state: State, text: str, remedy: str = "", **figures: Figure) -> Finding:
    return Finding(Subject.TERMINAL, name, state, text, remedy, figures)


def _kind(facts: TerminalFacts) -> Finding:
    if facts.term in MUTE:
        return _finding(
            "terminal", State.PROBLEM, f"TERM is {facts.term or 'not set'!r}: it moves no cursor",
            "open pmtui in a terminal emulator, or set TERM to what yours is, "
            "for example xterm-256color", term=facts.term,
        )  # fmt: skip
    name = f"{facts.answers.name}, " if facts.answers.name else ""
    text = f"{name}TERM={facts.term}"
    return _finding("terminal", State.OK, text, term=facts.term, program=facts.answers.name)


def _size(facts: TerminalFacts) -> Finding:
    text = f"{facts.columns} columns, {facts.rows} rows"
    is_enough = facts.columns >= LEAST_COLUMNS and facts.rows >= LEAST_ROWS
    remedy = f"make it {LEAST_COLUMNS} by {LEAST_ROWS} or larger: below that, columns are left out"
    state = State.OK if is_enough else State.WARNING
    return _finding(
        "size", state, text, "" if is_enough else remedy, columns=facts.columns, rows=facts.rows
    )


def _colors(facts: TerminalFacts) -> Finding:
    if wants_no_color(facts.environ):
        return _finding("colours", State.OK, "none, as NO_COLOR or CLICOLOR asks", colors=0)
    environ = dict(facts.environ)
    if may_be_screen(environ):
        environ.pop("COLORTERM", None)
    console = Console(force_terminal=True, _environ=environ)
    count = _COLORS.get(console.color_system or "", 0)
    if count >= 256:
        words = "24 bits" if count > 256 else "256"
        return _finding("colours", State.OK, words, colors=count)
    if facts.term in PLAIN:
        return _finding("colours", State.OK, f"{count or 'none'}: all that it has", colors=count)
    return _finding(
        "colours", State.WARNING, f"{count or 'none'}, by what TERM says",
        f'set TERM to "{_better(facts.term)}", or COLORTERM=truecolor, if the terminal has more; '
        'else theme = "ansi" in config.toml reads best', colors=count,
    )  # fmt: skip


def _better(term: str) -> str:
    family = term.partition("-")[0]
    return f"{family if family in ('screen', 'tmux', 'putty') else 'xterm'}-256color"


def _characters(facts: TerminalFacts) -> Finding:
    if not facts.is_ascii:
        return _finding("Unicode", State.OK, "UTF-8", unicode=True)
    if facts.term in PLAIN:
        return _finding("Unicode", State.OK, "ASCII only, as this terminal wants", unicode=False)
    return _finding(
        "Unicode", State.WARNING, "ASCII only: the locale does not name UTF-8",
        "set LANG or LC_ALL to a UTF-8 locale, for example C.UTF-8, here and for ssh on the "
        "other side", unicode=False,
    )  # fmt: skip


def _connection_path(facts: TerminalFacts) -> Finding:
    environ = facts.environ
    found = [
        name
        for name, is_there in (
            ("ssh", bool(environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"))),
            ("mosh", is_behind_mosh(environ)),
            ("tmux", is_in_tmux(environ)),
            ("GNU screen", is_in_screen(environ)),
            ("GNU screen or tmux on another machine", _is_far_multiplexer(environ)),
        )
        if is_there
    ]
    text = ", ".join(found) or "direct, as far as is known"
    delay = facts.tmux_escape_ms
    if delay.isdecimal() and int(delay) > SLOW_ESCAPE_MS:
        return _finding(
            "connection path", State.WARNING, f"{text}; tmux holds esc back for {delay} ms",
            "set -s escape-time 20 in tmux.conf", layers=text, escape_ms=int(delay),
        )  # fmt: skip
    if is_in_screen(environ):
        return _finding(
            "connection path", State.WARNING, f"{text}: no mouse, and esc takes up to 300 ms",
            "maptimeout 20 in .screenrc, or tmux in its place", layers=text,
        )  # fmt: skip
    return _finding("connection path", State.OK, text, layers=text)


def _is_far_multiplexer(environ: Mapping[str, str]) -> bool:
    return may_be_screen(environ) and not is_in_screen(environ)


def _clipboard(facts: TerminalFacts) -> Finding:
    environ = facts.environ
    if facts.term in PLAIN or has_no_clipboard(environ):
        return _finding(
            "clipboard",
            State.OK,
            "none: hold shift and drag over what is to be copied",
            osc52=False,
        )
    if facts.tmux_clipboard == "off":
        return _finding(
            "clipboard", State.WARNING, "OSC 52, which this tmux does not pass on",
            "set -s set-clipboard on in tmux.conf", osc52=False,
        )  # fmt: skip
    if is_behind_mosh(environ) and not is_in_tmux(environ):
        text = "OSC 52 through mosh, which takes it from version 1.4 on"
        return _finding("clipboard", State.OK, text, osc52=None)
    text = "OSC 52; no terminal tells whether it took a text"
    return _finding("clipboard", State.OK, text, osc52=None)


def _synchronized(facts: TerminalFacts) -> Finding:
    answer = facts.answers.is_synchronized
    if answer is None:
        text = "not known: the terminal was not asked, or did not answer"
        return _finding("synchronized output", State.SKIPPED, text, synchronized=None)
    if answer:
        return _finding("synchronized output", State.OK, "yes", synchronized=True)
    text = "no: a large change may be seen half done for a moment; nothing is lost"
    return _finding("synchronized output", State.OK, text, synchronized=False)
