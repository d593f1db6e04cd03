"""Orders: the trader's intent, what is signed, the venue's reports, and the verdicts of commands."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from typing import NewType

from pmtui.domain.ids import Address, ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import SCALE, ZERO, Micros


class TimeInForce(StrEnum):
    """How long an order lives."""

    GTC = "GTC"
    """Good till cancelled."""
    GTD = "GTD"
    """Good till date: removed by the venue one minute before the stated expiration."""
    FOK = "FOK"
    """Fill or kill: all at once or nothing."""
    FAK = "FAK"
    """Fill and kill: fill what is available now, cancel the rest."""

    @property
    def rests(self) -> bool:
        """Whether a remainder stays in the book."""
        return self in (TimeInForce.GTC, TimeInForce.GTD)


VENUE_EXPIRY_LEAD = timedelta(seconds=60)
"""The venue removes a GTD order this long before the expiration it states (docs/wire.md#orders)."""

MIN_LIFE = timedelta(seconds=120)
"""A GTD order must state an expiration 180 s ahead and is removed 60 s before it
(docs/wire.md#orders)."""


@dataclass(frozen=True, slots=True)
class LimitIntent:
    """Buy or sell `size` shares at `price` or better."""

    condition_id: ConditionId
    token_id: TokenId
    side: Side
    price: Micros
    size: Micros
    time_in_force: TimeInForce = TimeInForce.GTC
    is_post_only: bool = False
    expires_at: datetime | None = None
    """For GTD: when the order should expire. The venue's extra minute is added when signing."""
    spend: Micros | None = None
    """For a FAK purchase, which signs dollars: what its shares cost in the book, if less than at the limit."""


@dataclass(frozen=True, slots=True)
class MarketBuyIntent:
    """Spend `amount` dollars now, paying at most `worst_price` a share."""

    condition_id: ConditionId
    token_id: TokenId
    amount: Micros
    worst_price: Micros
    time_in_force: TimeInForce = TimeInForce.FOK

    @property
    def side(self) -> Side:
        """Always a purchase: the venue accepts no market sell orders."""
        return Side.BUY


OrderIntent = LimitIntent | MarketBuyIntent


class OrderStatus(StrEnum):
    """The lifecycle state of an order, as this program sees it."""

    PENDING = "pending"
    """Journaled, not yet sent."""
    SENT = "sent"
    UNKNOWN = "unknown"
    """Sent, without a usable reply: it may rest. Counts as resting until ruled out."""
    LIVE = "live"
    DELAYED = "delayed"
    PARTIALLY_FILLED = "partially filled"
    FILLED = "filled"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    REJECTED = "rejected"

    @property
    def is_open(self) -> bool:
        """Whether it may still fill, so that its cash or shares stay reserved."""
        return self in _OPEN

    @property
    def words(self) -> str:
        """The status in a trader's words: a live order is "working"."""
        return "working" if self is OrderStatus.LIVE else self.value


_OPEN = frozenset(
    {
        OrderStatus.PENDING,
        OrderStatus.SENT,
        OrderStatus.UNKNOWN,
        OrderStatus.LIVE,
        OrderStatus.DELAYED,
        OrderStatus.PARTIALLY_FILLED,
    }
)


@dataclass(frozen=True, slots=True)
class Order:
    """One of our orders, as last reported."""

    order_id: OrderId
    condition_id: ConditionId
    token_id: TokenId
    outcome: str
    side: Side
    price: Micros
    original_size: Micros
    matched_size: Micros
    status: OrderStatus
    time_in_force: TimeInForce
    created_at: datetime
    expires_at: datetime | None = None
    """When it expires, not the later time stated in a GTD order."""
    reason: str = ""
    """The venue's text, if it was rejected or cancelled by the venue."""
    is_post_only: bool = False
    """As far as is known: the venue does not report it for orders placed elsewhere."""

    @property
    def remaining_size(self) -> Micros:
        """The size that can still fill; a purchase by dollars may have brought more than its minimum."""
        return Micros(max(self.original_size - self.matched_size, 0))


class TradeStatus(StrEnum):
    """The settlement state of a trade on chain."""

    MATCHED = "MATCHED"
    MINED = "MINED"
    CONFIRMED = "CONFIRMED"
    RETRYING = "RETRYING"
    FAILED = "FAILED"

    @property
    def is_final(self) -> bool:
        """Whether no more reports will come."""
        return self in (TradeStatus.CONFIRMED, TradeStatus.FAILED)


class Liquidity(StrEnum):
    """Whether an order took liquidity from the book or provided it."""

    MAKER = "MAKER"
    TAKER = "TAKER"


@dataclass(frozen=True, slots=True)
class Fill:
    """Our part of a trade: own side, token, price and size, never the other party's."""

    trade_id: TradeId
    order_id: OrderId
    condition_id: ConditionId
    token_id: TokenId
    outcome: str
    side: Side
    price: Micros
    size: Micros
    fee: Micros | None
    """None while it is not reported and the market's schedule is not known."""
    liquidity: Liquidity
    status: TradeStatus
    matched_at: datetime
    transaction_hash: str = ""


@dataclass(frozen=True, slots=True)
class TradePrint:
    """A public trade as the tape shows it; `side` is the taker's."""

    token_id: TokenId
    side: Side
    price: Micros
    size: Micros
    at: datetime
    transaction_hash: str = ""
    """Hash of its settlement transaction, if known; a fill of ours may have the same one."""


Volume = tuple[tuple[Micros, Micros], ...]
"""Shares traded at each price, in any order."""


class PostStatus(StrEnum):
    """The venue's status for a posted order."""

    LIVE = "live"
    MATCHED = "matched"
    DELAYED = "delayed"
    UNMATCHED = "unmatched"


@dataclass(frozen=True, slots=True)
class PostResult:
    """The reply to one posted order: an id and a status, or the venue's refusal, or neither."""

    order_id: OrderId | None
    status: PostStatus | None
    error: str = ""
    making_amount: Micros | None = None
    """Amount given at once: collateral for a buy, shares for a sell."""
    taking_amount: Micros | None = None
    trade_ids: tuple[TradeId, ...] = ()
    transaction_hashes: tuple[str, ...] = ()

    @property
    def is_accepted(self) -> bool:
        """Whether the venue holds or has filled the order."""
        return not self.error and self.order_id is not None and self.status is not None

    def names(self, order_id: OrderId) -> bool:
        """Whether it may be about an order: it names that id, ignoring case, or none."""
        return self.order_id is None or self.order_id.lower() == order_id.lower()


@dataclass(frozen=True, slots=True)
class CancelResult:
    """Which of the named orders are cancelled, and why the others are not."""

    canceled: tuple[OrderId, ...]
    not_canceled: tuple[tuple[OrderId, str], ...] = ()
    unanswered: tuple[OrderId, ...] = ()
    """Orders in a request whose reply was lost: they may be cancelled."""


@dataclass(frozen=True, slots=True)
class BalanceAllowance:
    """A wallet's balance of one asset and its allowances, according to the venue."""

    balance: Micros
    allowances: tuple[tuple[Address, int], ...] = ()
    """By spender, in the asset's base units; may exceed any money type."""


@dataclass(frozen=True, slots=True)
class OrderDraft:
    """An order to be signed, in trading terms and integer amounts."""

    token_id: TokenId
    is_buy: bool
    maker_amount: int
    taker_amount: int
    neg_risk: bool
    time_in_force: str
    is_post_only: bool
    expiration_s: int
    """Unix seconds; 0 for none."""


@dataclass(frozen=True, slots=True)
class UnsignedOrder:
    """The exact fields that are hashed, and those that are sent with them."""

    draft: OrderDraft
    order_id: OrderId
    contents_hash: bytes
    """Hash of the fields alone (EIP-712), kept so that signing need not compute it again."""
    salt: int
    maker: Address
    signer: Address
    signature_type: int
    timestamp_ms: int
    metadata: str
    builder: str
    exchange: Address
    chain_id: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """The venue holds the order, or has filled it."""

    order_id: OrderId
    status: OrderStatus
    filled_size: Micros
    text: str
    filled_cash: Micros = ZERO
    """Dollars paid or received for the part that filled at once, before fees; zero if not reported."""
    filled_fee: Micros = ZERO
    """The taker fee of that part, by its average price."""

    @property
    def average(self) -> Micros | None:
        """Average price of the part that filled at once; None if unknown."""
        if self.filled_size <= 0 or self.filled_cash <= 0:
            return None
        return Micros((self.filled_cash * SCALE + self.filled_size // 2) // self.filled_size)


@dataclass(frozen=True, slots=True)
class Rejected:
    """Nothing happened at the venue. The trader can correct the draft."""

    reason: str
    """The venue's own text, or ours if the order was never sent."""
    field: str | None = None
    """The ticket field that the reason is about, if known."""
    is_blocked_by_own: bool = False
    """Whether own orders in its way prevented a sale."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The venue may or may not hold this order.

    Treat it as live until the venue says otherwise: cancelling an order that does not exist is
    harmless, sending again one that does exist is not.
    """

    order_id: OrderId
    reason: str
    since: datetime


Verdict = Accepted | Rejected | Unknown


@dataclass(frozen=True, slots=True)
class CancelVerdict:
    """The result of a cancellation. `problem` is set if it is unknown or was refused entirely."""

    result: CancelResult
    problem: str = ""


class MoveEnd(StrEnum):
    """The result of a move: what is at the venue now."""

    MOVED = "moved"
    """The old order is gone, the new one is there."""
    NOT_MOVED = "not moved"
    """Nothing new was sent. The old order rests unchanged, or has filled."""
    NOT_REPLACED = "cancelled, not replaced"
    """The old order is gone and was not replaced."""
    UNKNOWN = "unknown"
    """The result of the old or the new order is unknown and being searched for; never do both rest."""


@dataclass(frozen=True, slots=True)
class MoveVerdict:
    """The combined result of a cancellation and its replacement."""

    end: MoveEnd
    text: str
    placed: Verdict | None = None
    """Verdict of the new order; None if it was not sent."""
    left_out: OrderIntent | None = None
    """The replacement of a cancelled order that was not placed and may be tried again."""


class OrderEventKind(StrEnum):
    """The type of an order event."""

    PLACEMENT = "PLACEMENT"
    UPDATE = "UPDATE"
    CANCELLATION = "CANCELLATION"


@dataclass(frozen=True, slots=True)
class OrderChanged:
    """The state of one of our orders after an event."""

    kind: OrderEventKind
    order: Order
    at: datetime | None


@dataclass(frozen=True, slots=True)
class TradeChanged:
    """A trade of ours and its settlement; it may involve several of our resting orders."""

    fills: tuple[Fill, ...]
    at: datetime | None


UserEvent = OrderChanged | TradeChanged


NoticeId = NewType("NoticeId", str)
"""Decimal digits."""


class NoticeKind(Enum):
    """The subject of a notice; the values are the venue's numbers (docs/wire.md#rewards-and-notices)."""

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
    """The order that a notice is about, as far as the notice describes it."""

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
    """One notice; it stays until it is dismissed."""

    notice_id: NoticeId
    kind: NoticeKind
    at: datetime | None
    condition_id: ConditionId | None = None
    question: str = ""
    """Untrusted text."""
    slug: str = ""
    event_slug: str = ""
    order: OrderNotice | None = None
    """Set for cancellations, fills and failed fills."""
