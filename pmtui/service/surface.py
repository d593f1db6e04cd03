"""The three narrow things a front end gets: queries, commands and subscriptions.

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
    """Reads of what the service knows now. None waits; subscribing is what makes it fetch."""

    def now(self) -> datetime:
        """The service's clock; in a replay, the time of the recording."""
        ...

    def monotonic(self) -> float:
        """Monotonic seconds of this machine.

        A replay that is paused or plays faster changes nothing about them. What protects a person's
        eyes and hands counts these; ages of what the venue says are told by `now`.
        """
        ...

    def status(self) -> StatusView:
        """Return the status line's content."""
        ...

    def market_list(self, topic: MarketListTopic) -> MarketListView:
        """Return as much of a list as is loaded."""
        ...

    def search(self, topic: SearchTopic) -> SearchView:
        """Return local results at once, the venue's own merged in when they are here."""
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
        """Return a token's book with its worth."""
        ...

    def row_books(self, topic: RowQuotesTopic) -> RowBooksView:
        """Return the books of the rows in view of a list."""
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
        """Return closed positions and what else happened."""
        ...

    def earned(self) -> EarnedView:
        """Return what resting orders brought."""
        ...

    def watchlist(self) -> WatchlistView:
        """Return what is starred, and the price alerts."""
        ...

    def alerts(self) -> AlertsView:
        """Return how many price alerts have fired in this session."""
        ...

    def onboarding(self) -> Onboarding:
        """Return how far the account has come on its way to trading."""
        ...

    def wallet(self) -> WalletView:
        """Return how it stands with the wallet, its approvals and its transactions."""
        ...

    def address_book(self) -> AddressBook:
        """Return the trader's own names for addresses."""
        ...

    def log(self) -> LogView:
        """Return the log."""
        ...

    def requests(self) -> RequestsView:
        """Return what was asked of the hosts lately."""
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
"""The query that answers with a topic's view; each takes the topic, or its fields."""


@dataclass(frozen=True, slots=True)
class PreparedOrder:
    """An order ready to be confirmed: the card is drawn from `unsigned`, and that gets signed."""

    intent: OrderIntent
    unsigned: UnsignedOrder
    condition_id: ConditionId
    outcome: str
    market_title: str
    price: Micros
    """Derived from the amounts, as the venue does."""
    size: Micros
    """Shares bought or sold if all of it fills."""
    cash: Micros
    """Dollars given or received if all of it fills, fee aside."""
    worst_fee: Micros
    """Most taker fee that its shares can cost, at whatever price within the limit they fill."""
    is_derived: bool = True
    """Whether the token follows from the condition id; else two hosts agree on it, and no more."""
    replaces_size: Micros | None = None
    """Shares that the order in whose place it goes had left as this was prepared; None for none."""

    @property
    def order_id(self) -> OrderId:
        """Names it: the service keeps what was prepared for a minute, and signs nothing else."""
        return self.unsigned.order_id


MOST_IN_BATCH = 15
"""Orders that go in one request (docs/wire.md#orders)."""


class SafetyCommands(Protocol):
    """What makes trading safer, or gives way again."""

    async def arm(self) -> str:
        """Arm single keys; returns why that is refused, or an empty string."""
        ...

    def disarm(self, reason: str) -> None:
        """Disarm single keys; returns the reason if they were armed."""
        ...

    def touch_arming(self) -> None:
        """Note that a trading key was used, which restarts the idle time before it disarms."""
        ...

    async def kill(self) -> str:
        """Cancel everything, disarm, and lock entry until it is released, also after a restart.

        Returns:
            What of it is not certain, or an empty string.
        """
        ...

    async def unlock_entry(self) -> str:
        """Release the lock of entry; returns why that failed, or an empty string."""
        ...


class ConditionalCommands(Protocol):
    """Conditional orders: watched over by the service, and only while it runs."""

    async def protect(self, plan: ConditionalPlan) -> str:
        """Watch over a plan from now on; returns why not, "" when it is watched over."""
        ...

    async def start_conditional(self, conditional_id: ConditionalId) -> str:
        """Start a paused one again; returns why not."""
        ...

    async def move_conditional(
        self, conditional_id: ConditionalId, trigger: Trigger, price: Micros
    ) -> str:
        """Change the trigger price; returns why not, or an empty string."""
        ...

    async def pause_conditional(self, conditional_id: ConditionalId) -> str:
        """Pause one; return why not."""
        ...

    async def cancel_conditional(
        self, conditional_id: ConditionalId, trigger: Trigger | None = None
    ) -> str:
        """End one for good, or of a pair one of its two prices; return why not."""
        ...


class WatchCommands(Protocol):
    """What is kept in sight, and which prices are waited for."""

    async def star(self, key: StarKey, title: str) -> str:
        """Star something; return why not, "" when it is starred."""
        ...

    async def unstar(self, key: StarKey) -> str:
        """Remove a star; alerts that wait for the same thing stay. Return why not."""
        ...

    async def add_alert(self, plan: AlertPlan) -> str:
        """Wait for a price from now on; returns why not, "" when it is waited for."""
        ...

    async def remove_alert(self, alert_id: AlertId) -> str:
        """Forget a price alert, whatever became of it; return why not."""
        ...


