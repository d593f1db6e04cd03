"""What the venue tells an account: events of the user stream, and the notices it keeps."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum
from typing import NewType

from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
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


NoticeId = NewType("NoticeId", str)
"""Decimal digits."""


class NoticeKind(Enum):
    """What a notice is about; the values are the venue's numbers (docs/wire.md#rewards-and-notices)."""

    UNKNOWN = 0
    CANCELLATION = 1
    FILL = 2
    MARKET_REGISTERED = 3
    MARKET_RESOLVED = 4
    REWARD_PAYOUT = 5
    COMMENT_REPLY = 6
    YIELD_PAYOUT = 7
    FILL_FAILED = 8
    AUTO_REDEEMED = 9
    COMBO_AUTO_REDEEMED = 10
    TAKER_TIER = 11


@dataclass(frozen=True, slots=True)
class OrderNotice:
    """The order that a notice is about, as far as the notice tells of it."""

    order_id: OrderId
    token_id: TokenId
    outcome: str
    """Untrusted text."""
    side: Side
    price: Micros | None = None
    original_size: Micros | None = None
    matched_size: Micros | None = None
    remaining_size: Micros | None = None
    trade_id: TradeId | None = None
    transaction_hash: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """One notice; it stays until it is dropped."""

    notice_id: NoticeId
    kind: NoticeKind
    at: datetime | None
    condition_id: ConditionId | None = None
    question: str = ""
    """Untrusted text."""
    slug: str = ""
    event_slug: str = ""
    order: OrderNotice | None = None
    """For cancellations, fills and fills that failed."""
