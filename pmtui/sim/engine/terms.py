"""The engine's inputs and results: market terms, orders, answers."""

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
"""A GTD order leaves the book this long before its stated expiration."""
USUAL_TICK_SIZE = Micros(10_000)
USUAL_MIN_SIZE = Micros(5_000_000)
MIN_MARKETABLE_BUY = ONE
"""One dollar: what a BUY that takes liquidity must at least be worth."""


class IdSource(Protocol):
    """Where trades get their names; a seeded one makes a run repeatable."""

    def trade_id(self) -> TradeId:
        """Return a fresh UUID."""
        ...

    def transaction_hash(self) -> str:
        """Return a fresh 0x hash of 32 bytes."""
        ...


class TradingMode(Enum):
    """What the exchange lets through at the moment."""

    NORMAL = "normal"
    POST_ONLY = "post only"
    """Only post-only orders and cancels, as for two minutes after a restart."""
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
    """Taken, but held for some seconds before it may match."""
    INVALID = "INVALID"
    """Was taken, and turned out not to be placeable."""
    CANCELED = "CANCELED"
    EXPIRED = "CANCELED_EXPIRED_ORDER"
    MARKET_RESOLVED = "CANCELED_MARKET_RESOLVED"
    NOT_ENOUGH_BALANCE = "CANCELED_NOT_ENOUGH_BALANCE"
    TICK_SIZE = "CANCELED_TICK_SIZE_CHANGED"
    """Ours: the public venue does not publish what becomes of orders off a coarser grid."""


@dataclass(frozen=True, slots=True)
class MarketSpec:
    """The terms of one market. `tokens[0]` is "Yes": prices without a token are stated in it."""

    condition_id: ConditionId
    tokens: tuple[TokenId, TokenId]
    tick_size: Micros = USUAL_TICK_SIZE
    min_size: Micros = USUAL_MIN_SIZE
    """Shares."""
    fee: FeeSchedule = NO_FEE
    neg_risk: bool = False
    group: str = ""
    """Names the negative-risk event: when one of the group wins, the others lose."""
    is_accepting: bool = True
    needs_min_size_at_once: bool = False
    """Whether the share minimum also binds FOK and FAK orders."""


@dataclass(frozen=True, slots=True)
class NewOrder:
    """A signed order as posted, after the server has checked signature and owner.

    Amounts are what the maker gives and wants. A FOK or FAK BUY is a market order: it spends
    `maker_amount` dollars and gets at least `taker_amount` shares if all of it fills.
    """

    order_id: OrderId
    account: Address
    """The maker address: whose collateral and shares move."""
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
    """Why the public venue said no: its status code and exact words."""

    status: int
    text: str
    code: str = ""
    """Machine-readable code beside the text, where the public venue sends one."""
    retry_after_s: int | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """An order was taken: it rests, or something of it filled at once."""

    order_id: OrderId
    is_matched: bool
    """Wire status `matched` when anything filled at once, else `live`."""
    making: Micros = ZERO
    """Given at once: collateral without fee when buying, shares when selling."""
    taking: Micros = ZERO
    """Received at once: shares when buying, collateral before fee when selling."""
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
    """A batch of orders was taken."""

    count: int
    """How many of them rest now."""
    crossing: tuple[OrderId, ...]
    """Those left out because they would have met a resting order."""


@dataclass(frozen=True, slots=True)
class Done:
    """A ledger operation happened."""

    amount: Micros = ZERO
    """Collateral received or shares made, as the operation says."""


@dataclass(frozen=True, slots=True)
class OrderView:
    """One order at one moment."""

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
    """`LiveStatus`, or `CANCELED_` and the public venue's sentence."""
    trade_ids: tuple[TradeId, ...] = ()


@dataclass(frozen=True, slots=True)
class Level:
    """Price and whole size of one level, cut to hundredths of a share as the public venue shows it."""

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
    """Of the last taker's token; the public venue shows the same value for both tokens."""
    last_trade_side: Side | None
    open_interest: Micros
    """Collateral locked in the market's pool; equals the outstanding pairs."""
    resolved_ms: int | None = None
    """When it was resolved; None before, and where a state of an older version does not say."""


@dataclass(frozen=True, slots=True)
class AccountView:
    """What an account holds."""

    account: Address
    collateral: Micros
    reserved: Micros
    """Collateral spoken for by resting BUY orders."""
    shares: dict[TokenId, Micros] = field(default_factory=dict)
    reserved_shares: dict[TokenId, Micros] = field(default_factory=dict)
