"""A service for screens: views are set by the test, commands are written down, topics announced.

It implements `Queries`, `Commands` and `Subscriptions` of `pmtui.service.surface` in one object,
so that a test sets what the screen may see, presses keys, and reads what was asked for.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from typing_extensions import override

from pmtui.domain.account.address_book import AddressBook
from pmtui.domain.account.keys import PastedKey
from pmtui.domain.account.onboarding import Onboarding
from pmtui.domain.account.wallet_steps import WalletStep
from pmtui.domain.account.wallet_transactions import TransactionKey
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.conditionals.alerts import AlertId, AlertPlan
from pmtui.domain.conditionals.conditional import (
    Attachment,
    ConditionalId,
    ConditionalPlan,
    Trigger,
)
from pmtui.domain.health import HealthState, Source, SourceHealth
from pmtui.domain.ids import Address, CommandId, ConditionId, EventId, OrderId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import Market, Side
from pmtui.domain.markets.watchlist import StarKey
from pmtui.domain.money import Micros, notional_ceil, notional_floor
from pmtui.domain.orders.order import (
    Accepted,
    CancelResult,
    CancelVerdict,
    Fill,
    LimitIntent,
    MoveEnd,
    MoveVerdict,
    Order,
    OrderDraft,
    OrderIntent,
    OrderStatus,
    Rejected,
    TimeInForce,
    UnsignedOrder,
    Verdict,
)
from pmtui.service import topics
from pmtui.service.surface import PreparedOrder, Queries, WalletVerdict
from pmtui.service.topics import AnyTopic, MarketListTopic, Topic
from pmtui.service.views import (
    NOTHING_EARNED,
    AccountView,
    ActivityView,
    AlertsView,
    EarnedView,
    EventQuotesView,
    EventView,
    FillsView,
    HistoryView,
    Load,
    LogView,
    MarketListView,
    MarketView,
    Mode,
    RequestsView,
    RowBooksView,
    SearchView,
    StatusView,
    TagsView,
    TapeView,
    WatchlistView,
)
from pmtui.service.wallet.wallet_views import (
    NO_WALLET,
    Confirmed,
    PreparedId,
    WalletCard,
    WalletView,
)
from pmtui.ui.keys.actions import DEFAULT_KEYMAP, Keymap
from pmtui.ui.surface import Options, Surface

NOW = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)
ADDRESS = Address("0x" + "5a" * 20)

EMPTY_ACCOUNT = AccountView(
    load=Load.READY, balance=Micros(10_000_000_000), reserved=Micros(0), positions=(),
    open_orders=(), as_of=NOW,
)  # fmt: skip
KEYLESS_ACCOUNT = AccountView(
    load=Load.EMPTY, balance=None, reserved=Micros(0), positions=(), open_orders=(),
    as_of=None,
)  # fmt: skip
PAPER_STATUS = StatusView(
    profile="paper", mode=Mode.PAPER, mode_reason="", cash=Micros(10_000_000_000),
    portfolio_value=Micros(10_000_000_000), open_orders=0, unknown_orders=0, unread_notices=0,
    health=tuple(
        SourceHealth(source, HealthState.LIVE, NOW)
        for source in Source if source is not Source.RELAYER
    ),
    clock_skew_ms=0, now=NOW, address=ADDRESS,
)  # fmt: skip
READ_ONLY_STATUS = StatusView(
    profile="live", mode=Mode.READ_ONLY, mode_reason="no key", cash=None, portfolio_value=None,
    open_orders=0, unknown_orders=0, unread_notices=0, health=PAPER_STATUS.health,
    clock_skew_ms=None, now=NOW,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """A command as it was given."""

    name: str
    """The method of `Commands`."""
    arguments: tuple[object, ...] = ()


@dataclass(eq=False)
class FakeSubscription:
    """An interest the fake knows of; `is_open` until the subscriber lets go."""

    topics: frozenset[Topic]
    notify: Callable[[Topic], None]
    is_open: bool = True

    def close(self) -> None:
        self.is_open = False


NO_LIST = MarketListView((), Load.LOADING, has_more=False, as_of=None)


@dataclass(eq=False)
class FakeService(Queries):
    """Set the views, then `announce` their topic."""

    at: datetime = NOW
    status_view: StatusView = PAPER_STATUS
    lists: dict[MarketListTopic, MarketListView] = field(default_factory=dict)
    searches: dict[str, SearchView] = field(default_factory=dict)
    tags_view: TagsView = field(default=TagsView((), Load.READY))
    events: dict[EventId, EventView] = field(default_factory=dict)
    quotes: dict[EventId, EventQuotesView] = field(default_factory=dict)
    markets: dict[ConditionId, MarketView] = field(default_factory=dict)
    books: dict[TokenId, BookView] = field(default_factory=dict)
    tapes: dict[TokenId, TapeView] = field(default_factory=dict)
    histories: dict[tuple[TokenId, Interval], HistoryView] = field(default_factory=dict)
    account_view: AccountView = EMPTY_ACCOUNT
    own_fills: tuple[Fill, ...] = ()
    activity_view: ActivityView = field(default=ActivityView())
    earned_view: EarnedView = NOTHING_EARNED
    onboarding_view: Onboarding = field(default=Onboarding("paper"))
    wallet_view: WalletView = NO_WALLET
    addresses: AddressBook = field(default=AddressBook())
    name_problem: str = ""
    address_problem: str = ""
    """Why an address is not named, where it shall not be."""
    cards: list[WalletCard | Rejected] = field(default_factory=list)
    """Answers of `prepare_wallet` in order; without one the session has no wallet."""
    wallet_verdicts: list[WalletVerdict] = field(default_factory=list)
    """Answers of `submit_wallet` in order; without one a step is confirmed."""
    key_problem: str = ""
    """Why a relayer key is not kept, where it shall not be."""
    log_view: LogView = field(default=LogView((), 0, 0))
    requests_view: RequestsView = field(default=RequestsView((), 0))
    refusal: Rejected | None = None
    """What `prepare` answers, where it shall refuse."""
    prepares_for_s: float = 0.0
    """Seconds that pass until `prepare` answers."""
    arm_refusal: str = ""
    """What `arm` answers: "" lets single keys trade."""
    verdicts: list[Verdict] = field(default_factory=list)
    """Answers of `verdict` in order; without one an order rests as live. See `is_holding`."""
    move_verdicts: list[MoveVerdict] = field(default_factory=list)
    cancel_verdicts: list[CancelVerdict] = field(default_factory=list)
    watchlist_view: WatchlistView = field(default=WatchlistView((), Load.READY, NOW))
    fired: int = 0
    """How many price alerts have fired."""
    star_problem: str = ""
    alert_problem: str = ""
    protect_problem: str = ""
    """Why a conditional order is not watched over, where it shall not be."""
    is_holding: bool = False
    """Verdicts wait until `release` is called."""
    waited_s: float = 0.0
    """Seconds that passed for the person, while the time of a replay stood still."""
    calls: list[Call] = field(default_factory=list)
    subscriptions: list[FakeSubscription] = field(default_factory=list)
    _prepared: dict[OrderId, PreparedOrder] = field(default_factory=dict)
    _placed: dict[CommandId, tuple[PreparedOrder, ...]] = field(default_factory=dict)
    _cancelled: dict[CommandId, tuple[OrderId, ...]] = field(default_factory=dict)
    _released: asyncio.Event = field(default_factory=asyncio.Event)

    # --- what a test does with it

    def surface(self, *, keymap: Keymap = DEFAULT_KEYMAP, ascii_only: bool = False) -> Surface:
        """Return what a screen is given."""
        return Surface(self, self, self, Options(keymap=keymap, ascii_only=ascii_only))

    def stream(self, *markets: Market) -> None:
        """Have a live book for each of these, at the prices that the list tells of."""
        for market in markets:
            token_id, bid, ask = market.quoted_token, market.best_bid, market.best_ask
            if token_id is None:
                continue
            bids = () if bid is None else (Level(bid, Micros(100_000_000)),)
            asks = () if ask is None else (Level(ask, Micros(100_000_000)),)
            self.books[token_id] = BookView(token_id, BookState.LIVE, bids, asks, as_of=NOW)

    def announce(self, *topics: Topic) -> None:
        """Tell whoever watches these topics that they changed."""
        for topic in topics:
            for subscription in tuple(self.subscriptions):
                if subscription.is_open and topic in subscription.topics:
                    subscription.notify(topic)

    def watched(self) -> frozenset[Topic]:
        """Return every topic somebody watches now."""
        open_ones = [s.topics for s in self.subscriptions if s.is_open]
        return frozenset().union(*open_ones)

    def ordered_by(self, command_id: object) -> tuple[PreparedOrder, ...]:
        """Return the orders of a command."""
        return next(orders for each, orders in self._placed.items() if each == command_id)

    def calls_of(self, name: str) -> list[tuple[object, ...]]:
        """Return the arguments of every call of one command."""
        return [call.arguments for call in self.calls if call.name == name]

    def release(self) -> None:
        """Let the verdicts that wait be given."""
        self._released.set()

    # --- Queries

    @override
    def now(self) -> datetime:
        return self.at

    @override
    def monotonic(self) -> float:
        return (self.at - NOW).total_seconds() + self.waited_s

    @override
    def _read(self, topic: AnyTopic) -> object:
        return self._views[type(topic)](topic)

    def __post_init__(self) -> None:
        self._views: dict[type, Callable[..., object]] = {
            topics.StatusTopic: lambda _: self.status_view,
            topics.MarketListTopic: lambda topic: self.lists.get(topic, NO_LIST),
            topics.SearchTopic: lambda topic: self.searches.get(
                topic.text, SearchView(topic.text, (), Load.READY, indexed=0)
            ),
            topics.TagsTopic: lambda _: self.tags_view,
            topics.EventTopic: lambda topic: self.events.get(
                topic.event_id, EventView(None, Load.LOADING, None)
            ),
            topics.EventQuotesTopic: lambda topic: self.quotes.get(
                topic.event_id, EventQuotesView(())
            ),
            topics.MarketTopic: lambda topic: self.markets.get(
                topic.condition_id, MarketView(None, None, Load.LOADING, None)
            ),
            topics.BookTopic: lambda topic: self._book(topic.token_id),
            topics.RowQuotesTopic: lambda topic: RowBooksView(
                tuple(map(self._book, topic.token_ids))
            ),
            topics.TapeTopic: lambda topic: self.tapes.get(topic.token_id, TapeView((), 0)),
            topics.HistoryTopic: lambda topic: self.histories.get(
                (topic.token_id, topic.interval),
                HistoryView((), topic.interval, Load.LOADING, None),
            ),
            topics.AccountTopic: lambda _: self.account_view,
            topics.FillsTopic: lambda _: FillsView(self.own_fills),
            topics.ActivityTopic: lambda _: self.activity_view,
            topics.RewardsTopic: lambda _: self.earned_view,
            topics.OnboardingTopic: lambda _: self.onboarding_view,
            topics.AddressBookTopic: lambda _: self.addresses,
            topics.WalletTopic: lambda _: self.wallet_view,
            topics.LogTopic: lambda _: self.log_view,
            topics.RequestsTopic: lambda _: self.requests_view,
            topics.WatchlistTopic: lambda _: self.watchlist_view,
            topics.AlertTopic: lambda _: AlertsView(self.fired),
        }

    def _book(self, token_id: TokenId) -> BookView:
        return self.books.get(token_id) or BookView(token_id, BookState.LOADING)

    # --- Commands

    async def star(self, key: StarKey, title: str) -> str:
        self._record("star", key, title)
        return self.star_problem

    async def unstar(self, key: StarKey) -> str:
        self._record("unstar", key)
        return ""

    async def add_alert(self, plan: AlertPlan) -> str:
        self._record("add_alert", plan)
        return self.alert_problem

    async def remove_alert(self, alert_id: AlertId) -> str:
        self._record("remove_alert", alert_id)
        return ""

    async def prepare(
        self, intent: OrderIntent, *, replacing: OrderId | None = None
    ) -> PreparedOrder | Rejected:
        self.waited_s += self.prepares_for_s
        return self.prepare_now(intent, replacing=replacing)

    def prepare_now(
        self, intent: OrderIntent, *, replacing: OrderId | None = None
    ) -> PreparedOrder | Rejected:
        self._record("prepare", intent)
        if self.refusal is not None:
            return self.refusal
        order = _prepare(intent, number=len(self.calls))
        self._prepared[order.order_id] = order
        return order

    async def prepare_many(
        self, intents: Iterable[OrderIntent]
    ) -> tuple[PreparedOrder | Rejected, ...]:
        return tuple([await self.prepare(intent) for intent in intents])

    def place(
        self,
        order_id: OrderId,
        *,
        override: str = "",
        attached: Attachment | None = None,
        is_single_key: bool = False,
        after: CommandId | None = None,
    ) -> CommandId:
        if attached is not None:
            self._record("attach", attached)
        order = self._prepared[order_id]
        command_id = self._record("place", order, *filter(None, (override, after)))
        self._placed[command_id] = (order,)
        return command_id

    def place_many(self, order_ids: Iterable[OrderId]) -> CommandId:
        named = tuple(self._prepared[order_id] for order_id in order_ids)
        command_id = self._record("place_many", *named)
        self._placed[command_id] = named
        return command_id

    def move(self, order_id: OrderId, replacement_id: OrderId) -> CommandId:
        return self._record("move", order_id, self._prepared[replacement_id])

    def flatten(
        self,
        order_id: OrderId,
        in_the_way: Iterable[Order],
        *,
        override: str = "",
        is_single_key: bool = False,
    ) -> CommandId:
        order = self._prepared[order_id]
        command_id = self._record("flatten", order, tuple(in_the_way), *filter(None, (override,)))
        self._placed[command_id] = (order,)
        return command_id

    async def batch_verdict(self, command_id: CommandId) -> tuple[Verdict, ...]:
        await self._wait()
        orders = self._placed[command_id]
        return tuple(self._verdict_of(order) for order in orders)

    async def move_verdict(self, command_id: CommandId) -> MoveVerdict:
        await self._wait()
        if self.move_verdicts:
            return self.move_verdicts.pop(0)
        return MoveVerdict(MoveEnd.MOVED, "Moved.")

    def _verdict_of(self, order: PreparedOrder) -> Verdict:
        if self.verdicts:
            return self.verdicts.pop(0)
        return Accepted(order.unsigned.order_id, OrderStatus.LIVE, Micros(0), "It rests.")

    async def verdict(self, command_id: CommandId) -> Verdict:
        return (await self.batch_verdict(command_id))[0]

    def cancel(self, order_ids: Iterable[OrderId]) -> CommandId:
        named = tuple(order_ids)
        command_id = self._record("cancel", named)
        self._cancelled[command_id] = named
        return command_id

    def cancel_market(self, condition_id: ConditionId, token_id: TokenId | None) -> CommandId:
        return self._record("cancel_market", condition_id, token_id)

    def cancel_all(self) -> CommandId:
        return self._record("cancel_all")

    async def cancel_verdict(self, command_id: CommandId) -> CancelVerdict:
        await self._wait()
        if self.cancel_verdicts:
            return self.cancel_verdicts.pop(0)
        return CancelVerdict(CancelResult(self._cancelled.get(command_id, ())))

    async def name_address(self, address: str, name: str) -> str:
        self._record("name_address", address, name)
        return self.name_problem

    async def check_address(self, address: str) -> str:
        self._record("check_address", address)
        return self.address_problem

    async def forget_address(self, address: Address) -> str:
        self._record("forget_address", address)
        return self.name_problem

    async def prepare_wallet(self, step: WalletStep) -> WalletCard | Rejected:
        self._record("prepare_wallet", step)
        return self.cards.pop(0) if self.cards else Rejected("This session has no wallet")

    async def submit_wallet(self, prepared_id: PreparedId) -> WalletVerdict:
        self._record("submit_wallet", prepared_id)
        if self.is_holding:
            await self._released.wait()
        return self.wallet_verdicts.pop(0) if self.wallet_verdicts else Confirmed("Done")

    async def take_relayer_key(self, key: PastedKey) -> str:
        self._record("take_relayer_key", key)
        return self.key_problem

    def stop_following(self, key: TransactionKey) -> None:
        self._record("stop_following", key)

    def follow_again(self, key: TransactionKey) -> None:
        self._record("follow_again", key)

    async def arm(self) -> str:
        self._record("arm")
        return self.arm_refusal

    def disarm(self, reason: str) -> None:
        self._record("disarm", reason)

    def touch_arming(self) -> None:
        self._record("touch_arming")

    def log_refusal(self, reason: str) -> None:
        self._record("log_refusal", reason)

    async def kill(self) -> str:
        self._record("kill")
        return ""

    async def unlock_entry(self) -> str:
        self._record("unlock_entry")
        return ""

    async def protect(self, plan: ConditionalPlan) -> str:
        self._record("protect", plan)
        return self.protect_problem

    async def start_conditional(self, conditional_id: ConditionalId) -> str:
        self._record("start_conditional", conditional_id)
        return ""

    async def move_conditional(
        self, conditional_id: ConditionalId, trigger: Trigger, price: Micros
    ) -> str:
        self._record("move_conditional", conditional_id, trigger, price)
        return self.protect_problem

    async def pause_conditional(self, conditional_id: ConditionalId) -> str:
        self._record("pause_conditional", conditional_id)
        return ""

    async def cancel_conditional(
        self, conditional_id: ConditionalId, trigger: Trigger | None = None
    ) -> str:
        legs = () if trigger is None else (trigger,)
        self._record("cancel_conditional", conditional_id, *legs)
        return ""

    def load_more(self, topic: MarketListTopic) -> None:
        self._record("load_more", topic)

    def refresh(self, topic: Topic) -> None:
        self._record("refresh", topic)

    def mark_log_read(self, sequence: int) -> None:
        self._record("mark_log_read", sequence)

    # --- Subscriptions

    def subscribe(
        self, topics: Iterable[Topic], notify: Callable[[Topic], None]
    ) -> FakeSubscription:
        subscription = FakeSubscription(frozenset(topics), notify)
        self.subscriptions.append(subscription)
        asyncio.get_running_loop().call_soon(self._announce_first, subscription)
        return subscription

    def _announce_first(self, subscription: FakeSubscription) -> None:
        for topic in subscription.topics:
            if subscription.is_open:
                subscription.notify(topic)

    def _record(self, name: str, *arguments: object) -> CommandId:
        self.calls.append(Call(name, arguments))
        return CommandId(f"command-{len(self.calls)}")

    async def _wait(self) -> None:
        if self.is_holding:
            await self._released.wait()


# The amounts as the venue reads them: what is given is rounded up, what is taken rounded down.
def _prepare(intent: OrderIntent, *, number: int) -> PreparedOrder:
    is_buy = intent.side is Side.BUY
    if isinstance(intent, LimitIntent):
        price, size = intent.price, intent.size
        cash = notional_ceil(price, size) if is_buy else notional_floor(price, size)
        time_in_force, is_post_only = intent.time_in_force, intent.is_post_only
        expires_at = intent.expires_at
    else:
        price, cash = intent.worst_price, intent.amount
        size = Micros(cash * 1_000_000 // price)
        time_in_force, is_post_only, expires_at = intent.time_in_force, False, None
    is_timed = time_in_force is TimeInForce.GTD and expires_at is not None
    draft = OrderDraft(
        token_id=intent.token_id,
        is_buy=is_buy,
        maker_amount=cash if is_buy else size,
        taker_amount=size if is_buy else cash,
        neg_risk=False,
        time_in_force=time_in_force.value,
        is_post_only=is_post_only,
        expiration_s=int(expires_at.timestamp()) + 60 if is_timed and expires_at else 0,
    )
    unsigned = UnsignedOrder(
        draft=draft,
        order_id=OrderId(f"0x{number:064x}"),
        contents_hash=bytes(32),
        salt=number,
        maker=ADDRESS,
        signer=ADDRESS,
        signature_type=0,
        timestamp_ms=int(NOW.timestamp() * 1000),
        metadata="0x" + "00" * 32,
        builder="0x" + "00" * 32,
        exchange=Address("0x" + "e1" * 20),
        chain_id=137,
    )
    return PreparedOrder(
        intent=intent,
        unsigned=unsigned,
        condition_id=intent.condition_id,
        outcome="Yes",
        market_title="A market",
        price=price,
        size=size,
        cash=cash,
        worst_fee=Micros(0),
    )
