"""The three narrow interfaces of a front end: queries, commands and subscriptions.

They pass only frozen values, so that the service can live in a process of its own.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Concatenate, ParamSpec, Protocol, TypeVar, cast

from pmtui.domain.account.keys import PastedKey
from pmtui.domain.account.wallet_steps import WalletStep
from pmtui.domain.account.wallet_transactions import TransactionKey
from pmtui.domain.conditionals.alerts import AlertId, AlertPlan
from pmtui.domain.conditionals.conditional import (
    Attachment,
    ConditionalId,
    ConditionalPlan,
    Trigger,
)
from pmtui.domain.ids import Address, CommandId, ConditionId, OrderId, TokenId
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
from pmtui.service import topics
from pmtui.service.topics import VIEW_TYPES, AnyTopic, MarketListTopic, Topic, TopicOf
from pmtui.service.wallet.wallet_views import (
    Confirmed,
    Failed,
    NotKnown,
    PreparedId,
    WalletCard,
)

P = ParamSpec("P")
V = TypeVar("V")

ARM_WITHIN_S = 2.0
"""Seconds from its key press in which `arm` may arm: after that, it has not answered the trader."""


def _query(topic: Callable[P, TopicOf[V]]) -> "Callable[Concatenate[Queries, P], V]":
    """Return the query that takes a topic's fields and returns its view."""

    def query(queries: "Queries", /, *fields: P.args, **named: P.kwargs) -> V:
        return queries.view(topic(*fields, **named))

    return query


class Queries(ABC):
    """Reads of the service's current state. None waits; subscribing makes the service fetch."""

    @abstractmethod
    def now(self) -> datetime:
        """The service's clock; in a replay, the time of the recording."""

    @abstractmethod
    def monotonic(self) -> float:
        """Monotonic seconds of this machine.

        A paused or faster replay does not affect them. Use them for delays that protect the user's
        eyes and hands; ages of the venue's data are based on `now`.
        """

    @abstractmethod
    def _read(self, topic: AnyTopic) -> object:
        """Return the newest view of a topic."""

    def view(self, topic: TopicOf[V]) -> V:
        """Return the newest view of a topic."""
        view = self._read(topic)
        assert isinstance(view, VIEW_TYPES[type(topic)])
        return cast("V", view)

    status = _query(topics.StatusTopic)
    """The status line's content."""
    tags = _query(topics.TagsTopic)
    """The tags known so far."""
    event = _query(topics.EventTopic)
    """An event."""
    event_quotes = _query(topics.EventQuotesTopic)
    """Live prices of an event's markets."""
    market = _query(topics.MarketTopic)
    """A market and its terms."""
    book = _query(topics.BookTopic)
    """A token's book with its data quality."""
    tape = _query(topics.TapeTopic)
    """Public trades of a token."""
    history = _query(topics.HistoryTopic)
    """The price history of a token."""
    account = _query(topics.AccountTopic)
    """Cash, positions and open orders."""
    fills = _query(topics.FillsTopic)
    """Our own fills."""
    activity = _query(topics.ActivityTopic)
    """Closed positions and other activity."""
    earned = _query(topics.RewardsTopic)
    """What resting orders earned."""
    watchlist = _query(topics.WatchlistTopic)
    """Starred items and price alerts."""
    alerts = _query(topics.AlertTopic)
    """How many price alerts have fired in this session."""
    onboarding = _query(topics.OnboardingTopic)
    """The account's progress through onboarding."""
    wallet = _query(topics.WalletTopic)
    """The wallet's state: approvals and transactions."""
    address_book = _query(topics.AddressBookTopic)
    """The trader's address book."""
    log = _query(topics.LogTopic)
    """The log."""
    requests = _query(topics.RequestsTopic)
    """The recent requests to the hosts."""


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
WalletVerdict = Confirmed | Failed | NotKnown | Rejected
"""The result of a wallet step; rejected ones were never sent."""


class Commands(Protocol):
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
        after: CommandId | None = None,
    ) -> CommandId:
        """Journal, sign and send a prepared order.

        Args:
            order_id: of an order prepared within the last minute.
            override: the exception that the trader permitted, for the journal; empty if none.
            attached: a stop and a target for the purchased shares, journaled with it.
            is_single_key: whether no card was shown before: without an override it is sent only
                while its book is good.
            after: a command given just before, whose order must have filled whole first. If that takes
                longer than a few seconds, or single keys are disarmed meanwhile, this one is rejected. It
                is the service that waits; a later run of it knows nothing of the order.
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

    # Safety: what makes trading safer, or releases a safeguard.

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

    # Conditional orders: monitored by the service, and only while it runs.

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

    # The watchlist and price alerts.

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

    # The wallet. Nothing is signed that was not on a card before.

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
