"""How each source stands: its freshness, its stream's connection, its rate limit and the queue before it.

Two rate limits are counted: our own requests against what a host allows, and the venue's count per
signer, which it states with every answer to an order or a cancellation (docs/wire.md#rate-limits).
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Source(StrEnum):
    """Where numbers come from, as the trader knows them."""

    METADATA = "market lists"
    TRADING = "trading"
    ANALYTICS = "positions"
    MARKET_STREAM = "market stream"
    USER_STREAM = "order stream"
    RELAYER = "relayer"


class HealthState(StrEnum):
    """What can be said of a source."""

    IDLE = "idle"
    """Not asked yet, or not needed now."""
    CONNECTING = "connecting"
    LIVE = "live"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """One source's state; its age is the reader's clock minus `as_of`."""

    source: Source
    state: HealthState
    as_of: datetime | None = None
    """When it last answered or spoke."""
    reason: str = ""
    round_trip_ms: int | None = None
    """The shortest of the last few answers."""
    waiting: int = 0
    """Requests that wait in line for what the host allows."""


class LinkState(StrEnum):
    """State of a stream's connection."""

    CONNECTING = "connecting"
    OPEN = "open"
    """Connected and subscribed; events of the old epoch are void."""
    SILENT = "silent"
    """Open, but nothing has come for too long: about to be replaced, to be sure. No fault yet: a
    market that is closed or that nobody trades says nothing."""
    DOWN = "down"
    IDLE = "idle"
    """Closed on our side, because nothing is to be heard: no fault, and nothing is lost."""


@dataclass(frozen=True, slots=True)
class Link:
    """A stream's connection as it changes; `epoch` grows with every new socket."""

    state: LinkState
    epoch: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long the line before one route is."""

    route: str
    """Method and path template, for example `GET /book`."""
    count: int
    """Requests in line; zero when the last one has gone."""
    opens_in_s: float
    """Until the first of them may go; further ones may take longer."""

    @property
    def ahead(self) -> int:
        """Requests before the last one in line."""
        return max(self.count - 1, 0)

    def __str__(self) -> str:  # type: ignore[explicit-override]  # not in 3.11's library
        """Say it in one line."""
        return f"{self.route}: waiting, {self.ahead} ahead" if self.count else f"{self.route}: free"


NEARLY = 5
"""One in so many left is nearly none."""


@dataclass(frozen=True, slots=True)
class RateBudget:
    """What is left of one limit."""

    name: str
    """What it counts: `orders`, `cancels`."""
    left: int
    allowed: int
    is_over: bool = False
    """Whether the venue said that it would have refused."""

    @property
    def is_nearly_spent(self) -> bool:
        """Whether a burst of a few more would have to wait or be refused."""
        return self.is_over or self.left * NEARLY < self.allowed


@dataclass(frozen=True, slots=True)
class StatedBudget:
    """What the venue stated at some moment; it fills up evenly until it is full again."""

    name: str
    left: int
    allowed: int
    at: datetime
    full_at: datetime
    is_over: bool = False

    def by(self, now: datetime) -> RateBudget:
        """Return what must be left by now."""
        span, passed = self.full_at - self.at, now - self.at
        if passed >= span:
            return RateBudget(self.name, self.allowed, self.allowed)
        gained = (self.allowed - self.left) * passed // span if now > self.at else 0
        left = min(self.left + gained, self.allowed)
        is_over = self.is_over and left * NEARLY < self.allowed
        return RateBudget(self.name, left, self.allowed, is_over=is_over)


def scarcest(budgets: tuple[RateBudget, ...]) -> RateBudget | None:
    """Return the one that runs out first, if any is nearly spent."""
    scarce = [b for b in budgets if b.is_nearly_spent]
    return min(
        scarce, key=lambda b: (not b.is_over, b.left * 1_000 // max(b.allowed, 1)), default=None
    )
