"""Puts a replay together and serves it: the local venue's hosts over recorded books."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from datetime import UTC, datetime

from typing_extensions import override

from pmtui.recording.reader import Recording
from pmtui.recording.timeline import Timeline
from pmtui.sim.access import AccessRules
from pmtui.sim.admin_token import new_token
from pmtui.sim.clock import VenueClock
from pmtui.sim.replay.books import RecordedBooks
from pmtui.sim.replay.feed import ReplayFeed
from pmtui.sim.replay.markets import recorded_catalogue
from pmtui.sim.replay.practice import PracticeBooks
from pmtui.sim.replay.routes import RecordedRoutes
from pmtui.sim.run import RunningVenue, listen, serve_hosts, urls_of
from pmtui.sim.server import applications
from pmtui.sim.storage.store import Store
from pmtui.sim.streams.channels import serve_streams
from pmtui.sim.subsystems import Subsystems
from pmtui.sim.venue import Venue

SAMPLE_S = 1.0
"""Between two looks at the middle of the books, for charts."""


class ReplayClock(VenueClock):
    """The time of the recording at the replay's position."""

    def __init__(self, started_ms: int, timeline: Timeline) -> None:
        self._started_ms = started_ms
        self._timeline = timeline
        self._stepped_ms = 0

    @override
    def now_ms(self) -> int:
        return self._started_ms + self._timeline.position_us // 1_000 + self._stepped_ms

    @override
    def step(self, milliseconds: int) -> None:
        self._stepped_ms += milliseconds

    @override
    def now(self) -> datetime:
        return datetime.fromtimestamp(self.now_ms() / 1_000, UTC)


@dataclass(frozen=True, slots=True)
class RunningReplay:
    """A replay that accepts connections."""

    running: RunningVenue
    """The local venue that practice orders meet, with the addresses of all hosts."""
    feed: ReplayFeed
    books: RecordedBooks
    timeline: Timeline
    clock: ReplayClock


class NoMarketError(Exception):
    """A recording without a market of which both tokens are known."""


@asynccontextmanager
async def running_replay(
    recording: Recording, timeline: Timeline, *, port: int = 0
) -> AsyncIterator[RunningReplay]:
    """Serve a recording until the block ends.

    Args:
        recording: what to play.
        timeline: where it is; whoever holds it drives the replay.
        port: of the trading host, the others follow; 0 takes any free ones.

    Raises:
        NoMarketError: there is nothing to show.
        PortError: a port is taken.
    """
    clock = ReplayClock(recording.header.started_ms, timeline)
    catalogue = recorded_catalogue(recording)
    if not catalogue.markets:
        raise NoMarketError("it holds no market of which both tokens are known")
    sockets = listen(port)
    with ExitStack() as cleanup:
        for listener in sockets.values():
            cleanup.enter_context(listener)
        store = cleanup.enter_context(closing(Store(None)))
        # Settlement keeps its ordinary pace; nobody trades by himself.
        venue = Venue(catalogue, clock=clock, store=store, speed=0)
        books = RecordedBooks(catalogue.markets)
        practice = PracticeBooks(venue, books)
        feed = ReplayFeed(recording, timeline, books, practice)
        routes = RecordedRoutes(recording, books, now_s=lambda: clock.now_ms() // 1_000)
        async with _served(venue, feed, sockets, (routes, practice)) as running:
            yield RunningReplay(running, feed, books, timeline, clock)


@asynccontextmanager
async def _served(
    venue: Venue,
    feed: ReplayFeed,
    sockets: Mapping[str, socket.socket],
    recorded: tuple[RecordedRoutes, PracticeBooks],
) -> AsyncIterator[RunningVenue]:
    routes, practice = recorded
    subsystems, token = Subsystems(venue), new_token()
    hosts = {
        host: routes.before(host, usual, catch_up=practice.catch_up)
        for host, usual in applications(venue, subsystems).items()
    }
    access = AccessRules(token)
    async with (
        serve_hosts(venue, subsystems, sockets, hosts=hosts, access=access) as maintenance,
        serve_streams(venue, feed, sockets["ws"]),
        asyncio.TaskGroup() as tasks,
    ):
        playing = [
            tasks.create_task(feed.run()),
            tasks.create_task(_keep_sampling(routes.sample)),
        ]
        try:
            yield RunningVenue(venue, maintenance, urls_of(sockets), token)
        finally:
            for task in playing:
                task.cancel()


async def _keep_sampling(sample: Callable[[], None]) -> None:
    while True:
        sample()
        await asyncio.sleep(SAMPLE_S)
