"""The outside of the service, scripted: every fake fulfils a port."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pmtui.domain.account.onboarding import TradingKey
from pmtui.domain.account.position import Activity, ClosedPosition, Position
from pmtui.domain.answers import (
    MAX_PAGES,
    Failure,
    FailureKind,
    GeoAnswer,
    Listing,
    Named,
    Page,
    Value,
)
from pmtui.domain.books.market_events import BookSnapshot, MarketEvent
from pmtui.domain.books.tape import PastTrades
from pmtui.domain.health import Link, LinkState, RateBudget
from pmtui.domain.ids import (
    Address,
    ConditionId,
    EventId,
    MarketId,
    OrderId,
    TokenId,
    TradeId,
)
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import (
    NO_FEE,
    Comment,
    Event,
    Holder,
    Market,
    MarketSort,
    MarketTerms,
    Outcome,
    Side,
    Tag,
)
from pmtui.domain.money import Micros
from pmtui.domain.orders.heartbeat import HeartbeatId
from pmtui.domain.orders.order import (
    BalanceAllowance,
    CancelResult,
    Fill,
    Liquidity,
    Order,
    OrderDraft,
    OrderStatus,
    PostResult,
    PostStatus,
    TimeInForce,
    TradePrint,
    TradeStatus,
    UnsignedOrder,
    UserEvent,
)
from pmtui.service.data_service import DataService
from pmtui.service.health import Health
from pmtui.service.journal.journal import Journal
from pmtui.service.ports import Account, Hosts, LastCheck, Setup
from pmtui.service.profile import AS_SHIPPED, Profile, Tuning
from pmtui.service.topics import Topic
from pmtui.service.views import Load, Mode
from tests.manual_clock import ManualClock, settle

YES = TokenId("7000000000000000000000000000000000000000000000000000000000000000000000000001")
NO = TokenId("8000000000000000000000000000000000000000000000000000000000000000000000000002")
CONDITION = ConditionId("0x" + "ab" * 32)
EVENT = EventId("501")
WALLET = Address("0xBc0fF067b7740Eff76C1ca93c875Ba6B890d6B50")

MARKET = Market(
    market_id=MarketId("901"),
    condition_id=CONDITION,
    slug="river-over-four-metres",
    question="Will the river rise over four metres?",
    outcomes=(Outcome("Yes", YES, Micros(420_000)), Outcome("No", NO, Micros(580_000))),
    tick_size=Micros(10_000),
    min_order_size=Micros(5_000_000),
    best_bid=Micros(410_000),
    best_ask=Micros(430_000),
    volume_24h=Micros(1_000_000_000),
)
EVENT_WITH_MARKET = Event(EVENT, "river", "River levels", (MARKET,))
TERMS = MarketTerms(
    condition_id=CONDITION,
    token_ids=(YES, NO),
    outcome_labels=("Yes", "No"),
    tick_size=Micros(10_000),
    min_order_size=Micros(5_000_000),
    neg_risk=False,
    fee=NO_FEE,
)


SLOWLY_S = 1.0
"""Less than any deadline of an order."""


def lost(route: str = "POST /order") -> Failure:
    return Failure(FailureKind.LOST, route, "timed out")


def open_lane() -> asyncio.Event:
    """Return the way out for orders, as it is while nobody waits in line."""
    lane = asyncio.Event()
    lane.set()
    return lane


async def _on_the_way() -> None:
    """Answer in a later step of the loop than the question, as every host does."""
    await asyncio.sleep(0)


async def _at_once(_: str) -> None:
    """Let a question or an answer arrive without any time passing."""


@dataclass
class FakeMetadata:
    events: list[Event] = field(default_factory=lambda: [EVENT_WITH_MARKET])
    page_size: int = 50
    found: tuple[Event, ...] = ()
    failure: Failure | None = None
    listed: list[str | None] = field(default_factory=list)
    item_failure: Failure | None = None
    """What every question about one event or market is answered with, where it shall be."""
    asked: list[str] = field(default_factory=list)
    """Which events and markets were asked for by their ids."""

    async def list_events(
        self,
        *,
        sort: MarketSort,
        tag_slug: str,
        include_closed: bool,
        cursor: str | None,
        is_reversed: bool = False,
    ) -> Page[Event] | Failure:
        self.listed.append(cursor)
        await _on_the_way()
        if self.failure is not None:
            return self.failure
        start = int(cursor or 0)
        end = start + self.page_size
        return Page(tuple(self.events[start:end]), str(end) if end < len(self.events) else None)

    async def event(self, event_id: EventId) -> Event | Failure:
        self.asked.append(event_id)
        if self.item_failure is not None:
            return self.item_failure
        known = {e.event_id: e for e in self.events}
        return known.get(event_id) or Failure(FailureKind.NOT_FOUND, "GET /events/{id}", "no")

    async def market(self, condition_id: ConditionId) -> Market | Failure:
        self.asked.append(condition_id)
        if self.item_failure is not None:
            return self.item_failure
        markets = {m.condition_id: m for e in self.events for m in e.markets}
        return markets.get(condition_id) or Failure(FailureKind.NOT_FOUND, "GET /markets", "no")

    async def search(self, text: str) -> Page[Event] | Failure:
        return Page(self.found, None)

    async def tags(self) -> Page[Tag] | Failure:
        return Page((), None)

    async def comments(self, event_id: EventId) -> Page[Comment] | Failure:
        return Page((), None)


@dataclass
class FakeTrading:
    clock: ManualClock = field(default_factory=ManualClock)
    ahead: timedelta = timedelta()
    """How far the venue's clock is ahead of ours."""
    time: datetime | Failure | None = None
    """What it says the time is, where not by that clock."""
    books_by_token: dict[TokenId, BookSnapshot] = field(default_factory=dict)
    asked: list[TokenId] = field(default_factory=list)
    failure: Failure | None = None
    """Of books."""
    points: tuple[PricePoint, ...] = ()
    intervals: list[Interval] = field(default_factory=list)
    """Of the price histories that were asked for."""
    terms: MarketTerms | Failure = TERMS

    async def server_time(self) -> datetime | Failure:
        return self.clock.now() + self.ahead if self.time is None else self.time

    async def book(self, token_id: TokenId) -> BookSnapshot | Failure:
        self.asked.append(token_id)
        await _on_the_way()
        missing = Failure(FailureKind.NOT_FOUND, "GET /book", "No orderbook exists")
        return self.failure or self.books_by_token.get(token_id) or missing

    async def books(self, token_ids: tuple[TokenId, ...]) -> tuple[BookSnapshot, ...] | Failure:
        return tuple(b for t, b in self.books_by_token.items() if t in token_ids)

    async def market_terms(self, condition_id: ConditionId) -> MarketTerms | Failure:
        return self.terms

    async def prices_history(
        self, token_id: TokenId, interval: Interval
    ) -> tuple[PricePoint, ...] | Failure:
        self.intervals.append(interval)
        return self.points


