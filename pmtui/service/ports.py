"""What the service needs from outside, as Protocols that `clients` implements, and a profile's hosts.

No method raises for network errors: it returns a `Failure` in place of the value. Stream callbacks are called
on the event loop, in order, and must not block.
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
    CallReverted,
    ChainTransaction,
    ContractCall,
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
"""Returns why a request must not be sent at this very moment, or "" if it may."""


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
        """Return one market, including closed ones."""
        ...

    async def search(self, text: str) -> Page[Event] | Failure:
        """Return the venue's search result."""
        ...

    async def tags(self) -> Page[Tag] | Failure:
        """Return the first page of tags."""
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
        """Return the trading host's rules for orders in a market."""
        ...

    async def prices_history(
        self, token_id: TokenId, interval: Interval
    ) -> tuple[PricePoint, ...] | Failure:
        """Return the price history of a token over an interval, oldest first."""
        ...


class AccountHost(Protocol):
    """The trading host's account routes; created once credentials exist."""

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
            body: the exact bytes.
            last_check: called once, when the bytes are passed to the connection; a reason withholds
                them, and the result is a failure with CANCELLED.
        """
        ...

    async def post_orders(
        self, bodies: Sequence[bytes], last_check: LastCheck
    ) -> tuple[PostResult, ...] | Failure:
        """Send several signed orders in one request, as `post_order` sends one.

        Replies come in the order of the request.
        """
        ...

    async def cancel(self, order_ids: tuple[OrderId, ...]) -> CancelResult | Failure:
        """Cancel the named orders, in as many requests as the limit requires."""
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
        """Return one order; None if the host does not know it."""
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
    """The trading host's scoring of one account's orders."""

    async def are_scoring(self, order_ids: Sequence[OrderId]) -> dict[OrderId, bool] | Failure:
        """Return which of several orders earn rewards now."""
        ...


class EarningsHost(Protocol):
    """The trading host's earnings of one account's resting orders."""

    async def earnings(self, day: date) -> tuple[Earnings, ...] | Failure:
        """Return a day's rewards by market."""
        ...

    async def rebates(self, day: date) -> tuple[Rebate, ...] | Failure:
        """Return the rebates of a day's fees, by market."""
        ...

    async def percentages(self) -> dict[ConditionId, Micros] | Failure:
        """Return our share of current payouts, in percent, by market."""
        ...


class HeartbeatHost(Protocol):
    """The dead man's switch of one key, over a connection of its own."""

    async def beat(self) -> HeartbeatId | Failure:
        """Send one heartbeat and return the id for the next; a wrong id is corrected."""
        ...


class AnalyticsHost(Protocol):
    """The read-only analytics host."""

    async def positions(self, user: Address) -> Listing[Position] | Failure:
        """Return a wallet's positions."""
        ...

    async def closed_positions(self, user: Address) -> Listing[ClosedPosition] | Failure:
        """Return a wallet's closed positions."""
        ...

    async def activity(self, user: Address) -> Listing[Activity] | Failure:
        """Return a wallet's public history, newest first."""
        ...

    async def value(self, user: Address) -> Value | Failure:
        """Return the value of a wallet's positions."""
        ...

    async def holders(self, condition_id: ConditionId) -> tuple[Holder, ...] | Failure:
        """Return the largest holders of a market's tokens."""
        ...

    async def trades(self, condition_id: ConditionId) -> tuple[TradePrint, ...] | Failure:
        """Return the newest public trades of a market, from the taker's side, newest first."""
        ...

    async def trades_since(
        self, condition_id: ConditionId, since: datetime
    ) -> PastTrades | Failure:
        """Return the public trades of a market from a moment on, within limits."""
        ...


class GeoHost(Protocol):
    """The geographic check."""

    async def check(self) -> GeoAnswer | Failure:
        """Return the venue's view of our location."""
        ...


class MarketStream(Protocol):
    """The public market channel: owns its sockets, backoff, heartbeat and resubscription."""

    def malformed_messages(self) -> dict[str, int]:
        """Return the number of messages that were not understood, by kind."""
        ...

    def disconnected(self) -> frozenset[TokenId]:
        """Return the tokens whose socket is not open, so that no messages come for them."""
        ...

    def watch(
        self, token_ids: frozenset[TokenId], *, together: Iterable[Iterable[TokenId]] = ()
    ) -> None:
        """Set the tokens to subscribe to; takes effect on the open socket.

        Args:
            token_ids: all wanted tokens.
            together: tokens whose changes should come in one message; may contain unwanted ones.
        """
        ...

    async def run(
        self, *, on_event: Callable[[MarketEvent], None], on_link: Callable[[Link], None]
    ) -> None:
        """Keep the stream connected until cancelled."""
        ...


