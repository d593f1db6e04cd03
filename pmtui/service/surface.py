"""The three narrow interfaces of a front end: queries, commands and subscriptions.

They pass only frozen values, so that the service can live in a process of its own.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pmtui.domain.account.address_book import AddressBook
from pmtui.domain.account.keys import PastedKey
from pmtui.domain.account.onboarding import Onboarding
from pmtui.domain.account.wallet_steps import WalletStep
from pmtui.domain.account.wallet_transactions import TransactionKey
from pmtui.domain.books.book_view import BookView
from pmtui.domain.conditionals.alerts import AlertId, AlertPlan
from pmtui.domain.conditionals.conditional import (
    Attachment,
    ConditionalId,
    ConditionalPlan,
    Trigger,
)
from pmtui.domain.ids import Address, CommandId, ConditionId, EventId, OrderId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import NO_FEE, FeeSchedule
from pmtui.domain.markets.watchlist import StarKey
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    CancelVerdict,
    MoveVerdict,
    Order,
    OrderIntent,
    Rejected,
    UnsignedOrder,
    Verdict,
)
from pmtui.service.topics import (
    AccountTopic,
    ActivityTopic,
    AddressBookTopic,
    AlertTopic,
    BookTopic,
    EventQuotesTopic,
    EventTopic,
    FillsTopic,
    HistoryTopic,
    LogTopic,
    MarketListTopic,
    MarketTopic,
    OnboardingTopic,
    RequestsTopic,
    RewardsTopic,
    RowQuotesTopic,
    SearchTopic,
    StatusTopic,
    TagsTopic,
    TapeTopic,
    Topic,
    WalletTopic,
    WatchlistTopic,
)
from pmtui.service.views import (
    AccountView,
    ActivityView,
    AlertsView,
    EarnedView,
    EventQuotesView,
    EventView,
    FillsView,
    HistoryView,
    LogView,
    MarketListView,
    MarketView,
    RequestsView,
    RowBooksView,
    SearchView,
    StatusView,
    TagsView,
    TapeView,
    WatchlistView,
)
from pmtui.service.wallet.wallet_views import (
    Confirmed,
    Failed,
    NotKnown,
    PreparedId,
    WalletCard,
    WalletView,
)


class Queries(Protocol):
    """Reads of the service's current state. None waits; subscribing makes the service fetch."""

    def now(self) -> datetime:
        """The service's clock; in a replay, the time of the recording."""
        ...

    def monotonic(self) -> float:
        """Monotonic seconds of this machine.

        A paused or faster replay does not affect them. Use them for delays that protect the user's
        eyes and hands; ages of the venue's data are based on `now`.
        """
        ...

    def status(self) -> StatusView:
        """Return the status line's content."""
        ...

    def market_list(self, topic: MarketListTopic) -> MarketListView:
        """Return the loaded part of a list."""
        ...

    def search(self, topic: SearchTopic) -> SearchView:
        """Return local results at once, merged with the venue's own when they arrive."""
        ...

    def tags(self) -> TagsView:
        """Return the tags known so far."""
        ...

    def event(self, event_id: EventId) -> EventView:
        """Return an event."""
        ...

    def event_quotes(self, event_id: EventId) -> EventQuotesView:
        """Return live prices of an event's markets."""
        ...

    def market(self, condition_id: ConditionId) -> MarketView:
        """Return a market and its terms."""
        ...

    def book(self, token_id: TokenId) -> BookView:
        """Return a token's book with its data quality."""
        ...

    def row_books(self, topic: RowQuotesTopic) -> RowBooksView:
        """Return the books of a list's visible rows."""
        ...

    def tape(self, token_id: TokenId) -> TapeView:
        """Return public trades of a token."""
        ...

    def history(self, token_id: TokenId, interval: Interval) -> HistoryView:
        """Return the price history of a token."""
        ...

    def account(self) -> AccountView:
        """Return cash, positions and open orders."""
        ...

    def fills(self) -> FillsView:
        """Return our own fills."""
        ...

    def activity(self) -> ActivityView:
        """Return closed positions and other activity."""
        ...

    def earned(self) -> EarnedView:
        """Return what resting orders earned."""
        ...

    def watchlist(self) -> WatchlistView:
        """Return starred items and price alerts."""
        ...

    def alerts(self) -> AlertsView:
        """Return how many price alerts have fired in this session."""
        ...

    def onboarding(self) -> Onboarding:
        """Return the account's progress through onboarding."""
        ...

    def wallet(self) -> WalletView:
        """Return the wallet's state: approvals and transactions."""
        ...

    def address_book(self) -> AddressBook:
        """Return the trader's address book."""
        ...

    def log(self) -> LogView:
        """Return the log."""
        ...

    def requests(self) -> RequestsView:
        """Return the recent requests to the hosts."""
        ...


