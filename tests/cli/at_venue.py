"""The real service on the local venue: its time, its addresses, and a key to trade with."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from typing_extensions import override

from pmtui.cli.hosts import SessionHosts
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.markets.venue_state import VenueState
from pmtui.domain.money import parse_micros
from pmtui.domain.orders.order import (
    Accepted,
    LimitIntent,
    Rejected,
    Verdict,
)
from pmtui.service.account.account import POLL_PERIOD_S
from pmtui.service.clock import SystemClock
from pmtui.service.data_service import Connect, DataService
from pmtui.service.health import Health
from pmtui.service.journal.journal import Journal
from pmtui.service.markets.venue_states import CHECK_PERIOD_S
from pmtui.service.ports import Hosts
from pmtui.service.profile import Profile
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import (
    AccountTopic,
    BookTopic,
    LogTopic,
    MarketTopic,
    StatusTopic,
    TapeTopic,
    Topic,
)
from pmtui.service.views import Load, Mode
from pmtui.signing.secret import Secret
from pmtui.sim.run import RunningVenue
from tests.sim.kit import KEYS, RAIN, RAIN_YES, Person, http_client, small_venue


class VenueTime(SystemClock):
    """Dates things by the venue's clock, and counts seconds as the event loop does."""

    def __init__(self, running: RunningVenue) -> None:
        self._venue = running.venue

    @override
    def now(self) -> datetime:
        return self._venue.clock.now()

    @override
    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


class TimeWithoutPolls(VenueTime):
    """Sleeps through every poll."""

    @override
    async def sleep(self, seconds: float) -> None:
        if seconds >= POLL_PERIOD_S:
            await asyncio.Event().wait()
        await super().sleep(seconds)


class PatientTime(TimeWithoutPolls):
    """Dates things by the venue's clock, and waits for answers in earnest."""

    @override
    def monotonic(self) -> float:
        return self.now().timestamp()


def urls_of(running: RunningVenue) -> Endpoints:
    """Return the addresses of a venue as a profile has them."""
    return Endpoints(**{name: running.urls[name] for name in Endpoints.__dataclass_fields__})


def on_first_key(urls: Endpoints, clock: VenueTime, *, dialect: Dialect = Dialect.SEED) -> Connect:
    """Return what makes the hosts of a session on the key of the first person."""

    async def connect(health: Health) -> Hosts | str:
        hosts = SessionHosts(urls, dialect, health=health, clock=clock)
        return hosts.hosts(Secret.from_hex(KEYS[0]), SignatureType.DEPOSIT_WALLET)

    return connect


DEADLINE_S = 60


async def until(
    service: DataService,
    is_so: Callable[[], bool],
    topics: tuple[Topic, ...] = (AccountTopic(), StatusTopic(), LogTopic()),
) -> None:
    """Wait for something to be so; everything here is told by one of a few topics."""
    changed = asyncio.Event()
    subscription = service.hub.subscribe(topics, lambda _: changed.set())
    async with asyncio.timeout(DEADLINE_S):
        while not is_so():
            changed.clear()
            await changed.wait()
    service.hub.drop(subscription)


def open_ids(service: DataService) -> set[OrderId]:
    return {order.order_id for order in service.queries.account().open_orders}


HERE, YES = ConditionId(RAIN), TokenId(RAIN_YES)


class _LookingOften(TimeWithoutPolls):
    """States are looked after all the time."""

    @override
    async def sleep(self, seconds: float) -> None:
        await super().sleep(0.01 if seconds == CHECK_PERIOD_S else seconds)

    @override
    def monotonic(self) -> float:
        return self.now().timestamp()


@dataclass
class ServiceAtVenue:
    """The service, and the operator of the venue it trades at."""

    service: DataService
    ann: Person
    """Whose key the service has."""
    bob: Person

    def states(self) -> list[VenueState]:
        return [fact.state for fact in self.service.queries.market(HERE).venue]

    async def until(self, *states: VenueState) -> None:
        await until(self.service, lambda: self.states() == list(states))

    async def place(self, price: str, size: str, *, is_post_only: bool = False) -> Verdict:
        prepared = await self.service.commands.prepare(
            LimitIntent(
                condition_id=HERE, token_id=YES, side=Side.BUY, price=parse_micros(price),
                size=parse_micros(size), is_post_only=is_post_only,
            )
        )  # fmt: skip
        assert isinstance(prepared, PreparedOrder)
        async with asyncio.timeout(60):
            return await self.service.commands.verdict(
                self.service.commands.place(prepared.order_id)
            )

    async def refused(self, *, is_post_only: bool = False) -> None:
        assert isinstance(await self.place("0.30", "10", is_post_only=is_post_only), Rejected)

    async def accepted(self, *, is_post_only: bool = False) -> None:
        assert isinstance(await self.place("0.30", "10", is_post_only=is_post_only), Accepted)


@asynccontextmanager
async def service_at_venue(
    folder: Path, make_clock: Callable[[RunningVenue], TimeWithoutPolls] = _LookingOften
) -> AsyncIterator[ServiceAtVenue]:
    async with small_venue(folder) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        bob = await Person(running, http, key=1).arrive()
        async with _service_of(running, folder, make_clock(running)) as service:
            service.hub.subscribe(
                [MarketTopic(HERE), BookTopic(YES), TapeTopic(YES)], lambda _: None
            )
            await until(service, lambda: service.queries.account().load is Load.READY)
            await until(service, lambda: service.queries.market(HERE).terms is not None)
            yield ServiceAtVenue(service, ann, bob)


@asynccontextmanager
async def _service_of(
    running: RunningVenue, folder: Path, clock: TimeWithoutPolls
) -> AsyncIterator[DataService]:
    service = DataService(
        profile=Profile("test", Mode.LIVE), connect=on_first_key(urls_of(running), clock, dialect=Dialect.LIVE), clock=clock,
        journal=Journal(folder / "journal.sqlite"), rng=random.Random(7),
    )  # fmt: skip
    async with service.running():
        yield service
