"""The health of each source: freshness, stream connection, rate limit and request queue.

Two rate limits are tracked: our own requests against a host's limit, and the venue's count per signer,
which it states in every reply to an order or a cancellation (docs/wire.md#rate-limits).
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Source(StrEnum):
    """A source of data, as the trader knows it."""

    METADATA = "market lists"
    TRADING = "trading"
    ANALYTICS = "positions"
    MARKET_STREAM = "market stream"
    USER_STREAM = "order stream"
    RELAYER = "relayer"


class HealthState(StrEnum):
    """The health of a source."""

    IDLE = "idle"
    """Not requested yet, or not needed now."""
    CONNECTING = "connecting"
    LIVE = "live"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """One source's health; its age is the reader's clock minus `as_of`."""

    source: Source
    state: HealthState
    as_of: datetime | None = None
    """When it last replied or sent data."""
    reason: str = ""
    round_trip_ms: int | None = None
    """The shortest round trip of the last few requests."""
    waiting: int = 0
    """Requests queued by the rate limit."""


class LinkState(StrEnum):
    """State of a stream's connection."""

    CONNECTING = "connecting"
    OPEN = "open"
    """Connected and subscribed; events of the old epoch are void."""
    SILENT = "silent"
    """Open, but without data for too long, so it will be replaced. Not yet a fault: a market
    that is closed or that nobody trades sends nothing."""
    DOWN = "down"
    IDLE = "idle"
    """Closed by us, because nothing is subscribed: no fault, and nothing is lost."""


@dataclass(frozen=True, slots=True)
class Link:
    """A stream's connection state; `epoch` grows with every new socket."""

    state: LinkState
    epoch: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RequestQueue:
    """The request queue of one route."""

    route: str
    """Method and path template, for example `GET /book`."""
    count: int
    """Requests in the queue; zero when the last one has gone."""

    @property
    def ahead(self) -> int:
        """Requests ahead of the last one in the queue."""
        return max(self.count - 1, 0)

    def __str__(self) -> str:  # type: ignore[explicit-override]  # not in 3.11's library
        """Return the queue's state in one line."""
        return f"{self.route}: waiting, {self.ahead} ahead" if self.count else f"{self.route}: free"


NEARLY = 5
"""The fraction (one in this many) below which a budget is nearly spent."""


@dataclass(frozen=True, slots=True)
class RateBudget:
    """What is left of one rate limit."""

    name: str
    """Name of what it counts: `orders`, `cancels`."""
    left: int
    allowed: int
    is_over: bool = False
    """Whether the venue reported that it would have refused."""

    @property
    def is_nearly_spent(self) -> bool:
        """Whether a burst of a few more requests would have to wait or be refused."""
        return self.is_over or self.left * NEARLY < self.allowed


@dataclass(frozen=True, slots=True)
class StatedBudget:
    """A budget that the venue stated at some moment; it refills evenly until it is full."""

    name: str
    left: int
    allowed: int
    at: datetime
    full_at: datetime
    is_over: bool = False

    def by(self, now: datetime) -> RateBudget:
        """Return the budget that must be left at a time."""
        span, passed = self.full_at - self.at, now - self.at
        if passed >= span:
            return RateBudget(self.name, self.allowed, self.allowed)
        gained = (self.allowed - self.left) * passed // span if now > self.at else 0
        left = min(self.left + gained, self.allowed)
        is_over = self.is_over and left * NEARLY < self.allowed
        return RateBudget(self.name, left, self.allowed, is_over=is_over)


def scarcest(budgets: tuple[RateBudget, ...]) -> RateBudget | None:
    """Return the budget that runs out first, if any is nearly spent."""
    scarce = [b for b in budgets if b.is_nearly_spent]
    return min(
        scarce, key=lambda b: (not b.is_over, b.left * 1_000 // max(b.allowed, 1)), default=None
    )
