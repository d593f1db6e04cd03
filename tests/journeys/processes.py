"""Finds what runs for a home directory, whoever its parent is by now, and ends it by its id."""

import os
import select
import signal
import time
from contextlib import suppress
from pathlib import Path

ENDING_S = 30.0
_PROC = Path("/proc")


def processes_of(home: Path) -> dict[int, str]:
    """Return process ids and command lines of all that were started with this `PMTUI_HOME`."""
    wanted = f"PMTUI_HOME={home}".encode()
    found: dict[int, str] = {}
    for entry in _PROC.iterdir():
        if not entry.name.isdecimal() or entry.name == str(os.getpid()):
            continue
        # A process may end, or belong to somebody else, between two reads.
        with suppress(OSError):
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
                found[int(entry.name)] = line.decode(errors="replace").strip()
    return found


def venues_of(home: Path) -> dict[int, str]:
    """Return the local venues that run for a home directory."""
    return {pid: line for pid, line in processes_of(home).items() if " sim " in line}


def service_pid(home: Path) -> int:
    """Return the process id of the one service that runs there."""
    (pid,) = [pid for pid, line in processes_of(home).items() if " serve " in line]
    return pid


def wait_until_gone(home: Path, *, deadline_s: float = ENDING_S) -> dict[int, str]:
    """Wait until nothing runs for a home; returns what still did at the deadline."""
    end = time.monotonic() + deadline_s
    while (left := processes_of(home)) and time.monotonic() < end:
        for pid in left:
            _wait_for_end(pid, end - time.monotonic())
    return left


def end_processes_of(home: Path) -> None:
    """Kill what is left of a home, process by process."""
    for pid in processes_of(home):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_until_gone(home)


def cpu_seconds(pid: int, *, with_ended_children: bool = False) -> float:
    """Return the processor time a process has used so far, in seconds."""
    fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    counted = fields[11:15] if with_ended_children else fields[11:13]
    return sum(map(int, counted)) / os.sysconf("SC_CLK_TCK")


def _wait_for_end(pid: int, timeout_s: float) -> None:
    """Sleep until a process that need not be ours has ended; a handle to it says so."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        select.select([handle], [], [], max(0.0, timeout_s))
    finally:
        os.close(handle)
