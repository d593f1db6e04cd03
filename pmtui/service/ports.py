"""What the service needs from the outside, as Protocols that `clients` fulfils, and what a profile has of it.

No method raises for what a network does: it returns a `Failure` in place of the value.
Stream callbacks are called on the event loop, in order, and must not block.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from pmtui.domain.account.keys import BuilderKey, PastedKey
from pmtui.domain.account.onboarding import Identity, Spender, TradingKey, WalletForm
from pmtui.domain.account.position import Activity, ClosedPosition, Position
from pmtui.domain.account.wallet_steps import Approval, NamedContract
from pmtui.domain.account.wallet_transactions import (
    Batch,
    Call,
    CallReverted,
    ChainTransaction,
    DecodedCall,
    Receipt,
    RelayerTransaction,
    SignedSubmission,
    TransactionId,
)
from pmtui.domain.answers import MAX_PAGES, Failure, GeoAnswer, Listing, Page, Value
from pmtui.domain.books.market_events import BookSnapshot, MarketEvent
from pmtui.domain.books.tape import PastTrades
from pmtui.domain.health import Link, RateBudget
from pmtui.domain.ids import Address, ApiKey, ConditionId, EventId, OrderId, TokenId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import Comment, Event, Holder, Market, MarketSort, MarketTerms, Tag
from pmtui.domain.markets.rewards import Earnings, Rebate
from pmtui.domain.money import Micros
from pmtui.domain.orders.heartbeat import HeartbeatId
from pmtui.domain.orders.order import (
    BalanceAllowance,
    CancelResult,
    Fill,
    Order,
    OrderDraft,
    PostResult,
    TradePrint,
    UnsignedOrder,
    UserEvent,
)

READ_ONLY = "No key: this session is read-only"

LastCheck = Callable[[], str]
"""Returns why a request must not leave at this very moment, "" if it may."""


class MetadataHost(Protocol):
    """The read-only metadata host."""

    async def list_events(
        self,
        *,
        sort: MarketSort,
        tag_slug: str,
        include_closed: bool,
        cursor: str | None,
        is_reversed: bool = False,
    ) -> Page[Event] | Failure:
        """Return a page of events with their markets; `cursor` is None for the first."""
        ...

    async def event(self, event_id: EventId) -> Event | Failure:
        """Return one event with its markets."""
        ...

    async def market(self, condition_id: ConditionId) -> Market | Failure:
        """Return one market, closed ones included."""
        ...

    async def search(self, text: str) -> Page[Event] | Failure:
        """Return the venue's own search result."""
        ...

    async def tags(self) -> Page[Tag] | Failure:
        """Return the first tags."""
        ...

    async def comments(self, event_id: EventId) -> Page[Comment] | Failure:
        """Return the newest comments of an event."""
        ...


class TradingHost(Protocol):
    """Public reads of the trading host."""

    async def server_time(self) -> datetime | Failure:
        """Return the host's clock, to the second."""
        ...

    async def book(self, token_id: TokenId) -> BookSnapshot | Failure:
        """Return one token's book."""
        ...

    async def books(self, token_ids: tuple[TokenId, ...]) -> tuple[BookSnapshot, ...] | Failure:
        """Return several books, in no particular order."""
        ...

    async def market_terms(self, condition_id: ConditionId) -> MarketTerms | Failure:
        """Return what orders in a market must obey."""
        ...

    async def prices_history(
        self, token_id: TokenId, interval: Interval
    ) -> tuple[PricePoint, ...] | Failure:
        """Return the price of a token over an interval, oldest first."""
        ...


class AccountHost(Protocol):
    """The trading host's account routes; made once credentials exist."""

    async def balance(self, token_id: TokenId | None = None) -> BalanceAllowance | Failure:
        """Return the collateral balance, or that of a token."""
        ...

    async def refresh_balance(self, token_id: TokenId | None = None) -> Failure | None:
        """Make the host read the chain again."""
        ...

    async def keep_warm(self) -> None:
        """Keep a connection open for the next order and the next cancel."""
        ...

    async def is_closed_only(self) -> bool | Failure:
        """Return whether the account may only close positions."""
        ...

    async def post_order(self, body: bytes, last_check: LastCheck) -> PostResult | Failure:
        """Send one signed order, once.

        Args:
            body: the very bytes.
            last_check: is asked once, when the bytes are handed to the connection; a reason
                withholds them, and the answer is a failure that says CANCELLED.
        """
        ...

    async def post_orders(
        self, bodies: Sequence[bytes], last_check: LastCheck
    ) -> tuple[PostResult, ...] | Failure:
        """Send several signed orders in one request, as `post_order` sends one.

        Answers come in the order of the request.
        """
        ...

    async def cancel(self, order_ids: tuple[OrderId, ...]) -> CancelResult | Failure:
        """Cancel the named orders, in as many requests as the limit asks for."""
        ...

    async def cancel_market(
        self, *, condition_id: ConditionId | None, token_id: TokenId | None
    ) -> CancelResult | Failure:
        """Cancel by market or token; one of the two must be given."""
        ...

    async def cancel_all(self) -> CancelResult | Failure:
        """Cancel every open order of this key."""
        ...

    async def open_orders(self) -> Listing[Order] | Failure:
        """Return every open order, all pages."""
        ...

    async def order(self, order_id: OrderId) -> Order | Failure | None:
        """Return one order; None where the host does not know it."""
        ...

    async def fills(
        self,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        max_pages: int = MAX_PAGES,
    ) -> Listing[Fill] | Failure:
        """Return own fills, newest first, each with own side, token and price."""
        ...


