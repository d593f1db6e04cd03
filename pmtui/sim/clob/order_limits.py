"""How many orders and cancels one signer may send: two token buckets, each all or nothing.

The service announced them in a warning mode, in which too much is let through and marked
(docs/wire.md#rate-limits, July 2026); so does this venue until the operator has them enforced.
"""

from dataclasses import dataclass
from enum import Enum

from starlette.responses import Response

from pmtui.domain.ids import Address
from pmtui.sim.admin.switches import RateLimits
from pmtui.sim.http_json import JsonResponse
from pmtui.sim.venue import Venue

TOO_MANY = "Too Many Requests"
_SCALE = 1_000
"""Tokens are counted in thousandths, so that a millisecond adds whole numbers of them."""


class Bucket(Enum):
    """What a request is charged to."""

    ORDERS = "orders"
    CANCELS = "cancels"


@dataclass(slots=True)
class _Level:
    tokens: int
    """In thousandths."""
    at_ms: int


@dataclass(frozen=True, slots=True)
class Spent:
    """What is left after a request, or how long until it would have been let through."""

    remaining: int
    reset_s: int
    """Unix second at which the bucket is full again."""
    tier: str
    is_over: bool = False
    is_refused: bool = False
    retry_after_s: int = 0

    def mark(self, response: Response) -> Response:
        """Add the headers of a covered answer."""
        response.headers["Poly-RateLimit-Remaining"] = str(self.remaining)
        response.headers["Poly-RateLimit-Reset"] = str(self.reset_s)
        response.headers["Poly-RateLimit-Tier"] = self.tier
        if self.is_over:
            response.headers["Poly-RateLimit-Warning"] = "true"
        if self.is_refused:
            response.headers["Retry-After"] = str(self.retry_after_s)
        return response

    def refusal(self) -> Response:
        """Answer a request that is over the limit."""
        return self.mark(JsonResponse({"error": TOO_MANY}, status_code=429))


class OrderLimits:
    """The buckets of every signer."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._levels: dict[tuple[Address, Bucket], _Level] = {}

    def spend(self, signer: Address, bucket: Bucket, cost: int) -> Spent:
        """Charge a request; one that costs too much is not charged at all."""
        limits = self._venue.switches.limits
        rate, burst = _terms(limits, bucket)
        now_ms = self._venue.clock.now_ms()
        full = burst * _SCALE
        level = self._levels.setdefault((signer, bucket), _Level(full, now_ms))
        level.tokens = min(full, level.tokens + (now_ms - level.at_ms) * rate)
        level.at_ms = now_ms
        is_over = cost * _SCALE > level.tokens
        lacking = min(cost * _SCALE, full) - level.tokens
        if not is_over:
            level.tokens -= cost * _SCALE
        full_ms = now_ms + -(-(full - level.tokens) // rate)
        return Spent(
            remaining=level.tokens // _SCALE,
            reset_s=-(-full_ms // 1_000),
            tier=limits.tier,
            is_over=is_over,
            is_refused=is_over and limits.is_enforced,
            retry_after_s=max(1, -(-lacking // (rate * 1_000))),
        )


def _terms(limits: RateLimits, bucket: Bucket) -> tuple[int, int]:
    match bucket:
        case Bucket.ORDERS:
            return limits.orders_per_s, limits.orders_burst
        case Bucket.CANCELS:
            return limits.cancels_per_s, limits.cancels_burst