QUERY_OF_TOPIC: Mapping[type, str] = {
    StatusTopic: "status",
    MarketListTopic: "market_list",
    SearchTopic: "search",
    TagsTopic: "tags",
    EventTopic: "event",
    EventQuotesTopic: "event_quotes",
    RowQuotesTopic: "row_books",
    MarketTopic: "market",
    BookTopic: "book",
    TapeTopic: "tape",
    HistoryTopic: "history",
    AccountTopic: "account",
    FillsTopic: "fills",
    ActivityTopic: "activity",
    RewardsTopic: "earned",
    OnboardingTopic: "onboarding",
    WalletTopic: "wallet",
    AddressBookTopic: "address_book",
    WatchlistTopic: "watchlist",
    AlertTopic: "alerts",
    LogTopic: "log",
    RequestsTopic: "requests",
}
"""The query that returns a topic's view; each takes the topic, or its fields."""


@dataclass(frozen=True, slots=True)
class PreparedOrder:
    """An order ready to be confirmed: the card shows `unsigned`, and exactly that is signed."""

    intent: OrderIntent
    unsigned: UnsignedOrder
    condition_id: ConditionId
    outcome: str
    market_title: str
    price: Micros
    """Derived from the amounts, as the venue does it."""
    size: Micros
    """Shares bought or sold if all of it fills."""
    cash: Micros
    """Dollars paid or received if all of it fills, before fees."""
    worst_fee: Micros
    """The largest possible taker fee for its shares, at any price within the limit."""
    is_derived: bool = True
    """Whether the token was derived from the condition id; if not, only two hosts agree on it."""
    fee: FeeSchedule = NO_FEE
    """The market's taker fee."""
    replaces_size: Micros | None = None
    """Remaining shares of the replaced order at preparation; None if it replaces none."""

    @property
    def order_id(self) -> OrderId:
        """Its id: the service keeps a prepared order for a minute, and signs nothing else."""
        return self.unsigned.order_id


MOST_IN_BATCH = 15
"""Orders in one request (docs/wire.md#orders)."""


class SafetyCommands(Protocol):
    """Commands that make trading safer, or release a safeguard."""

    async def arm(self) -> str:
        """Arm single keys; return why that is refused, or "" on success."""
        ...

    def disarm(self, reason: str) -> None:
        """Disarm single keys; the reason is reported if they were armed."""
        ...

    def touch_arming(self) -> None:
        """Record the use of a trading key, which restarts the idle time."""
        ...

    def log_refusal(self, reason: str) -> None:
        """Log why a single key sent nothing: it is shown for a few seconds alone."""
        ...

    async def kill(self) -> str:
        """Cancel everything, disarm, and lock order entry, even after a restart, until it is released.

        Returns:
            What is uncertain about it, or "".
        """
        ...

    async def unlock_entry(self) -> str:
        """Release the kill lock; return why that failed, or "" on success."""
        ...


class ConditionalCommands(Protocol):
    """Conditional orders: monitored by the service, and only while it runs."""

    async def protect(self, plan: ConditionalPlan) -> str:
        """Start monitoring a plan; return why not, or "" on success."""
        ...

    async def start_conditional(self, conditional_id: ConditionalId) -> str:
        """Resume a paused conditional order; return why not, or "" on success."""
        ...

    async def move_conditional(
        self, conditional_id: ConditionalId, trigger: Trigger, price: Micros
    ) -> str:
        """Change the trigger price; return why not, or "" on success."""
        ...

    async def pause_conditional(self, conditional_id: ConditionalId) -> str:
        """Pause a conditional order; return why not, or "" on success."""
        ...

    async def cancel_conditional(
        self, conditional_id: ConditionalId, trigger: Trigger | None = None
    ) -> str:
        """Cancel a conditional order, or one of a pair's two prices; return why not, or "" on success."""
        ...


class WatchCommands(Protocol):
    """Commands for the watchlist and price alerts."""

    async def star(self, key: StarKey, title: str) -> str:
        """Star an item; return why not, or "" on success."""
        ...

    async def unstar(self, key: StarKey) -> str:
        """Remove a star; alerts on the same item stay. Return why not, or "" on success."""
        ...

    async def add_alert(self, plan: AlertPlan) -> str:
        """Add a price alert; return why not, or "" on success."""
        ...

    async def remove_alert(self, alert_id: AlertId) -> str:
        """Remove a price alert in any state; return why not, or "" on success."""
        ...


WalletVerdict = Confirmed | Failed | NotKnown | Rejected
"""The result of a wallet step; rejected ones were never sent."""


class WalletCommands(Protocol):
    """Commands for the wallet. Nothing is signed that was not on a card before."""

    async def prepare_wallet(self, step: WalletStep) -> WalletCard | Rejected:
        """Fix everything that is signed for a step, and keep it for a minute."""
        ...

    async def submit_wallet(self, prepared_id: PreparedId) -> WalletVerdict:
        """Journal, sign and submit a prepared step once, and wait for its result.

        The service owns the work: cancelling the wait does not stop it.
        """
        ...

    async def take_relayer_key(self, key: PastedKey) -> str:
        """Store a relayer key supplied by the trader; return why not, or "" on success."""
        ...

    async def name_address(self, address: str, name: str) -> str:
        """Name an address for sending; return why not, or "" on success."""
        ...

    async def check_address(self, address: str) -> str:
        """Check an address and its checksum; return what is wrong, or "" if it is valid."""
        ...

    async def forget_address(self, address: Address) -> str:
        """Remove the name of an address; return why not, or "" on success."""
        ...

    def stop_following(self, key: TransactionKey) -> None:
        """Stop checking a transaction; anything waiting for it is told that its result is unknown."""
        ...

    def follow_again(self, key: TransactionKey) -> None:
        """Resume checking a transaction."""
        ...


