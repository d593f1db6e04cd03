"""A running service behind a socket, and terminals that are attached to it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from typing_extensions import override

from pmtui.link.connection import ServiceConnection
from pmtui.link.local_socket import UidOf, bind, uid_of
from pmtui.link.messages import Configure, Configured, Refused, Unlock, Welcome
from pmtui.link.mirror import Mirror, MirrorQueries
from pmtui.link.remote_commands import RemoteCommands
from pmtui.link.server import HostProcess, LinkServer
from pmtui.service.clock import SystemClock
from pmtui.service.views import Mode, StatusView
from tests.manual_clock import ManualClock
from tests.service.fakes import World, running_world

WRONG = "this passphrase opens nothing"
NOTHING_YET = StatusView(
    profile="paper", mode=Mode.PAPER, mode_reason="", cash=None, portfolio_value=None,
    open_orders=0, unknown_orders=0, unread_notices=0, health=(), clock_skew_ms=None,
    now=datetime(2026, 11, 20, 12, 0, tzinfo=UTC),
)  # fmt: skip


class SeatClock(SystemClock):
    """Reads the service's time, as on one machine, and waits in real time."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock

    @override
    def now(self) -> datetime:
        return self._clock.now()

    @override
    def monotonic(self) -> float:
        return self._clock.monotonic()


@dataclass(slots=True)
class Seat:
    """A terminal without a screen."""

    line: ServiceConnection
    mirror: Mirror
    queries: MirrorQueries
    commands: RemoteCommands
    welcome: Welcome | Refused | None
    locks: list[str]
    task: "asyncio.Task[None]"


@dataclass(slots=True)
class House:
    """A service with its socket."""

    world: World
    server: LinkServer
    path: Path
    stopped: list[str] = field(default_factory=list)
    passphrases: list[bytes] = field(default_factory=list)
    derived: asyncio.Event = field(default_factory=asyncio.Event)
    """Clear while the key of a passphrase is still being derived, and the settings are being read."""
    writers: list[asyncio.StreamWriter] = field(default_factory=list)
    """Connections that a test made by hand."""

    @asynccontextmanager
    async def seat(
        self,
        *,
        may_trade: bool = True,
        is_passing: bool = False,
        restart: Callable[[], Awaitable[None]] | None = None,
        opened: socket.socket | None = None,
        path: Path | None = None,
        is_stepped: bool = False,
    ) -> AsyncIterator[Seat]:
        """Attach a terminal, on request through another path, or with all its waits in manual time."""
        locks = list[str]()
        mirror = Mirror(NOTHING_YET, read_lock=lambda: "".join(locks))
        clock = self.world.clock if is_stepped else SeatClock(self.world.clock)
        line = ServiceConnection(
            path or self.path, mirror, clock, may_trade=may_trade, is_passing=is_passing,
            restart=restart, opened=opened,
        )  # fmt: skip
        welcome = await line.connect()
        task = line.start()

        def lock() -> str:
            locks.append("locked")
            return ""

        commands = RemoteCommands(line, mirror, clock, lock=lock)
        queries = MirrorQueries(mirror, clock)
        try:
            yield Seat(line, mirror, queries, commands, welcome, locks, task)
        finally:
            await line.close()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


class Relay:
    """A line to the service that can stand still in both directions, as when the service is stopped."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._runs = asyncio.Event()
        self._runs.set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []

    def stop(self) -> None:
        self._runs.clear()

    def go_on(self) -> None:
        self._runs.set()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_unix_connection(self._target)
        self._writers += [writer, there[1]]
        for ends in ((reader, there[1]), (there[0], writer)):
            self._tasks.add(asyncio.get_running_loop().create_task(self._pass(*ends)))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            await self._runs.wait()
            writer.write(data)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def relay_to(house: House) -> AsyncIterator[tuple[Relay, Path]]:
    relay, path = Relay(house.path), house.path.with_name("relay")
    server = await asyncio.start_unix_server(relay.connect, path)
    try:
        yield relay, path
    finally:
        server.close()
        await relay.close()


@asynccontextmanager
async def house_around(
    world: World, path: Path, *, uid: UidOf = uid_of, locked: str = ""
) -> AsyncIterator[House]:
    stopped, passphrases = list[str](), list[bytes]()

    def stop(policy: str) -> str:
        stopped.append(policy)
        return ""

    derived = asyncio.Event()
    derived.set()

    async def unlock(given: Unlock) -> str:
        passphrases.append(given.secret)
        await derived.wait()
        return WRONG if given.secret == WRONG.encode() else ""

    async def configure(_: Configure) -> Configured:
        await derived.wait()
        return Configured(problem="nobody configures a test")

    process = HostProcess(
        profile="paper", now=world.clock.now, memory_bytes=lambda: 0, unlock=unlock, stop=stop,
        configure=configure, locked=locked,
    )  # fmt: skip
    server = LinkServer(world.service, process, uid_of=uid)
    server.listen(bind(path))
    house = House(world, server, path, stopped, passphrases, derived)
    try:
        yield house
    finally:
        for writer in house.writers:
            writer.transport.abort()
        await server.close("the test is over")


@asynccontextmanager
async def running_house(folder: Path) -> AsyncIterator[House]:
    async with running_world(folder) as world, house_around(world, folder / "s") as house:
        yield house
