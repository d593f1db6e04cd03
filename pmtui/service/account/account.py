"""The account: credentials, cash, open orders, fills and positions, from REST and the user stream."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from typing import TypeVar

from pmtui.domain.account.holdings import CLOCK_ERROR, LAG, UNKNOWN_CLOCK, Holdings, ReportTime
from pmtui.domain.account.onboarding import Purpose, Spender, missing_allowances
from pmtui.domain.account.position import Activity, ClosedPosition
from pmtui.domain.answers import Failure, FailureKind, Listing
from pmtui.domain.backoff import Backoff
from pmtui.domain.health import Link, LinkState, Source
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import FeeSchedule
from pmtui.domain.money import Micros
from pmtui.domain.orders.life import is_end_reportable, is_legal_step
from pmtui.domain.orders.order import (
    Fill,
    Order,
    OrderChanged,
    OrderStatus,
    TradeChanged,
    TradeStatus,
    UserEvent,
)
from pmtui.domain.orders.own_orders import EndingPolicy, OrderEndings, OwnOrders
from pmtui.service.account.fills import FillFees, PastFills
from pmtui.service.account.list_completeness import KnownLists
from pmtui.service.kernel import Kernel
from pmtui.service.markets.venue_clock import SessionStart
from pmtui.service.orders.order_history import OrderHistory
from pmtui.service.ports import Account, Hosts
from pmtui.service.topics import (
    AccountTopic,
    ActivityTopic,
    BookTopic,
    FillsTopic,
    MarketTopic,
    StatusTopic,
    Topic,
)
from pmtui.service.views import Level, Load, OwnList
from pmtui.service.words import describe_fill, describe_order_end, facts_of_fill, facts_of_order

T = TypeVar("T")
POLL_PERIOD_S = 10.0
SLOW_PERIOD_S = 60.0
WARM_PERIOD_S = 15.0
"""Servers close idle connections after longer than this; an open one saves the handshakes."""
CLOCK_CHECK_S = 0.5
"""Interval of checks while the venue's clock is unknown."""
GATHER_PAUSE_S = 0.15
"""Events of one fill arrive together; one refresh serves all of them."""
MOST_BLANK = 100
"""Tokens without holdings or trades whose balance is kept, in case they are watched again."""
RECENT_ORDERS = 50
"""Ended orders that are still shown."""


@dataclass(slots=True)
class AccountState:
    """The latest REST replies."""

    load: Load = Load.EMPTY
    balance: Micros | None = None
    closed: tuple[ClosedPosition, ...] = ()
    activity: tuple[Activity, ...] = ()
    as_of: datetime | None = None
    problem: str = ""
    is_complete: bool = False
    """Whether open orders, fills and positions have all been read at least once."""
    spenders: tuple[Spender, ...] = ()
    """The contracts that settle orders, if their names are known."""
    cash_not_allowed: frozenset[Purpose] = frozenset()
    """Exchanges without a cash allowance, according to the trading host's last reply."""
    shares_not_allowed: frozenset[Purpose] = frozenset()
    """Exchanges without an allowance for shares."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """A time by the venue's clock, with its uncertainty."""

    at: datetime
    is_known: bool


