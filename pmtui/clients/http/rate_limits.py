"""Rate limits: each host's limits as data, the rules for them, and the gate where requests wait.

Every limit is a sliding window: at most so many requests in any period, the end of the period excluded.
A route has one queue, first come first served; queues with room do not wait for queues without. A host's
`Retry-After` closes the requested route, and no other. If a route is closed for longer than a caller
should wait, the request fails at once, without being sent. Times are seconds of any monotonic clock.

The tables are in docs/wire.md#rate-limits. The public venue mostly delays excess requests; we wait
before sending instead, in order. Its limit of 15,000 requests in 10 s over all hosts needs no check: the
hosts' own limits add up to less. Limits per signer differ between accounts: the venue counts them and
states the remainder in every reply to an order or a cancellation (`Poly-RateLimit-*`), but not the
total.
"""

import asyncio
import heapq
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol, final

from pmtui.clients.http.client import LONGEST_WAIT_S
from pmtui.config.endpoints import Dialect
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.backoff import Backoff
from pmtui.domain.health import RateBudget, RequestQueue, StatedBudget
from pmtui.reads.trading_routes import ClobRoutes, RouteName

_FIRST_PAUSE_S = 1.0
"""For a refusal without a stated time (docs/wire.md#refusals: 1 to 2 s, doubling)."""
_LONGEST_PAUSE_S = 16.0
_ORDERS = (RouteName.POST_ORDER, RouteName.POST_ORDERS)
_CANCELS = (RouteName.CANCEL, RouteName.CANCEL_MANY, RouteName.CANCEL_MARKET, RouteName.CANCEL_ALL)
_KEYS = (
    RouteName.CREATE_KEY,
    RouteName.DERIVE_KEY,
    RouteName.API_KEYS,
    RouteName.CLOSED_ONLY,
    RouteName.READONLY_KEYS,
    RouteName.CREATE_BUILDER_KEY,
    RouteName.BUILDER_KEYS,
    RouteName.REVOKE_BUILDER_KEY,
)
_LEDGER = (
    RouteName.OPEN_ORDERS,
    RouteName.ORDER,
    RouteName.TRADES,
    RouteName.NOTICES,
    RouteName.DROP_NOTICES,
)
_SHARE = 3000
"""The trading host allows 9,000 in 10 s. Orders, cancels and everything else get a third each:
so a cancel waits neither for reads nor for orders, and together they stay within the limit."""
_TEN_MINUTES = 600
_LONGEST_FILL = timedelta(minutes=1)
"""No bucket takes longer to refill: a longer stated time is due to a clock error."""
_MARKETS = ("/markets", "/markets/*", "/markets-keyset")


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `requests` in any `period_s`, over all routes it covers."""

    requests: int
    period_s: int
    routes: frozenset[str] = frozenset()
    """Method and path template each; a trailing `*` matches all routes with that prefix. Empty:
    every route of the host that is not in `apart`."""


@dataclass(frozen=True, slots=True)
class HostLimits:
    """All limits of a host."""

    limits: tuple[Limit, ...]
    apart: frozenset[str] = frozenset()
    """Routes that share no limit with the rest of the host, so that they never wait for it."""

    def of_route(self, route: str) -> tuple[Limit, ...]:
        """Return the limits that a route counts against."""
        return tuple(limit for limit in self.limits if self._covers(limit, route))

    def _covers(self, limit: Limit, route: str) -> bool:
        if not limit.routes:
            return route not in self.apart
        return any(
            route == listed or (listed.endswith("*") and route.startswith(listed[:-1]))
            for listed in limit.routes
        )


@dataclass(eq=False, slots=True)
class Turn:
    """One request's turn."""

    route: str
    number: int
    """Incremented with every request of the host."""
    admitted_at: float | None = None


@final
class _Window:
    """The times of admitted requests in the last period."""

    __slots__ = ("_limit", "_period", "_taken")

    def __init__(self, limit: Limit) -> None:
        self._limit = limit.requests
        self._period = limit.period_s
        self._taken: deque[float] = deque()

    def opens_at(self, now: float) -> float:
        taken = self._taken
        while taken and taken[0] + self._period <= now:
            taken.popleft()
        return now if len(taken) < self._limit else taken[0] + self._period

    def take(self, now: float) -> None:
        self._taken.append(now)

    def room(self, now: float) -> tuple[int, int]:
        """Return how many more requests may go now, and the limit."""
        self.opens_at(now)
        return self._limit - len(self._taken), self._limit

    def refund(self, at: float) -> None:
        if at in self._taken:
            self._taken.remove(at)