@dataclass
class FakeAnalytics:
    held: tuple[Position, ...] = ()
    history: tuple[Activity, ...] = ()
    unread_positions: int = 0
    """Rows of that list that cannot be read."""
    unread_closed: int = 0
    past: tuple[TradePrint, ...] | Failure = ()
    asked_trades: list[ConditionId] = field(default_factory=list)
    missed: PastTrades | Failure = PastTrades((), is_whole=True)  # noqa: RUF009 - frozen
    """What is told of trades since a moment."""
    asked_since: list[datetime] = field(default_factory=list)
    way: Callable[[str], Awaitable[None]] = _at_once
    """What a question meets on its way "to positions" and its answer "from positions"."""

    async def trades_since(
        self, condition_id: ConditionId, since: datetime
    ) -> PastTrades | Failure:
        self.asked_since.append(since)
        await _on_the_way()
        return self.missed

    async def trades(self, condition_id: ConditionId) -> tuple[TradePrint, ...] | Failure:
        self.asked_trades.append(condition_id)
        await _on_the_way()
        return self.past

    async def positions(self, user: Address) -> Listing[Position] | Failure:
        await self.way("to positions")
        answer = Listing(self.held, self.unread_positions)
        await self.way("from positions")
        return answer

    async def closed_positions(self, user: Address) -> Listing[ClosedPosition] | Failure:
        return Listing((), self.unread_closed)

    async def activity(self, user: Address) -> Listing[Activity] | Failure:
        return Listing(self.history)

    async def value(self, user: Address) -> Value | Failure:
        return Value(Micros(0))

    async def holders(self, condition_id: ConditionId) -> tuple[Holder, ...] | Failure:
        return ()