class AccountFeed:
    """Keeps the account's state up to date. Without an account it stays empty."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        title_of: Callable[[TokenId], str],
        fee_of: Callable[[ConditionId], FeeSchedule | None],
        history: OrderHistory,
        policy: EndingPolicy | None = None,
    ) -> None:
        self._kernel = kernel
        self._title_of = title_of
        self._history = history
        self.session_start = SessionStart(kernel)
        self._is_first_fetch = True
        self._past = PastFills(kernel, self._apply_past)
        self.lists = KnownLists(kernel)
        self._is_stale = False
        self._fetching = asyncio.Lock()
        self._todays_since: datetime | None = None
        """The time from which all own trades are known, by the venue's clock; None at first."""
        self.account: Account | None = None
        self.opened = asyncio.Event()
        """Set once there is an account."""
        self.own = OwnOrders()
        self.endings = OrderEndings(self.own, policy)
        self.fees = FillFees(self.own, fee_of)
        self.holdings = Holdings()
        self._moved: set[TokenId] = set()
        """Tokens with a fill that the venue's cached balance may not include yet."""
        self._sent_s: dict[OrderId, float] = {}
        """When each order of this session was sent, in seconds of the monotonic clock."""
        self.state = AccountState()
        self._listeners: list[Callable[[Order], None]] = []
        self._missing_listeners: list[Callable[[tuple[OrderId, ...]], None]] = []
        self._recent: deque[OrderId] = deque(maxlen=RECENT_ORDERS)
        self._recent_as_of: tuple[int, tuple[Order, ...]] = (0, ())

    async def run(self) -> None:
        """Open the account, then run its user stream and its polls."""
        hosts = await self._kernel.hosts()
        if hosts.open_account is None:
            return
        self.state.load = Load.LOADING
        account = await self._open(hosts)
        self.account = account
        self.opened.set()
        self._mark()
        async with asyncio.TaskGroup() as group:
            link_health = self._kernel.health.link_listener(Source.USER_STREAM)

            def on_link(link: Link) -> None:
                link_health(link)
                if link.state is LinkState.OPEN:
                    self.refresh()

            _ = group.create_task(account.stream.run(on_event=self._on_user_event, on_link=on_link))
            _ = group.create_task(self._poll(POLL_PERIOD_S, self.fetch_now))
            _ = group.create_task(self._poll(SLOW_PERIOD_S, self.fetch_history))
            _ = group.create_task(self._poll(WARM_PERIOD_S, self._keep_warm))
            _ = group.create_task(self._refresh_when_clock_is_known())

    def suspect(self, order_ids: Iterable[OrderId], *, is_over: bool = True) -> None:
        """Show open orders as unconfirmed, because the venue may have ended them, and ask.

        Args:
            order_ids: the orders.
            is_over: whether it ends none of them any more without a report.
        """
        self.endings.suspect(order_ids, until_s=self._kernel.clock.monotonic() if is_over else inf)
        self.refresh()
        self._mark()

    def open_orders(self) -> tuple[Order, ...]:
        """Return the open orders as a trader should see them: unconfirmed where they may have ended."""
        doubts = self.endings.is_suspected
        return tuple(
            replace(order, status=OrderStatus.UNKNOWN) if doubts(order.order_id) else order
            for order in self.own.open_orders()
        )

    def recent_orders(self) -> tuple[Order, ...]:
        """Return the most recently changed orders, newest first, however they ended."""
        version, orders = self._recent_as_of
        if version != self.own.version:
            known = (self.own.order(order_id) for order_id in reversed(self._recent))
            orders = tuple(order for order in known if order is not None)
            self._recent_as_of = self.own.version, orders
        return orders

    def on_order(self, listener: Callable[[Order], None]) -> None:
        """Call `listener` on every change of one of our orders."""
        self._listeners.append(listener)

    def on_missing(self, listener: Callable[[tuple[OrderId, ...]], None]) -> None:
        """Call `listener` with the open orders that a list does not contain."""
        self._missing_listeners.append(listener)

    @property
    def has_read_fills(self) -> bool:
        """Whether the trades from before this session have been read."""
        return not self._is_first_fetch

    def refresh(self) -> None:
        """Fetch cash, orders, fills and positions, once for all requests within a moment."""

        async def fetch() -> None:
            while self._is_stale:
                await self._kernel.clock.sleep(GATHER_PAUSE_S)
                await self.fetch_now()

        self._is_stale = True
        self._kernel.start_unless_running("account refresh", "account", fetch)

    def refresh_history(self, *, after_s: float = 0.0) -> None:
        """Fetch closed positions and activity at once.

        Args:
            after_s: delay before fetching again, as the host reports recent events late. Zero to fetch
                only once.
        """

        async def fetch() -> None:
            await self.fetch_history()
            if after_s:
                await self._kernel.clock.sleep(after_s)
                await self.fetch_history()

        self._kernel.start_unless_running("account history", "account", fetch)

    def on_demand(self, topic: Topic) -> None:
        """Fetch the balance of a newly watched token."""
        if isinstance(topic, BookTopic) and self.account is not None:
            self.refresh()

    async def fetch_now(self) -> None:
        """Fetch cash, open orders, fills and positions, after any fetch in progress.

        So a slow reply to an earlier fetch can never replace a newer one.
        """
        async with self._fetching:
            # Later requests may concern changes that these replies do not contain yet.
            self._is_stale = False
            await self._fetch()

    async def _fetch(self) -> None:
        account, hosts = self.account, await self._kernel.hosts()
        if account is None:
            return
        asked_s = self._kernel.clock.monotonic()
        asked = self._ask_time()
        balance, orders, fills = await asyncio.gather(
            account.host.balance(),
            account.host.open_orders(),
            self._past.read(account)
            if self._is_first_fetch
            else account.host.fills(after=self.session_start.bound_for_trades()),
        )
        for answer in (balance, orders, fills):
            self._kernel.check(Source.TRADING, answer)
        if not isinstance(balance, Failure):
            self.state.balance = balance.balance
            self.state.spenders = hosts.setup.spenders if hosts.setup is not None else ()
            self.state.cash_not_allowed = missing_allowances(self.state.spenders, balance)
            self.state.load, self.state.as_of = Load.READY, self._kernel.clock.now()
        if not isinstance(fills, Failure):
            await self._update_lists(account, fills, asked)
            for fill in reversed(fills.items):
                self.apply_fill(fill, is_news=not self._is_first_fetch)
            self._is_first_fetch = False
            if fills.is_complete and asked.is_known:
                self.holdings.apply_complete_trades(asked.at)
        if not isinstance(orders, Failure):
            self.lists.update(OwnList.ORDERS, orders)
            self.apply_listing(orders, asked_s=asked_s)
        problems = [str(a) for a in (balance, orders, fills) if isinstance(a, Failure)]
        self.state.problem = problems[0] if problems else ""
        # After the fills: the balances of their tokens are fetched at once.
        await self._fetch_shares(account)
        asked = self._ask_time()
        positions = self._kernel.check(
            Source.ANALYTICS, await hosts.analytics.positions(account.signer.maker)
        )
        if not isinstance(positions, Failure):
            listed = self.holdings.listed()
            self.holdings.apply_positions(
                positions.items, self._report_time(asked), is_complete=positions.is_complete
            )
            self.lists.update(OwnList.POSITIONS, positions)
            if self.holdings.sold_out() or listed - self.holdings.listed():
                # What it no longer lists as open it lists as closed.
                self.refresh_history()
        self.state.is_complete = self.lists.are_known
        self.fees.ask()
        self._mark()

    async def _update_lists(self, account: Account, fills: Listing[Fill], asked: "_Moment") -> None:
        """Record whether the trades of this session, and all of today, are known."""
        self.lists.report(OwnList.FILLS, fills)
        if self._is_first_fetch:
            self.lists.mark_complete(OwnList.FILLS)
        else:
            self.lists.update(OwnList.FILLS, fills)
        is_history = self._is_first_fetch and fills.is_complete and asked.is_known
        await self._fetch_todays(account, fills if is_history else None)

    async def _fetch_todays(self, account: Account, history: Listing[Fill] | None) -> None:
        """Read all trades of today unless they are known; the venue's clock determines the day.

        Args:
            account: whose trades.
            history: the trades of the last days, if all of them have just been read.
        """
        if not self._kernel.is_venue_clock_known:
            return
        midnight = self._kernel.venue_now().replace(hour=0, minute=0, second=0, microsecond=0)
        if self._todays_since is not None and self._todays_since <= midnight:
            return
        todays: Listing[Fill] | Failure | None = history
        if todays is None:
            # An unreadable older row does not matter: the day's result uses only today's trades.
            todays = self._kernel.check(Source.TRADING, await account.host.fills(after=midnight))
        if not isinstance(todays, Failure):
            for fill in reversed(todays.items):
                self.apply_fill(fill, is_news=False)
            self.lists.update(OwnList.TODAY, todays)
            if self.lists.is_known(OwnList.TODAY):
                self._todays_since = midnight

    async def _fetch_shares(self, account: Account) -> None:
        """Fetch the balances of watched tokens; after a trade, once the venue has read the chain."""
        watched = {t.token_id for t in self._kernel.hub.in_sight() if isinstance(t, BookTopic)}
        moved, self._moved = self._moved | self.holdings.doubtful(), set()

        async def ask(token_id: TokenId) -> None:
            answer = await self._ask_balance(account, token_id, is_cached=token_id not in moved)
            if isinstance(answer, Failure) and token_id in moved:
                self._moved.add(token_id)

        _ = await asyncio.gather(*(ask(token_id) for token_id in watched | moved))
        self.holdings.drop_blank(watched | moved, most=MOST_BLANK)

    async def ask_shares(self, token_id: TokenId) -> Micros | Failure:
        """Ask the venue, bypassing its cache, how many shares of a token are held now."""
        if self.account is None:
            return Failure(FailureKind.REFUSED, "GET /balance-allowance", "there is no account")
        return await self._ask_balance(self.account, token_id, is_cached=False)

    async def _ask_balance(
        self, account: Account, token_id: TokenId, *, is_cached: bool
    ) -> Micros | Failure:
        if not is_cached:
            _ = await account.host.refresh_balance(token_id)
        asked = self._ask_time()
        answer = self._kernel.check(Source.TRADING, await account.host.balance(token_id))
        if isinstance(answer, Failure):
            return answer
        self.state.shares_not_allowed = missing_allowances(self.state.spenders, answer)
        self.holdings.apply_balance(token_id, answer.balance, self._report_time(asked))
        self._mark()
        return answer.balance

    def _ask_time(self) -> "_Moment":
        return _Moment(self._kernel.venue_now(), is_known=self._kernel.is_venue_clock_known)

    def _report_time(self, asked: "_Moment") -> ReportTime:
        """Return the time of a report that was just received."""
        error = CLOCK_ERROR if asked.is_known else UNKNOWN_CLOCK
        answered, answered_s = self._kernel.venue_now(), self._kernel.clock.monotonic()
        return ReportTime(asked.at, max(asked.at, answered), error, answered_s)

    async def fetch_history(self) -> None:
        """Fetch closed positions and activity."""
        account, hosts = self.account, await self._kernel.hosts()
        if account is None:
            return
        closed, activity = await asyncio.gather(
            hosts.analytics.closed_positions(account.signer.maker),
            hosts.analytics.activity(account.signer.maker),
        )
        self._kernel.check(Source.ANALYTICS, closed)
        self._kernel.check(Source.ANALYTICS, activity)
        if not isinstance(closed, Failure):
            self.state.closed = closed.items
            self.lists.update_informational(OwnList.CLOSED, closed)
        if not isinstance(activity, Failure):
            self.state.activity = activity.items
            self.lists.update_informational(OwnList.ACTIVITY, activity)
        self._kernel.mark(ActivityTopic())
        self._mark()

    def apply_listing(self, listing: Listing[Order], *, asked_s: float) -> None:
        """Apply a list of open orders; listeners receive the orders that it should contain but does not.

        Args:
            listing: the reply.
            asked_s: when the request was sent, by the monotonic clock.
        """
        for order in listing.items:
            self.apply_order(order, asked_s=asked_s)
        listed = [order.order_id for order in listing.items]
        if listing.is_complete:
            self.endings.note_listing(listed)
        missing = self.endings.find_missing(listed, asked_s=asked_s)
        for listener in self._missing_listeners if missing else ():
            listener(missing)

    def apply_order(
        self,
        fact: Order,
        *,
        is_news: bool = True,
        is_conclusion: bool = False,
        is_record: bool = False,
        asked_s: float | None = None,
    ) -> None:
        """Apply a fact about one of our orders, or a conclusion from missing reports.

        Args:
            fact: the order as reported, or as concluded.
            is_news: whether to log the order's end.
            is_conclusion: whether it is a conclusion.
            is_record: whether the user stream reported the complete order, instead of a reply.
            asked_s: when it was requested, if it comes from a read that may be out of date.
        """
        known = self.own.order(fact.order_id)
        now_s = self._kernel.clock.monotonic()
        if is_conclusion:
            changed = self.endings.apply_conclusion(fact, now_s)
        elif asked_s is not None:
            changed = self.endings.apply_report(fact, asked_s=asked_s, at_s=now_s)
        else:
            changed = self.endings.apply(fact, now_s, is_record=is_record)
        self._report_contradictions()
        if fact.status is OrderStatus.SENT:
            _ = self._sent_s.setdefault(fact.order_id, now_s)
        if changed is None:
            return
        if changed.order_id not in self._recent:
            self._recent.append(changed.order_id)
        self._announce(known, changed)
        if is_news and is_end_reportable(known, changed):
            level = Level.INFO if not changed.reason else Level.WARNING
            title = self._title_of(changed.token_id)
            self._kernel.log.add(
                level, "order", describe_order_end(changed, title), order_id=changed.order_id,
                facts=facts_of_order(changed, title),
            )  # fmt: skip
        self._mark()

    def mark_cancelled(self, order_id: OrderId) -> None:
        """Apply the venue's answer that one of our orders is cancelled."""
        known = self.own.order(order_id)
        if known is not None:
            self.apply_order(replace(known, status=OrderStatus.CANCELLED))

    def apply_fill(self, fact: Fill, *, is_news: bool) -> None:
        """Apply one of our fills."""
        fact = self.fees.price(fact)
        known = self.own.fill(fact.order_id, fact.trade_id)
        before = self.own.order(fact.order_id)
        changed = self.endings.apply_fill(fact, self._kernel.clock.monotonic())
        self._report_contradictions()
        if changed is None:
            return
        self._history.record_fill(changed)
        # Before the listeners: the fill no longer counts as matched but unreported.
        now = self._kernel.venue_now()
        sent_s = self._sent_s.get(changed.order_id, -inf)
        self.holdings.apply_fill(changed, heard=now, sent_s=sent_s)
        if is_news or now - changed.matched_at <= LAG:
            self._moved.add(changed.token_id)
        order = self.own.order(fact.order_id)
        if order is not None and order != before:
            self._announce(before, order)
        is_failure = changed.status is TradeStatus.FAILED
        if is_news and (known is None or (is_failure and known.status is not changed.status)):
            level = Level.BAD if is_failure else Level.GOOD
            title = self._title_of(changed.token_id)
            self._kernel.log.add(
                level, "order", describe_fill(changed, title, order),
                order_id=changed.order_id, facts=facts_of_fill(changed, title),
            )  # fmt: skip
        self._kernel.mark(FillsTopic())
        self._mark()

    def apply_exchange(self, parts: Iterable[Fill]) -> None:
        """Count what a confirmed split or merge did to the shares: no report of them need be awaited."""
        for part in parts:
            self.holdings.apply_fill(part, heard=self._kernel.venue_now())
            self._moved.add(part.token_id)
        self._mark()

    def _announce(self, before: Order | None, order: Order) -> None:
        self._history.record_order(order)
        for listener in self._listeners:
            listener(order)
        if before is not None and not is_legal_step(before.status, order.status):
            self._report_odd_step(before, order)

    def apply_known_fees(self) -> None:
        """Calculate the fees that waited for their market's schedule."""
        for fill in self.fees.take_priced():
            self.apply_fill(fill, is_news=False)

    def _report_contradictions(self) -> None:
        for found in self.own.take_contradictions():
            text = f"Conflicting reports: order {found.order_id[:10]}… {found.flaw.value}"
            self._kernel.log.notice(Level.WARNING, text, order_id=found.order_id)

    def _report_odd_step(self, before: Order, after: Order) -> None:
        said = describe_order_end(after, self._title_of(after.token_id))
        text = f"Status corrected, was {before.status.words}. {said}"
        self._kernel.log.notice(Level.WARNING, text, order_id=after.order_id)

    def _on_user_event(self, event: UserEvent) -> None:
        self._kernel.health.note_answer(Source.USER_STREAM)
        self._history.record_event(event)
        match event:
            case OrderChanged(order=order):
                self.apply_order(order, is_record=True)
            case TradeChanged():
                for fill in event.fills:
                    self.apply_fill(fill, is_news=True)
        self.refresh()

    async def _open(self, hosts: Hosts) -> Account:
        backoff = Backoff(first_s=0.5, longest_s=30.0)
        while True:
            if hosts.open_account is None:
                raise RuntimeError("no account to open")
            answer = self._kernel.check(Source.TRADING, await hosts.open_account())
            if not isinstance(answer, Failure):
                return answer
            if self.state.problem != str(answer):
                self._kernel.log.notice(Level.BAD, f"Account not ready: {answer}")
            self.state.problem = str(answer)
            self._mark()
            await self._kernel.clock.sleep(backoff.next_s())

    async def _keep_warm(self) -> None:
        """Keep a connection open for the next order while a market is on screen."""
        is_trading = any(isinstance(t, MarketTopic) for t in self._kernel.hub.watched())
        if self.account is not None and is_trading:
            await self.account.host.keep_warm()

    async def _refresh_when_clock_is_known(self) -> None:
        """Read data again that could not be dated before the venue's clock was known."""
        if self._kernel.is_venue_clock_known:
            return
        while not self._kernel.is_venue_clock_known:
            await self._kernel.clock.sleep(CLOCK_CHECK_S)
        self.refresh()

    def _apply_past(self, fills: Listing[Fill]) -> None:
        # What lies beyond its end is reported by the code that reads it.
        self.lists.report(OwnList.EARLIER, replace(fills, is_whole=True))
        for fill in reversed(fills.items):
            self.apply_fill(fill, is_news=False)
        self.fees.ask()

    async def _poll(self, period_s: float, fetch: Callable[[], Awaitable[None]]) -> None:
        while True:
            await fetch()
            await self._kernel.clock.sleep(period_s)

    def _mark(self) -> None:
        self._kernel.mark(AccountTopic())
        self._kernel.mark(StatusTopic())
