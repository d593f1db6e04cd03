"""The rules of the limiter, stepped by hand."""

import asyncio
from collections import defaultdict
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pmtui.clients.gamma import EVENT, EVENTS, SEARCH
from pmtui.clients.http.client import HttpHost, Pace
from pmtui.clients.http.rate_limits import (
    METADATA_LIMITS,
    RELAYER_LIMITS,
    HostLimits,
    Limit,
    RateBudgets,
    RateGate,
    RateLimiter,
    Turn,
    analytics_limits,
    clob_limits,
)
from pmtui.config.endpoints import Dialect
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import RateBudget, RequestQueue
from pmtui.reads.routes import ANALYTICS_ROUTES
from pmtui.reads.trading_routes import LIVE_ROUTES, ROUTES, RouteName
from tests.clients.http.gate_kit import Hands, gate_on, settle
from tests.clients.raw_server import answering, serving

BOOKS = Limit(3, 10, frozenset({"GET /books"}))
TAGS = Limit(2, 5, frozenset({"GET /tags", "GET /tags/*"}))
LONG = Limit(7, 40, frozenset({"GET /books", "GET /tags"}))
REST = Limit(5, 10)
CANCELS = Limit(4, 10, frozenset({"DELETE /order"}))
LIMITS = HostLimits((REST, BOOKS, TAGS, LONG, CANCELS), apart=frozenset({"DELETE /order"}))
ROUTE_NAMES = ("GET /books", "GET /tags", "GET /tags/{id}", "GET /other", "DELETE /order")


def enter(limiter: RateLimiter, route: str, now: float) -> bool:
    ticket, _ = limiter.enter(route, now)
    return ticket.admitted_at is not None


def test_a_route_counts_against_its_own_and_the_common_limits() -> None:
    assert LIMITS.of_route("GET /books") == (REST, BOOKS, LONG)
    assert LIMITS.of_route("GET /tags/{id}") == (REST, TAGS)
    assert LIMITS.of_route("GET /other") == (REST,)
    assert LIMITS.of_route("DELETE /order") == (CANCELS,)


def test_a_full_window_opens_when_its_oldest_request_is_a_period_old() -> None:
    limiter = RateLimiter(LIMITS)
    assert [enter(limiter, "GET /books", now) for now in (0, 1, 2)] == [True] * 3
    assert not enter(limiter, "GET /books", 3)
    assert limiter.wake_at(3) == 10
    assert limiter.admit(9.999) == ()
    assert [ticket.number for ticket in limiter.admit(10)] == [3]
    assert limiter.wake_at(10) is None


def test_a_cancel_waits_neither_for_reads_nor_behind_them() -> None:
    limiter = RateLimiter(LIMITS)
    for _ in range(20):
        limiter.enter("GET /other", 0)
    assert enter(limiter, "DELETE /order", 0)
    assert limiter.count_waiting("GET /other") == 15


def test_lines_with_room_do_not_wait_for_lines_without() -> None:
    limiter = RateLimiter(LIMITS)
    for _ in range(4):
        limiter.enter("GET /tags", 0)
    assert (limiter.count_waiting("GET /tags"), limiter.wake_at(0)) == (2, 5)
    assert enter(limiter, "GET /books", 0)


def test_a_closed_route_keeps_its_line_and_others_go_on() -> None:
    limiter = RateLimiter(LIMITS)
    limiter.close("GET /books", 7)
    limiter.close("GET /books", 4)
    assert not enter(limiter, "GET /books", 1)
    assert enter(limiter, "GET /other", 1)
    assert limiter.closed_for("GET /books", 1) == 6
    assert limiter.closed_for("GET /unstreamed-of", 1) == 0
    assert limiter.wake_at(1) == 7
    assert len(limiter.admit(7)) == 1


def test_who_leaves_frees_the_place() -> None:
    limiter = RateLimiter(LIMITS)
    tickets = [limiter.enter("GET /books", 0)[0] for _ in range(5)]
    limiter.leave(tickets[3])
    limiter.leave(tickets[3])
    limiter.leave(tickets[0])
    assert limiter.admit(0) == (tickets[4],)