@dataclass
class FakeGeo:
    is_blocked: bool = False
    failure: Failure | None = None

    async def check(self) -> GeoAnswer | Failure:
        return self.failure or GeoAnswer(is_blocked=self.is_blocked, country="CH", region="ZH")


class FakeMarketStream:
    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.watched: frozenset[TokenId] = frozenset()
        self.together: set[frozenset[TokenId]] = set()
        self.tell: Callable[[MarketEvent], None] | None = None
        self.link: Callable[[Link], None] | None = None
        self.runs = 0
        self.unstreamed: frozenset[TokenId] | None = None
        """Whose sockets are not open; None while that is true of all."""

    def disconnected(self) -> frozenset[TokenId]:
        return self.watched if self.unstreamed is None else self.unstreamed

    def malformed_messages(self) -> dict[str, int]:
        return self.counts

    def watch(
        self, token_ids: frozenset[TokenId], *, together: Iterable[Iterable[TokenId]] = ()
    ) -> None:
        self.watched = token_ids
        self.together = {frozenset(group) for group in together}

    async def run(
        self, *, on_event: Callable[[MarketEvent], None], on_link: Callable[[Link], None]
    ) -> None:
        self.runs += 1
        self.tell, self.link = on_event, on_link
        self.change_link(LinkState.OPEN)
        await asyncio.Event().wait()

    def send(self, event: MarketEvent) -> None:
        assert self.tell is not None
        self.tell(event)

    def change_link(self, state: LinkState, reason: str = "") -> None:
        """Open all sockets, or close them; one on its way changes nothing for the others."""
        assert self.link is not None
        if state is not LinkState.CONNECTING:
            self.unstreamed = frozenset() if state is LinkState.OPEN else None
        self.link(Link(state, self.runs, reason))

    def change_sockets_of(self, token_ids: frozenset[TokenId], state: LinkState) -> None:
        """Bring the sockets of some tokens only into a state in which nothing is heard."""
        assert self.link is not None
        self.unstreamed = token_ids
        self.link(Link(state, self.runs))

    def close_sockets_of(self, token_ids: frozenset[TokenId]) -> None:
        """Close the sockets of some tokens only; without any, all are open."""
        assert self.link is not None
        self.unstreamed = token_ids
        self.link(Link(LinkState.DOWN if token_ids else LinkState.OPEN, self.runs))


class FakeUserStream:
    def __init__(self) -> None:
        self.tell: Callable[[UserEvent], None] | None = None
        self.link: Callable[[Link], None] | None = None

    def malformed_messages(self) -> dict[str, int]:
        return {}

    async def run(
        self, *, on_event: Callable[[UserEvent], None], on_link: Callable[[Link], None]
    ) -> None:
        self.tell, self.link = on_event, on_link
        on_link(Link(LinkState.OPEN, 1))
        await asyncio.Event().wait()

    def send(self, event: UserEvent) -> None:
        assert self.tell is not None
        self.tell(event)


