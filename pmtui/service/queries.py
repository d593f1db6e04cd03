"""The read side: the terminal's queries. Nothing here waits or changes anything."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from pmtui.domain.account.address_book import AddressBook
from pmtui.domain.account.onboarding import Onboarding
from pmtui.domain.books.book_view import BookView
from pmtui.domain.conditionals.conditional import Conditional
from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.markets.watchlist import leading_place, open_markets
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import OrderStatus
from pmtui.service.books.books import BooksFeed
from pmtui.service.markets.market_store import EventState, MarketState
from pmtui.service.markets.metadata import ListState
from pmtui.service.markets.search_index import rank_hits
from pmtui.service.parts import AccountParts, Parts
from pmtui.service.safety.arming import Arming
from pmtui.service.safety.entry_guard import EntryGuard
from pmtui.service.topics import (
    AccountTopic,
    ActivityTopic,
    AddressBookTopic,
    EventQuotesTopic,
    EventTopic,
    FillsTopic,
    HistoryTopic,
    LogTopic,
    MarketListTopic,
    MarketTopic,
    OnboardingTopic,
    RequestsTopic,
    RowQuotesTopic,
    SearchTopic,
    StatusTopic,
    WalletTopic,
    WatchlistTopic,
)
from pmtui.service.views import (
    AccountView,
    ActivityView,
    AlertsView,
    EarnedView,
    EventQuotesView,
    EventRow,
    EventView,
    FillsView,
    HistoryView,
    Load,
    LogView,
    MarketListView,
    MarketRow,
    MarketView,
    Mode,
    OwnList,
    RequestsView,
    RowBooksView,
    SearchView,
    StatusView,
    TagsView,
    TapeView,
    WatchlistView,
    awake_of,
)
from pmtui.service.wallet.wallet_views import WalletView


class AccountReader:
    """Assembles the account's view as of this very moment."""

    def __init__(
        self,
        account: AccountParts,
        *,
        books: BooksFeed,
        conditionals: Callable[[], tuple[Conditional, ...]],
        guard: EntryGuard,
    ) -> None:
        self._account = account
        self._books = books
        self._conditionals = conditionals
        self._guard = guard

    def view(self) -> AccountView:
        """Return cash, positions and open orders."""
        feed, maker_stats = self._account.feed, self._account.maker_stats
        conditionals, positions = self._conditionals(), self._account.marks.positions()
        return AccountView(
            load=feed.state.load,
            balance=feed.state.balance,
            reserved=feed.own.reserved_cash(),
            positions=tuple(each for each in positions if not each.is_remnant),
            remnants=tuple(each for each in positions if each.is_remnant),
            open_orders=feed.own.open_orders(),
            as_of=feed.state.as_of,
            problem=feed.state.problem,
            balances=feed.holdings.sizes(),
            queue_ahead=maker_stats.queue.ahead(),
            scoring=maker_stats.scoring.scoring,
            recent=feed.recent_orders(),
            conditionals=conditionals,
            unseen=frozenset(
                each.token_id
                for each in awake_of(conditionals)
                if not self._books.book(each.token_id).state.is_good
            ),
            entry=self._guard.rules(),
            incomplete_lists=feed.lists.all_missing,
            cash_not_allowed=feed.state.cash_not_allowed,
            shares_not_allowed=feed.state.shares_not_allowed,
        )


