"""A minute of a live venue: what it sends, what the terminal digests, and the processor time of each.

The terminal reads its streams through a relay that counts frames and knows how many bytes the
terminal has not read yet. `PMTUI_BENCH_SHORT` shortens the minute to ten seconds.
"""

import os
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from tests.bench.relay import Relay
from tests.bench.row import Row, at_least, plain
from tests.journeys.processes import cpu_seconds
from tests.journeys.terminal import PROGRAM, Terminal
from tests.journeys.trader import open_first_event
from tests.sim.process import VenueProcess, hosts_in_env, venue_process

LONG_S, SHORT_S = 60.0, 10.0
SPEEDS = ("1", "20")
"""As recorded, and far beyond."""
DIGESTED_GOAL = 0.99
SIZE = (120, 36)


def rows() -> list[Row]:
    """Return frames a second and shares of a core, with the event of most trade on the screen."""
    duration_s = SHORT_S if os.environ.get("PMTUI_BENCH_SHORT") else LONG_S
    return [row for speed in SPEEDS for row in _at_speed(speed, duration_s)]


def _at_speed(speed: str, duration_s: float) -> list[Row]:
    with (
        tempfile.TemporaryDirectory() as home,
        venue_process("--speed", speed) as venue,
        Relay(_address(venue)) as relay,
        Terminal(
            (PROGRAM, "--standalone", "--profile", "live"),
            home=Path(home),
            size=SIZE,
            env=_hosts(venue, relay),
        ) as terminal,
    ):
        terminal.until_text("¢")
        open_first_event(terminal)
        terminal.until(lambda: relay.frames > 1, "books from the stream")
        return _measure(venue, relay, terminal, label=f"speed {speed}", duration_s=duration_s)


def _measure(
    venue: VenueProcess, relay: Relay, terminal: Terminal, *, label: str, duration_s: float
) -> list[Row]:
    pids = (venue.process.pid, terminal.pid)
    began = time.perf_counter()
    cpu_before = [cpu_seconds(pid) for pid in pids]
    frames, stream_bytes, screen_bytes = relay.frames, relay.byte_count, terminal.byte_count
    terminal.pump_for(duration_s)
    elapsed = time.perf_counter() - began
    venue_cpu, our_cpu = (
        (cpu_seconds(pid) - before) / elapsed * 100
        for pid, before in zip(pids, cpu_before, strict=True)
    )
    produced = (relay.frames - frames) / elapsed
    stream_bytes = relay.byte_count - stream_bytes
    digested = produced * (1 - relay.unread_bytes() / stream_bytes)
    screen_bytes = terminal.byte_count - screen_bytes
    return [
        at_least(
            f"{label}: frames/s the terminal digested, of those produced",
            digested,
            produced,
            DIGESTED_GOAL,
        ),
        plain(f"{label}: processor share of the terminal, of the venue, %", our_cpu, venue_cpu),
        plain(
            f"{label}: bytes/s to the screen, from the stream",
            screen_bytes / elapsed,
            stream_bytes / elapsed,
        ),
    ]


def _address(venue: VenueProcess) -> tuple[str, int]:
    parts = urlsplit(venue.urls["ws_market"])
    assert parts.hostname
    assert parts.port
    return parts.hostname, parts.port


def _hosts(venue: VenueProcess, relay: Relay) -> dict[str, str]:
    urls = dict(venue.urls)
    for name in ("ws_market", "ws_user"):
        urls[name] = f"ws://127.0.0.1:{relay.port}{urlsplit(urls[name]).path}"
    return hosts_in_env(urls)