@dataclass
class FakeAccountHost:
    cash: Micros = Micros(100_000_000)  # noqa: RUF009 - an immutable int
    answers: list[PostResult | Failure] = field(default_factory=list)
    posted: list[bytes] = field(default_factory=list)
    batches: list[tuple[bytes, ...]] = field(default_factory=list)
    batch_answers: list[tuple[PostResult, ...] | Failure] = field(default_factory=list)
    cancelled: list[tuple[OrderId, ...]] = field(default_factory=list)
    """What was asked to be cancelled, request by request."""
    cancel_answers: list[CancelResult | Failure] = field(default_factory=list)
    open: dict[OrderId, Order] = field(default_factory=dict)
    known: dict[OrderId, Order] = field(default_factory=dict)
    own_fills: tuple[Fill, ...] = ()
    fills_a_page: int = 100
    asked_balances: set[TokenId] = field(default_factory=set)
    asked_fills: list[tuple[datetime | None, datetime | None]] = field(default_factory=list)
    unread_orders: tuple[Named, ...] = ()
    """Of rows that cannot be read, the orders they name."""
    unread_fills: tuple[Named, ...] = ()
    cancel_failure: Failure | None = None
    remembers_cancelled: bool = True
    """Whether an order that was cancelled can still be asked for; the venue may forget it."""
    refuses_to_cancel: dict[OrderId, str] = field(default_factory=dict)
    read_failure: Failure | None = None
    lane: asyncio.Event = field(default_factory=open_lane)
    """What orders wait for before they leave: clear while they must stay in line."""
    in_line: int = 0
    """How many requests wait for it."""
    stalls: bool = False
    """Whether posted orders are never answered."""
    before_answer: Callable[[], None] = lambda: None
    """What happens between a posted order and its answer."""
    stalled_cancels: int = 0
    """How many of the next cancels of everything are never answered."""
    warmed: int = 0
    shares: dict[TokenId, Micros] = field(default_factory=dict)
    """What it says is held of a token, where not what the analytics host lists."""
    listed: FakeAnalytics = field(default_factory=FakeAnalytics)
    way: Callable[[str], Awaitable[None]] = _at_once
    """What questions about "fills" and "shares" and their answers meet; see `FakeAnalytics`."""
    refreshed: list[TokenId | None] = field(default_factory=list)
    is_close_only: bool = False
    refresh_failure: Failure | None = None

    async def is_closed_only(self) -> bool | Failure:
        return self.is_close_only

    async def balance(self, token_id: TokenId | None = None) -> BalanceAllowance | Failure:
        if token_id is not None:
            self.asked_balances.add(token_id)
        if token_id is None:
            return BalanceAllowance(self.cash)
        await self.way("to shares")
        listed = sum(p.size for p in self.listed.held if p.token_id == token_id)
        answer = BalanceAllowance(self.shares.get(token_id, Micros(listed)))
        await self.way("from shares")
        return answer

    async def refresh_balance(self, token_id: TokenId | None = None) -> Failure | None:
        self.refreshed.append(token_id)
        return self.refresh_failure

    async def keep_warm(self) -> None:
        self.warmed += 1

    async def _stand_in_line(self) -> None:
        if self.lane.is_set():
            return
        self.in_line += 1
        try:
            await self.lane.wait()
        finally:
            self.in_line -= 1

    async def post_order(self, body: bytes, last_check: LastCheck) -> PostResult | Failure:
        await self._stand_in_line()
        if reason := last_check():
            return Failure(FailureKind.CANCELLED, "POST /order", reason)
        self.posted.append(body)
        if self.stalls:
            await asyncio.Event().wait()
        self.before_answer()
        if self.answers:
            return self.answers.pop(0)
        return PostResult(OrderId(body.decode()), PostStatus.LIVE)

    async def post_orders(
        self, bodies: Sequence[bytes], last_check: LastCheck
    ) -> tuple[PostResult, ...] | Failure:
        await self._stand_in_line()
        if reason := last_check():
            return Failure(FailureKind.CANCELLED, "POST /orders", reason)
        self.batches.append(tuple(bodies))
        if self.stalls:
            await asyncio.Event().wait()
        if self.batch_answers:
            return self.batch_answers.pop(0)
        return tuple(PostResult(OrderId(body.decode()), PostStatus.LIVE) for body in bodies)

    async def cancel(self, order_ids: tuple[OrderId, ...]) -> CancelResult | Failure:
        self.cancelled.append(order_ids)
        if self.stalled_cancels:
            self.stalled_cancels -= 1
            await asyncio.Event().wait()
        if self.cancel_answers:
            return self.cancel_answers.pop(0)
        if self.cancel_failure is not None:
            return self.cancel_failure
        refused = tuple((o, r) for o, r in self.refuses_to_cancel.items() if o in order_ids)
        gone = tuple(o for o in order_ids if o not in self.refuses_to_cancel)
        for order_id in gone:
            ended = self.open.pop(order_id, None)
            if ended is not None and self.remembers_cancelled:
                parts = (f.size for f in self.own_fills if f.order_id == order_id)
                matched = Micros(max(ended.matched_size, sum(parts)))
                self.known[order_id] = replace(
                    ended, status=OrderStatus.CANCELLED, matched_size=matched
                )
        return CancelResult(gone, refused)

    async def cancel_market(
        self, *, condition_id: ConditionId | None, token_id: TokenId | None
    ) -> CancelResult | Failure:
        named = [o.order_id for o in self.open.values() if o.condition_id == condition_id]
        return await self.cancel(tuple(named))

    async def cancel_all(self) -> CancelResult | Failure:
        if self.stalled_cancels:
            self.stalled_cancels -= 1
            await asyncio.Event().wait()
        return await self.cancel(tuple(self.open))

    async def open_orders(self) -> Listing[Order] | Failure:
        unread = self.unread_orders
        listed = Listing(tuple(self.open.values()), len(unread), unread=unread)
        return self.read_failure or listed

    async def order(self, order_id: OrderId) -> Order | Failure | None:
        return self.read_failure or self.known.get(order_id) or self.open.get(order_id)

    async def fills(
        self,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        max_pages: int = MAX_PAGES,
    ) -> Listing[Fill] | Failure:
        self.asked_fills.append((after, before))
        await self.way("to fills")
        unread = self.unread_fills
        most = max_pages * self.fills_a_page
        found = tuple(
            fill
            for fill in self.own_fills
            if (after is None or fill.matched_at >= after)
            and (before is None or fill.matched_at <= before)
        )
        listed = Listing(found[:most], len(unread), len(found) <= most, unread=unread)
        await self.way("from fills")
        return self.read_failure or listed