class ServiceQueries:
    """Turns the feeds' newest values into frozen views, for one terminal."""

    def __init__(self, parts: Parts, account: AccountReader, arming: Arming) -> None:
        self._parts = parts
        self._reader = account
        self._arming = arming
        self._kernel = parts.kernel
        self._view = parts.kernel.hub.view
        self._profile = parts.profile
        self._metadata = parts.markets.metadata
        self._books = parts.markets.books
        self._account = parts.account.feed
        self._safeguards = parts.safeguards
        self._watchlist = parts.watchlist
        self._quotes = parts.account.quotes

    def now(self) -> datetime:
        """The service's clock."""
        return self._kernel.clock.now()

    def monotonic(self) -> float:
        """Monotonic seconds of this machine."""
        return self._kernel.clock.monotonic()

    def status(self) -> StatusView:
        """Return the status line's content."""
        status = self._view(StatusTopic(), self._status)
        armed_until = self._arming.armed_until
        return status if armed_until is None else replace(status, armed_until=armed_until)

    def market_list(self, topic: MarketListTopic) -> MarketListView:
        """Return the loaded part of a list."""
        return self._view(topic, lambda: self._market_list(topic))

    def search(self, topic: SearchTopic) -> SearchView:
        """Return local results, followed by those that only the venue found."""
        return self._view(topic, lambda: self._search(topic))

    def tags(self) -> TagsView:
        """Return the tags known so far."""
        return TagsView(self._metadata.tags, self._metadata.tags_load)

    def event(self, event_id: EventId) -> EventView:
        """Return an event."""
        return self._view(EventTopic(event_id), lambda: self._event(event_id))

    def event_quotes(self, event_id: EventId) -> EventQuotesView:
        """Return live prices of an event's markets."""
        return self._view(EventQuotesTopic(event_id), lambda: self._event_quotes(event_id))

    def market(self, condition_id: ConditionId) -> MarketView:
        """Return a market and its terms."""
        return self._view(MarketTopic(condition_id), lambda: self._market(condition_id))

    def book(self, token_id: TokenId) -> BookView:
        """Return a token's book with its data quality, as of this moment: it caches its own view."""
        return self._books.book(token_id)

    def row_books(self, topic: RowQuotesTopic) -> RowBooksView:
        """Return the books of a list's visible rows."""
        return RowBooksView(tuple(map(self._books.book, topic.token_ids)))

    def tape(self, token_id: TokenId) -> TapeView:
        """Return public trades of a token."""
        return self._books.tapes.view(token_id)

    def history(self, token_id: TokenId, interval: Interval) -> HistoryView:
        """Return the price history of a token."""
        return self._parts.markets.history.view(HistoryTopic(token_id, interval))

    def account(self) -> AccountView:
        """Return cash, positions and open orders."""
        return self._view(AccountTopic(), self._reader.view)

    def fills(self) -> FillsView:
        """Return our own fills."""
        return self._view(FillsTopic(), lambda: FillsView(self._account.own.fills()))

    def activity(self) -> ActivityView:
        """Return closed positions and other activity."""
        state, equity = self._account.state, self._parts.account.equity
        events = self._parts.account.events
        return self._view(
            ActivityTopic(),
            lambda: ActivityView(state.closed, state.activity, equity.points, events.view()),
        )

    def earned(self) -> EarnedView:
        """Return what resting orders earned."""
        return self._parts.account.maker_stats.earned.view()

    def watchlist(self) -> WatchlistView:
        """Return starred items and price alerts."""
        return self._view(WatchlistTopic(), self._watchlist.view)

    def alerts(self) -> AlertsView:
        """Return how many price alerts have fired in this session."""
        return AlertsView(self._watchlist.alerts.rung)

    def onboarding(self) -> Onboarding:
        """Return the account's progress through onboarding."""
        return self._view(OnboardingTopic(), self._parts.onboarding.view)

    def address_book(self) -> AddressBook:
        """Return the trader's address book."""
        return self._view(AddressBookTopic(), self._parts.address_book.view)

    def wallet(self) -> WalletView:
        """Return the wallet's state: approvals and transactions."""
        return self._view(WalletTopic(), self._parts.wallet.view)

    def log(self) -> LogView:
        """Return the log."""
        return self._view(LogTopic(), self._kernel.log.view)

    def requests(self) -> RequestsView:
        """Return the recent requests to the hosts."""
        return self._view(RequestsTopic(), self._kernel.health.requests.view)

    def _status(self) -> StatusView:
        account = self.account()
        open_orders = account.open_orders
        maker = self._account.account.signer.maker if self._account.account else ""
        equity = self._portfolio_value(account)
        figures = self._safeguards.day.figures(equity)
        return StatusView(
            profile=self._profile.name,
            mode=self._profile.mode,
            mode_reason=self._profile.reason,
            cash=account.available,
            portfolio_value=equity,
            open_orders=len(open_orders),
            unknown_orders=sum(o.status is OrderStatus.UNKNOWN for o in open_orders),
            unread_notices=self._kernel.log.unread,
            health=self._kernel.health.view(),
            clock_skew_ms=self._parts.time.skew_ms,
            now=self.now(),
            address=maker,
            venue=self._safeguards.venue.facts(),
            kill_lock=self._safeguards.kill_switch.reason,
            heartbeat=self._safeguards.heartbeats.view(),
            day_result=None if figures is None else figures.total,
            day_figures=figures,
            watching=len(account.awake),
            blind=len(account.blind),
            paused=len(account.paused),
            are_orders_known=not account.missing_in(OwnList.ORDERS),
        )

    def _market_list(self, topic: MarketListTopic) -> MarketListView:
        state = self._metadata.lists.get(topic) or ListState()
        positions = self._account.holdings.positions()
        held = {each.condition_id for each in positions if not each.is_remnant}
        return MarketListView(
            rows=tuple(self._event_row(e, held, state) for e in state.events),
            load=state.load,
            has_more=state.cursor is not None,
            as_of=state.as_of,
            problem=state.problem,
            is_cached=state.is_cached,
        )

    def _search(self, topic: SearchTopic) -> SearchView:
        index, state = self._metadata.store.index, self._metadata.search
        local = index.find(topic.text)
        is_answered = state.text == topic.text
        listed = {market.market_id for market in local}
        others = (m for m in state.found if m not in listed) if is_answered else ()
        found = rank_hits((*local, *index.markets(others)), self.now())
        return SearchView(
            text=topic.text,
            rows=tuple(map(self._market_row, found)),
            load=state.load if is_answered else Load.EMPTY,
            indexed=len(index),
            problem=state.problem if is_answered else "",
        )

    def _event(self, event_id: EventId) -> EventView:
        state = self._metadata.store.events.get(event_id) or EventState()
        watch, event = self._watchlist, state.event
        markets = event.markets if event is not None else ()
        return EventView(
            event,
            state.load,
            state.as_of,
            state.problem,
            state.comments,
            is_starred=event is not None and watch.is_event_starred(event),
            starred=frozenset(m.market_id for m in markets if watch.is_starred(m.condition_id)),
        )

    def _event_quotes(self, event_id: EventId) -> EventQuotesView:
        state = self._metadata.store.events.get(event_id)
        if state is None or state.event is None:
            return EventQuotesView(())
        rows = tuple(
            self._quotes.quote(m, state.as_of)
            for m in state.event.markets
            if m.condition_id is not None
        )
        return EventQuotesView(rows)

    def _market(self, condition_id: ConditionId) -> MarketView:
        state = self._metadata.store.markets.get(condition_id) or MarketState()
        return MarketView(
            market=state.market,
            terms=state.terms,
            load=state.load,
            as_of=state.as_of,
            holders=state.holders,
            problem=state.problem,
            venue=self._safeguards.venue.facts_of(condition_id, state.terms),
            is_starred=self._watchlist.is_starred(condition_id),
        )

    def _portfolio_value(self, account: AccountView) -> Micros | None:
        if self._profile.mode is Mode.READ_ONLY or account.balance is None:
            return None
        if account.missing_in(OwnList.POSITIONS):
            # A total with a missing part would look like a loss.
            return None
        return Micros(account.balance + sum(p.value or 0 for p in account.positions))

    def _event_row(self, event: Event, held: set[ConditionId], state: ListState) -> EventRow:
        return EventRow(
            event=event,
            leading_place=leading_place(event),
            open_markets=len(open_markets(event)),
            has_position=any(m.condition_id in held for m in event.markets),
            is_starred=self._watchlist.is_event_starred(event),
            as_of=state.answered_at.get(event.event_id, state.as_of),
        )

    def _market_row(self, market: Market) -> MarketRow:
        return MarketRow(
            market=market,
            event_id=market.event_id,
            event_title=market.event_title,
            position_size=self._quotes.position_size(market),
            is_starred=self._watchlist.is_starred(market.condition_id),
            as_of=self._metadata.store.index.seen_at(market.market_id),
        )