@final
class _Lane:
    """The queue of one route."""

    __slots__ = ("closed_until", "line", "windows")

    def __init__(self, windows: tuple[_Window, ...]) -> None:
        self.windows = windows
        self.line: deque[Turn] = deque()
        self.closed_until = 0.0

    def opens_at(self, now: float) -> float:
        opens = max(now, self.closed_until)
        for window in self.windows:
            opens = max(opens, window.opens_at(now))
        return opens

    def admit(self, turn: Turn, now: float) -> None:
        turn.admitted_at = now
        for window in self.windows:
            window.take(now)


@final
class RateLimiter:
    """Admits requests in order and within the limits."""

    def __init__(self, limits: HostLimits) -> None:
        """Start with nothing sent."""
        self._limits = limits
        self._windows: dict[Limit, _Window] = {}
        self._lanes: dict[str, _Lane] = {}
        self._waiting = 0
        self._next_number = 0

    def enter(self, route: str, now: float) -> tuple[Turn, tuple[Turn, ...]]:
        """Admit a request, or queue it.

        Returns:
            Its turn, and all turns that this call admitted, possibly including it.
        """
        lane = self._lane(route)
        turn = Turn(route, self._next_number)
        self._next_number += 1
        if not self._waiting and lane.opens_at(now) <= now:
            lane.admit(turn, now)
            return turn, (turn,)
        lane.line.append(turn)
        self._waiting += 1
        return turn, self.admit(now)

    def admit(self, now: float) -> tuple[Turn, ...]:
        """Admit queued requests that may go now, in their order of arrival."""
        if not self._waiting:
            return ()
        heads = [(lane.line[0].number, lane) for lane in self._lanes.values() if lane.line]
        heapq.heapify(heads)
        admitted: list[Turn] = []
        while heads:
            _, lane = heapq.heappop(heads)
            if lane.opens_at(now) > now:
                continue
            turn = lane.line.popleft()
            lane.admit(turn, now)
            admitted.append(turn)
            if lane.line:
                heapq.heappush(heads, (lane.line[0].number, lane))
        self._waiting -= len(admitted)
        return tuple(admitted)

    def leave(self, turn: Turn) -> None:
        """Give up a turn, either in the queue or of a request that was not sent after all."""
        lane = self._lanes[turn.route]
        if turn.admitted_at is None:
            if turn in lane.line:
                lane.line.remove(turn)
                self._waiting -= 1
            return
        for window in lane.windows:
            window.refund(turn.admitted_at)

    def close(self, route: str, until: float) -> None:
        """Close a route until a time; this never shortens an earlier closure."""
        lane = self._lane(route)
        lane.closed_until = max(lane.closed_until, until)

    def evict(self, route: str) -> tuple[Turn, ...]:
        """Clear a route's queue and return its turns."""
        lane = self._lane(route)
        evicted = tuple(lane.line)
        lane.line.clear()
        self._waiting -= len(evicted)
        return evicted

    def closed_for(self, route: str, now: float) -> float:
        """Return for how many seconds a route stays closed."""
        lane = self._lanes.get(route)
        return 0.0 if lane is None else max(lane.closed_until - now, 0.0)

    def room(self, route: str, now: float) -> tuple[int, int]:
        """Return how many more requests a route admits now, and the limit, for its tightest limit."""
        rooms = [window.room(now) for window in self._lane(route).windows]
        return min(rooms, key=lambda room: room[0] / room[1], default=(0, 0))

    def wake_at(self, now: float) -> float | None:
        """Return when the next waiting request may go; None if none is waiting."""
        lanes = (lane for lane in self._lanes.values() if lane.line)
        return min((lane.opens_at(now) for lane in lanes), default=None)

    def count_waiting(self, route: str) -> int:
        """Return how many requests wait on a route."""
        return len(self._lane(route).line)

    def _lane(self, route: str) -> _Lane:
        lane = self._lanes.get(route)
        if lane is None:
            limits = self._limits.of_route(route)
            windows = tuple(self._windows.setdefault(limit, _Window(limit)) for limit in limits)
            lane = self._lanes[route] = _Lane(windows)
        return lane


class Timer(Protocol):
    """A scheduled call that can be cancelled."""

    def cancel(self) -> None:
        """Cancel the call."""
        ...


def _call_later(delay_s: float, callback: Callable[[], None]) -> Timer:
    return asyncio.get_running_loop().call_later(delay_s, callback)


def _ignore(_waiting: RequestQueue) -> None:
    return