class UserStream(Protocol):
    """The account channel: order and trade events of one key."""

    def malformed_messages(self) -> dict[str, int]:
        """Return the number of messages that were not understood, by kind."""
        ...

    async def run(
        self, *, on_event: Callable[[UserEvent], None], on_link: Callable[[Link], None]
    ) -> None:
        """Keep the stream connected until cancelled. Nothing is replayed: read REST on every OPEN."""
        ...


class WalletHost(Protocol):
    """The relayer's view of wallets."""

    async def is_deployed(self, wallet: Address, form: WalletForm) -> bool | Failure:
        """Return whether a wallet is deployed."""
        ...


class CallHost(Protocol):
    """Simulates calls and reads on the chain, without any effect."""

    async def calls(
        self, calls: Sequence[ContractCall], *, sender: Address | None = None
    ) -> tuple[bytes | CallReverted | Failure, ...] | Failure:
        """Simulate several independent calls in one request; replies come in their order."""
        ...

    async def simulate(
        self, calls: Sequence[ContractCall], *, sender: Address
    ) -> tuple[CallReverted | None, ...] | Failure:
        """Simulate calls one after the other, each on the state left by those before it.

        None stands for a successful call. Returns a failure if the node does not support this.
        """
        ...

    async def receipt(self, transaction_hash: str) -> Receipt | Failure | None:
        """Return the receipt of a transaction; None while it is in no block."""
        ...

    async def transaction(self, transaction_hash: str) -> ChainTransaction | Failure | None:
        """Return a transaction with its input; None if the chain knows none with this hash."""
        ...


class RelayerHost(Protocol):
    """The relayer as used by one caller."""

    async def nonce(self, owner: Address) -> int | Failure:
        """Return the nonce for the next batch of an owner's deposit wallet."""
        ...

    async def transaction(
        self, transaction_id: TransactionId
    ) -> RelayerTransaction | Failure | None:
        """Return one transaction; None if the relayer knows none with this id."""
        ...

    async def submit(self, body: bytes) -> RelayerTransaction | Failure:
        """Submit a deployment or a signed batch, exactly once."""
        ...

    async def transactions(self) -> tuple[RelayerTransaction, ...] | Failure:
        """Return the recent transactions of the key's owner."""
        ...


class WalletSigner(Protocol):
    """Holds the key of a wallet's owner. Returns signatures, never the key."""

    @property
    def owner(self) -> Address:
        """The key's own address."""
        ...

    def digest(self, batch: Batch) -> str:
        """Return the digest that would be signed: 0x and 64 hexadecimal digits."""
        ...

    def sign(self, batch: Batch, *, metadata: str) -> SignedSubmission:
        """Sign a batch and return it with the body to submit."""
        ...

    def deployment(self, *, metadata: str) -> bytes:
        """Return the body that deploys the owner's wallet."""
        ...


class CallTable(Protocol):
    """The venue's contracts and their calls: targets come from here and nowhere else."""

    @property
    def contracts(self) -> tuple[NamedContract, ...]:
        """Every contract whose name is known."""
        ...

    @property
    def approvals(self) -> tuple[tuple[Approval, bool], ...]:
        """The available approvals, and whether orders or redeeming need each."""
        ...

    def condition_of(self, neg_risk_id: str, index: int) -> ConditionId | None:
        """Return the condition of a question in a negative-risk event; None if there is none."""
        ...

    @property
    def factory(self) -> Address:
        """The contract through which the relayer calls deposit wallets."""
        ...

    def to_address(self, text: str) -> Address | None:
        """Return an address in its checksummed form; None if the text is not an address.

        Mixed case that fails the checksum is not an address.
        """
        ...

    def allow(self, approval: Approval, amount: int) -> ContractCall:
        """Approve a contract to move cash up to an amount, or shares if the amount is not zero."""
        ...

    def send(self, recipient: Address, amount: int) -> ContractCall:
        """Send cash."""
        ...

    def split(self, condition_id: ConditionId, amount: int, *, neg_risk: bool) -> ContractCall:
        """Exchange cash for both outcomes."""
        ...

    def merge(self, condition_id: ConditionId, amount: int, *, neg_risk: bool) -> ContractCall:
        """Exchange both outcomes for cash."""
        ...

    def redeem(self, condition_id: ConditionId, *, neg_risk: bool) -> ContractCall:
        """Redeem all shares of a resolved market."""
        ...

    def convert(self, neg_risk_id: str, questions: int, amount: int) -> ContractCall:
        """Exchange No of some questions, one bit each, for Yes of the others and cash."""
        ...

    def decode(self, call: ContractCall) -> DecodedCall | None:
        """Return the meaning of a call's bytes; None if it is not completely known."""
        ...

    def tokens_of(self, condition_id: ConditionId, *, neg_risk: bool) -> tuple[TokenId, ...] | None:
        """Return the tokens that a condition id defines; see `OrderSigner.tokens_of`."""
        ...

    def question_index(self, neg_risk_id: str, condition_id: ConditionId) -> int | None:
        """Return the index of a condition's question in a negative-risk event; None if there is none."""
        ...

    def adapter(self, *, neg_risk: bool) -> Address:
        """Return the contract that redeems a kind of market."""
        ...

    def read_allowed(self, wallet: Address, approval: Approval) -> ContractCall:
        """Return the call that reads an approval; its reply is a number."""
        ...

    def read_payouts(
        self, condition_id: ConditionId
    ) -> tuple[ContractCall, ContractCall, ContractCall]:
        """Return the calls that read a market's payout: its denominator, then both numerators."""
        ...