class ScoringHost(Protocol):
    """What the trading host says of the rewards of one account."""

    async def are_scoring(self, order_ids: Sequence[OrderId]) -> dict[OrderId, bool] | Failure:
        """Return which of several orders earn rewards now."""
        ...


class EarningsHost(Protocol):
    """What the trading host says that an account's resting orders brought."""

    async def earnings(self, day: date) -> tuple[Earnings, ...] | Failure:
        """Return a day's rewards by market."""
        ...

    async def rebates(self, day: date) -> tuple[Rebate, ...] | Failure:
        """Return what came back of a day's fees, by market."""
        ...

    async def percentages(self) -> dict[ConditionId, Micros] | Failure:
        """Return our part of what is paid out now, in percent, by market."""
        ...


class HeartbeatHost(Protocol):
    """The dead man's switch of one key, over a connection that nothing else uses."""

    async def beat(self) -> HeartbeatId | Failure:
        """Send one heartbeat and return the id of the next; an id that went wrong is put right."""
        ...


class AnalyticsHost(Protocol):
    """The read-only analytics host."""

    async def positions(self, user: Address) -> Listing[Position] | Failure:
        """Return what a wallet holds."""
        ...

    async def closed_positions(self, user: Address) -> Listing[ClosedPosition] | Failure:
        """Return what a wallet held."""
        ...

    async def activity(self, user: Address) -> Listing[Activity] | Failure:
        """Return a wallet's public history, newest first."""
        ...

    async def value(self, user: Address) -> Value | Failure:
        """Return what a wallet's positions are worth."""
        ...

    async def holders(self, condition_id: ConditionId) -> tuple[Holder, ...] | Failure:
        """Return the biggest holders of a market's tokens."""
        ...

    async def trades(self, condition_id: ConditionId) -> tuple[TradePrint, ...] | Failure:
        """Return the newest public trades of a market, by the taker's side, newest first."""
        ...

    async def trades_since(
        self, condition_id: ConditionId, since: datetime
    ) -> PastTrades | Failure:
        """Return the public trades of a market from a moment on, as far as bounds allow."""
        ...


class GeoHost(Protocol):
    """The geographic check."""

    async def check(self) -> GeoAnswer | Failure:
        """Ask where the venue thinks we are."""
        ...


class MarketStream(Protocol):
    """The public market channel: owns its sockets, backoff, heartbeat and resubscription."""

    def oddities(self) -> dict[str, int]:
        """Return the number of messages that were not understood, by kind."""
        ...

    def deaf(self) -> frozenset[TokenId]:
        """Return the tokens whose socket is not open, so that no messages come for them."""
        ...

    def watch(
        self, token_ids: frozenset[TokenId], *, together: Iterable[Iterable[TokenId]] = ()
    ) -> None:
        """Set the tokens to subscribe to; this takes effect on the open socket.

        Args:
            token_ids: all of them.
            together: tokens whose changes should come in one message; may name unwanted ones.
        """
        ...

    async def run(
        self, *, on_event: Callable[[MarketEvent], None], on_link: Callable[[Link], None]
    ) -> None:
        """Keep the stream up until cancelled."""
        ...


class UserStream(Protocol):
    """The account channel: order and trade events of one key."""

    def oddities(self) -> dict[str, int]:
        """Return the number of messages that were not understood, by kind."""
        ...

    async def run(
        self, *, on_event: Callable[[UserEvent], None], on_link: Callable[[Link], None]
    ) -> None:
        """Keep the stream up until cancelled. There is no replay: read REST on every OPEN."""
        ...


class WalletHost(Protocol):
    """The relayer's view of wallets."""

    async def is_deployed(self, wallet: Address, form: WalletForm) -> bool | Failure:
        """Return whether a wallet exists."""
        ...