@final
class RateGate:
    """Applies the rate limits of one host."""

    def __init__(
        self,
        limits: HostLimits,
        *,
        observe: Callable[[RequestQueue], None] = _ignore,
        now: Callable[[], float] = time.monotonic,
        call_later: Callable[[float, Callable[[], None]], Timer] = _call_later,
    ) -> None:
        """Open the gate.

        Args:
            limits: of the host.
            observe: called with a route whenever its queue changes.
            now: returns seconds of a monotonic clock.
            call_later: schedules a wake-up.
        """
        self._limiter = RateLimiter(limits)
        self._observe = observe
        self._now = now
        self._call_later = call_later
        self._waiters: dict[Turn, asyncio.Future[Failure | None]] = {}
        self._backoffs: dict[str, Backoff] = {}
        self._timer: Timer | None = None

    def room(self, route: str) -> tuple[int, int]:
        """Return how many more requests a route admits now, and the limit."""
        return self._limiter.room(route, self._now())

    async def enter(self, route: str) -> Failure | None:
        """Wait for a turn; return a failure if the host has closed the route for long.

        A cancelled wait passes its turn to the next.
        """
        now = self._now()
        closed_s = self._limiter.closed_for(route, now)
        if closed_s > LONGEST_WAIT_S:
            return _closed(route, closed_s)
        turn, admitted = self._limiter.enter(route, now)
        if admitted and admitted != (turn,):
            self._release(admitted)
        if turn.admitted_at is not None:
            return None
        waiter: asyncio.Future[Failure | None] = asyncio.get_running_loop().create_future()
        self._waiters[turn] = waiter
        self._notify((route,))
        self._set_timer()
        try:
            return await waiter
        except asyncio.CancelledError:
            self._waiters.pop(turn, None)
            self._limiter.leave(turn)
            self._notify((route,))
            self._wake()
            raise

    def note(self, route: str, failure: Failure | None) -> None:
        """Record how a request ended: one that came too early closes its route for a while."""
        if failure is None or failure.kind is not FailureKind.BUSY:
            self._backoffs.pop(route, None)
            return
        pause_s = failure.retry_after_s
        if pause_s is None:
            backoff = self._backoffs.get(route)
            if backoff is None:
                backoff = Backoff(first_s=_FIRST_PAUSE_S, longest_s=_LONGEST_PAUSE_S)
                self._backoffs[route] = backoff
            pause_s = backoff.next_s()
        self._limiter.close(route, self._now() + pause_s)
        if pause_s > LONGEST_WAIT_S:
            for turn in self._limiter.evict(route):
                self._answer(turn, _closed(route, pause_s))
            self._notify((route,))
        self._set_timer()

    def _wake(self) -> None:
        self._release(self._limiter.admit(self._now()))
        self._set_timer()

    def _release(self, admitted: tuple[Turn, ...]) -> None:
        for turn in admitted:
            self._answer(turn, None)
        self._notify({turn.route for turn in admitted})

    def _answer(self, turn: Turn, answer: Failure | None) -> None:
        waiter = self._waiters.pop(turn, None)
        # A waiter that is being cancelled at this very moment gives up its turn by itself.
        if waiter is not None and not waiter.done():
            waiter.set_result(answer)

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now = self._now()
        wake_at = self._limiter.wake_at(now)
        if wake_at is not None:
            self._timer = self._call_later(max(wake_at - now, 0.0), self._wake)

    def _notify(self, routes: Iterable[str]) -> None:
        for route in routes:
            self._observe(RequestQueue(route, self._limiter.count_waiting(route)))


def _closed(route: str, seconds: float) -> Failure:
    text = f"not sent: the host asked to wait {seconds:.0f} s"
    return Failure(FailureKind.BUSY, route, text, retry_after_s=seconds)


ORDERS, CANCELS = "orders", "cancels"
_COUNTED = {
    RouteName.POST_ORDER: ORDERS,
    RouteName.POST_ORDERS: ORDERS,
    RouteName.CANCEL: CANCELS,
    RouteName.CANCEL_MANY: CANCELS,
    RouteName.CANCEL_ALL: CANCELS,
    RouteName.CANCEL_MARKET: CANCELS,
}
_LEAST_BURST = {ORDERS: 60, CANCELS: 120}
"""The standard tier's burst; an account that is told of a larger remainder is allowed more."""


