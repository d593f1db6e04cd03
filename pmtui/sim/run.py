"""Builds a venue and serves it, for `pmtui sim` and for every test that needs one."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from starlette.types import ASGIApp

from pmtui.sim.admin_token import new_token, write_token
from pmtui.sim.catalogue.load import load_packaged, load_recorded
from pmtui.sim.catalogue.model import Catalogue
from pmtui.sim.server import AccessRules, HostRouter, HttpServer, applications
from pmtui.sim.storage.maintenance import Maintenance, PublicTape
from pmtui.sim.storage.persistence import Store, StoreError
from pmtui.sim.streams.channels import serve_streams
from pmtui.sim.streams.publisher import Publisher
from pmtui.sim.subsystems import Subsystems
from pmtui.sim.traders import Traders
from pmtui.sim.venue import SystemClock, Venue, VenueClock

LOOPBACK = "127.0.0.1"
LISTENERS = ("clob", "gamma", "data", "relayer", "ws", "rpc", "geoblock", "admin")
"""In the order of their ports."""
BACKLOG = 256


class PortError(Exception):
    """A port for the venue is in use, or not permitted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VenueOptions:
    """The options of `pmtui sim`."""

    port: int = 0
    """Port of the trading host; the others follow. 0 chooses any free ports."""
    state: Path | None = None
    """Folder of the venue's file; None keeps the state in memory only."""
    seed: int = 1
    speed: float = 1.0
    """Speed of simulated traders and settlement; 0 leaves books unchanged."""
    catalogue: tuple[Path, ...] = ()
    """Recorded pages; empty uses the packaged catalogue."""


@dataclass(frozen=True, slots=True)
class RunningVenue:
    """A venue that accepts connections."""

    venue: Venue
    maintenance: Maintenance
    urls: dict[str, str]
    """Base URLs by the names in the first line of `pmtui sim`."""
    admin_token: str = field(repr=False)
    """The token required by the operator's address."""


@asynccontextmanager
async def running_venue(
    options: VenueOptions, *, clock: VenueClock | None = None
) -> AsyncIterator[RunningVenue]:
    """Serve a venue inside the context.

    Raises:
        PortError: a port is taken.
        StoreError: the state cannot be used.
    """
    time = SystemClock() if clock is None else clock
    sockets = listen(options.port)
    with ExitStack() as cleanup:
        for listener in sockets.values():
            cleanup.enter_context(listener)
        store = cleanup.enter_context(closing(Store(options.state)))
        venue = Venue(
            _catalogue(options.catalogue, time),
            clock=time,
            store=store,
            seed=options.seed,
            speed=options.speed,
        )
        token = new_token()
        if options.state is not None:
            try:
                token_file = write_token(options.state, token)
            except OSError as error:
                raise StoreError(f"cannot write to {options.state}: {error}") from error
            cleanup.callback(token_file.unlink, missing_ok=True)
        async with _served(venue, sockets, token) as running:
            yield running


@asynccontextmanager
async def _served(
    venue: Venue, sockets: dict[str, socket.socket], admin_token: str
) -> AsyncIterator[RunningVenue]:
    publisher = Publisher(venue)
    traders = Traders(venue, seed=venue.seed, speed=venue.speed, publisher=publisher)
    traders.fill_books()
    subsystems = Subsystems(venue)
    access = AccessRules(admin_token)
    hosts = applications(venue, subsystems)
    async with (
        serve_hosts(venue, subsystems, sockets, hosts=hosts, access=access) as maintenance,
        serve_streams(venue, publisher, sockets["ws"]),
        asyncio.TaskGroup() as tasks,
    ):
        trading = tasks.create_task(traders.run()) if venue.speed > 0 else None
        try:
            yield RunningVenue(venue, maintenance, urls_of(sockets), admin_token)
        finally:
            if trading is not None:
                trading.cancel()


@asynccontextmanager
async def serve_hosts(
    venue: Venue,
    subsystems: Subsystems,
    sockets: Mapping[str, socket.socket],
    *,
    hosts: Mapping[str, ASGIApp],
    access: AccessRules,
) -> AsyncIterator[Maintenance]:
    """Serve a venue's HTTP hosts and run its maintenance inside the context; streams are served separately."""
    tape = PublicTape(venue)

    def run_periodic_tasks() -> None:
        subsystems.tick()
        tape.tick()

    maintenance = Maintenance(venue, periodic_tasks=run_periodic_tasks)
    by_port = {
        sockets[host].getsockname()[1]: (host, application) for host, application in hosts.items()
    }
    server = HttpServer(HostRouter(by_port, venue.controls, access))
    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(server.serve([sockets[host] for host in hosts]))
        await server.is_up.wait()
        keeping = tasks.create_task(maintenance.run())
        try:
            yield maintenance
        finally:
            await _end(server, serving, (keeping,))
            tape.write()


async def _end(
    server: HttpServer, serving: asyncio.Task[None], background: Iterable[asyncio.Task[None]]
) -> None:
    for task in background:
        task.cancel()
    server.end()
    with suppress(asyncio.CancelledError):
        await serving


def _catalogue(paths: tuple[Path, ...], clock: VenueClock) -> Catalogue:
    if paths:
        return load_recorded(paths).catalogue
    return load_packaged(clock.now())


def listen(port: int) -> dict[str, socket.socket]:
    """Listen for every host, on a port and the following ones, or on any free ports.

    Raises:
        PortError: a port is taken.
    """
    sockets: dict[str, socket.socket] = {}
    try:
        for offset, host in enumerate(LISTENERS):
            # The protocol by number: asyncio disables Nagle's algorithm only if it is given.
            listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            sockets[host] = listener
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((LOOPBACK, port + offset if port else 0))
            listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        for listener in sockets.values():
            listener.close()
        raise PortError(f"cannot listen on port {port + len(sockets) - 1}: {error}") from error
    return sockets


def urls_of(sockets: Mapping[str, socket.socket]) -> dict[str, str]:
    """Return the base URLs by the names in the first line of `pmtui sim`."""
    ports = {host: listener.getsockname()[1] for host, listener in sockets.items()}
    http = {host: f"http://{LOOPBACK}:{port}" for host, port in ports.items() if host != "ws"}
    stream = f"ws://{LOOPBACK}:{ports['ws']}/ws"
    return {
        "clob": http["clob"],
        "gamma": http["gamma"],
        "data": http["data"],
        "relayer": http["relayer"],
        "ws_market": f"{stream}/market",
        "ws_user": f"{stream}/user",
        "rpc": http["rpc"],
        "geoblock": http["geoblock"],
        "admin": http["admin"],
    }
