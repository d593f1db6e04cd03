"""Passes notices to the trader's own command: a program with arguments, never a shell.

It receives only the notice as an argument: no input, no output, none of our settings in its
environment. One runs at a time, with a limit per minute and a timeout.
"""

import asyncio
import os
from asyncio.subprocess import DEVNULL
from collections import deque
from contextlib import suppress

from pmtui.domain.notices import NoticeBudget, command_line, to_plain_notice
from pmtui.service.hub import Hub
from pmtui.service.kernel import Kernel
from pmtui.service.log import Log
from pmtui.service.topics import LogTopic, Topic
from pmtui.service.views import Level, LogEntry

TIMEOUT_S = 10.0
_OUR_SETTINGS = "PMTUI_"
_MOST_WAITING = 20
_KINDS = ("notice", "order")


class NoticeCommand:
    """Runs a command for each new notice above INFO."""

    def __init__(self, kernel: Kernel, hub: Hub, log: Log, *, arguments: tuple[str, ...]) -> None:
        """Run this command for notices; an empty one disables it."""
        self._kernel, self._log = kernel, log
        self._arguments = arguments
        self._budget = NoticeBudget()
        self._waiting: deque[str] = deque(maxlen=_MOST_WAITING)
        self._seen = 0
        self._problem = ""
        if arguments:
            _ = hub.subscribe((LogTopic(),), self._on_log)

    def _on_log(self, _: Topic) -> None:
        entries = self._log.view().entries
        fresh = [entry for entry in entries if entry.sequence > self._seen]
        self._seen = entries[-1].sequence if entries else self._seen
        for entry in fresh:
            self._offer(entry)

    def _offer(self, entry: LogEntry) -> None:
        if not is_worth_leaving(entry):
            return
        budget = self._budget.spend(self._kernel.clock.monotonic())
        if budget is not None:
            self._budget = budget
            self._waiting.append(to_plain_notice(entry.text))
            self._kernel.start_unless_running("notice command", "notice command", self._run_all)

    async def _run_all(self) -> None:
        while self._waiting:
            problem = await run_command(command_line(self._arguments, self._waiting.popleft()))
            if problem and problem != self._problem:
                # INFO: otherwise a notice about it would run the command again.
                self._log.add(Level.INFO, "notice", f"The notice command failed: {problem}")
            self._problem = problem


def is_worth_leaving(entry: LogEntry) -> bool:
    """Whether an entry matters to a trader who is not looking at the terminal."""
    return entry.kind in _KINDS and entry.level is not Level.INFO


async def run_command(arguments: tuple[str, ...], *, timeout_s: float = TIMEOUT_S) -> str:
    """Run a program with a timeout; return what went wrong, or "" on success."""
    environ = {k: v for k, v in os.environ.items() if not k.upper().startswith(_OUR_SETTINGS)}
    try:
        process = await asyncio.create_subprocess_exec(
            *arguments, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, env=environ,
            start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        return str(error) or type(error).__name__
    try:
        status = await asyncio.wait_for(process.wait(), timeout_s)
    except TimeoutError:
        await _end(process)
        return f"{arguments[0]} took more than {timeout_s:.0f} s"
    except asyncio.CancelledError:
        await _end(process)
        raise
    return f"{arguments[0]} ended with {status}" if status else ""


async def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    _ = await process.wait()
