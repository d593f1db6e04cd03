"""What the account channel tells about our own orders and trades."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pmtui.domain.orders.order import Fill, Order


class OrderEventKind(StrEnum):
    """Why an order event was sent."""

    PLACEMENT = "PLACEMENT"
    UPDATE = "UPDATE"
    CANCELLATION = "CANCELLATION"


@dataclass(frozen=True, slots=True)
class OrderChanged:
    """The state of one of our orders after something happened to it."""

    kind: OrderEventKind
    order: Order
    at: datetime | None


@dataclass(frozen=True, slots=True)
class TradeChanged:
    """A trade of ours and its settlement; several of our resting orders may be part of one."""

    fills: tuple[Fill, ...]
    at: datetime | None


UserEvent = OrderChanged | TradeChanged
