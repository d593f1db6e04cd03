"""The engine's inputs and results: market terms, orders, results."""

from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import NamedTuple, Protocol

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import NO_FEE, FeeSchedule, Side
from pmtui.domain.money import ONE, ZERO, Micros
from pmtui.domain.orders.order import TimeInForce

GTD_NOTICE_MS = 180_000
"""A stated expiration must be this far ahead (docs/wire.md#orders, August 2026)."""
GTD_EARLY_MS = 60_000
"""A GTD order is removed this long before its stated expiration."""
USUAL_TICK_SIZE = Micros(10_000)
USUAL_MIN_SIZE = Micros(5_000_000)
MIN_MARKETABLE_BUY = ONE
"""The minimum value of a BUY that takes liquidity: one dollar."""


class IdSource(Protocol):
    """Generates ids of trades; a seeded one makes a run repeatable."""

    def trade_id(self) -> TradeId:
        """Return a new UUID."""
        ...

    def transaction_hash(self) -> str:
        """Return a new 0x hash of 32 bytes."""
        ...


class TradingMode(Enum):
    """What the exchange currently accepts."""

    NORMAL = "normal"
    POST_ONLY = "post only"
    """Only post-only orders and cancels, as in the two minutes after a restart."""
    CANCEL_ONLY = "cancel only"
    DISABLED = "disabled"
    """Neither orders nor cancels."""


class Permission(Enum):
    """What an account may do."""

    GOOD = "good"
    CLOSED_ONLY = "closed only"
    """May sell, not buy."""
    BANNED = "banned"
    NO_ALLOWANCE = "no allowance"
    """Has not approved the exchange to move its assets."""


class Payout(Enum):
    """How a market ended."""

    FIRST = "first"
    """The first token pays 1.00."""
    SECOND = "second"
    HALF = "half"
    """Both pay 0.50."""

    def pays(self, token_index: int) -> Micros:
        """Return what one share of a token pays."""
        if self is Payout.HALF:
            return Micros(ONE // 2)
        return ONE if (self is Payout.FIRST) == (token_index == 0) else ZERO


class LiveStatus(StrEnum):
    """Status of an order as the public venue spells it; a cancellation may carry a free reason instead."""

    LIVE = "LIVE"
    MATCHED = "MATCHED"
    DELAYED = "DELAYED"
    """Accepted, but held for some seconds before it may match."""
    INVALID = "INVALID"
    """Was accepted, but could not be placed after all."""
    CANCELED = "CANCELED"
    EXPIRED = "CANCELED_EXPIRED_ORDER"
    MARKET_RESOLVED = "CANCELED_MARKET_RESOLVED"
    NOT_ENOUGH_BALANCE = "CANCELED_NOT_ENOUGH_BALANCE"
    TICK_SIZE = "CANCELED_TICK_SIZE_CHANGED"
    """Our own: what the public venue does with orders off a coarser grid is not published."""


@dataclass(frozen=True, slots=True)
class MarketSpec:
    """The terms of one market. `tokens[0]` is "Yes": prices without a token are in terms of it."""

    condition_id: ConditionId
    tokens: tuple[TokenId, TokenId]
    tick_size: Micros = USUAL_TICK_SIZE
    min_size: Micros = USUAL_MIN_SIZE
    """Shares."""
    fee: FeeSchedule = NO_FEE
    neg_risk: bool = False
    group: str = ""
    """Id of the negative-risk event: when one market of the group wins, the others lose."""
    is_accepting: bool = True
    needs_min_size_at_once: bool = False
    """Whether the minimum size also applies to FOK and FAK orders."""


@dataclass(frozen=True, slots=True)
class NewOrder:
    """A signed order as posted, after the server has verified signature and owner.

    The amounts are what the maker gives and wants. A FOK or FAK BUY is a market order: it spends
    `maker_amount` dollars and gets at least `taker_amount` shares if all of it fills.
    """

    order_id: OrderId
    account: Address
    """The maker address, whose collateral and shares move."""
    owner: ApiKey
    token_id: TokenId
    side: Side
    maker_amount: Micros
    taker_amount: Micros
    time_in_force: TimeInForce = TimeInForce.GTC
    expiration_s: int = 0
    """Unix seconds for GTD, else 0."""
    post_only: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal by the public venue: its status code and exact text."""

    status: int
    text: str
    code: str = ""
    """Machine-readable code sent with the text, if the public venue sends one."""
    retry_after_s: int | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """An order was accepted: it rests, or part of it filled at once."""

    order_id: OrderId
    is_matched: bool
    """Whether the wire status is `matched`, because something filled at once, or `live`."""
    making: Micros = ZERO
    """Given at once: collateral before fees for a BUY, shares for a SELL."""
    taking: Micros = ZERO
    """Received at once: shares for a BUY, collateral before fees for a SELL."""
    fee: Micros = ZERO
    trade_ids: tuple[TradeId, ...] = ()
    transaction_hashes: tuple[str, ...] = ()


class SeedOrder(NamedTuple):
    """An order to rest in bulk; price and size are of its own token."""

    order_id: OrderId
    account: Address
    token_id: TokenId
    side: Side
    price: Micros
    size: Micros


@dataclass(frozen=True, slots=True)
class Seeded:
    """A batch of orders was accepted."""

    count: int
    """How many of them rest now."""
    crossing: tuple[OrderId, ...]
    """Orders left out because they would have matched a resting order."""


@dataclass(frozen=True, slots=True)
class Done:
    """A ledger operation was executed."""

    amount: Micros = ZERO
    """Collateral received or shares created, depending on the operation."""


@dataclass(frozen=True, slots=True)
class OrderView:
    """The state of an order at some moment."""

    order_id: OrderId
    account: Address
    owner: ApiKey
    condition_id: ConditionId
    token_id: TokenId
    side: Side
    price: Micros
    """In the order's own token."""
    original_size: Micros
    matched_size: Micros
    time_in_force: TimeInForce
    expiration_s: int
    created_ms: int
    status: str
    """`LiveStatus`, or `CANCELED_` with the public venue's text."""
    trade_ids: tuple[TradeId, ...] = ()


@dataclass(frozen=True, slots=True)
class Level:
    """Price and total size of one level, truncated to hundredths of a share as on the public venue."""

    price: Micros
    size: Micros


@dataclass(frozen=True, slots=True)
class BookView:
    """One token's book; bids ascending and asks descending, so the best is last."""

    token_id: TokenId
    bids: tuple[Level, ...]
    asks: tuple[Level, ...]
    changed_ms: int
    """When the book last changed."""


@dataclass(frozen=True, slots=True)
class MarketView:
    """The state of a market that changes while it trades."""

    spec: MarketSpec
    tick_size: Micros
    is_accepting: bool
    payout: Payout | None
    """None until the market is resolved."""
    last_trade_price: Micros | None
    """Price of the last taker's token; the public venue shows the same value for both tokens."""
    last_trade_side: Side | None
    open_interest: Micros
    """Collateral locked in the market's pool; equals the outstanding pairs."""
    resolved_ms: int | None = None
    """When it was resolved; None before, and if the state of an older version does not contain it."""


@dataclass(frozen=True, slots=True)
class AccountView:
    """An account's balances."""

    account: Address
    collateral: Micros
    reserved: Micros
    """Collateral reserved by resting BUY orders."""
    shares: dict[TokenId, Micros] = field(default_factory=dict)
    reserved_shares: dict[TokenId, Micros] = field(default_factory=dict)
