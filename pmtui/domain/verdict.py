"""How a command to the venue ended: accepted, rejected, or not known."""

from dataclasses import dataclass
from datetime import datetime

from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros
from pmtui.domain.order import CancelResult, OrderStatus


@dataclass(frozen=True, slots=True)
class Accepted:
    """The venue holds the order, or has filled it."""

    order_id: OrderId
    status: OrderStatus
    filled_size: Micros
    text: str


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
