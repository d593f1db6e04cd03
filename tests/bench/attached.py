"""What the boundary costs: attaching, both processes' memory, the hop, and a service that is alone.

Wall times stand beside an empty app of Textual in the same run; the hop beside the same change and the
same command without a socket, both sides of which share a process here. The rare long hop is judged
by the processor's time: by the wall it is the time slice of whatever else the machine runs.
"""

import asyncio
import signal
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from pmtui.domain.conditionals.alerts import MOST_BOOKS, AlertPlan, AlertSide
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros
from pmtui.link.connection import ServiceConnection
from pmtui.link.mirror import Mirror
from pmtui.link.remote_commands import RemoteCommands
from pmtui.service.books.books import GRACE_S
from pmtui.service.clock import SystemClock
from pmtui.service.topics import BookTopic, MarketTopic, Topic
from tests.bench import empty_app
from tests.bench.memory import EMPTY, SETTLING_S, SIZE, Held, held
from tests.bench.row import Row, at_most, plain
from tests.journeys import trader
from tests.journeys.processes import cpu_seconds, service_pid
from tests.journeys.terminal import PROGRAM, Terminal
from tests.journeys.venue import PaperVenue
from tests.link.kit import NOTHING_YET, running_house
from tests.service.conditional_kit import book
from tests.service.fakes import CONDITION, YES
from tests.service.order_kit import BUY, until

TURNS = 3
ATTACH_GOAL, COLD_GOAL = 1.5, 2.0
TERMINAL_MB, SERVICE_MB = 60.0, 75.0
HOP_MEDIAN_MS, HOP_P99_MS, KEY_MS = 1.0, 3.0, 0.5
CHANGES = 1_000
KEYS = 200
TRIES = 3
ALONE_S = 20.0
ALONE_PERCENT = 3.0
WATCHING_S = 25.0
FAR = Micros(1_000)
"""A price that no bid falls to: such an alert only watches its book."""


def rows() -> list[Row]:
    """Return attaching, cold start, memory, hop, key, and the service alone."""
    return [*_starts(), *_hops(), *_alone()]


def _starts() -> list[Row]:
    cold: list[tuple[float, float]] = []
    warm: list[tuple[float, float]] = []
    terminals: list[Held] = []
    services: list[Held] = []
    with tempfile.TemporaryDirectory() as compiled:
        for turn in range(TURNS + 1):
            with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as other:
                empty = _shown_ms(EMPTY, Path(other), compiled, empty_app.SIGN)
                first = _open(Path(home), compiled)
                with first:
                    cold_ms = _until_ms(first, "PAPER")
                    first.until_text("¢")
                    second = _open(Path(home), compiled)
                    with second:
                        second.until_text("¢")
                        warm_ms = _since_start_ms(second)
                        _watch_market(second, WATCHING_S if turn else 0)
                        found = held(second.pid), held(service_pid(Path(home)))
            if turn:
                cold.append((cold_ms, empty))
                warm.append((warm_ms, empty))
                terminals.append(found[0])
                services.append(found[1])
    return [
        at_most("attach to a running service: live markets over an empty app, ms", warm, ATTACH_GOAL),
        at_most("cold start with a new service: first paint over the same, ms", cold, COLD_GOAL),
        at_most(
            "resident memory of an attached terminal with a live book, over the bound, MB",
            [(one.resident, TERMINAL_MB) for one in terminals], 1.0,
        ),
        at_most(
            "resident memory of its service, over the bound, MB",
            [(one.resident, SERVICE_MB) for one in services], 1.0,
        ),
        plain(
            "proportional memory of both, MB",
            median(a.proportional + b.proportional for a, b in zip(terminals, services, strict=True)),
        ),
    ]  # fmt: skip


def _open(home: Path, compiled: str) -> Terminal:
    env = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": compiled}
    return Terminal((PROGRAM,), home=home, size=SIZE, env=env, is_controlling=False)


def _shown_ms(command: tuple[str, ...], home: Path, compiled: str, sign: str) -> float:
    env = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": compiled}
    with Terminal(command, home=home, size=SIZE, env=env, is_controlling=False) as terminal:
        return _until_ms(terminal, sign)


def _until_ms(terminal: Terminal, sign: str) -> float:
    terminal.until(lambda: sign.encode() in terminal.output, sign)
    return _since_start_ms(terminal)


def _since_start_ms(terminal: Terminal) -> float:
    return 1_000 * (time.perf_counter() - terminal.started_at)


def _watch_market(terminal: Terminal, watching_s: float) -> None:
    trader.find_market(terminal, PaperVenue(terminal.home).busy_markets()[0])
    terminal.until_text("verified")
    terminal.pump_for(watching_s)


