"""The read side: the terminal's queries. Nothing here waits or changes anything."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeAlias, TypeVar, final

from typing_extensions import override

from pmtui.domain.conditionals.conditional import ConditionalOrder
from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.markets.watchlist import leading_place, open_markets
from pmtui.domain.orders.order import OrderStatus
from pmtui.service import topics
from pmtui.service.account.pnl import DailyPnl
from pmtui.service.books.books import BooksFeed
from pmtui.service.markets.market_store import EventState, MarketState
from pmtui.service.markets.metadata import ListState
from pmtui.service.markets.search_index import rank_hits
from pmtui.service.parts import AccountParts, Parts
from pmtui.service.safety.arming import Arming
from pmtui.service.safety.entry_guard import EntryGuard
from pmtui.service.surface import Queries
from pmtui.service.views import (
    AccountView,
    ActivityView,
    AlertsView,
    EventQuotesView,
    EventRow,
    EventView,
    FillsView,
    Load,
    MarketListView,
    MarketRow,
    MarketView,
    OwnList,
    RowBooksView,
    SearchView,
    StatusView,
    TagsView,
    active_of,
    with_money,
)

T = TypeVar("T", bound=topics.Topic)
Build: TypeAlias = Callable[[topics.AnyTopic], object]
_CACHED_ELSEWHERE = (
    topics.TagsTopic, topics.BookTopic, topics.RowQuotesTopic, topics.TapeTopic,
    topics.HistoryTopic, topics.RewardsTopic, topics.AlertTopic,
)  # fmt: skip
"""Topics whose views are as of this very moment: they have caches of their own, or need none."""


def _entry(kind: type[T], build: Callable[[T], object]) -> tuple[type, Build]:
    """Return a kind of topic, and what builds its view of any topic of that kind."""

    def build_view(topic: topics.AnyTopic) -> object:
        assert isinstance(topic, kind)
        return build(topic)

    return kind, build_view


class AccountReader:
    """Assembles the account's view as of this very moment."""

    def __init__(
        self,
        account: AccountParts,
        *,
        books: BooksFeed,
        conditionals: Callable[[], tuple[ConditionalOrder, ...]],
        guard: EntryGuard,
        day: DailyPnl,
    ) -> None:
        self._account = account
        self._books = books
        self._conditionals = conditionals
        self._guard = guard
        self._day = day

    def view(self) -> AccountView:
        """Return cash, positions and open orders."""
        feed, maker_stats = self._account.feed, self._account.maker_stats
        conditionals, positions = self._conditionals(), self._account.marks.positions()
        view = AccountView(
            load=feed.state.load,
            balance=feed.state.balance,
            reserved=feed.own.reserved_cash(),
            positions=tuple(each for each in positions if not each.is_remnant),
            remnants=(*(p for p in positions if p.is_remnant), *feed.holdings.sold_out()),
            open_orders=feed.open_orders(),
            as_of=feed.state.as_of,
            problem=feed.state.problem,
            balances=feed.holdings.sizes(),
            queue_ahead=maker_stats.queue.ahead(),
            displayed=maker_stats.queue.displayed(),
            scoring=maker_stats.scoring.scoring,
            recent=feed.recent_orders(),
            conditionals=conditionals,
            unseen=frozenset(
                each.token_id
                for each in active_of(conditionals)
                if not self._books.book(each.token_id).state.is_good
            ),
            entry=self._guard.rules(),
            incomplete_lists=feed.lists.all_missing,
            cash_not_allowed=feed.state.cash_not_allowed,
            shares_not_allowed=feed.state.shares_not_allowed,
        )
        equity, balance = view.equity, view.balance
        if equity is None or balance is None:
            return view
        return view.with_day(self._day.figures(equity, balance=balance, positions=positions))


