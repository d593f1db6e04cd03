"""How many more requests a limit lets through now, and whether that is nearly none.

Two limits are told of: our own count against what a host allows, and the venue's count per signer,
which it states with every answer to an order or a cancellation (WIRE_CLOB §15).
"""

from dataclasses import dataclass
from datetime import datetime

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
