"""How a command to the venue ended: accepted, rejected, or not known."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pmtui.domain.ids import OrderId
from pmtui.domain.money import SCALE, ZERO, Micros
from pmtui.domain.orders.order import CancelResult, OrderIntent, OrderStatus


@dataclass(frozen=True, slots=True)
class Accepted:
    """The venue holds the order, or has filled it."""

    order_id: OrderId
    status: OrderStatus
    filled_size: Micros
    text: str
    filled_cash: Micros = ZERO
    """Dollars given or got for what filled at once, fee aside; zero where nobody told."""

    @property
    def average(self) -> Micros | None:
        """Dollars a share of what filled at once; None where that is not known."""
        if self.filled_size <= 0 or self.filled_cash <= 0:
            return None
        return Micros((self.filled_cash * SCALE + self.filled_size // 2) // self.filled_size)


@dataclass(frozen=True, slots=True)
class Rejected:
    """Nothing happened at the venue. The draft is still the trader's to mend."""

    reason: str
    """The venue's own words, or ours where it never left."""
    field: str | None = None
    """The ticket field the reason is about, where that can be told."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The venue may or may not hold this order.

    Treat it as live until the service says otherwise: cancelling an order that does not exist is
    harmless, sending one again that does is not.
    """

    order_id: OrderId
    reason: str
    since: datetime


Verdict = Accepted | Rejected | Unknown


@dataclass(frozen=True, slots=True)
class CancelVerdict:
    """How a cancellation ended. `problem` is set when it is not known or was refused whole."""

    result: CancelResult
    problem: str = ""


class MoveEnd(StrEnum):
    """How a move ended: what is at the venue now."""

    MOVED = "moved"
    """The old order is gone, the new one is there."""
    NOT_MOVED = "not moved"
    """Nothing new was sent. The old order rests as it was, or has filled."""
    NOT_REPLACED = "cancelled, not replaced"
    """The old order is gone and nothing took its place."""
    UNKNOWN = "unknown"
    """The old or the new order was not answered for and is being looked for; never both rest."""


@dataclass(frozen=True, slots=True)
class MoveVerdict:
    """How a cancellation and its replacement ended, as one."""

    end: MoveEnd
    text: str
    placed: Verdict | None = None
    """Of the new order; None where it was not sent."""
    left_out: OrderIntent | None = None
    """What was to take the place of a cancelled order and may be tried again."""
