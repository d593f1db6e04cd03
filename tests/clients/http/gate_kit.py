"""A gate whose time the test moves by hand."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from pmtui.clients.http.rate_limits import (
    HostLimits,
    Limit,
    RateGate,
)
from pmtui.domain.health import RequestQueue

GATE_LIMITS = HostLimits((Limit(2, 10),), apart=frozenset({"DELETE /order"}))


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


def gate_on(hands: Hands, seen: list[RequestQueue] | None = None) -> RateGate:
    observe = seen.append if seen is not None else lambda _waiting: None
    return RateGate(
        GATE_LIMITS, now=lambda: hands.now, call_later=hands.call_later, observe=observe
    )