@final
class ServiceQueries(Queries):
    """Turns the feeds' newest values into frozen views, for one terminal."""

    def __init__(self, parts: Parts, account: AccountReader, arming: Arming) -> None:
        self._parts = parts
        self._reader = account
        self._arming = arming
        self._kernel = parts.kernel
        self._profile = parts.profile
        self._metadata = parts.markets.metadata
        self._books = parts.markets.books
        self._account = parts.account.feed
        self._safeguards = parts.safeguards
        self._watchlist = parts.watchlist
        self._quotes = parts.account.quotes
        self._builders = self._builders_of_views()

    @override
    def now(self) -> datetime:
        return self._kernel.clock.now()

    @override
    def monotonic(self) -> float:
        return self._kernel.clock.monotonic()

    @override
    def _read(self, topic: topics.AnyTopic) -> object:
        build = self._builders[type(topic)]
        if isinstance(topic, _CACHED_ELSEWHERE):
            return build(topic)
        view = self._kernel.hub.view(topic, partial(build, topic))
        if isinstance(view, StatusView):
            view = with_money(view, self.account())
            if (armed_until := self._arming.armed_until) is not None:
                return replace(view, armed_until=armed_until)
        return view

    def _builders_of_views(self) -> Mapping[type, Build]:
        parts, books, account = self._parts, self._books, self._parts.account
        watchlist, metadata, kernel = self._watchlist, self._metadata, self._kernel

        def list_row_books(topic: topics.RowQuotesTopic) -> RowBooksView:
            return RowBooksView(tuple(map(books.book, topic.token_ids)))

        return dict(
            (
                _entry(topics.StatusTopic, lambda _: self._status()),
                _entry(topics.MarketListTopic, self._market_list),
                _entry(topics.SearchTopic, self._search),
                _entry(topics.TagsTopic, lambda _: TagsView(metadata.tags, metadata.tags_load)),
                _entry(topics.EventTopic, self._event),
                _entry(topics.EventQuotesTopic, self._event_quotes),
                _entry(topics.RowQuotesTopic, list_row_books),
                _entry(topics.MarketTopic, self._market),
                _entry(topics.BookTopic, lambda topic: books.book(topic.token_id)),
                _entry(topics.TapeTopic, lambda topic: books.tapes.view(topic.token_id)),
                _entry(topics.HistoryTopic, parts.markets.history.view),
                _entry(topics.AccountTopic, lambda _: self._reader.view()),
                _entry(topics.FillsTopic, lambda _: FillsView(self._account.own.fills())),
                _entry(topics.ActivityTopic, lambda _: self._activity()),
                _entry(topics.RewardsTopic, lambda _: account.maker_stats.earned.view()),
                _entry(topics.OnboardingTopic, lambda _: parts.onboarding.view()),
                _entry(topics.WalletTopic, lambda _: parts.wallet.view()),
                _entry(topics.AddressBookTopic, lambda _: parts.address_book.view()),
                _entry(topics.WatchlistTopic, lambda _: watchlist.view()),
                _entry(topics.AlertTopic, lambda _: AlertsView(watchlist.alerts.fired)),
                _entry(topics.LogTopic, lambda _: kernel.log.view()),
                _entry(topics.RequestsTopic, lambda _: kernel.health.requests.view()),
            )
        )

    def _status(self) -> StatusView:
        account = self.account()
        open_orders = account.open_orders
        maker = self._account.account.signer.maker if self._account.account else ""
        return StatusView(
            profile=self._profile.name,
            mode=self._profile.mode,
            mode_reason=self._profile.reason,
            cash=None,
            portfolio_value=None,
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
            watching=len(account.active),
            blind=len(account.blind),
            paused=len(account.paused),
            terminals=self._kernel.terminals,
            are_orders_known=not account.missing_in(OwnList.ORDERS),
            account_as_of=account.as_of,
        )

    def _market_list(self, topic: topics.MarketListTopic) -> MarketListView:
        state = self._metadata.lists.get(topic) or ListState()
        positions = self._account.holdings.positions()
        held = {each.condition_id for each in positions if not each.is_dust}
        return MarketListView(
            rows=tuple(self._event_row(e, held, state) for e in state.events),
            load=state.load,
            has_more=state.cursor is not None,
            as_of=state.as_of,
            problem=state.problem,
            is_cached=state.is_cached,
        )

    def _search(self, topic: topics.SearchTopic) -> SearchView:
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

    def _event(self, topic: topics.EventTopic) -> EventView:
        state = self._metadata.store.events.get(topic.event_id) or EventState()
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

    def _event_quotes(self, topic: topics.EventQuotesTopic) -> EventQuotesView:
        state = self._metadata.store.events.get(topic.event_id)
        if state is None or state.event is None:
            return EventQuotesView(())
        rows = tuple(
            self._quotes.quote(m, state.as_of)
            for m in state.event.markets
            if m.condition_id is not None
        )
        return EventQuotesView(rows)

    def _activity(self) -> ActivityView:
        state, account = self._account.state, self._parts.account
        points, events = account.equity.points, account.events.view()
        return ActivityView(state.closed, state.activity, points, events)

    def _market(self, topic: topics.MarketTopic) -> MarketView:
        condition_id = topic.condition_id
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
            event=self._metadata.store.index.window(market.market_id),
        )