@dataclass
class FakeHeartbeat:
    """Accepts every heartbeat until it is told to fail or to stall."""

    clock: ManualClock
    failure: Failure | None = None
    stalls: bool = False
    beats: list[float] = field(default_factory=list)
    """When each one left."""

    async def beat(self) -> HeartbeatId | Failure:
        self.beats.append(self.clock.monotonic())
        await _on_the_way()
        if self.stalls:
            await asyncio.Event().wait()
        return self.failure or HeartbeatId(f"h{len(self.beats)}")


class FakeSigner:
    """Gives every order an id of its own; its body is that id."""

    def __init__(self) -> None:
        self._count = 0
        self.derived: dict[tuple[ConditionId, bool], tuple[TokenId, ...]] = {}
        """Tokens by condition and whether it is neg-risk; others cannot be derived."""

    def tokens_of(self, condition_id: ConditionId, *, neg_risk: bool) -> tuple[TokenId, ...] | None:
        return self.derived.get((condition_id, neg_risk))

    @property
    def owner(self) -> Address:
        return Address("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")

    @property
    def maker(self) -> Address:
        return WALLET

    def prepare(self, draft: OrderDraft) -> UnsignedOrder:
        self._count += 1
        return UnsignedOrder(
            draft=draft,
            order_id=OrderId(f"0x{self._count:064x}"),
            contents_hash=bytes(32),
            salt=self._count,
            maker=WALLET,
            signer=WALLET,
            signature_type=3,
            timestamp_ms=1_790_000_000_000 + self._count,
            metadata="0x" + "00" * 32,
            builder="0x" + "00" * 32,
            exchange=Address("0xE111180000d2663C0091e4f400237545B87B996B"),
            chain_id=137,
        )

    def sign(self, order: UnsignedOrder) -> bytes:
        return order.order_id.encode()


@dataclass
class World:
    """A running service and everything around it."""

    service: DataService
    clock: ManualClock
    metadata: FakeMetadata
    trading: FakeTrading
    analytics: FakeAnalytics
    stream: FakeMarketStream
    user_stream: FakeUserStream
    account: FakeAccountHost
    heart: FakeHeartbeat
    geo: FakeGeo
    budgets: list[RateBudget] = field(default_factory=list)
    signer: FakeSigner = field(default_factory=FakeSigner)

    async def watch(self, *topics: Topic) -> None:
        """Subscribe as a screen does, and let what is fetched for it come."""
        self.service.hub.subscribe(topics, lambda _: None)
        await settle()

    async def catch_up(self) -> None:
        """Let the journal's thread, which keeps its own time, come to the end of its queue."""
        _ = await self.service._journal.entries(OrderId("none"))
        await settle()

    async def pass_time(self, seconds: float) -> None:
        """Let time pass, slowly while an order waits for the journal: its thread knows no time."""
        end = self.clock.monotonic() + seconds
        while end - self.clock.monotonic() > SLOWLY_S and self._is_any_pending():
            await self.catch_up()
            await self.clock.advance(SLOWLY_S)
            await self.catch_up()
        await self.clock.advance(end - self.clock.monotonic())

    def _is_any_pending(self) -> bool:
        orders = self.service.parts.account.feed.own.open_orders()
        return any(order.status is OrderStatus.PENDING for order in orders)