class Commands(SafetyCommands, ConditionalCommands, WatchCommands, WalletCommands, Protocol):
    """The commands of a trader; the service owns the work.

    The service completes awaited calls without waiting for a host. If it is in another process,
    only the transmission takes time.
    """

    async def prepare(
        self, intent: OrderIntent, *, replacing: OrderId | None = None
    ) -> PreparedOrder | Rejected:
        """Fix amounts, salt and time of an order so that it can be shown, signed and found again.

        Orders that the trader's own limits or the kill switch would refuse are already refused
        here.

        Args:
            intent: the trader's intent.
            replacing: an own order that it replaces, and which no longer counts.
        """
        ...

    async def prepare_many(
        self, intents: Iterable[OrderIntent]
    ) -> tuple[PreparedOrder | Rejected, ...]:
        """Prepare the legs of a batch, each independently; limits count the legs before it."""
        ...

    def place(
        self,
        order_id: OrderId,
        *,
        override: str = "",
        attached: Attachment | None = None,
        is_single_key: bool = False,
    ) -> CommandId:
        """Journal, sign and send a prepared order.

        Args:
            order_id: of an order prepared within the last minute.
            override: the exception that the trader permitted, for the journal; empty if none.
            attached: a stop and a target for the purchased shares, journaled with it.
            is_single_key: whether no card was shown before: without an override it is sent only
                while its book is good.
        """
        ...

    def place_many(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Send up to `MOST_IN_BATCH` prepared orders in one request, all journaled before."""
        ...

    def move(self, order_id: OrderId, replacement_id: OrderId) -> CommandId:
        """Cancel an order, and once it is certainly gone, send another for its rest."""
        ...

    def flatten(
        self,
        order_id: OrderId,
        in_the_way: Iterable[Order],
        *,
        override: str = "",
        is_single_key: bool = False,
    ) -> CommandId:
        """Cancel own orders, and once they are certainly gone, sell a position.

        Args:
            order_id: of the sale; one for fewer shares is signed if the open sales fill meanwhile.
            in_the_way: sales that reserve the shares, as of the confirmation, and bids that the sale
                would match. Nothing is sold to ourselves.
            override: as in `place`.
            is_single_key: as in `place`.
        """
        ...

    async def verdict(self, command_id: CommandId) -> Verdict:
        """Wait for the verdict of a placed order; it may be Unknown at first."""
        ...

    async def batch_verdict(self, command_id: CommandId) -> tuple[Verdict, ...]:
        """Wait for a verdict on every order of a batch, in their order."""
        ...

    async def move_verdict(self, command_id: CommandId) -> MoveVerdict:
        """Wait for the verdict of a move, which may be that it is unknown."""
        ...

    def cancel(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Cancel the named orders; repeated until there is a reply."""
        ...

    def cancel_market(self, condition_id: ConditionId, token_id: TokenId | None) -> CommandId:
        """Cancel own orders in a market, or in one of its tokens."""
        ...

    def cancel_all(self) -> CommandId:
        """Cancel every open order."""
        ...

    async def cancel_verdict(self, command_id: CommandId) -> CancelVerdict:
        """Wait for the verdict of a cancellation."""
        ...

    def load_more(self, topic: MarketListTopic) -> None:
        """Fetch the next page of a list, unless one is being fetched."""
        ...

    def refresh(self, topic: Topic) -> None:
        """Fetch a topic again."""
        ...

    def mark_log_read(self, sequence: int) -> None:
        """Mark everything up to this entry as read."""
        ...


VERDICT_OF_COMMAND: Mapping[str, str] = {
    "place": "verdict",
    "place_many": "batch_verdict",
    "move": "move_verdict",
    "flatten": "verdict",
    "cancel": "cancel_verdict",
    "cancel_market": "cancel_verdict",
    "cancel_all": "cancel_verdict",
}
"""The method that waits for the verdict of each command that returns an id."""


class Subscription(Protocol):
    """A subscription to topics; closing it stops feeds that nothing else needs."""

    def close(self) -> None:
        """Unsubscribe."""
        ...


class Subscriptions(Protocol):
    """Notifies when a topic changed; the subscriber then reads `Queries`."""

    def subscribe(self, topics: Iterable[Topic], notify: Callable[[Topic], None]) -> Subscription:
        """Subscribe to changes of these topics; each is announced at most once a frame, on the event loop.

        Every topic is announced once right after subscribing.
        """
        ...