class KeyMinting(Protocol):
    """A relayer key about to be created: the text is fixed, nothing is signed yet."""

    @property
    def message(self) -> str:
        """The exact text that is signed."""
        ...

    async def finish(self) -> str | Failure:
        """Sign the text, sign in and create the key; return its first digits. It is stored on disk."""
        ...

    async def close(self) -> None:
        """Discard it."""
        ...


class RelayerKeys(Protocol):
    """The key that submits for the owner."""

    @property
    def shown(self) -> str:
        """Its first digits; empty if there is none."""
        ...

    async def begin_minting(self) -> KeyMinting | Failure:
        """Request what has to be signed to create a key."""
        ...

    async def take(self, key: PastedKey) -> str | Failure:
        """Check a relayer key that the trader already has, and store it; return its first digits.

        A key that the relayer refuses is not stored. If the relayer does not reply, the key is
        stored.
        """
        ...


class BuilderHost(Protocol):
    """Builder's keys of the account."""

    async def create(self) -> BuilderKey | Failure:
        """Create a builder key; its secret stays on disk."""
        ...

    async def keys(self) -> tuple[BuilderKey, ...] | Failure:
        """Return the builder's keys."""
        ...

    async def revoke(self, key: ApiKey) -> Failure | None:
        """Revoke a builder's key."""
        ...


class ChainHost(Protocol):
    """The chain's view of addresses."""

    async def has_code(self, address: Address) -> bool | Failure:
        """Return whether there is a contract at an address."""
        ...


class OrderSigner(Protocol):
    """Holds the key. Returns signatures, never the key."""

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

        Empty for an invalid condition id; None if they are unknown for this chain.
        """
        ...

    def prepare(self, draft: OrderDraft) -> UnsignedOrder:
        """Fix the salt, timestamp and amounts of an order, and thereby its id."""
        ...

    def sign(self, order: UnsignedOrder) -> bytes:
        """Return the body to post: the order's fields with their signature, checked once more.

        Raises:
            SignatureMismatchError: the signature does not recover to the owner: this is a bug, and
                nothing is sent.
        """
        ...


@dataclass(frozen=True, slots=True)
class Account:
    """The private side: created once credentials exist."""

    host: AccountHost
    signer: OrderSigner
    stream: UserStream
    heartbeat: HeartbeatHost
    scoring: ScoringHost | None = None
    """None if no host reports which orders earn rewards."""
    earnings: EarningsHost | None = None
    """None if no host reports earnings."""
    trading_key: TradingKey | None = None
    """The public part of the credentials."""
    builder: BuilderHost | None = None
    """None if builder's keys are unavailable."""


@dataclass(frozen=True, slots=True)
class WalletAccess:
    """The operations of a key on its deposit wallet."""

    signer: WalletSigner
    table: CallTable
    relayer: RelayerHost
    keys: RelayerKeys
    chain: CallHost | None = None
    """None if no chain can be queried."""
    permit_account: Callable[[], None] = lambda: None
    """Allows the account to be opened, if that waits for the trader."""
    is_account_held: Callable[[], bool] = lambda: False
    """Whether opening the account waits for the trader."""
    on_deployed: Callable[[Address], Awaitable[None]] | None = None
    """Called after the wallet was deployed: the local venue deposits play money."""
    make_ready: Callable[[], Awaitable[None]] | None = None
    """Completes what a paper account lacks; None if every step is up to the trader."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Facts about an account known before any host replies, and the sources for its wallet."""

    relayer: WalletHost
    chain: ChainHost | None = None
    """None if no chain can be queried."""
    identity: Identity | None = None
    """None in a session without a key."""
    spenders: tuple[Spender, ...] = ()
    """The contracts that settle orders, and others whose names are known."""
    wallet: WalletAccess | None = None
    """None without a key, or if another kind of wallet pays."""


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
    """Returns the remaining limits on orders and cancellations."""
    setup: Setup | None = None
    """None without a source for wallets."""

    @property
    def wallet(self) -> WalletAccess | None:
        """The key's access to its wallet; None without a key, or if another kind of wallet pays."""
        return self.setup.wallet if self.setup is not None else None
