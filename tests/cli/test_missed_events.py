"""What happens to our orders, and what trades, while a stream is down is fetched when it is up again.

The service, its clients and the venue are the real ones; between a stream and the venue lies a
line that can be cut. The service's polls never come round, so that nothing but the reconnect can
bring the news.
"""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from pmtui.config.endpoints import Endpoints
from pmtui.domain.health import HealthState, Source
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import OrderStatus, TimeInForce, TradeStatus
from pmtui.service.data_service import DataService
from pmtui.service.journal.journal import Journal
from pmtui.service.profile import Profile, Tuning
from pmtui.service.topics import (
    AccountTopic,
    BookTopic,
    LogTopic,
    MarketTopic,
    TapeTopic,
    Topic,
)
from pmtui.service.views import Level, Load, Mode
from pmtui.sim.run import RunningVenue
from tests.cli.at_venue import DEADLINE_S, TimeWithoutPolls, on_first_key, open_ids, until, urls_of
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, Person, http_client, small_venue

BUY, SHARE = Side.BUY, 1_000_000
RAINY, YES = ConditionId(RAIN), TokenId(RAIN_YES)


class Line:
    """Passes bytes on to one address; what is under way when it is cut is lost."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = parts.hostname, parts.port
        self._path = parts.path
        self._port = 0
        self._server: asyncio.Server | None = None
        self._ends: set[asyncio.StreamWriter] = set()
        self._calls: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self._port}{self._path}"

    async def mend(self) -> None:
        """Take calls, at the same port as ever."""
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """End all calls, and take no more."""
        assert self._server is not None
        self._server.close()
        for end in self._ends:
            end.transport.abort()
        await asyncio.gather(*self._calls)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = asyncio.ensure_future(self._carry(reader, writer))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        await call

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        venue_reader, venue_writer = await asyncio.open_connection(*self._target)
        ends = {writer, venue_writer}
        self._ends |= ends
        await asyncio.gather(_pump(reader, venue_writer), _pump(venue_reader, writer))
        self._ends -= ends


@asynccontextmanager
async def line_to(url: str) -> AsyncIterator[Line]:
    """Lay a line to an address of the venue."""
    line = Line(url)
    await line.mend()
    try:
        yield line
    finally:
        await line.cut()


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await source.read(65_536):
            sink.write(data)
            await sink.drain()
    sink.transport.abort()


@asynccontextmanager
async def service_of(
    running: RunningVenue, urls: Endpoints, folder: Path
) -> AsyncIterator[DataService]:
    """Run the service on the key of the first person, one of its streams over a line."""
    clock = TimeWithoutPolls(running)
    service = DataService(
        profile=Profile("test", Mode.LIVE),
        connect=on_first_key(urls, clock),
        clock=clock,
        journal=Journal(folder / "journal.sqlite"),
        rng=random.Random(7),
        # Nothing here answers out of date; the proof of an ending needs seconds, not half a minute.
        tuning=Tuning(replica_lag_s=1.0),
    )
    async with service.running():
        yield service


async def until_quiet() -> None:
    """Wait until no refresh that an event asked for is under way."""
    running = [task for task in asyncio.all_tasks() if task.get_name() == "account refresh"]
    if running:
        await asyncio.wait(running, timeout=DEADLINE_S)


def stream_state(service: DataService) -> HealthState:
    health = {one.source: one.state for one in service.queries.status().health}
    return health[Source.USER_STREAM]


def filled(service: DataService, order_id: OrderId) -> list[int]:
    fills = service.queries.fills().fills
    return sorted(fill.size // SHARE for fill in fills if fill.order_id == order_id)


def told_fills(service: DataService) -> int:
    return sum(entry.level is Level.GOOD for entry in service.queries.log().entries)


async def test_what_the_user_stream_missed_is_fetched_and_merged_once(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        bob = await Person(running, http, key=1).arrive()
        async with (
            line_to(running.urls["ws_user"]) as line,
            service_of(running, replace(urls_of(running), ws_user=line.url), tmp_path) as service,
        ):
            await until(service, lambda: service.queries.account().load is Load.READY)
            await until(service, lambda: stream_state(service) is HealthState.LIVE)
            kept = await ann.rest(BUY, "0.40", "20")
            dropped = await ann.rest(BUY, "0.30", "10")
            await take(bob, "5")
            await until(service, lambda: filled(service, kept) == [5])
            await until(service, lambda: open_ids(service) == {kept, dropped})
            await until_quiet()

            await line.cut()
            await until(service, lambda: stream_state(service) is not HealthState.LIVE)
            await take(bob, "7")
            await ann.call("DELETE", "/order", b'{"orderID":"%b"}' % dropped.encode())
            late = await ann.rest(BUY, "0.20", "10")
            assert (filled(service, kept), open_ids(service)) == ([5], {kept, dropped})

            await line.mend()
            await until(service, lambda: open_ids(service) == {kept, late})
            await until(service, lambda: filled(service, kept) == [5, 7])
            assert told_fills(service) == 2

            await until_quiet()
            await take(bob, "2")
            await until(service, lambda: filled(service, kept) == [2, 5, 7])
            ann.pass_time(6)
            ann.pass_time(6)
            await until(service, lambda: all_settled(service))
            await until_quiet()
            assert filled(service, kept) == [2, 5, 7]
            assert told_fills(service) == 3
            (order,) = (o for o in service.queries.account().open_orders if o.order_id == kept)
            assert (order.status, order.matched_size) == (
                OrderStatus.PARTIALLY_FILLED,
                14 * SHARE,
            )
            # All is matched within one second here, so only the next report tells what the first had.
            service.commands.refresh(AccountTopic())
            await until(service, lambda: service.queries.account().shares(YES) == 14 * SHARE)


async def test_what_traded_while_the_market_stream_was_down_is_on_the_tape_once(
    tmp_path: Path,
) -> None:
    watched: tuple[Topic, ...] = (MarketTopic(RAINY), BookTopic(YES), TapeTopic(YES), LogTopic())
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        bob = await Person(running, http, key=1).arrive()
        await ann.rest(BUY, "0.40", "50")
        async with (
            line_to(running.urls["ws_market"]) as line,
            service_of(running, replace(urls_of(running), ws_market=line.url), tmp_path) as service,
        ):

            def tape() -> list[int]:
                return [trade.size // SHARE for trade in service.queries.tape(YES).prints]

            def is_good() -> bool:
                return service.queries.book(YES).state.is_good

            await until(service, is_good, watched)
            subscription = service.hub.subscribe(watched, lambda _: None)
            await take(bob, "5")
            await until(service, lambda: tape() == [5], watched)

            await line.cut()
            await until(service, lambda: not is_good(), watched)
            ann.pass_time(30)
            await take(bob, "7")
            (gap,) = service.queries.tape(YES).gaps
            assert (tape(), gap.before) == ([5], None)
            ann.pass_time(30)

            await line.mend()
            await until(service, is_good, watched)
            await take(bob, "9")
            await until(service, lambda: tape() == [9, 7, 5], watched)
            assert dict(service.queries.tape(YES).volume) == {400_000: 21 * SHARE}
            ann.pass_time(5)
            await take(bob, "2")
            await until(service, lambda: not service.queries.tape(YES).gaps, watched)
            assert tape() == [2, 9, 7, 5]
            subscription.close()


async def take(person: Person, size: str) -> None:
    """Buy the other outcome from whoever bids 0.40 for this one."""
    response = await person.place(BUY, "0.60", size, TimeInForce.FAK, token=RAIN_NO)
    assert response.json()["status"] == "matched", response.text


def all_settled(service: DataService) -> bool:
    return all(f.status is TradeStatus.CONFIRMED for f in service.queries.fills().fills)