def _hops() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        hops, keys = asyncio.run(_measure(Path(folder)))
    walls, works = ([getattr(hop, name) for hop in hops] for name in Hop._fields)
    worst = quantiles(works, n=100)[-1]
    return [
        at_most("a change's hop over the socket, median, ms", [(median(walls), HOP_MEDIAN_MS)], 1.0),
        at_most("the same, 99th percentile of its work, ms", [(worst, HOP_P99_MS)], 1.0),
        plain("the same by the wall, over its work, ms", quantiles(walls, n=100)[-1], worst),
        at_most("a command's way over the socket and back, median, ms", [(median(keys), KEY_MS)], 1.0),
    ]  # fmt: skip


class Hop(NamedTuple):
    """Milliseconds from where a change is announced in the service until it is in the terminal."""

    wall: float
    work: float
    """Of the processor, for both ends."""


def _moment() -> Hop:
    return Hop(1_000 * time.perf_counter(), 1_000 * time.thread_time())


async def _measure(folder: Path) -> tuple[list[Hop], list[float]]:
    """Return changes, and milliseconds of commands, beyond what they take without a socket."""
    async with running_house(folder) as house, house.seat() as seat:
        here, there = list[Hop](), list[Hop]()
        world = house.world
        _ = seat.mirror.subscribe([MarketTopic(CONDITION)], lambda _: None)
        await until(world, lambda: seat.queries.market(CONDITION).terms, "the terms")
        hub = world.service.hub
        arrived = asyncio.Event()

        def note(_: Topic) -> None:
            there.append(_moment())
            arrived.set()

        _ = hub.subscribe((BookTopic(YES),), lambda _: here.append(_moment()))
        _ = seat.mirror.subscribe([BookTopic(YES)], note)
        await world.pass_time(1.0)
        hops: list[Hop] = []
        for number in range(CHANGES):
            here.clear()
            there.clear()
            arrived.clear()
            world.stream.send(book(f"0.{10 + number % 80}"))
            await world.clock.advance(0.1)
            _ = await arrived.wait()
            (began, begun), (ended, done) = here[0], there[0]
            hops.append(Hop(ended - began, done - begun))
        keys: list[float] = []
        for _ in range(KEYS):
            began = time.perf_counter()
            _ = await seat.commands.prepare(BUY)
            between = time.perf_counter()
            _ = await world.service.commands.prepare(BUY)
            keys.append(1_000 * ((between - began) - (time.perf_counter() - between)))
        return hops, keys


def _alone() -> list[Row]:
    with tempfile.TemporaryDirectory() as home:
        env = {"PMTUI_SERVICE__IDLE_EXIT_S": "0"}
        with Terminal((PROGRAM,), home=Path(home), size=SIZE, env=env) as terminal:
            terminal.until_text("¢")
            watched = asyncio.run(_watch_books(Path(home)))
            terminal.send_signal(signal.SIGKILL)
            _ = terminal.exit_code()
            pid = service_pid(Path(home))
            # By the processor's clock, while nobody looks, and once the terminal's own books are gone.
            time.sleep(GRACE_S + SETTLING_S)
            before = cpu_seconds(pid)
            time.sleep(ALONE_S)
            percent = 100 * (cpu_seconds(pid) - before) / ALONE_S
    return [
        at_most(
            f"a service alone with {watched} live books, per cent of a core",
            [(percent, ALONE_PERCENT)], 1.0,
        )
    ]  # fmt: skip


async def _watch_books(home: Path) -> int:
    """Have the service watch books for alerts that never ring; returns how many."""
    tokens = [
        (ConditionId(market.condition_id), TokenId(token))
        for outcome in (0, 1)
        for market in PaperVenue(home).busy_markets()
        for token in (market.tokens[outcome],)
    ]
    clock = SystemClock()
    mirror = Mirror(NOTHING_YET)
    line = ServiceConnection(home / "run" / "paper.sock", mirror, clock)
    _ = await line.connect()
    listening = asyncio.create_task(line.run())
    commands = RemoteCommands(line, mirror, clock, lock=lambda: "")
    watched = 0
    for condition, token in tokens[:MOST_BOOKS]:
        subscription = mirror.subscribe([MarketTopic(condition)], lambda _: None)
        plan = AlertPlan(condition, token, AlertSide.BELOW, FAR)
        problem = ""
        for _ in range(TRIES):
            problem = await commands.add_alert(plan)
            if not problem:
                break
            await clock.sleep(0.1)
        # Both outcomes of a market share a book.
        watched += not problem
        subscription.close()
    await line.close()
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    return watched
