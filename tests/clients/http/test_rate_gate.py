"""Waiting at the gate, with a clock and timers that only a test moves."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from pmtui.clients.http.client import HttpHost, Pace
from pmtui.clients.http.rate_budgets import clob_limits
from pmtui.clients.http.rate_gate import HostLimits, Limit, RateGate
from pmtui.clients.routes import LIVE_ROUTES
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import Waiting
from tests.clients.raw_server import answering, serving

LIMITS = HostLimits((Limit(2, 10),), apart=frozenset({"DELETE /order"}))
BUSY = Failure(FailureKind.BUSY, "GET /x", "too many requests", 429, 3.0)


@dataclass(eq=False)
class Alarm:
    at: float
    ring: Callable[[], None]
    is_cancelled: bool = False

    def cancel(self) -> None:
        self.is_cancelled = True


@dataclass
class Hands:
    """A clock's hands and what is to ring."""

    now: float = 0.0
    alarms: list[Alarm] = field(default_factory=list)

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Alarm:
        alarm = Alarm(self.now + delay_s, callback)
        self.alarms.append(alarm)
        return alarm

    async def move(self, seconds: float) -> None:
        until = self.now + seconds
        while due := [a for a in self.alarms if not a.is_cancelled and a.at <= until]:
            alarm = min(due, key=lambda a: a.at)
            self.alarms.remove(alarm)
            self.now = max(self.now, alarm.at)
            alarm.ring()
        self.now = until
        await settle()


