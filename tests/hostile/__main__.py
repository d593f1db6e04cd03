"""`python -m tests.hostile [SECONDS] [WAY …]`: each way for so long; memory, keys and bytes at the end.

The program is the installed one, in a terminal, with a market open. Exit code 1 where a limit was broken.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.bench.key_times import measure_keys
from tests.hostile.front import FLOODS
from tests.journeys.terminal import PROGRAM, Terminal
from tests.journeys.trader import open_first_event
from tests.sim.process import hosts_in_env, venue_process

SECONDS = 15.0
MOST_MEMORY_MB = 100
"""More than before the way began, at the peak."""
MOST_KEY_MS = 300
_OURS = re.compile(
    rb"\x1b\[[0-9;:]*[mABCDHJKGrXdPL]"  # colours, cursor, erasing
    rb"|\x1b\[[?>=<][0-9;]*[hlucnt]|\x1b\[[0-9;]*[nct]|\x1b\[\?[0-9;]*\$p|\x1b\[[0-9]* q"
    rb"|\x1b\]22;[a-z]*\x07|\x1b\][02];pmtui[^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[78=>]|\x1b[()][0B]"
)
_FOREIGN = re.compile(
    "[\x00-\x06\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


@dataclass(frozen=True, slots=True)
class Found:
    """What one way did to the program."""

    way: str
    grown_mb: float
    key_ms: float
    slowest_key_ms: float
    foreign: list[str]
    has_ended: bool

    @property
    def is_good(self) -> bool:
        """Whether every limit held."""
        is_quick = self.slowest_key_ms <= MOST_KEY_MS
        return self.grown_mb < MOST_MEMORY_MB and is_quick and not (self.foreign or self.has_ended)


def run_way(way: str, seconds: float) -> Found:
    """Open a market, turn the venue hostile, and press keys."""
    with tempfile.TemporaryDirectory(prefix="pmtui-hostile-") as home, ExitStack() as stack:
        venue = stack.enter_context(venue_process("--speed", "0"))
        front = stack.enter_context(_front(way, dict(venue.urls)))
        env = hosts_in_env(front.urls)
        command = (PROGRAM, "--standalone", "--profile", "live")
        terminal = stack.enter_context(Terminal(command, home=Path(home), env=env))
        terminal.until_text("¢")
        open_first_event(terminal)
        terminal.press("enter")
        terminal.until_text("verified")
        terminal.pump_for(2.0)
        before = _peak_mb(terminal.pid)
        front.go()
        ends = time.monotonic() + seconds
        times = []
        while time.monotonic() < ends and not terminal.has_ended():
            times.append(measure_keys(terminal, keys=30))
        return Found(
            way=way,
            grown_mb=_peak_mb(terminal.pid) - before if not terminal.has_ended() else 0.0,
            key_ms=median(t.usual for t in times) if times else 0.0,
            slowest_key_ms=max((t.slowest for t in times), default=0.0),
            foreign=foreign(bytes(terminal.output)),
            has_ended=terminal.has_ended(),
        )


def foreign(output: bytes) -> list[str]:
    """Return what of a program's output is neither text nor a sequence of ours."""
    left = _OURS.sub(b"", output)
    strays = re.findall(rb"\x1b.{0,12}", left, re.DOTALL)
    text = left.replace(b"\x1b", b"").decode(errors="replace")
    return sorted({repr(s) for s in strays} | {repr(c) for c in _FOREIGN.findall(text)})


class _Front:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        assert process.stdout is not None
        self.urls: dict[str, str] = json.loads(process.stdout.readline())

    def go(self) -> None:
        """Turn hostile."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()


@contextmanager
def _front(way: str, urls: dict[str, str]) -> Iterator[_Front]:
    command = [sys.executable, "-m", "tests.hostile.front", way, json.dumps(urls)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield _Front(process)
        finally:
            process.kill()


def _peak_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found.group(1)) / 1024 if found else 0.0


def main(arguments: list[str]) -> int:
    """Run the named ways, or all; 1 where a limit was broken."""
    seconds = float(arguments[0]) if arguments else SECONDS
    good = True
    for way in arguments[1:] or FLOODS:
        found = run_way(way, seconds)
        good = good and found.is_good
        print(
            f"{way:<8} memory +{found.grown_mb:6.1f} MB   keys {found.key_ms:6.1f} ms, slowest "
            f"{found.slowest_key_ms:7.1f} ms   {'held' if found.is_good else 'BROKEN'}"
            f"{' ended' if found.has_ended else ''} {found.foreign or ''}",
            flush=True,
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
