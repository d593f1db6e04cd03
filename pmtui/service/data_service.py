"""The background data service: one task group, started before the terminal and ended after it."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from pmtui.domain.books.market_events import MarketResolved, TickSizeChanged
from pmtui.domain.ids import TokenId
from pmtui.domain.orders.endings import EndingPolicy
from pmtui.service.account.account import AccountFeed
from pmtui.service.account.maker_stats import make_maker_stats
from pmtui.service.account.onboarding import OnboardingFeed
from pmtui.service.books.books import BooksFeed
from pmtui.service.books.stream_faults import MalformedMessages, StreamLoss
from pmtui.service.books.tapes import TapeBackfill
from pmtui.service.commands import ServiceCommands
from pmtui.service.conditionals.conditionals import Conditionals
from pmtui.service.conditionals.sales import ConditionalSales
from pmtui.service.health import Health
from pmtui.service.hosts import Hosts
from pmtui.service.hub import Hub
from pmtui.service.kernel import Kernel
from pmtui.service.log import Log
from pmtui.service.markets.event_list_cache import EventListCache
from pmtui.service.markets.market_store import KnownMarkets, Needed
from pmtui.service.markets.metadata import MetadataFeed
from pmtui.service.markets.own_markets import OwnMarkets, needed_markets
from pmtui.service.markets.prices import HistoryFeed, MarkToMarket, Quotes
from pmtui.service.markets.resolutions import Resolutions
from pmtui.service.markets.venue_states import VenueStates
from pmtui.service.orders.cancelling import Canceller
from pmtui.service.orders.desk import Desk
from pmtui.service.orders.history import OrderHistory
from pmtui.service.orders.journal import Journal
from pmtui.service.orders.search import OrderSearch
from pmtui.service.ports import Clock
from pmtui.service.profile import Profile
from pmtui.service.queries import ServiceQueries
from pmtui.service.safety.arming import Arming
from pmtui.service.safety.daily_pnl import DailyPnl
from pmtui.service.safety.entry_guard import EntryGuard
from pmtui.service.safety.entry_lock import EntryLock
from pmtui.service.safety.heartbeats import HeartbeatSender
from pmtui.service.safety.kill_switch import KillSwitch
from pmtui.service.safety.safeguards import Safeguards
from pmtui.service.safety.shutdown import Shutdown
from pmtui.service.supervisor import Supervisor
from pmtui.service.topics import MarketTopic
from pmtui.service.tuning import AS_SHIPPED, Tuning
from pmtui.service.venue_time import TimeFeed
from pmtui.service.views import AccountView, Level, Mode
from pmtui.service.watch.watch_store import WatchKeeper
from pmtui.service.watch.watchlist import Watchlist

Connect = Callable[[Health], Awaitable[Hosts | str]]
"""Makes the hosts, or says in a line why it cannot. Called once the service runs."""


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
        self._log = Log(self.hub, clock)
        self._health = Health(self.hub, self._log, clock)
        self._supervisor = Supervisor(clock, self._log, rng)
        self._connect = connect
        self._journal, self._tuning = journal, tuning
        self._hosts: asyncio.Future[Hosts] | None = None
        self._trades = profile.mode is not Mode.READ_ONLY
        kernel = self._kernel = self._make_kernel(clock)
        self._metadata = self._make_metadata()
        self._known = KnownMarkets(self._metadata.store)
        self._seen = EventListCache(kernel, self._metadata, state_dir)
        self._history = HistoryFeed(kernel, self._wait_for_hosts)
        self._time = TimeFeed(kernel, self._wait_for_hosts)
        self._orders = OrderHistory(kernel, journal)
        self._account = self._make_account()
        self._canceller = Canceller(kernel, self._account, self._orders)
        self._resolutions = Resolutions(kernel, self._account, self._known, state_dir)
        self._search = self._make_search()
        self._books = self._make_books()
        self._past = self._make_past()
        self._resting = make_maker_stats(kernel, self._account, self._books)
        self._venue = self._make_venue_states()
        self._malformed = MalformedMessages(kernel, self._stream_counts)
        self._safeguards = self._make_safeguards(profile, state_dir)
        self.arming = self._safeguards.arming
        self._onboarding = self._make_onboarding(profile)
        self._desk = self._make_desk()
        self._conditionals = self._make_conditionals()
        self._watchlist = self._make_watchlist(state_dir)
        self.queries = self._make_queries(profile)
        self.commands = self._make_commands()
        self.departing = self._make_departing(profile)
        own = OwnMarkets(kernel, self._wait_for_hosts, self._metadata, self._account)
        feeds = (self._metadata, self._history, self._books, self._past, self._account, own)
        for feed in (*feeds, self._onboarding, self._watchlist, self._resting.earned):
            self.hub.on_demand(feed.on_demand)
        self.hub.on_release(self._watchlist.on_release)
        self.hub.on_release(self._books.on_demand)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["DataService"]:
        """Run the feeds for as long as the block lasts."""
        loop = asyncio.get_running_loop()
        self._hosts = loop.create_future()
        ready = asyncio.Event()
        task = loop.create_task(self._supervisor.run(ready.set), name="service")
        await ready.wait()
        self._seen.restore()
        self._watchlist.restore()
        self._start_feeds()
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self._seen.write()
            await self._watchlist.close()
            if (hosts := self._connected()) is not None:
                await hosts.close()
            await self._journal.close()

    def _make_account(self) -> AccountFeed:
        return AccountFeed(
            self._kernel, self._wait_for_hosts, title_of=self._known.title,
            fee_of=self._known.fee, history=self._orders,
            policy=EndingPolicy(
                lag_s=self._tuning.replica_lag_s, ruled_out_after_s=self._tuning.ruled_out_after_s
            ),
        )  # fmt: skip

    def _make_metadata(self) -> MetadataFeed:
        return MetadataFeed(
            self._kernel, self._wait_for_hosts, self._on_learned, self._needed_markets
        )

    def _make_search(self) -> OrderSearch:
        return OrderSearch(self._kernel, self._account, self._orders)

    def _make_kernel(self, clock: Clock) -> Kernel:
        return Kernel(
            clock=clock, hub=self.hub, log=self._log, health=self._health,
            supervisor=self._supervisor,
        )  # fmt: skip

    def _make_books(self) -> BooksFeed:
        return BooksFeed(
            self._kernel,
            self._wait_for_hosts,
            tokens_of_event=self._known.tokens_of_event,
            pair_of=self._known.pair,
            on_tick_size=self._on_tick_size,
            on_resolved=self._on_resolved,
        )

    def _make_past(self) -> TapeBackfill:
        return TapeBackfill(
            self._kernel,
            self._wait_for_hosts,
            self._books.tapes,
            market_of=self._metadata.store.market_of_token.get,
            pair_of=self._known.pair,
        )

    def _make_venue_states(self) -> VenueStates:
        states = VenueStates(
            self._kernel,
            self._wait_for_hosts,
            account=lambda: self._account.account,
            last_trade_at=lambda: self._books.tapes.last_trade_at,
            skew_ms=lambda: self._time.skew_ms,
        )
        self._account.on_order(states.on_order)
        return states

    def _make_safeguards(self, profile: Profile, state_dir: Path | None) -> Safeguards:
        kernel, account, tuning = self._kernel, self._account, self._tuning
        loss = StreamLoss(
            self.hub, deaf=self._deaf, book_of=self._books.book,
            market_of=self._metadata.store.market_of_token.get,
        )  # fmt: skip
        arming = Arming(kernel, loss, idle_s=tuning.disarm_after_s)
        if profile.mode is Mode.READ_ONLY:
            arming.object_with(lambda: profile.reason or "this session is read-only")
        lock = EntryLock(kernel.clock, state_dir)
        marked = MarkToMarket(account, self._books).positions
        day = DailyPnl(kernel, account, self._known, positions=marked, state_dir=state_dir)
        return Safeguards(
            arming=arming,
            heartbeats=HeartbeatSender(
                kernel, account, self._journal, arming, policy=tuning.heartbeat
            ),
            venue=self._venue,
            guard=EntryGuard(
                kernel, account, lock=lock, day=day, positions=marked, limits=tuning.limits
            ),
            kill_switch=KillSwitch(
                kernel,
                account,
                self._orders,
                canceller=self._canceller,
                lock=lock,
                arming=arming,
                state_dir=state_dir,
                has_key=profile.mode is not Mode.READ_ONLY,
            ),
            day=day,
        )

    def _make_departing(self, profile: Profile) -> Shutdown:
        return Shutdown(
            self._kernel,
            self._account,
            self._journal,
            commands=self.commands,
            safeguards=self._safeguards,
            conditionals=self._conditionals,
            title_of=self._known.title,
            is_paper=profile.mode is Mode.PAPER,
        )

    def _make_onboarding(self, profile: Profile) -> OnboardingFeed:
        return OnboardingFeed(
            self._kernel,
            self._wait_for_hosts,
            profile=profile,
            account=self._account,
            venue=self._venue,
            limits=self._tuning.limits,
        )

    def _make_watchlist(self, state_dir: Path | None) -> Watchlist:
        self._quotes = Quotes(book_of=self._books.book, positions=self._account.holdings.positions)
        return Watchlist(
            self._kernel,
            self._wait_for_hosts,
            self._metadata,
            quotes=self._quotes,
            keeper=WatchKeeper(self._kernel, state_dir),
        )

    def _make_queries(self, profile: Profile) -> ServiceQueries:
        return ServiceQueries(
            kernel=self._kernel,
            profile=profile,
            metadata=self._metadata,
            books=self._books,
            history=self._history,
            account=self._account,
            resting=self._resting,
            time=self._time,
            safeguards=self._safeguards,
            conditionals=self._conditionals.view,
            onboarding=self._onboarding.view,
            quotes=self._quotes,
            watchlist=self._watchlist,
        )

    def _make_desk(self) -> Desk:
        return Desk(
            self._kernel,
            self._account,
            self._orders,
            search=self._search,
            canceller=self._canceller,
            market_of=self._known.market,
            book_of=self._books.book,
            guard=self._safeguards.guard,
            post_deadline_s=self._tuning.post_deadline_s,
        )

    def _make_conditionals(self) -> Conditionals:
        sales = ConditionalSales(
            self._kernel,
            self._desk,
            account=self._account_view,
            market_of=self._known.market,
            own=self._account.own,
            ask_shares=self._account.ask_shares,
            least_held=self._account.holdings.least,
            lag_s=self._tuning.sale_lag_s,
        )
        conditionals = Conditionals(
            self._kernel,
            self._journal,
            sales,
            account=self._account_view,
            book_of=self._books.book,
            market_of=self._known.market,
            market_problem=self._desk.why_not_this_market,
            own=self._account.own,
            locked=self._safeguards.guard.locked,
            is_moving_to=self._desk.is_moving_to,
        )
        self._account.on_order(conditionals.sales.on_order)
        self._account.on_order(conditionals.on_order)
        self._desk.on_resized_move(conditionals.follow_move)
        self._safeguards.kill_switch.on_kill(conditionals.pause_if_locked)
        return conditionals

    def _account_view(self) -> AccountView:
        return self.queries.account()

    def _needed_markets(self) -> Needed:
        return needed_markets(
            self.hub.watched(), self._account, self._conditionals.view(), self._watchlist.keys()
        )

    def _make_commands(self) -> ServiceCommands:
        return ServiceCommands(
            desk=self._desk,
            safeguards=self._safeguards,
            conditionals=self._conditionals,
            log=self._log,
            metadata=self._metadata,
            books=self._books,
            history=self._history,
            account=self._account,
            onboarding=self._onboarding,
            earned=self._resting.earned,
            watchlist=self._watchlist,
        )

    def _start_feeds(self) -> None:
        keep = self._supervisor.keep
        keep("frame pump", self.hub.pump)
        keep("clock", self._time.tick)
        keep("book check", self._books.keep_checking)
        keep("queue estimate", self._resting.queue.run)
        keep("reward scoring", self._resting.scoring.keep_asking)
        keep("rewards", self._resting.earned.keep_asking)
        keep("market stream", self._books.run)
        keep("market lists", self._metadata.poll_lists)
        keep("list of the next start", self._seen.keep_writing)
        keep("venue clock", self._time.measure)
        keep("stream oddities", self._malformed.watch)
        keep("account steps", self._onboarding.run)
        keep("kill switch", self._safeguards.kill_switch.watch)
        keep("day's result", self._safeguards.day.run)
        keep("resolved markets", self._resolutions.run)
        self._kernel.start("connection", self._make_hosts)
        keep("venue states", self._venue.watch)
        self._kernel.start("account", self._run_account)

    async def _run_account(self) -> None:
        if self._trades:
            # First of all, before anybody could leave in the belief that nothing rests.
            self._canceller.restore(await self._search.restore())
            await self._conditionals.restore()
        hosts = await self._wait_for_hosts()
        if hosts.open_account is not None:
            self._supervisor.keep("order search", self._search.run)
            self._supervisor.keep("repeated cancels", self._canceller.run)
            self._supervisor.keep("conditional orders", self._conditionals.run)
            self._supervisor.keep("account", self._account.run)
            heartbeats = self._safeguards.heartbeats
            if heartbeats.is_used:
                self._supervisor.keep("heartbeat", heartbeats.run)
                self._supervisor.keep("heartbeat watch", heartbeats.watch)

    async def _make_hosts(self) -> None:
        hosts = await self._connect(self._health)
        if isinstance(hosts, str):
            self._log.notice(Level.BAD, hosts)
            self._metadata.note_unreachable(hosts)
        elif self._hosts is not None and not self._hosts.done():
            self._hosts.set_result(hosts)

    def _wait_for_hosts(self) -> "asyncio.Future[Hosts]":
        if self._hosts is None:
            raise RuntimeError("the service is not running")
        return asyncio.ensure_future(asyncio.shield(self._hosts))

    def _connected(self) -> Hosts | None:
        if self._hosts is None or not self._hosts.done() or self._hosts.cancelled():
            return None
        return self._hosts.result()

    def _deaf(self) -> frozenset[TokenId]:
        hosts = self._connected()
        return hosts.market_stream.deaf() if hosts is not None else frozenset()

    def _stream_counts(self) -> Iterable[dict[str, int]]:
        if (hosts := self._connected()) is not None:
            yield hosts.market_stream.oddities()
        if self._account.account is not None:
            yield self._account.account.stream.oddities()

    def _on_learned(self) -> None:
        # Which tokens a market or an event has is known only now.
        self._books.retarget()
        self._past.request_missing()
        self._account.settle_fees()

    def _on_tick_size(self, event: TickSizeChanged) -> None:
        state = self._metadata.store.markets.get(event.condition_id)
        if state is not None and state.terms is not None:
            state.terms = replace(state.terms, tick_size=event.new_tick_size)
            self.hub.mark(MarketTopic(event.condition_id))

    def _on_resolved(self, event: MarketResolved) -> None:
        self._resolutions.on_resolved(event)
        self._metadata.refresh(MarketTopic(event.condition_id))
        self._watchlist.alerts.end_market(event.condition_id)
        self._account.refresh()
