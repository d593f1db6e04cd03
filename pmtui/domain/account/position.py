"""What a wallet holds, and what it was worth."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros


@dataclass(frozen=True, slots=True)
class Position:
    """Shares of one outcome. Values of the analytics host lag; fills of our own do not."""

    token_id: TokenId
    condition_id: ConditionId
    title: str
    outcome: str
    size: Micros
    average_price: Micros
    current_price: Micros | None
    realized: Micros
    outcome_index: int = 0
    opposite_token_id: TokenId | None = None
    event_slug: str = ""
    is_redeemable: bool = False
    is_mergeable: bool = False
    neg_risk: bool = False
    end_date: str = ""

    @property
    def value(self) -> Micros | None:
        """What the shares would fetch at the current price, rounded down."""
        if self.current_price is None:
            return None
        return Micros(self.size * self.current_price // 1_000_000)

    @property
    def cost(self) -> Micros:
        """What the shares cost, rounded up."""
        return Micros(-(-self.size * self.average_price // 1_000_000))

    @property
    def unrealized(self) -> Micros | None:
        """Value minus cost."""
        value = self.value
        return None if value is None else Micros(value - self.cost)


@dataclass(frozen=True, slots=True)
class Dust:
    """Positions too small for an order: fewer shares than the venue's minimum in their market."""

    positions: tuple[Position, ...]

    @property
    def value(self) -> Micros:
        """What those of them that have a price are worth together."""
        return Micros(sum(position.value or 0 for position in self.positions))


def split_dust(
    positions: Iterable[Position], minimum: Callable[[ConditionId], Micros | None]
) -> tuple[tuple[Position, ...], Dust | None]:
    """Return the positions that can be traded, and the others as one; what can be redeemed is kept.

    Args:
        positions: in their order, which both parts keep.
        minimum: the smallest order of a market in shares; None while it is not known.
    """
    kept: list[Position] = []
    dust: list[Position] = []
    for position in positions:
        least = minimum(position.condition_id)
        is_dust = least is not None and position.size < least and not position.is_redeemable
        (dust if is_dust else kept).append(position)
    return tuple(kept), Dust(tuple(dust)) if dust else None


@dataclass(frozen=True, slots=True)
class ClosedPosition:
    """A position that is no more, and what it brought."""

    token_id: TokenId
    condition_id: ConditionId
    title: str
    outcome: str
    average_price: Micros
    total_bought: Micros
    realized: Micros
    closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Activity:
    """One line of a wallet's public history; `kind` is shown as sent, known or not."""

    kind: str
    title: str
    outcome: str
    side: str
    price: Micros | None
    size: Micros | None
    cash: Micros | None
    at: datetime
    condition_id: ConditionId | None = None
    token_id: TokenId | None = None
    transaction_hash: str = ""