async def settle() -> None:
    """Let every task run as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)


def gate_on(hands: Hands, seen: list[Waiting] | None = None) -> RateGate:
    observe = seen.append if seen is not None else lambda _waiting: None
    return RateGate(LIMITS, now=lambda: hands.now, call_later=hands.call_later, observe=observe)


async def test_those_who_wait_go_in_order_and_are_seen_waiting() -> None:
    hands, seen, done = Hands(), list[Waiting](), list[int]()
    gate = gate_on(hands, seen)

    async def ask(number: int) -> None:
        assert await gate.enter("GET /x") is None
        done.append(number)

    tasks = [asyncio.create_task(ask(number)) for number in range(5)]
    await settle()
    assert done == [0, 1]
    assert gate.waiting == (Waiting("GET /x", 3, 10.0),)
    assert str(gate.waiting[0]) == "GET /x: waiting, 2 ahead"
    assert [waiting.count for waiting in seen] == [1, 2, 3]
    await hands.move(10)
    assert done == [0, 1, 2, 3]
    await hands.move(10)
    assert done == [0, 1, 2, 3, 4]
    assert seen[-1] == Waiting("GET /x", 0, 0.0)
    assert not gate.waiting
    await asyncio.gather(*tasks)


async def test_a_cancelled_wait_gives_its_place_to_the_next() -> None:
    hands, done = Hands(), list[int]()
    gate = gate_on(hands)

    async def ask(number: int) -> None:
        assert await gate.enter("GET /x") is None
        done.append(number)

    tasks = [asyncio.create_task(ask(number)) for number in range(6)]
    await settle()
    tasks[2].cancel()
    await settle()
    await hands.move(10)
    assert done == [0, 1, 3, 4]
    await hands.move(10)
    assert done == [0, 1, 3, 4, 5]
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_place_won_at_the_moment_of_cancelling_goes_to_the_next() -> None:
    hands, done = Hands(), list[int]()
    gate = gate_on(hands)

    async def ask(number: int) -> None:
        assert await gate.enter("GET /x") is None
        done.append(number)

    tasks = [asyncio.create_task(ask(number)) for number in range(5)]
    await settle()
    hands.now = 10.0
    hands.alarms[-1].ring()
    tasks[2].cancel()
    await settle()
    assert done == [0, 1, 3, 4]
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_host_that_asks_for_a_pause_gets_it_on_that_route_alone() -> None:
    hands = Hands()
    gate = gate_on(hands)
    gate.note("GET /x", BUSY)
    waits = asyncio.create_task(gate.enter("GET /x"))
    await settle()
    assert not waits.done()
    assert await gate.enter("GET /y") is None
    assert await gate.enter("DELETE /order") is None
    await hands.move(2.9)
    assert not waits.done()
    await hands.move(0.1)
    assert await waits is None


async def test_a_pause_that_is_too_long_is_told_and_not_waited_for() -> None:
    hands, seen = Hands(), list[Waiting]()
    gate = gate_on(hands, seen)
    for _ in range(2):
        await gate.enter("GET /x")
    waits = asyncio.create_task(gate.enter("GET /x"))
    await settle()
    long = Failure(FailureKind.BUSY, "GET /x", "slow down", 429, 60.0)
    gate.note("GET /x", long)
    told = await waits
    assert told is not None
    assert (told.kind, told.retry_after_s, told.may_have_happened) == (FailureKind.BUSY, 60, False)
    assert seen[-1].count == 0
    await hands.move(30)
    later = await gate.enter("GET /x")
    assert later is not None
    assert later.retry_after_s == 30
    await hands.move(30)
    assert await gate.enter("GET /x") is None


async def test_refusals_that_name_no_time_pause_longer_each_time_until_one_is_answered() -> None:
    hands = Hands()
    gate = gate_on(hands)
    vague = Failure(FailureKind.BUSY, "POST /order", "restarting", 425)
    for pause in (1, 2, 4):
        gate.note("POST /order", vague)
        waits = asyncio.create_task(gate.enter("POST /order"))
        await settle()
        await hands.move(pause - 0.5)
        assert not waits.done()
        await hands.move(10)
        assert await waits is None
    gate.note("POST /order", None)
    gate.note("POST /order", vague)
    waits = asyncio.create_task(gate.enter("POST /order"))
    await settle()
    await hands.move(1)
    assert await waits is None


async def test_the_transport_waits_at_its_gate_and_signs_after_waiting() -> None:
    hands = Hands()
    gate = gate_on(hands)
    async with serving(answering(b"{}")) as server:
        host = HttpHost(server.url, gate=gate)
        server.hosts.append(host)

        def signed() -> dict[str, str]:
            return {"X-Made-At": str(hands.now)}

        asks = [asyncio.create_task(host.read("/x", headers=signed, route="/x")) for _ in range(3)]
        await asyncio.gather(*asks[:2])
        await settle()
        assert gate.waiting == (Waiting("GET /x", 1, 10.0),)
        await hands.move(10)
        assert await asks[2] == b"{}"
        assert [call.headers["x-made-at"] for call in server.calls] == ["0.0", "0.0", "10.0"]


IN_SECONDS = "Retry-After: 3\r\n"
BY_DATE = "Date: Sat, 21 Nov 2026 10:00:00 GMT\r\nRetry-After: Sat, 21 Nov 2026 10:00:03 GMT\r\n"


@pytest.mark.parametrize("headers", [IN_SECONDS, BY_DATE])
@pytest.mark.parametrize("status", ["429 Too Many Requests", "425 Too Early"])
async def test_an_order_that_came_too_early_is_not_repeated_and_the_next_one_waits(
    headers: str, status: str
) -> None:
    hands = Hands()
    early = answering(b'{"error":"slow"}', status=status, headers=headers)
    async with serving(early, answering(b"{}")) as server:
        host = HttpHost(server.url, gate=gate_on(hands), pace=Pace())
        server.hosts.append(host)
        first = await host.send("POST", "/order", body=b"{}")
        assert isinstance(first, Failure)
        assert (first.kind, first.retry_after_s) == (FailureKind.BUSY, 3.0)
        second = asyncio.create_task(host.send("POST", "/order", body=b"{}"))
        await settle()
        assert len(server.calls) == 1
        await hands.move(3)
        assert await second == b"{}"


async def test_a_real_timer_wakes_those_who_wait() -> None:
    gate = RateGate(HostLimits((Limit(1, 10),)))
    gate.note("GET /x", Failure(FailureKind.BUSY, "GET /x", "", 429, 0.02))
    assert await asyncio.wait_for(gate.enter("GET /x"), 60) is None


async def test_a_cancel_passes_a_crowd_of_reads_and_orders() -> None:
    gate = RateGate(clob_limits(LIVE_ROUTES))
    crowd = [
        asyncio.create_task(gate.enter(label))
        for label in ("GET /book", "POST /order")
        for _ in range(3200)
    ]
    await settle()
    assert {waiting.route for waiting in gate.waiting} == {"GET /book", "POST /order"}
    for label in ("DELETE /order", "DELETE /orders", "DELETE /cancel-all"):
        assert await gate.enter(label) is None
    for task in crowd:
        task.cancel()
    await asyncio.gather(*crowd, return_exceptions=True)
    assert not gate.waiting