def clob_limits(routes: ClobRoutes) -> HostLimits:
    """Return the limits of the trading host, by the route labels of a dialect."""

    def limit(requests: int, calls: Iterable[RouteName], *, period_s: int = 10) -> Limit:
        return Limit(requests, period_s, frozenset(routes.route(call).label for call in calls))

    singles = {
        RouteName.CHECK: 100,
        RouteName.BOOK: 1500,
        RouteName.PRICE: 1500,
        RouteName.MIDPOINT: 1500,
        RouteName.BOOKS: 500,
        RouteName.PRICES: 500,
        RouteName.MIDPOINTS: 500,
        RouteName.PRICES_HISTORY: 1000,
        RouteName.TICK_SIZE: 200,
        RouteName.BALANCE: 200,
        RouteName.REFRESH_BALANCE: 50,
        RouteName.OPEN_ORDERS: 500,
        RouteName.TRADES: 500,
    }
    trading = {
        RouteName.POST_ORDER: (5000, 120_000),
        RouteName.CANCEL: (5000, 120_000),
        RouteName.POST_ORDERS: (2000, 21_000),
        RouteName.CANCEL_MANY: (2000, 15_000),
        RouteName.CANCEL_ALL: (250, 6_000),
        RouteName.CANCEL_MARKET: (1500, 21_000),
    }
    return HostLimits(
        (
            Limit(_SHARE, 10),
            limit(_SHARE, _ORDERS),
            limit(_SHARE, _CANCELS),
            limit(100, _KEYS),
            limit(900, _LEDGER),
            limit(125, (RouteName.NOTICES, RouteName.DROP_NOTICES)),
            *(limit(requests, (call,)) for call, requests in singles.items()),
            *(limit(burst, (call,)) for call, (burst, _) in trading.items()),
            *(
                limit(sustained, (call,), period_s=_TEN_MINUTES)
                for call, (_, sustained) in trading.items()
            ),
        ),
        apart=frozenset(routes.route(call).label for call in (*_ORDERS, *_CANCELS)),
    )


def _gets(requests: int, *paths: str) -> Limit:
    return Limit(requests, 10, frozenset(f"GET {path}" for path in paths))


_EVENTS = ("/events", "/events/*", "/events-keyset")

METADATA_LIMITS = HostLimits(
    (
        Limit(4000, 10),
        _gets(500, *_EVENTS),
        _gets(300, *_MARKETS),
        _gets(900, *_EVENTS, *_MARKETS),
        _gets(200, "/comments", "/comments/*"),
        _gets(200, "/tags", "/tags/*"),
        _gets(350, "/public-search"),
    )
)

_POSITIONS = {Dialect.SEED: 200, Dialect.LIVE: 150}
"""The seed dialect and the official page of June 2026 disagree (docs/wire.md#rate-limits)."""


def analytics_limits(dialect: Dialect) -> HostLimits:
    """Return the limits of the analytics host; both generations of its routes count together."""
    positions = _POSITIONS[dialect]
    return HostLimits(
        (
            Limit(1000, 10),
            _gets(positions, "/positions", "/v2/positions"),
            _gets(positions, "/closed-positions"),
            _gets(200, "/trades", "/v2/trades"),
            _gets(100, "/", "/ok"),
        )
    )


RELAYER_LIMITS = HostLimits((Limit(25, 60, frozenset({"POST /submit"})),))


@final
class RateBudgets:
    """The limits per signer at the trading host."""

    def __init__(self, gate: RateGate, routes: ClobRoutes, now: Callable[[], datetime]) -> None:
        """Start with nothing used."""
        self._gate = gate
        self._now = now
        self._names = {routes.route(call).label: name for call, name in _COUNTED.items()}
        self._stated: dict[str, StatedBudget] = {}
        self._most = dict(_LEAST_BURST)

    def note(self, route: str, headers: Mapping[str, str]) -> None:
        """Read the budget stated in a reply, if any."""
        name = self._names.get(route)
        left = _number(headers.get("poly-ratelimit-remaining"))
        reset_s = _number(headers.get("poly-ratelimit-reset"))
        if name is None or left is None or reset_s is None:
            return
        now = self._now()
        self._most[name] = max(self._most[name], left)
        full_at = datetime.fromtimestamp(reset_s, tz=UTC)
        self._stated[name] = StatedBudget(
            name,
            left,
            self._most[name],
            now,
            min(max(full_at, now), now + _LONGEST_FILL),
            is_over=headers.get("poly-ratelimit-warning", "").lower() == "true",
        )

    def left(self) -> Iterable[RateBudget]:
        """Return the remainder of every limit now."""
        now = self._now()
        yield from (stated.by(now) for stated in self._stated.values())
        for route, name in self._names.items():
            left, allowed = self._gate.room(route)
            if allowed:
                yield RateBudget(name, left, allowed)


def _number(text: str | None) -> int | None:
    is_number = text is not None and text.isascii() and text.isdigit() and len(text) <= 11
    return int(text or "0") if is_number else None