@asynccontextmanager
async def running_world(
    tmp_path: Path,
    *,
    with_key: bool = True,
    journal: Journal | None = None,
    tuning: Tuning = AS_SHIPPED,
    start: datetime = datetime(2026, 11, 20, 12, 0, tzinfo=UTC),
    setup: Setup | None = None,
    profile: Profile | None = None,
    opening: Callable[[], Awaitable[Failure | None]] | None = None,
    account: FakeAccountHost | None = None,
    unreachable: str = "",
    ahead: timedelta = timedelta(),
    time: Failure | None = None,
    held: tuple[Position, ...] = (),
) -> AsyncIterator[World]:
    clock = ManualClock(start)
    trading = FakeTrading(clock, ahead=ahead, time=time)
    world_metadata, analytics = FakeMetadata(), FakeAnalytics()
    analytics.held = held
    geo, budgets = FakeGeo(), list[RateBudget]()
    stream, user_stream = FakeMarketStream(), FakeUserStream()
    host = account or FakeAccountHost()
    host.listed = analytics
    heart, signer = FakeHeartbeat(clock), FakeSigner()

    async def open_account() -> Account | Failure:
        failure = await opening() if opening is not None else None
        if failure is not None:
            return failure
        return Account(
            host=host, signer=signer, stream=user_stream, heartbeat=heart,
            trading_key=TradingKey("6f1c2a34…", clock.now()),
        )  # fmt: skip

    async def close() -> None:
        return

    async def connect(health: Health) -> Hosts | str:
        return unreachable or Hosts(
            metadata=world_metadata,
            trading=trading,
            analytics=analytics,
            geo=geo,
            market_stream=stream,
            open_account=open_account if with_key else None,
            close=close,
            budgets=lambda: budgets,
            setup=setup,
        )

    service = DataService(
        profile=profile or Profile("paper", Mode.PAPER if with_key else Mode.READ_ONLY),
        connect=connect,
        clock=clock,
        journal=journal or Journal(tmp_path / "journal.sqlite"),
        rng=random.Random(7),
        tuning=tuning,
        state_dir=tmp_path,
    )
    async with service.running(), asyncio.timeout(60):
        await settle()
        # The account is opened once the journal's thread has read what was left behind.
        while with_key and service.queries.account().load is Load.EMPTY:
            await settle()
        await settle()
        yield World(
            service,
            clock,
            world_metadata,
            trading,
            analytics,
            stream,
            user_stream,
            host,
            heart,
            geo,
            budgets,
            signer,
        )


def resting(order_id: OrderId, **changes: object) -> Order:
    order = Order(
        order_id=order_id,
        condition_id=CONDITION,
        token_id=YES,
        outcome="Yes",
        side=Side.BUY,
        price=Micros(400_000),
        original_size=Micros(10_000_000),
        matched_size=Micros(0),
        status=OrderStatus.LIVE,
        time_in_force=TimeInForce.GTC,
        created_at=datetime(2026, 11, 20, 12, 0, tzinfo=UTC),
    )
    return replace(order, **changes)  # type: ignore[arg-type]  # a test names what differs


def fill(order_id: OrderId, **changes: object) -> Fill:
    made = Fill(
        trade_id=TradeId("t1"),
        order_id=order_id,
        condition_id=CONDITION,
        token_id=YES,
        outcome="Yes",
        side=Side.BUY,
        price=Micros(400_000),
        size=Micros(10_000_000),
        fee=Micros(0),
        liquidity=Liquidity.MAKER,
        status=TradeStatus.MATCHED,
        matched_at=datetime(2026, 11, 20, 12, 0, 5, tzinfo=UTC),
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # a test names what differs