WalletVerdict = Confirmed | Failed | NotKnown | Rejected
"""How a step of the wallet ended; rejected ones never left."""


class WalletCommands(Protocol):
    """What the wallet is to do. Nothing is signed that was not on a card before."""

    async def prepare_wallet(self, step: WalletStep) -> WalletCard | Rejected:
        """Fix everything that will be signed for a step, and keep it for a minute."""
        ...

    async def submit_wallet(self, prepared_id: PreparedId) -> WalletVerdict:
        """Journal, sign and submit a prepared step once, and wait for its end.

        The work is the service's: whoever stops waiting ends nothing.
        """
        ...

    async def take_relayer_key(self, key: PastedKey) -> str:
        """Store a relayer key of the trader's; return why not, "" when it is stored."""
        ...

    async def name_address(self, address: str, name: str) -> str:
        """Name an address for sending; returns why not, "" when it is kept."""
        ...

    async def check_address(self, address: str) -> str:
        """Check an address and its checksum; returns what is wrong, "" where nothing is."""
        ...

    async def forget_address(self, address: Address) -> str:
        """Forget the name of an address; returns why not."""
        ...

    def stop_following(self, key: TransactionKey) -> None:
        """Stop checking a transaction; whoever waits for it is told that its end is unknown."""
        ...

    def follow_again(self, key: TransactionKey) -> None:
        """Check a transaction again."""
        ...


class Commands(SafetyCommands, ConditionalCommands, WatchCommands, WalletCommands, Protocol):
    """What a trader can ask for; the service owns the work.

    What is awaited is answered by the service without waiting for a host. Where it lives in another
    process, only the way there takes time.
    """

    async def prepare(
        self, intent: OrderIntent, *, replacing: OrderId | None = None
    ) -> PreparedOrder | Rejected:
        """Fix amounts, salt and time of an order so that it can be shown, signed and found again.

        What the trader's own limits or the kill switch would refuse is refused here already.

        Args:
            intent: what the trader means.
            replacing: an order of ours whose place it takes: it does not count any more.
        """
        ...

    async def prepare_many(
        self, intents: Iterable[OrderIntent]
    ) -> tuple[PreparedOrder | Rejected, ...]:
        """Prepare the legs of a batch, each on its own merits; limits count those before it."""
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
            order_id: of what was prepared, in the last minute.
            override: what the trader permitted with it, for the journal; empty for nothing.
            attached: a stop and a target for the shares that a purchase brings, journaled with it.
            is_single_key: no card came before it: without an override it leaves only while its
                book is good.
        """
        ...

    def place_many(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Send up to `MOST_IN_BATCH` prepared orders in one request, all journaled before it."""
        ...

    def move(self, order_id: OrderId, replacement_id: OrderId) -> CommandId:
        """Cancel an order, and once it is surely gone send another for what is left of it."""
        ...

    def flatten(
        self,
        order_id: OrderId,
        in_the_way: Iterable[Order],
        *,
        override: str = "",
        is_single_key: bool = False,
    ) -> CommandId:
        """Cancel own orders, and once they are surely gone sell a position.

        Args:
            order_id: of the sale; one for fewer shares is signed where the open sales fill meanwhile.
            in_the_way: sales that tie the shares up, as they were when this was agreed, and bids
                that the sale would meet. Nothing is sold to ourselves.
            override: as in `place`.
            is_single_key: as in `place`.
        """
        ...

    async def verdict(self, command_id: CommandId) -> Verdict:
        """Wait until it is known how a placed order ended; Unknown comes first where it must."""
        ...

    async def batch_verdict(self, command_id: CommandId) -> tuple[Verdict, ...]:
        """Wait until something can be said of every order of a batch, in their order."""
        ...

    async def move_verdict(self, command_id: CommandId) -> MoveVerdict:
        """Wait until it is known how a move ended, or that it is not known."""
        ...

    def cancel(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Cancel the named orders; repeated until there is an answer."""
        ...

    def cancel_market(self, condition_id: ConditionId, token_id: TokenId | None) -> CommandId:
        """Cancel own orders of a market, or of one of its tokens."""
        ...

    def cancel_all(self) -> CommandId:
        """Cancel every open order."""
        ...

    async def cancel_verdict(self, command_id: CommandId) -> CancelVerdict:
        """Wait until it is known how a cancellation ended."""
        ...

    def load_more(self, topic: MarketListTopic) -> None:
        """Fetch the next page of a list, unless one is on its way."""
        ...

    def refresh(self, topic: Topic) -> None:
        """Fetch a topic anew."""
        ...

    def mark_log_read(self, sequence: int) -> None:
        """Count everything up to this entry as read."""
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
"""What is awaited for the end of each command that returns an id."""


class Subscription(Protocol):
    """A subscription to topics; closing it stops feeds that nothing else needs."""

    def close(self) -> None:
        """Unsubscribe."""
        ...


class Subscriptions(Protocol):
    """Tells when a topic changed; the subscriber then asks `Queries` for it."""

    def subscribe(self, topics: Iterable[Topic], notify: Callable[[Topic], None]) -> Subscription:
        """Subscribe to changes of these topics; each is announced at most once a frame, on the event loop.

        The current state is announced once for every topic right after subscribing.
        """
        ...