class CallHost(Protocol):
    """Tries and reads on the chain, without any effect."""

    async def calls(
        self, calls: Sequence[Call], *, sender: Address | None = None
    ) -> tuple[bytes | CallReverted | Failure, ...] | Failure:
        """Try several calls in one request, each by itself; answers come in their order."""
        ...

    async def simulate(
        self, calls: Sequence[Call], *, sender: Address
    ) -> tuple[CallReverted | None, ...] | Failure:
        """Try calls one after the other, each on what those before it have changed.

        None stands for a call that goes through. A failure where the node cannot do it.
        """
        ...

    async def receipt(self, transaction_hash: str) -> Receipt | Failure | None:
        """Return what became of a transaction; None while it is in no block."""
        ...

    async def transaction(self, transaction_hash: str) -> ChainTransaction | Failure | None:
        """Return a transaction with its input; None where the chain knows none of this hash."""
        ...


class RelayerHost(Protocol):
    """Transactions that the relayer pays for, as one caller may use it."""

    async def nonce(self, owner: Address) -> int | Failure:
        """Return the counter that the next batch of an owner's deposit wallet names."""
        ...

    async def transaction(
        self, transaction_id: TransactionId
    ) -> RelayerTransaction | Failure | None:
        """Return one transaction; None where the relayer knows none by this id."""
        ...

    async def submit(self, body: bytes) -> RelayerTransaction | Failure:
        """Submit a deployment or a signed batch, exactly once."""
        ...

    async def transactions(self) -> tuple[RelayerTransaction, ...] | Failure:
        """Return the recent transactions of the key's owner."""
        ...


class WalletSigner(Protocol):
    """Holds the key of a wallet's owner. Gives signatures, never the key."""

    @property
    def owner(self) -> Address:
        """The key's own address."""
        ...

    def digest(self, batch: Batch) -> str:
        """Return what would be signed: 0x and 64 hexadecimal digits."""
        ...

    def sign(self, batch: Batch, *, metadata: str) -> SignedSubmission:
        """Sign a batch and write the body that is submitted."""
        ...

    def deployment(self, *, metadata: str) -> bytes:
        """Write the body that deploys the owner's wallet."""
        ...


class CallTable(Protocol):
    """The venue's contracts and what can be asked of them: targets come from here and nowhere else."""

    @property
    def contracts(self) -> tuple[NamedContract, ...]:
        """Every contract that is known by name."""
        ...

    @property
    def approvals(self) -> tuple[tuple[Approval, bool], ...]:
        """The approvals that are offered, and which of them orders or redeeming need."""
        ...

    def condition_of(self, neg_risk_id: str, index: int) -> ConditionId | None:
        """Return the condition of a question of a negative-risk event; None where there is none."""
        ...

    @property
    def factory(self) -> Address:
        """The contract through which the relayer reaches deposit wallets."""
        ...

    def to_address(self, text: str) -> Address | None:
        """Return an address in its checksummed spelling; None where the text is none.

        Mixed case that fails the checksum is none.
        """
        ...

    def allow(self, approval: Approval, amount: int) -> Call:
        """Permit a contract to move cash up to an amount, or shares if the amount is not zero."""
        ...

    def send(self, recipient: Address, amount: int) -> Call:
        """Send cash."""
        ...

    def split(self, condition_id: ConditionId, amount: int, *, neg_risk: bool) -> Call:
        """Turn cash into both outcomes."""
        ...

    def merge(self, condition_id: ConditionId, amount: int, *, neg_risk: bool) -> Call:
        """Turn both outcomes into cash."""
        ...

    def redeem(self, condition_id: ConditionId, *, neg_risk: bool) -> Call:
        """Cash in all shares of a resolved market."""
        ...

    def convert(self, neg_risk_id: str, questions: int, amount: int) -> Call:
        """Turn No of some questions, a bit each, into Yes of the others and cash."""
        ...

    def decode(self, call: Call) -> DecodedCall | None:
        """Return what the bytes of a call mean; None where that is not wholly known."""
        ...

    def tokens_of(self, condition_id: ConditionId, *, neg_risk: bool) -> tuple[TokenId, ...] | None:
        """Return the tokens that a condition id defines, as `OrderSigner.tokens_of`."""
        ...

    def question_index(self, neg_risk_id: str, condition_id: ConditionId) -> int | None:
        """Return which question of a negative-risk event a condition belongs to; None for none."""
        ...

    def adapter(self, *, neg_risk: bool) -> Address:
        """Return the contract that redeems a kind of market."""
        ...

    def read_allowed(self, wallet: Address, approval: Approval) -> Call:
        """Return the read of an approval; its answer is a number."""
        ...

    def read_payouts(self, condition_id: ConditionId) -> tuple[Call, Call, Call]:
        """Return the reads of a market's answer: its denominator, then both numerators."""
        ...


