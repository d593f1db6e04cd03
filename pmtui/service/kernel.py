"""What every feed needs: time, the hub, the log, health, the hosts, and a task group."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from datetime import datetime, timedelta
from typing import TypeVar

from pmtui.domain.answers import Failure
from pmtui.domain.health import Source
from pmtui.service.clock import Clock
from pmtui.service.health import Health
from pmtui.service.hub import Hub
from pmtui.service.log import Log
from pmtui.service.ports import Hosts
from pmtui.service.supervisor import Supervisor
from pmtui.service.topics import SearchTopic, Topic

T = TypeVar("T")


class Kernel:
    """The parts shared by the feeds of one service."""

    def __init__(
        self,
        *,
        clock: Clock,
        hub: Hub,
        log: Log,
        health: Health,
        supervisor: Supervisor,
        is_venue_time: bool = False,
    ) -> None:
        self.clock = clock
        self.hub = hub
        self.log = log
        self.health = health
        self.supervisor = supervisor
        self._is_venue_time = is_venue_time
        """Whether our clock is the venue's own, as in a replay, where nothing needs measuring."""
        self._venue_epoch: datetime | None = None
        """The venue's time when our monotonic clock read zero; None before it is measured."""
        self.connected: Hosts | None = None
        """The hosts, once there are any."""
        self.terminals = 0
        """The traders' terminals that are attached."""
        self._has_hosts = asyncio.Event()
        self._running: dict[Hashable, asyncio.Task[None]] = {}
        self._listeners: list[Callable[[Source, object], None]] = []

    @property
    def is_venue_clock_known(self) -> bool:
        """Whether the venue's clock was measured; before that its times prove nothing."""
        return self._is_venue_time or self._venue_epoch is not None

    @property
    def skew(self) -> timedelta:
        """The venue's clock minus ours; zero before it is measured."""
        known = self._venue_epoch is not None
        return self.venue_now() - self.clock.now() if known else timedelta()

    @skew.setter
    def skew(self, measured: timedelta) -> None:
        if self._is_venue_time:
            return
        elapsed = timedelta(seconds=self.clock.monotonic())
        self._venue_epoch = self.clock.now() + measured - elapsed

    def venue_now(self) -> datetime:
        """Return the time by the venue's clock, for comparison with times from the venue.

        It advances with the monotonic clock, so setting the machine's clock does not change it.
        """
        if self._venue_epoch is None:
            return self.clock.now()
        return self._venue_epoch + timedelta(seconds=self.clock.monotonic())

    def connect(self, hosts: Hosts) -> None:
        """Set the hosts, and wake every task that waits for them."""
        self.connected = hosts
        self._has_hosts.set()

    async def hosts(self) -> Hosts:
        """Wait for the hosts."""
        while self.connected is None:
            await self._has_hosts.wait()
        return self.connected

    def mark(self, topic: Topic) -> None:
        """Mark a topic as changed."""
        self.hub.mark(topic)

    def mark_search(self) -> None:
        """Mark every watched search as changed."""
        for topic in self.hub.watched():
            if isinstance(topic, SearchTopic):
                self.hub.mark(topic)

    def on_answer(self, listener: Callable[[Source, object], None]) -> None:
        """Call `listener` with every checked reply, failures included."""
        self._listeners.append(listener)

    def check(self, source: Source, answer: T | Failure) -> T | Failure:
        """Record what a reply shows of its source's health, and return it."""
        if isinstance(answer, Failure):
            self.health.note_failure(source, answer)
        else:
            self.health.note_answer(source)
        for listener in self._listeners:
            listener(source, answer)
        return answer

    async def within(self, seconds: float, work: Awaitable[T]) -> T | None:
        """Wait for some work; cancel it and return None if it takes longer."""
        working = asyncio.ensure_future(work)
        waiting = asyncio.ensure_future(self.clock.sleep(seconds))
        try:
            await asyncio.wait((working, waiting), return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else None
        finally:
            working.cancel()
            waiting.cancel()

    def start(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task in the service's task group."""
        _ = self.supervisor.once(name, work)

    def start_unless_running(
        self, key: Hashable, name: str, work: Callable[[], Awaitable[None]]
    ) -> bool:
        """Run a task unless one with the same key is running; return whether it was started."""
        known = self._running.get(key)
        if known is not None and not known.done():
            return False
        task = self.supervisor.once(name, work)
        self._running[key] = task
        task.add_done_callback(lambda _: self._forget(key, task))
        return True

    def _forget(self, key: Hashable, task: "asyncio.Task[None]") -> None:
        if self._running.get(key) is task:
            del self._running[key]


async def ask_while_watched(
    kernel: Kernel, topic: Topic, ask: Callable[[], None], *, opened: asyncio.Event, period_s: float
) -> None:
    """Query once the account is open and then periodically, while the topic is watched.

    Args:
        kernel: for the clock, and the watched topics.
        topic: nothing is queried while it is not watched.
        ask: starts the query; it must allow calls while one is in progress.
        opened: set once there is an account.
        period_s: seconds between two queries.
    """

    def ask_if_watched() -> None:
        if kernel.hub.is_watched(topic):
            ask()

    async def ask_when_open() -> None:
        _ = await opened.wait()
        ask_if_watched()

    async with asyncio.TaskGroup() as group:
        _ = group.create_task(ask_when_open())
        while True:
            await kernel.clock.sleep(period_s)
            ask_if_watched()
