"""When a request may leave, by the limits of its host: the rules, without clock and sockets.

Every limit is a sliding window: at most so many requests in any period, the end of the period not
included. A route has one line, first come first served; lines with room do not wait for lines
without. Times are seconds of any clock that never goes back.
"""

import heapq
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `requests` in any `period_s`, over all routes it covers together."""

    requests: int
    period_s: int
    routes: frozenset[str] = frozenset()
    """Method and path template each; one that ends in `*` stands for all that begin so. Empty:
    every route of the host that is not apart."""


@dataclass(frozen=True, slots=True)
class HostLimits:
    """What a host allows."""

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
class Ticket:
    """One request's place."""

    route: str
    number: int
    """Counts up with every request of the host."""
    admitted_at: float | None = None


@final
class _Window:
    """The times of what was let through in the last period."""

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
        """Return how many more may go now, of how many."""
        self.opens_at(now)
        return self._limit - len(self._taken), self._limit

    def give_back(self, at: float) -> None:
        if at in self._taken:
            self._taken.remove(at)


@final
class _Lane:
    """One route's line."""

    __slots__ = ("closed_until", "line", "windows")

    def __init__(self, windows: tuple[_Window, ...]) -> None:
        self.windows = windows
        self.line: deque[Ticket] = deque()
        self.closed_until = 0.0

    def opens_at(self, now: float) -> float:
        opens = max(now, self.closed_until)
        for window in self.windows:
            opens = max(opens, window.opens_at(now))
        return opens

    def admit(self, ticket: Ticket, now: float) -> None:
        ticket.admitted_at = now
        for window in self.windows:
            window.take(now)


@final
class RateLimiter:
    """Lets requests through in order and in time."""

    def __init__(self, limits: HostLimits) -> None:
        """Start with nothing sent."""
        self._limits = limits
        self._windows: dict[Limit, _Window] = {}
        self._lanes: dict[str, _Lane] = {}
        self._waiting = 0
        self._next_number = 0

    def enter(self, route: str, now: float) -> tuple[Ticket, tuple[Ticket, ...]]:
        """Let a request through, or put it in line.

        Returns:
            Its ticket, and all tickets that this call let through, perhaps with it among them.
        """
        lane = self._lane(route)
        ticket = Ticket(route, self._next_number)
        self._next_number += 1
        if not self._waiting and lane.opens_at(now) <= now:
            lane.admit(ticket, now)
            return ticket, (ticket,)
        lane.line.append(ticket)
        self._waiting += 1
        return ticket, self.admit(now)

    def admit(self, now: float) -> tuple[Ticket, ...]:
        """Let through whoever may go now, in the order in which they came."""
        if not self._waiting:
            return ()
        heads = [(lane.line[0].number, lane) for lane in self._lanes.values() if lane.line]
        heapq.heapify(heads)
        admitted: list[Ticket] = []
        while heads:
            _, lane = heapq.heappop(heads)
            if lane.opens_at(now) > now:
                continue
            ticket = lane.line.popleft()
            lane.admit(ticket, now)
            admitted.append(ticket)
            if lane.line:
                heapq.heappush(heads, (lane.line[0].number, lane))
        self._waiting -= len(admitted)
        return tuple(admitted)

    def leave(self, ticket: Ticket) -> None:
        """Give a place up: that in line, or that of a request that did not leave after all."""
        lane = self._lanes[ticket.route]
        if ticket.admitted_at is None:
            if ticket in lane.line:
                lane.line.remove(ticket)
                self._waiting -= 1
            return
        for window in lane.windows:
            window.give_back(ticket.admitted_at)

    def close(self, route: str, until: float) -> None:
        """Let nothing through on a route until then; it is never made shorter."""
        lane = self._lane(route)
        lane.closed_until = max(lane.closed_until, until)

    def evict(self, route: str) -> tuple[Ticket, ...]:
        """Empty a route's line and return who stood in it."""
        lane = self._lane(route)
        evicted = tuple(lane.line)
        lane.line.clear()
        self._waiting -= len(evicted)
        return evicted

    def closed_for(self, route: str, now: float) -> float:
        """Return for how many seconds a route is closed yet."""
        lane = self._lanes.get(route)
        return 0.0 if lane is None else max(lane.closed_until - now, 0.0)

    def room(self, route: str, now: float) -> tuple[int, int]:
        """Return how many more requests a route lets through now, of how many, at its tightest."""
        rooms = [window.room(now) for window in self._lane(route).windows]
        return min(rooms, key=lambda room: room[0] / room[1], default=(0, 0))

    def wake_at(self, now: float) -> float | None:
        """Return when somebody who waits may go; None where nobody waits."""
        return min((lane.opens_at(now) for _, lane in self._lines()), default=None)

    def lines(self, now: float) -> tuple[tuple[str, int, float], ...]:
        """Return the routes with requests in line, how many, and when the first may go."""
        return tuple((route, len(lane.line), lane.opens_at(now)) for route, lane in self._lines())

    def line(self, route: str, now: float) -> tuple[int, float]:
        """Return how many wait on a route, and when the first may go."""
        lane = self._lane(route)
        return len(lane.line), lane.opens_at(now)

    def _lines(self) -> Iterator[tuple[str, _Lane]]:
        return ((route, lane) for route, lane in self._lanes.items() if lane.line)

    def _lane(self, route: str) -> _Lane:
        lane = self._lanes.get(route)
        if lane is None:
            limits = self._limits.of_route(route)
            windows = tuple(self._windows.setdefault(limit, _Window(limit)) for limit in limits)
            lane = self._lanes[route] = _Lane(windows)
        return lane