def test_an_emptied_line_is_handed_back() -> None:
    limiter = RateLimiter(LIMITS)
    tickets = [limiter.enter("GET /books", 0)[0] for _ in range(5)]
    assert limiter.evict("GET /books") == tuple(tickets[3:])
    limiter.leave(tickets[4])
    assert limiter.wake_at(0) is None


class Crowd(RuleBasedStateMachine):
    """Requests that come, leave and wait in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.limiter = RateLimiter(LIMITS)
        self.now = 0
        self.waiting: dict[str, list[Turn]] = defaultdict(list)
        self.let_through: list[Turn] = []
        self.closed_until: dict[str, int] = defaultdict(int)

    def note(self, admitted: tuple[Turn, ...]) -> None:
        for ticket in admitted:
            line = self.waiting[ticket.route]
            assert line.pop(0) is ticket, "first come, first served"
            assert ticket.admitted_at == self.now
            assert self.now >= self.closed_until[ticket.route]
            self.let_through.append(ticket)

    @rule(route=st.sampled_from(ROUTE_NAMES), count=st.integers(1, 6))
    def come(self, route: str, count: int) -> None:
        for _ in range(count):
            ticket, admitted = self.limiter.enter(route, self.now)
            self.waiting[route].append(ticket)
            self.note(admitted)

    @rule(seconds=st.integers(0, 12))
    def pass_time(self, seconds: int) -> None:
        self.now += seconds
        self.note(self.limiter.admit(self.now))

    @rule(route=st.sampled_from(ROUTE_NAMES), seconds=st.integers(0, 15))
    def close(self, route: str, seconds: int) -> None:
        self.limiter.close(route, self.now + seconds)
        self.closed_until[route] = max(self.closed_until[route], self.now + seconds)

    @precondition(lambda self: any(self.waiting.values()))
    @rule(data=st.data())
    def give_up(self, data: st.DataObject) -> None:
        ticket = data.draw(st.sampled_from([t for line in self.waiting.values() for t in line]))
        self.waiting[ticket.route].remove(ticket)
        self.limiter.leave(ticket)
        self.note(self.limiter.admit(self.now))

    @precondition(lambda self: self.let_through)
    @rule(data=st.data())
    def take_back(self, data: st.DataObject) -> None:
        ticket = data.draw(st.sampled_from(self.let_through))
        self.let_through.remove(ticket)
        self.limiter.leave(ticket)
        self.note(self.limiter.admit(self.now))

    @invariant()
    def no_window_holds_more_than_its_limit(self) -> None:
        for limit in LIMITS.limits:
            covered = [t for t in self.let_through if limit in LIMITS.of_route(t.route)]
            times = sorted(t.admitted_at for t in covered if t.admitted_at is not None)
            for start in times:
                inside = [at for at in times if start <= at < start + limit.period_s]
                assert len(inside) <= limit.requests

    @invariant()
    def nobody_waits_who_could_go(self) -> None:
        wake_at = self.limiter.wake_at(self.now)
        assert (wake_at is None) == (not any(self.waiting.values()))
        assert wake_at is None or wake_at > self.now
        for route, line in self.waiting.items():
            assert self.limiter.count_waiting(route) == len(line)


TestCrowd = Crowd.TestCase


@given(st.lists(st.integers(0, 30), max_size=60).map(sorted))
def test_a_window_is_as_full_as_it_may_be(times: list[int]) -> None:
    limiter = RateLimiter(HostLimits((Limit(3, 10),)))
    taken: list[int] = []
    for now in times:
        is_let_through = enter(limiter, "GET /x", now)
        inside = [at for at in taken if at + 10 > now]
        if limiter.count_waiting("GET /x") == 0:
            assert is_let_through == (len(inside) < 3)
        if is_let_through:
            taken.append(now)
        elif len(inside) < 3:
            return


BUSY = Failure(FailureKind.BUSY, "GET /x", "too many requests", 429, 3.0)


async def test_those_who_wait_go_in_order_and_are_seen_waiting() -> None:
    hands, seen, done = Hands(), list[RequestQueue](), list[int]()
    gate = gate_on(hands, seen)

    async def ask(number: int) -> None:
        assert await gate.enter("GET /x") is None
        done.append(number)

    tasks = [asyncio.create_task(ask(number)) for number in range(5)]
    await settle()
    assert done == [0, 1]
    assert seen == [RequestQueue("GET /x", 1), RequestQueue("GET /x", 2), RequestQueue("GET /x", 3)]
    assert str(seen[-1]) == "GET /x: waiting, 2 ahead"
    await hands.move(10)
    assert done == [0, 1, 2, 3]
    await hands.move(10)
    assert done == [0, 1, 2, 3, 4]
    assert seen[-1] == RequestQueue("GET /x", 0)
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
    hands, seen = Hands(), list[RequestQueue]()
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
    hands, seen = Hands(), list[RequestQueue]()
    gate = gate_on(hands, seen)
    async with serving(answering(b"{}")) as server:
        host = HttpHost(server.url, gate=gate)
        server.hosts.append(host)

        def signed() -> dict[str, str]:
            return {"X-Made-At": str(hands.now)}

        asks = [asyncio.create_task(host.read("/x", headers=signed, route="/x")) for _ in range(3)]
        await asyncio.gather(*asks[:2])
        await settle()
        assert seen == [RequestQueue("GET /x", 1)]
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
    seen: dict[str, int] = {}
    gate = RateGate(
        clob_limits(LIVE_ROUTES), observe=lambda line: seen.update({line.route: line.count})
    )
    crowd = [
        asyncio.create_task(gate.enter(label))
        for label in ("GET /book", "POST /order")
        for _ in range(3200)
    ]
    await settle()
    assert seen.keys() == {"GET /book", "POST /order"}
    assert all(seen.values())
    for label in ("DELETE /order", "DELETE /orders", "DELETE /cancel-all"):
        assert await gate.enter(label) is None
    for task in crowd:
        task.cancel()
    await asyncio.gather(*crowd, return_exceptions=True)
    assert not any(seen.values())


START = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)
ROUTE, OTHER = "POST /order", "DELETE /order"


class _Times:
    def __init__(self) -> None:
        self.at = START

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return (self.at - START).total_seconds()


def _budgets(times: _Times, *limits: Limit) -> tuple[RateBudgets, RateGate]:
    gate = RateGate(HostLimits(limits), now=times.monotonic)
    return RateBudgets(gate, ROUTES[Dialect.LIVE], times.now), gate


def _said(remaining: int, reset: datetime, *, is_over: bool = False) -> dict[str, str]:
    headers = {
        "poly-ratelimit-remaining": str(remaining),
        "poly-ratelimit-reset": str(int(reset.timestamp())),
    }
    return headers | ({"poly-ratelimit-warning": "true"} if is_over else {})


def test_what_the_venue_states_is_believed_until_its_bucket_is_full_again() -> None:
    times = _Times()
    budgets, _ = _budgets(times)
    budgets.note(ROUTE, _said(4, START + timedelta(seconds=2)))
    assert list(budgets.left()) == [RateBudget("orders", 4, 60)]
    times.at += timedelta(seconds=1)
    assert list(budgets.left()) == [RateBudget("orders", 32, 60)]
    times.at += timedelta(seconds=1)
    assert list(budgets.left()) == [RateBudget("orders", 60, 60)]


def test_a_higher_tier_is_told_by_what_was_left_before() -> None:
    budgets, _ = _budgets(_Times())
    budgets.note(ROUTE, _said(890, START))
    budgets.note(ROUTE, _said(100, START + timedelta(seconds=5)))
    (left,) = budgets.left()
    assert left == RateBudget("orders", 100, 890)
    assert left.is_nearly_spent


def test_too_much_is_told_and_cancels_are_counted_apart() -> None:
    budgets, _ = _budgets(_Times())
    budgets.note(OTHER, _said(0, START + timedelta(seconds=3), is_over=True))
    assert list(budgets.left()) == [RateBudget("cancels", 0, 120, is_over=True)]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"poly-ratelimit-remaining": "3"},
        {"poly-ratelimit-remaining": "-3", "poly-ratelimit-reset": "1"},
        {"poly-ratelimit-remaining": "many", "poly-ratelimit-reset": "1"},
        {"poly-ratelimit-remaining": "1" * 40, "poly-ratelimit-reset": "1"},
    ],
)
def test_headers_that_say_nothing_readable_are_not_believed(headers: dict[str, str]) -> None:
    budgets, _ = _budgets(_Times())
    budgets.note(ROUTE, headers)
    budgets.note("GET /book", _said(0, START + timedelta(seconds=9)))
    assert list(budgets.left()) == []


def test_a_clock_far_ahead_does_not_make_a_budget_low_for_ever() -> None:
    times = _Times()
    budgets, _ = _budgets(times)
    budgets.note(ROUTE, _said(0, START + timedelta(days=300)))
    times.at += timedelta(minutes=1)
    assert list(budgets.left()) == [RateBudget("orders", 60, 60)]


async def test_our_own_count_is_told_at_its_tightest_and_frees_itself() -> None:
    times = _Times()
    budgets, gate = _budgets(
        times,
        Limit(5, 10, frozenset({ROUTE})),
        Limit(100, 600, frozenset({ROUTE})),
    )
    for _ in range(4):
        assert await gate.enter(ROUTE) is None
    orders = [b for b in budgets.left() if b.name == "orders"]
    assert orders == [RateBudget("orders", 1, 5)]
    times.at += timedelta(seconds=10)
    assert next(iter(budgets.left())) == RateBudget("orders", 96, 100)


def figures(limits: HostLimits, route: str) -> set[tuple[int, int]]:
    return {(limit.requests, limit.period_s) for limit in limits.of_route(route)}


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (RouteName.BOOK, {(3000, 10), (1500, 10)}),
        (RouteName.BOOKS, {(3000, 10), (500, 10)}),
        (RouteName.TICK_SIZE, {(3000, 10), (200, 10)}),
        (RouteName.REFRESH_BALANCE, {(3000, 10), (50, 10)}),
        (RouteName.OPEN_ORDERS, {(3000, 10), (900, 10), (500, 10)}),
        (RouteName.NOTICES, {(3000, 10), (900, 10), (125, 10)}),
        (RouteName.REVOKE_BUILDER_KEY, {(3000, 10), (100, 10)}),
        (RouteName.POST_ORDER, {(3000, 10), (5000, 10), (120_000, 600)}),
        (RouteName.CANCEL_ALL, {(3000, 10), (250, 10), (6000, 600)}),
        (RouteName.NEG_RISK, {(3000, 10)}),
    ],
)
def test_the_trading_hosts_routes_have_their_limits(
    dialect: Dialect, call: RouteName, expected: set[tuple[int, int]]
) -> None:
    routes = ROUTES[dialect]
    assert figures(clob_limits(routes), routes.route(call).label) == expected


@pytest.mark.parametrize("dialect", Dialect)
def test_orders_cancels_and_the_rest_keep_to_the_hosts_limit_together(dialect: Dialect) -> None:
    routes = ROUTES[dialect]
    limits = clob_limits(routes)
    shares = {limits.of_route(route.label)[0] for route in routes.rows.values()}
    assert sum(share.requests for share in shares) <= 9000
    assert all(share.period_s == 10 for share in shares)


@pytest.mark.parametrize(("dialect", "positions"), [(Dialect.SEED, 200), (Dialect.LIVE, 150)])
def test_the_analytics_hosts_limits_differ_by_dialect(dialect: Dialect, positions: int) -> None:
    limits, routes = analytics_limits(dialect), ANALYTICS_ROUTES[dialect]
    for path in (routes.positions.path, routes.closed_positions.path):
        assert figures(limits, f"GET {path}") == {(1000, 10), (positions, 10)}
    assert figures(limits, "GET /trades") == {(1000, 10), (200, 10)}
    assert figures(limits, "GET /") == {(1000, 10), (100, 10)}
    assert figures(limits, "GET /holders") == {(1000, 10)}


@pytest.mark.parametrize("dialect", Dialect)
def test_the_metadata_hosts_lists_are_limited(dialect: Dialect) -> None:
    assert (500, 10) in figures(METADATA_LIMITS, EVENTS[dialect].label)
    assert (900, 10) in figures(METADATA_LIMITS, f"GET {EVENT}")
    assert figures(METADATA_LIMITS, f"GET {SEARCH}") == {(4000, 10), (350, 10)}


def test_the_relayer_takes_a_submission_every_few_seconds() -> None:
    assert figures(RELAYER_LIMITS, "POST /submit") == {(25, 60)}
    assert figures(RELAYER_LIMITS, "GET /deployed") == set()
