"""Waiting for one's turn at a host: the limiter's rules with a clock, a timer and waiters.

What a host asks for by `Retry-After` closes the route that was asked on, and no other. A route that
is closed for longer than anybody should be kept waiting is answered at once, without a request.
"""

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Protocol, final

from pmtui.clients.http.client import LONGEST_WAIT_S
from pmtui.clients.http.rate_limit import HostLimits, RateLimiter, Ticket
from pmtui.domain.backoff import Backoff
from pmtui.domain.failure import Failure, FailureKind
from pmtui.domain.orders.waiting import Waiting

_FIRST_PAUSE_S = 1.0
"""For a refusal that names no time (WIRE_CLOB §6: 1 to 2 s, doubling)."""
_LONGEST_PAUSE_S = 16.0


class Timer(Protocol):
    """Something that will happen unless it is cancelled."""

    def cancel(self) -> None:
        """Let it not happen."""
        ...


def _call_later(delay_s: float, callback: Callable[[], None]) -> Timer:
    return asyncio.get_running_loop().call_later(delay_s, callback)


def _ignore(_waiting: Waiting) -> None:
    return


@final
class RateGate:
    """The gate of one host."""

    def __init__(
        self,
        limits: HostLimits,
        *,
        observe: Callable[[Waiting], None] = _ignore,
        now: Callable[[], float] = time.monotonic,
        call_later: Callable[[float, Callable[[], None]], Timer] = _call_later,
        patience_s: float = LONGEST_WAIT_S,
    ) -> None:
        """Open the gate.

        Args:
            limits: of the host.
            observe: told of a route whenever its line gets longer or shorter.
            now: seconds of a clock that never goes back.
            call_later: how to be woken.
            patience_s: how long a closed route is waited for.
        """
        self._limiter = RateLimiter(limits)
        self._observe = observe
        self._now = now
        self._call_later = call_later
        self._patience_s = patience_s
        self._waiters: dict[Ticket, asyncio.Future[Failure | None]] = {}
        self._backoffs: dict[str, Backoff] = {}
        self._timer: Timer | None = None

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """The routes with requests in line."""
        now = self._now()
        return tuple(
            Waiting(route, count, max(opens_at - now, 0.0))
            for route, count, opens_at in self._limiter.lines(now)
        )

    def room(self, route: str) -> tuple[int, int]:
        """Return how many more requests a route lets through now, of how many."""
        return self._limiter.room(route, self._now())

    async def enter(self, route: str) -> Failure | None:
        """Wait for a place; a failure where the host has closed the route for long.

        A cancelled wait gives its place to the next.
        """
        now = self._now()
        closed_s = self._limiter.closed_for(route, now)
        if closed_s > self._patience_s:
            return _closed(route, closed_s)
        ticket, admitted = self._limiter.enter(route, now)
        if admitted and admitted != (ticket,):
            self._let_in(admitted)
        if ticket.admitted_at is not None:
            return None
        waiter: asyncio.Future[Failure | None] = asyncio.get_running_loop().create_future()
        self._waiters[ticket] = waiter
        self._tell((route,))
        self._set_timer()
        try:
            return await waiter
        except asyncio.CancelledError:
            self._waiters.pop(ticket, None)
            self._limiter.leave(ticket)
            self._tell((route,))
            self._wake()
            raise

    def note(self, route: str, failure: Failure | None) -> None:
        """Learn how a request ended: one that came too early closes its route for a while."""
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
        if pause_s > self._patience_s:
            for ticket in self._limiter.evict(route):
                self._answer(ticket, _closed(route, pause_s))
            self._tell((route,))
        self._set_timer()

    def _wake(self) -> None:
        self._let_in(self._limiter.admit(self._now()))
        self._set_timer()

    def _let_in(self, admitted: tuple[Ticket, ...]) -> None:
        for ticket in admitted:
            self._answer(ticket, None)
        self._tell({ticket.route for ticket in admitted})

    def _answer(self, ticket: Ticket, answer: Failure | None) -> None:
        waiter = self._waiters.pop(ticket, None)
        # One whose wait is being cancelled at this very moment gives its place back by itself.
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

    def _tell(self, routes: Iterable[str]) -> None:
        now = self._now()
        for route in routes:
            count, opens_at = self._limiter.line(route, now)
            self._observe(Waiting(route, count, max(opens_at - now, 0.0)))


def _closed(route: str, seconds: float) -> Failure:
    text = f"not sent: the host asked to wait {seconds:.0f} s"
    return Failure(FailureKind.BUSY, route, text, retry_after_s=seconds)