class KeyMinting(Protocol):
    """A relayer key about to be made: the text is fixed, nothing is signed yet."""

    @property
    def message(self) -> str:
        """The very text that is signed."""
        ...

    async def finish(self) -> str | Failure:
        """Sign, sign in and let the key be made; returns its first digits. It is kept on the disk."""
        ...

    async def close(self) -> None:
        """Give it up."""
        ...


class RelayerKeys(Protocol):
    """The key that submits for the owner."""

    @property
    def shown(self) -> str:
        """Its first digits; empty where there is none."""
        ...

    async def begin_minting(self) -> KeyMinting | Failure:
        """Ask for what has to be signed to make a key."""
        ...

    async def take(self, key: PastedKey) -> str | Failure:
        """Try a key that the trader has at the relayer, and keep it; returns its first digits.

        A key that the relayer refuses is not kept. One that it does not answer about is.
        """
        ...


class BuilderHost(Protocol):
    """Builder's keys of the account."""

    async def create(self) -> BuilderKey | Failure:
        """Create a builder key; its secret stays on the disk."""
        ...

    async def keys(self) -> tuple[BuilderKey, ...] | Failure:
        """Return the builder's keys."""
        ...

    async def revoke(self, key: ApiKey) -> Failure | None:
        """Revoke one."""
        ...


class ChainHost(Protocol):
    """The chain's own view of addresses."""

    async def has_code(self, address: Address) -> bool | Failure:
        """Return whether there is a contract at an address."""
        ...


class OrderSigner(Protocol):
    """Holds the key. Gives signatures, never the key."""

    @property
    def owner(self) -> Address:
        """The key's own address."""
        ...

    @property
    def maker(self) -> Address:
        """The wallet that pays and receives."""
        ...

    def tokens_of(self, condition_id: ConditionId, *, neg_risk: bool) -> tuple[TokenId, ...] | None:
        """Return the tokens that a condition id and a kind of market define, first outcome first.

        Empty where it is no condition id; None where that is not known for this chain.
        """
        ...

    def prepare(self, draft: OrderDraft) -> UnsignedOrder:
        """Fix salt, time stamp and amounts of an order, and with them its id."""
        ...

    def sign(self, order: UnsignedOrder) -> bytes:
        """Return the body to post: the order's fields with their signature, checked once more.

        Raises:
            SignatureMismatchError: the signature does not recover to the owner; a bug, not an order.
        """
        ...


@dataclass(frozen=True, slots=True)
class Account:
    """The private side: made once credentials exist."""

    host: AccountHost
    signer: OrderSigner
    stream: UserStream
    heartbeat: HeartbeatHost
    scoring: ScoringHost | None = None
    """None where no host says which orders earn rewards."""
    earnings: EarningsHost | None = None
    """None where no host says what they earned."""
    trading_key: TradingKey | None = None
    """The credentials, as far as they may be seen."""
    builder: BuilderHost | None = None
    """None where builder's keys are not to be had."""


@dataclass(frozen=True, slots=True)
class WalletAccess:
    """What a key can do with its deposit wallet."""

    signer: WalletSigner
    table: CallTable
    relayer: RelayerHost
    keys: RelayerKeys
    chain: CallHost | None = None
    """None where no chain can be asked."""
    permit_account: Callable[[], None] = lambda: None
    """Lets the account be opened, where that waits for the trader."""
    is_account_held: Callable[[], bool] = lambda: False
    """Whether it waits for that."""
    on_deployed: Callable[[Address], Awaitable[None]] | None = None
    """Called after the wallet was deployed: the local venue pays play money in."""
    make_ready: Callable[[], Awaitable[None]] | None = None
    """Makes what a paper account lacks; None where every step is the trader's."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What is known of an account before any host answers, and the sources for its wallet."""

    relayer: WalletHost
    chain: ChainHost | None = None
    """None where no chain can be asked."""
    identity: Identity | None = None
    """None in a session without a key."""
    spenders: tuple[Spender, ...] = ()
    """The contracts that orders are settled by, and others known by name."""
    wallet: WalletAccess | None = None
    """None where there is no key, or where another kind of wallet pays."""


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts of one profile. Without `open_account` the session is read-only."""

    metadata: MetadataHost
    trading: TradingHost
    analytics: AnalyticsHost
    geo: GeoHost
    market_stream: MarketStream
    open_account: Callable[[], Awaitable[Account | Failure]] | None
    close: Callable[[], Awaitable[None]]
    budgets: Callable[[], Iterable[RateBudget]] = tuple
    """What is left of the limits on orders and cancellations now."""
    setup: Setup | None = None
    """None without a source for wallets."""
