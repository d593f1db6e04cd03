"""The dead man's switch through real sockets: the venue sweeps what a silent terminal leaves.

The service, its clients and the venue are the real ones; the venue's clock is stepped, and the
service goes by it.
"""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pmtui.domain.markets.market import Side
from pmtui.domain.orders.exit_policy import ExitPolicy, ExitReason
from pmtui.domain.orders.heartbeat import BeatState, HeartbeatPolicy, HeartbeatView
from pmtui.service.data_service import DataService
from pmtui.service.journal.journal import Journal
from pmtui.service.profile import Profile, Tuning
from pmtui.service.views import Level, Load, Mode
from pmtui.sim.clob.heartbeats import LAPSE_MS, SWEEP_MS
from pmtui.sim.run import RunningVenue
from tests.cli.at_venue import TimeWithoutPolls, on_first_key, open_ids, until, urls_of
from tests.sim.kit import Person, http_client, small_venue

BUY = Side.BUY
BEATS = "/v1/heartbeats"


@asynccontextmanager
async def service_of(
    running: RunningVenue, folder: Path, policy: HeartbeatPolicy
) -> AsyncIterator[DataService]:
    """Run the service on the key of the first person, once its account has been read."""
    clock = TimeWithoutPolls(running)
    service = DataService(
        profile=Profile("test", Mode.LIVE),
        connect=on_first_key(urls_of(running), clock),
        clock=clock,
        journal=Journal(folder / "journal.sqlite"),
        rng=random.Random(7),
        tuning=Tuning(heartbeat=policy),
    )
    async with service.running():
        await until(service, lambda: service.queries.account().load is Load.READY)
        yield service


def beat(service: DataService) -> HeartbeatView:
    return service.queries.status().heartbeat


def texts(service: DataService, level: Level) -> list[str]:
    return [e.text for e in service.queries.log().entries if e.level is level]


async def break_heartbeats(person: Person) -> None:
    fault = {"host": "clob", "prefix": BEATS, "status": 500, "remaining": 100_000}
    await person.admin("POST", "/faults", fault)


async def test_silence_is_swept_at_the_venue_and_every_order_of_it_is_told(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        async with service_of(running, tmp_path, HeartbeatPolicy.ON) as service:
            resting = {await ann.rest(BUY, price, "10") for price in ("0.40", "0.30")}
            await until(service, lambda: open_ids(service) == resting)
            await until(service, lambda: beat(service).state is BeatState.BEATING)

            await break_heartbeats(ann)
            ann.pass_time(7)
            await until(service, lambda: len(texts(service, Level.BAD)) == 1)
            assert beat(service).state is BeatState.LATE
            assert open_ids(service) == resting
            ann.pass_time(LAPSE_MS // 1_000 + SWEEP_MS // 1_000)
            await until(service, lambda: beat(service).state is BeatState.LOST)
            await until(service, lambda: open_ids(service) == set())
            assert (await ann.call("GET", "/data/orders")).json()["count"] == 0
            ended = [e for e in service.queries.log().entries if e.text.startswith("Cancelled: ")]
            assert {e.order_id for e in ended} == resting
            await until(service, lambda: len(texts(service, Level.BAD)) == 3)
            missed, lost, swept = texts(service, Level.BAD)
            assert missed.startswith("Heartbeat missed")
            assert lost.startswith("HEARTBEATS LOST")
            assert swept == "2 orders were cancelled since the last good heartbeat"

            await ann.admin("DELETE", "/faults", None)
            await until(service, lambda: beat(service).state is BeatState.BEATING)
            # The chain goes on, and the switch is armed anew: what rests now is kept.
            await ann.rest(BUY, "0.20", "10")
            ann.pass_time(1)
            assert (await ann.call("GET", "/data/orders")).json()["count"] == 1


async def test_heartbeats_of_another_session_do_not_break_the_chain(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        for _ in range(2):
            async with service_of(running, tmp_path, HeartbeatPolicy.ON) as service:
                await until(service, lambda: beat(service).state is BeatState.BEATING)
                assert texts(service, Level.BAD) == []
        await ann.rest(BUY, "0.40", "10")
        ann.pass_time((LAPSE_MS + SWEEP_MS) // 1_000)
        # Nobody beats any more.
        assert (await ann.call("GET", "/data/orders")).json()["count"] == 0


async def test_a_heartbeat_does_not_wait_behind_requests_that_stall(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        stall = {"host": "clob", "delay_ms": 600_000, "remaining": 100_000}
        async with service_of(running, tmp_path, HeartbeatPolicy.ARMED) as service:
            order_id = await ann.rest(BUY, "0.40", "10")
            await until(service, lambda: open_ids(service) == {order_id})
            for prefix in ("/data", "/order", "/balance", "/time", "/cancel"):
                await ann.admin("POST", "/faults", stall | {"prefix": prefix})
            command = service.commands.cancel([order_id])
            ending = asyncio.ensure_future(service.commands.cancel_verdict(command))
            assert await service.commands.arm() == ""
            await until(service, lambda: beat(service).state is BeatState.BEATING)
            assert not ending.done()
            ending.cancel()


async def test_leaving_cancels_through_the_real_lanes(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        async with service_of(running, tmp_path, HeartbeatPolicy.OFF) as service:
            order_id = await ann.rest(BUY, "0.40", "10")
            await until(service, lambda: open_ids(service) == {order_id})
            report = await service.shutdown.run(ExitReason.TERMINATION, ExitPolicy.CANCEL)
            assert "1 cancelled, and the venue lists no open order" in report.text
            assert (await ann.call("GET", "/data/orders")).json()["count"] == 0
            assert open_ids(service) == set()
            assert service.queries.fills().fills == ()
