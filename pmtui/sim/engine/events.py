"""The engine's events: one immutable event for every change, collected until a command ends."""

from dataclasses import dataclass
from enum import StrEnum

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, complement
from pmtui.domain.orders.order import TradeStatus
from pmtui.sim.engine.terms import MarketSpec, OrderView, Payout


class Cause(StrEnum):
    """Why a level changed or money moved."""

    PLACED = "placed"
    CANCELLED = "cancelled"
    TRADE = "trade"
    FEE = "fee"
    DEPOSIT = "deposit"
    WITHDRAWAL = "withdrawal"
    SPLIT = "split"
    MERGE = "merge"
    REDEEM = "redeem"
    CONVERT = "convert"
    FAILED_TRADE = "failed trade"


@dataclass(frozen=True, slots=True)
class LevelEntry:
    """One token's view of a changed level: an element of `price_changes`."""

    token_id: TokenId
    side: Side
    price: Micros
    size: Micros
    """Absolute size of the level now; 0 removes it."""
    best_bid: Micros | None
    best_ask: Micros | None


@dataclass(frozen=True, slots=True)
class LevelChanged:
    """A level has a new size, stated in the token of the causing order."""

    condition_id: ConditionId
    token_id: TokenId
    other_token_id: TokenId
    side: Side
    price: Micros
    size: Micros
    """Absolute, truncated to hundredths of a share; 0 removes the level."""
    best_bid: Micros | None
    """Best bid of `token_id` after this change; None if the side is empty."""
    best_ask: Micros | None
    is_top_moved: bool
    """Whether the best bid or best ask changed."""
    cause: Cause
    at_ms: int

    def entries(self) -> tuple[LevelEntry, LevelEntry]:
        """Return both tokens' views, the causing order's token first."""
        mine = LevelEntry(
            self.token_id, self.side, self.price, self.size, self.best_bid, self.best_ask
        )
        mirrored = LevelEntry(
            self.other_token_id,
            self.side.opposite,
            complement(self.price),
            self.size,
            None if self.best_ask is None else complement(self.best_ask),
            None if self.best_bid is None else complement(self.best_bid),
        )
        return mine, mirrored


class MatchKind(StrEnum):
    """How two orders matched."""

    DIRECT = "direct"
    """A buyer and a seller of the same token."""
    MINT = "mint"
    """Buyers of the two tokens: a pair is created for 1.00."""
    MERGE = "merge"
    """Sellers of the two tokens: a pair is dissolved for 1.00."""


@dataclass(frozen=True, slots=True)
class MakerFill:
    """The part of one resting order in a trade, in its own token, side and price."""

    order_id: OrderId
    account: Address
    owner: ApiKey
    token_id: TokenId
    side: Side
    price: Micros
    size: Micros
    cash: Micros
    """Collateral the maker paid or received."""
    kind: MatchKind


@dataclass(frozen=True, slots=True)
class Trade:
    """The fills of one taker order at one price. Sweeping three prices creates three trades.

    All trades of one taker order share the transaction hash and are numbered by `bucket_index`.
    """

    trade_id: TradeId
    transaction_hash: str
    bucket_index: int
    condition_id: ConditionId
    taker_order_id: OrderId
    taker_account: Address
    taker_owner: ApiKey
    token_id: TokenId
    """The taker's token, in which the price is stated."""
    side: Side
    """The taker's side."""
    price: Micros
    size: Micros
    cash: Micros
    """Collateral the taker paid or received, before fees."""
    fee: Micros
    makers: tuple[MakerFill, ...]
    matched_ms: int
    updated_ms: int
    status: TradeStatus


@dataclass(frozen=True, slots=True)
class TradeMatched:
    """A trade happened; also the new last trade price of both tokens' books."""

    trade: Trade


@dataclass(frozen=True, slots=True)
class TradeAdvanced:
    """Settlement of a trade advanced by a step."""

    trade: Trade


@dataclass(frozen=True, slots=True)
class OrderPlaced:
    """An order that can rest was accepted (stream type PLACEMENT); nothing of it has matched yet."""

    order: OrderView
    at_ms: int


@dataclass(frozen=True, slots=True)
class OrderUpdated:
    """An order matched partially or completely (stream type UPDATE)."""

    order: OrderView
    at_ms: int


@dataclass(frozen=True, slots=True)
class OrderCancelled:
    """An order was cancelled (stream type CANCELLATION); `order.status` gives the reason.

    Also follows a killed FOK, whose placement was never announced.
    """

    order: OrderView
    at_ms: int


@dataclass(frozen=True, slots=True)
class BalanceChanged:
    """An account's balance is now `balance`: the ledger's entry."""

    account: Address
    token_id: TokenId | None
    """None for collateral."""
    balance: Micros
    change: Micros
    cause: Cause
    reference: str
    """Trade id, condition id, or empty."""
    at_ms: int


@dataclass(frozen=True, slots=True)
class MarketAdded:
    """A market can be traded from now on."""

    spec: MarketSpec
    at_ms: int


@dataclass(frozen=True, slots=True)
class MarketRemoved:
    """A market that ended was removed."""

    spec: MarketSpec
    at_ms: int


@dataclass(frozen=True, slots=True)
class TickSizeChanged:
    """The tick size of a market changed; levels off the new grid are void."""

    condition_id: ConditionId
    old: Micros
    new: Micros
    at_ms: int


@dataclass(frozen=True, slots=True)
class MarketResolved:
    """A market ended; shares can be redeemed."""

    condition_id: ConditionId
    payout: Payout
    winning_token_id: TokenId | None
    """None if both tokens pay half."""
    at_ms: int


Event = (
    LevelChanged
    | TradeMatched
    | TradeAdvanced
    | OrderPlaced
    | OrderUpdated
    | OrderCancelled
    | BalanceChanged
    | MarketAdded
    | MarketRemoved
    | TickSizeChanged
    | MarketResolved
)


class EventLog:
    """Collects events in order; every command first sets `now_ms`."""

    __slots__ = ("_events", "now_ms")

    def __init__(self) -> None:
        self.now_ms = 0
        self._events: list[Event] = []

    def add(self, event: Event) -> None:
        """Append an event."""
        self._events.append(event)

    def drain(self) -> tuple[Event, ...]:
        """Return the collected events and clear them."""
        events = tuple(self._events)
        self._events.clear()
        return events
