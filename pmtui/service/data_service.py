"""The background data service: one task group, started before the terminal and ended after it."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from pmtui.domain.books.market_events import MarketResolved, TickSizeChanged
from pmtui.domain.conditionals.alerts import AlertState
from pmtui.domain.conditionals.conditional import ConditionalOrder
from pmtui.domain.health import RateBudget
from pmtui.domain.ids import Address, OrderId, TokenId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Verdict
from pmtui.domain.orders.own_orders import EndingPolicy
from pmtui.service.account.account import AccountFeed
from pmtui.service.account.maker_stats import make_maker_stats
from pmtui.service.account.onboarding import OnboardingFeed
from pmtui.service.account.pnl import DailyPnl, EquityCurve
from pmtui.service.books.books import BooksFeed
from pmtui.service.books.stream_faults import MalformedMessages, StreamLoss
from pmtui.service.books.tapes import TapeBackfill
from pmtui.service.clock import Clock, Moment
from pmtui.service.commands import ServiceCommands
from pmtui.service.conditionals.conditionals import Conditionals
from pmtui.service.conditionals.sales import ConditionalSales
from pmtui.service.health import Health
from pmtui.service.hub import Hub
from pmtui.service.journal.journal import Journal
from pmtui.service.journal.journal_rows import JournalProblem
from pmtui.service.kernel import Kernel
from pmtui.service.log import Log
from pmtui.service.markets.event_list_cache import EventListCache
from pmtui.service.markets.market_store import KnownMarkets, Needed
from pmtui.service.markets.metadata import MetadataFeed
from pmtui.service.markets.own_markets import OwnEvents, OwnMarkets, needed_markets
from pmtui.service.markets.prices import HistoryFeed, MarkToMarket, Quotes
from pmtui.service.markets.resolutions import Resolutions
from pmtui.service.markets.resolved_markets import ResolvedMarkets
from pmtui.service.markets.venue_clock import TimeFeed
from pmtui.service.markets.venue_states import VenueStates
from pmtui.service.orders.cancelling import Canceller
from pmtui.service.orders.desk import Desk
from pmtui.service.orders.lost_orders import LostOrderSearch
from pmtui.service.orders.order_history import OrderHistory
from pmtui.service.orders.preparing import PreparedOrders
from pmtui.service.parts import AccountParts, MarketParts, OrderParts, Parts, Safeguards
from pmtui.service.ports import Hosts
from pmtui.service.profile import AS_SHIPPED, Profile, Tuning
from pmtui.service.queries import AccountReader, ServiceQueries
from pmtui.service.safety.arming import ArmedTerminals, Arming
from pmtui.service.safety.entry_guard import EntryGuard
from pmtui.service.safety.heartbeats import HeartbeatSender
from pmtui.service.safety.kill_lock import KillLock
from pmtui.service.safety.kill_switch import KillSwitch
from pmtui.service.safety.shutdown import Shutdown
from pmtui.service.supervisor import Supervisor
from pmtui.service.topics import MarketTopic, StatusTopic
from pmtui.service.views import AccountView, Level, Mode
from pmtui.service.wallet.address_book import AddressBookKeeper
from pmtui.service.wallet.settlements import Settlements
from pmtui.service.wallet.wallet import WalletDesk
from pmtui.service.wallet.wallet_facts import WalletFacts
from pmtui.service.watch.notice_command import NoticeCommand
from pmtui.service.watch.watchlist import WatchKeeper, Watchlist
from pmtui.service.words import entry_of_past

Connect = Callable[[Health], Awaitable[Hosts | str]]
"""Creates the hosts, or returns why it cannot. Called once the service runs."""


LOG_REACHES_BACK = timedelta(hours=12)
"""The log shows times of day without a date."""
STARTED = "Service started: earlier entries come from the journal"


@dataclass(frozen=True, slots=True)
class Terminal:
    """The queries and commands of one terminal. Arming is its own, and ends when it is closed.

    All other parts of the service are shared by all terminals.
    """

    queries: ServiceQueries
    commands: ServiceCommands
    commands_given: Callable[[Moment | None], ServiceCommands]
    """Returns the commands for what the trader asked for at a moment; None for now."""
    close: Callable[[], None]


class DataService:
    """Feeds, state, commands and time; a front end gets `queries`, `commands` and `hub`."""

    def __init__(
        self,
        *,
        profile: Profile,
        connect: Connect,
        clock: Clock,
        journal: Journal,
        rng: random.Random,
        tuning: Tuning = AS_SHIPPED,
        state_dir: Path | None = None,
    ) -> None:
        self.hub = Hub(clock, frames_per_second=tuning.frames_per_second)
        self._connect = connect
        self._profile, self._tuning = profile, tuning
        self._journal, self._state_dir = journal, state_dir
        self._kernel = _make_kernel(self.hub, clock, rng, is_venue_time=tuning.is_venue_time)
        self._past_orders = OrderHistory(self._kernel, journal)
        self.parts = self._build()
        self.arming = self.parts.safeguards.arming
        self._prepared = PreparedOrders(clock)
        own = self._serve(self.arming.own)
        self.queries, self.commands = own.queries, own.commands
        self.shutdown = self._make_shutdown()
        self._notice_command = NoticeCommand(
            self._kernel, self.hub, self._kernel.log, arguments=tuning.notice_command
        )
        self._listen()

    @property
    def log(self) -> Log:
        """The log that every terminal shows."""
        return self._kernel.log

    @property
    def journal_problem(self) -> str:
        """Why the journal keeps orders from being sent; empty if it does not."""
        return self._past_orders.problem

    def waiting_alerts(self) -> int:
        """Return how many price alerts wait for their price."""
        alerts = self.parts.watchlist.alerts.view()
        return sum(each.state is AlertState.WAITING for each in alerts)

    def count_terminals(self, attached: int) -> None:
        """Update the number of attached terminals."""
        self._kernel.terminals = attached
        self.hub.mark(StatusTopic())

    def fill_search(self) -> None:
        """Load the markets of the search index before the search is opened; do nothing once they are loaded."""
        self.parts.markets.metadata.fill_index()

    def rewind(self, at: datetime) -> None:
        """Forget stream data after a moment, because a replay was moved back to it."""
        self.parts.markets.books.rewind(at)

    async def trace_order(self, order_id: OrderId) -> Verdict:
        """Return what became of an order that a run which has ended was asked to send."""
        return await self.parts.orders.desk.trace(order_id)

    def rate_budgets(self) -> tuple[RateBudget, ...]:
        """Return what the trading host's rate limits still allow."""
        return self.parts.safeguards.venue.budgets()

    def open_terminal(self) -> Terminal:
        """Return a new terminal; the caller closes it."""
        return self._serve(self.arming.open())

    def _serve(self, arming: Arming) -> Terminal:
        commands_given = partial(ServiceCommands, self.parts, self._prepared, arming)
        return Terminal(
            queries=ServiceQueries(self.parts, self._account_reader, arming),
            commands=commands_given(None),
            commands_given=commands_given,
            close=partial(self.arming.close, arming),
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator["DataService"]:
        """Run the feeds inside the context."""
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        task = loop.create_task(self._kernel.supervisor.run(ready.set), name="service")
        await ready.wait()
        self.parts.markets.list_cache.restore()
        self.parts.watchlist.restore()
        self.parts.address_book.restore()
        await self._restore_log()
        self._start_feeds()
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self.parts.markets.list_cache.write()
            await self.parts.watchlist.close()
            await self.parts.wallet.close()
            if (hosts := self._kernel.connected) is not None:
                await hosts.close()
            await self._journal.close()

    def _build(self) -> Parts:
        """Create every part from the ones before it, and the reader of the account over them."""
        kernel = self._kernel
        time = TimeFeed(kernel)
        markets = self._build_markets()
        account = self._build_account(markets)
        canceller = Canceller(kernel, account.feed, self._past_orders)
        safeguards = self._build_safeguards(markets, account, time=time, canceller=canceller)
        self._account_reader = AccountReader(
            account,
            books=markets.books,
            conditionals=self._conditionals,
            guard=safeguards.guard,
            day=safeguards.day,
        )
        return Parts(
            kernel=kernel,
            profile=self._profile,
            time=time,
            markets=markets,
            account=account,
            safeguards=safeguards,
            onboarding=OnboardingFeed(
                kernel, profile=self._profile, account=account.feed,
                venue=safeguards.venue, limits=self._tuning.limits,
            ),
            wallet=self._build_wallet(markets, account, safeguards),
            address_book=AddressBookKeeper(
                kernel, self._state_dir, to_address=self._to_address
            ),
            orders=self._build_orders(markets, account, safeguards, canceller=canceller),
            watchlist=Watchlist(
                kernel, markets.metadata, quotes=account.quotes,
                tape_of=lambda token_id: markets.books.tapes.view(token_id).prints,
                queue_of=partial(_queue_ahead, account),
                keeper=WatchKeeper(kernel, self._state_dir),
            ),
        )  # fmt: skip

    def _build_wallet(
        self, markets: MarketParts, account: AccountParts, safeguards: Safeguards
    ) -> WalletDesk:
        facts = WalletFacts(self._kernel, account.feed, safeguards.venue)
        desk = WalletDesk(
            self._kernel, self._journal, profile=self._profile,
            account=account.feed, builder_code=self._tuning.builder_code,
            settlements=Settlements(facts, account.marks.positions, markets.known.market),
        )  # fmt: skip
        safeguards.guard.add_check(desk.why_no_orders)
        return desk

    def _to_address(self, text: str) -> Address | None:
        hosts = self._kernel.connected
        access = hosts.wallet if hosts is not None else None
        return access.table.to_address(text) if access is not None else None

    def _build_markets(self) -> MarketParts:
        kernel = self._kernel
        metadata = MetadataFeed(kernel, self._on_learned, self._needed_markets)
        known = KnownMarkets(metadata.store)
        books = BooksFeed(
            kernel, tokens_of_event=known.tokens_of_event, pair_of=known.pair,
            title_of=known.title, is_own=self._is_own, on_tick_size=self._on_tick_size,
            on_resolved=self._on_resolved,
        )  # fmt: skip
        return MarketParts(
            metadata=metadata,
            known=known,
            list_cache=EventListCache(kernel, metadata, self._state_dir),
            history=HistoryFeed(kernel, path_of=books.tapes.path),
            books=books,
            backfill=TapeBackfill(
                kernel, books.tapes, market_of=metadata.store.market_of_token.get,
                pair_of=known.pair,
            ),
        )  # fmt: skip

    def _build_account(self, markets: MarketParts) -> AccountParts:
        tuning, known = self._tuning, markets.known
        feed = AccountFeed(
            self._kernel, title_of=known.title, fee_of=known.fee,
            history=self._past_orders,
            policy=EndingPolicy(
                lag_s=tuning.replica_lag_s, ruled_out_after_s=tuning.ruled_out_after_s
            ),
        )  # fmt: skip
        return AccountParts(
            feed=feed,
            marks=MarkToMarket(
                feed, markets.books, market_of=lambda condition_id: known.market(condition_id)[0]
            ),
            quotes=Quotes(book_of=markets.books.book, positions=feed.holdings.positions),
            maker_stats=make_maker_stats(self._kernel, feed, markets.books),
            resolutions=Resolutions(self._kernel, feed, known, self._state_dir),
            resolved=ResolvedMarkets(self._kernel, markets.metadata, feed),
            equity=EquityCurve(self._kernel, self._state_dir),
            events=OwnEvents(self._kernel, markets.metadata, feed),
        )

    def _build_safeguards(
        self, markets: MarketParts, account: AccountParts, *, time: TimeFeed, canceller: Canceller
    ) -> Safeguards:
        kernel, tuning, profile = self._kernel, self._tuning, self._profile
        feed, books = account.feed, markets.books
        venue = VenueStates(
            kernel, account=lambda: feed.account,
            last_trade_at=lambda: books.tapes.last_trade_at, skew_ms=lambda: time.skew_ms,
        )  # fmt: skip
        feed.on_order(venue.on_order)
        loss = StreamLoss(
            self.hub, disconnected=self._disconnected, book_of=books.book,
            market_of=markets.metadata.store.market_of_token.get,
            has_ended=markets.known.has_ended,
        )  # fmt: skip
        arming = ArmedTerminals(kernel, loss, idle_s=tuning.disarm_after_s)
        if profile.mode is Mode.READ_ONLY:
            arming.add_check(lambda: profile.reason or "this session is read-only")
        arming.add_check(lambda: self._past_orders.problem)
        lock = KillLock(kernel.clock, self._state_dir)
        marked = account.marks.positions
        day = DailyPnl(kernel, feed, markets.known, positions=marked, state_dir=self._state_dir)
        return Safeguards(
            arming=arming,
            heartbeats=HeartbeatSender(kernel, feed, self._journal, arming, policy=tuning.heartbeat),
            venue=venue,
            guard=EntryGuard(
                kernel, feed, lock=lock, day=day, positions=marked, limits=tuning.limits
            ),
            kill_switch=KillSwitch(
                kernel, feed, self._past_orders, canceller=canceller, lock=lock, arming=arming,
                state_dir=self._state_dir, has_key=profile.mode is not Mode.READ_ONLY,
            ),
            day=day,
        )  # fmt: skip

    def _build_orders(
        self,
        markets: MarketParts,
        account: AccountParts,
        safeguards: Safeguards,
        *,
        canceller: Canceller,
    ) -> OrderParts:
        kernel, feed, guard = self._kernel, account.feed, safeguards.guard
        market_of, book_of = markets.known.market, markets.books.book
        search = LostOrderSearch(kernel, feed, self._past_orders)
        desk = Desk(
            kernel, feed, self._past_orders, search=search, canceller=canceller,
            market_of=market_of, book_of=book_of, guard=guard,
            post_deadline_s=self._tuning.post_deadline_s,
        )  # fmt: skip
        sales = ConditionalSales(
            kernel, desk, account=self._account_view, market_of=market_of, own=feed.own,
            ask_shares=feed.ask_shares, least_held=feed.holdings.least,
            lag_s=self._tuning.sale_lag_s,
        )  # fmt: skip
        conditionals = Conditionals(
            kernel, self._journal, sales, account=self._account_view, book_of=book_of,
            market_of=market_of, market_problem=desk.market_problem, own=feed.own,
            locked=guard.locked, is_moving_to=desk.is_moving_to,
            is_resolved=account.resolved.is_resolved,
        )  # fmt: skip
        feed.on_order(sales.on_order)
        feed.on_order(conditionals.on_order)
        desk.on_resized_move(conditionals.follow_move)
        safeguards.kill_switch.on_kill(conditionals.pause_if_locked)
        return OrderParts(search, canceller, desk, conditionals)

    def _make_shutdown(self) -> Shutdown:
        parts = self.parts
        return Shutdown(
            self._kernel, parts.account.feed, self._journal, commands=self.commands,
            safeguards=parts.safeguards, conditionals=parts.orders.conditionals,
            title_of=parts.markets.known.title, is_paper=self._profile.mode is Mode.PAPER,
        )  # fmt: skip

    def _listen(self) -> None:
        """Connect the feeds to the watched topics, so that they drop what is no longer watched."""
        parts = self.parts
        markets, feed = parts.markets, parts.account.feed
        own = OwnMarkets(self._kernel, markets.metadata, feed)
        feeds = (markets.metadata, markets.history, markets.books, markets.backfill, feed, own)
        for each in (
            *feeds,
            parts.onboarding,
            parts.wallet,
            parts.watchlist,
            parts.account.maker_stats.earned,
            parts.account.events,
        ):
            self.hub.on_demand(each.on_demand)
        self.hub.on_release(parts.watchlist.on_release)
        self.hub.on_release(markets.books.on_demand)

    def _conditionals(self) -> tuple[ConditionalOrder, ...]:
        return self.parts.orders.conditionals.view()

    def _account_view(self) -> AccountView:
        """Return the account's current view: automatic sales must not use an old one."""
        return self._account_reader.view()

    def _needed_markets(self) -> Needed:
        parts = self.parts
        return needed_markets(
            self.hub.watched(), parts.account.feed, parts.orders.conditionals.view(),
            parts.watchlist.keys(),
        )  # fmt: skip

    def _start_feeds(self) -> None:
        keep, parts, kernel = self._kernel.supervisor.keep, self.parts, self._kernel
        markets, safeguards, maker_stats = (
            parts.markets,
            parts.safeguards,
            parts.account.maker_stats,
        )
        malformed = MalformedMessages(kernel, self._stream_counts)
        keep("frame pump", self.hub.pump)
        keep("clock", parts.time.tick)
        keep("book check", markets.books.keep_checking)
        keep("queue estimate", maker_stats.queue.run)
        keep("reward scoring", maker_stats.scoring.keep_asking)
        keep("rewards", maker_stats.earned.keep_asking)
        keep("market stream", markets.books.run)
        keep("market lists", markets.metadata.poll_lists)
        keep("list of the next start", markets.list_cache.keep_writing)
        keep("venue clock", parts.time.measure)
        keep("malformed messages", malformed.watch)
        keep("account steps", parts.onboarding.run)
        keep("wallet", parts.wallet.run)
        keep("kill switch", safeguards.kill_switch.watch)
        keep("day's result", safeguards.day.run)
        equity = self.parts.account.equity
        keep("equity", partial(equity.run, lambda: self.queries.status().portfolio_value))
        keep("resolved markets", parts.account.resolutions.run)
        kernel.start("connection", self._make_hosts)
        keep("venue states", safeguards.venue.watch)
        kernel.start("account", self._run_account)

    async def _restore_log(self) -> None:
        """Start the log with the journal's entries of the last hours, marked as such."""
        if self._profile.mode is Mode.READ_ONLY:
            return
        past = await self._journal.past(self._kernel.clock.now() - LOG_REACHES_BACK)
        # An unreadable journal is reported when orders are restored.
        if not isinstance(past, JournalProblem) and past:
            self._kernel.log.restore(map(entry_of_past, past))
            self._kernel.log.add(Level.INFO, "notice", STARTED)

    async def _run_account(self) -> None:
        orders, keep = self.parts.orders, self._kernel.supervisor.keep
        if self._profile.mode is not Mode.READ_ONLY:
            # First of all, before anybody could quit in the belief that nothing rests.
            orders.canceller.restore(await orders.search.restore())
            await orders.conditionals.restore()
        hosts = await self._kernel.hosts()
        if hosts.open_account is not None:
            keep("order search", orders.search.run)
            keep("repeated cancels", orders.canceller.run)
            keep("conditional orders", orders.conditionals.run)
            keep("standstill", orders.conditionals.triggers.watch_standstill)
            keep("account", self.parts.account.feed.run)
            heartbeats = self.parts.safeguards.heartbeats
            if heartbeats.is_used:
                keep("heartbeat", heartbeats.run)
                keep("heartbeat watch", heartbeats.watch)

    async def _make_hosts(self) -> None:
        hosts = await self._connect(self._kernel.health)
        if isinstance(hosts, str):
            self._kernel.log.notice(Level.BAD, hosts)
            self.parts.markets.metadata.note_unreachable(hosts)
        else:
            self._kernel.connect(hosts)

    def _disconnected(self) -> frozenset[TokenId]:
        hosts = self._kernel.connected
        return hosts.market_stream.disconnected() if hosts is not None else frozenset()

    def _stream_counts(self) -> Iterable[dict[str, int]]:
        if (hosts := self._kernel.connected) is not None:
            yield hosts.market_stream.malformed_messages()
        if self.parts.account.feed.account is not None:
            yield self.parts.account.feed.account.stream.malformed_messages()

    def _on_learned(self) -> None:
        # The tokens of a market or an event are only known now.
        self.parts.markets.books.retarget()
        self.parts.markets.backfill.request_missing()
        self.parts.account.feed.apply_known_fees()

    def _is_own(self, tokens: Collection[TokenId]) -> bool:
        """Return whether some of these tokens are held, or orders of ours work there."""
        feed = self.parts.account.feed
        held = any(feed.holdings.size(token_id) for token_id in tokens)
        return held or any(order.token_id in tokens for order in feed.own.open_orders())

    def _on_tick_size(self, event: TickSizeChanged) -> None:
        state = self.parts.markets.metadata.store.markets.get(event.condition_id)
        if state is not None and state.terms is not None:
            state.terms = replace(state.terms, tick_size=event.new_tick_size)
            self.parts.kernel.mark(MarketTopic(event.condition_id))

    def _on_resolved(self, event: MarketResolved) -> None:
        self.parts.account.resolutions.on_resolved(event)
        self.parts.account.resolved.on_resolved(event.condition_id)
        self.parts.markets.metadata.refresh(MarketTopic(event.condition_id))
        self.parts.watchlist.alerts.end_market(event.condition_id)
        self.parts.account.feed.refresh()


def _queue_ahead(account: AccountParts, token_id: TokenId) -> Micros | None:
    """Return the fewest shares ahead of an own order in a token; None without an estimate."""
    ahead = dict(account.maker_stats.queue.ahead())
    known = [
        ahead[order.order_id]
        for order in account.feed.own.open_orders()
        if order.token_id == token_id and order.order_id in ahead
    ]
    return min(known, default=None)


def _make_kernel(hub: Hub, clock: Clock, rng: random.Random, *, is_venue_time: bool) -> Kernel:
    log = Log(hub, clock)
    return Kernel(
        clock=clock, hub=hub, log=log, health=Health(hub, log, clock),
        supervisor=Supervisor(clock, log, rng), is_venue_time=is_venue_time,
    )  # fmt: skip
