"""A terminal's copy of its service: the newest view of every watched topic, and the queries that read them.

Reading is instant and sends no request. An unwatched topic is requested once, and is empty until it
arrives. When the service is gone nothing here looks live any more: books are stale and every source is
down.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import cast, final

from typing_extensions import override

from pmtui.domain.account.address_book import AddressBook
from pmtui.domain.account.onboarding import Onboarding
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.health import HealthState, Source, SourceHealth
from pmtui.domain.ids import TokenId
from pmtui.domain.money import ZERO
from pmtui.domain.orders.self_trade import mark_of
from pmtui.link.messages import Events, Peek, ToService, Unwatch, View, Watch
from pmtui.link.mirrored_log import MirroredLog
from pmtui.service.clock import Clock
from pmtui.service.codec import decode, encode
from pmtui.service.hub import TopicSubscription
from pmtui.service.surface import Queries
from pmtui.service.topics import (
    VIEW_TYPES,
    AccountTopic,
    ActivityTopic,
    AddressBookTopic,
    AlertTopic,
    AnyTopic,
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
    NOTHING_EARNED,
    AccountView,
    ActivityView,
    AlertsView,
    EventQuotesView,
    EventView,
    FillsView,
    HistoryView,
    Level,
    Load,
    LogEntry,
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
    with_money,
)
from pmtui.service.wallet.wallet_views import NO_WALLET

Notify = Callable[[Topic], None]

STANDING: tuple[Topic, ...] = (
    StatusTopic(), AccountTopic(), FillsTopic(), LogTopic(), AlertTopic(),
)  # fmt: skip
"""Topics that every terminal watches while it is attached: any key may need them."""
MOST_KEPT = 96
"""Views that are kept although their topics are not watched."""
MOST_HISTORIES_KEPT = 16
"""Histories among them: each has hundreds of points, and lists keep their sparklines themselves."""
_LIVE_ONLY = (BookTopic, EventQuotesTopic, RowQuotesTopic, TapeTopic)
"""Topics whose views are useless once they are unwatched."""


def nothing_known(profile: str, *, is_paper: bool, now: datetime) -> StatusView:
    """Return what the status line shows until the service has sent its own."""
    return StatusView(
        profile=profile, mode=Mode.PAPER if is_paper else Mode.READ_ONLY, mode_reason="",
        cash=None, portfolio_value=None, open_orders=0, unknown_orders=0, unread_notices=0,
        health=tuple(SourceHealth(each, HealthState.CONNECTING) for each in Source),
        clock_skew_ms=None, now=now, are_orders_known=False,
    )  # fmt: skip


class Mirror:
    """The views of one terminal."""

    def __init__(self, status: StatusView, *, read_lock: Callable[[], str] = lambda: "") -> None:
        """Prepare a mirror without views.

        Args:
            status: the status line's content until the service has sent its own.
            read_lock: returns why no order may be entered, as the disk says; empty if orders may.
        """
        self._read_lock = read_lock
        self._subscribers: dict[Topic, list[TopicSubscription]] = {}
        self._views: dict[AnyTopic, object] = {StatusTopic(): status}
        self._kept: OrderedDict[AnyTopic, bool] = OrderedDict()
        """Unwatched topics with a view or a request for one, oldest first, and whether the service
        goes on sending it."""
        self._row_books: dict[TokenId, BookView] = {}
        self._rows: Counter[TokenId] = Counter()
        """Tokens whose books come with the rows that are watched."""
        self._marked: AccountView | None = None
        """The account at the prices of the books that are here; None until it is read again."""
        self._log = MirroredLog()
        self._disarming = 0
        """How many requests to disarm the service has not carried out yet."""
        self._send: Callable[[ToService], None] | None = None

    def attach(self, send: Callable[[ToService], None], *, read_up_to: int, is_same: bool) -> None:
        """Watch every topic at a service that has just accepted the terminal.

        Args:
            send: sends messages to the service.
            read_up_to: the last log entry that was read in any terminal.
            is_same: whether it is the same run of the service as before; if not, its log begins
                anew.
        """
        self._send = send
        if not is_same:
            self._log.begin_anew(read_up_to)
        self._kept = OrderedDict.fromkeys(self._kept, False)
        self.watch_again()

    def watch_again(self) -> None:
        """Request every watched view again, changed or not."""
        if self._send is not None:
            for topic in {**dict.fromkeys(STANDING), **self._subscribers}:
                self._send(Watch(encode(topic)))

    def detach(self, reason: str) -> None:
        """Show that nothing is live any more, and why; watchers are notified when it is live again."""
        self._send = None
        self._views[StatusTopic()] = replace(
            cast("StatusView", self._views[StatusTopic()]), is_gone=True
        )
        self.show_silence(reason)

    def show_silence(self, reason: str) -> None:
        """Show every view as stale and every source as down."""
        status = self.status()
        down = (replace(h, state=HealthState.DOWN, reason=reason) for h in status.health)
        self._views[StatusTopic()] = replace(status, health=tuple(down), armed_until=None)
        for kept in [each for each in self._kept if isinstance(each, _LIVE_ONLY)]:
            self._release(kept)
        for topic, view in self._views.items():
            if isinstance(view, BookView):
                self._views[topic] = _stale(view)
            elif isinstance(view, RowBooksView):
                self._views[topic] = RowBooksView(tuple(map(_stale, view.books)))
        self._row_books = {token: _stale(book) for token, book in self._row_books.items()}
        self._marked = None
        for topic in tuple(self._subscribers):
            self._notify(topic)

    def pass_time(self, now: datetime) -> None:
        """Keep ages and times advancing while no service sends the time, and show a lock from outside."""
        self._views[StatusTopic()] = replace(self.status(), now=now)
        self.show_lock()

    def show_lock(self) -> None:
        """Show a lock of entry that the service has not reported: it has cancelled nothing for it yet."""
        status = cast("StatusView", self._views[StatusTopic()])
        if status.is_kill_waiting or not status.kill_lock:
            lock = self._read_lock()
            status = replace(status, kill_lock=lock, is_kill_waiting=bool(lock))
            self._views[StatusTopic()] = status
        self._notify(StatusTopic())

    @property
    def last_entry(self) -> int:
        """The last entry of the service's log that is known."""
        return self._log.last_entry

    def apply(self, message: View) -> None:
        """Store a view, and mark its topic as changed.

        Raises:
            CodecError: the message is not a valid view.
        """
        topic = cast("Topic", decode(message.topic, Topic))
        if not (topic in self._subscribers or topic in self._kept or topic in STANDING):
            # Sent before the service heard that nobody wants it any more: it would never change again.
            return
        view = decode(message.view, VIEW_TYPES[type(topic)])
        if isinstance(topic, RowQuotesTopic) and isinstance(view, RowBooksView):
            whole = self._with_changes(topic, view)
            if whole is None:
                return
            view = whole
        before, self._views[topic] = self._views.get(topic), view
        if isinstance(view, AccountView | BookView | RowBooksView):
            self._marked = None
        if isinstance(view, AccountView):
            self._learn_titles(view)
        if isinstance(before, StatusView) and before.is_kill_waiting:
            # The view is perhaps from before the service saw the lock.
            self.show_lock()
        else:
            self._notify(topic)

    def _with_changes(self, topic: RowQuotesTopic, news: RowBooksView) -> RowBooksView | None:
        """Return all books of some rows after merging the changed ones; None without the others."""
        watched = (book for book in news.books if book.token_id in self._rows)
        self._row_books.update((book.token_id, book) for book in watched)
        if len(news.books) == len(topic.token_ids):
            return news
        before = self._views.get(topic)
        if not isinstance(before, RowBooksView):
            # These rows are no longer watched, or were requested again: then all books will come.
            return None
        changed = {book.token_id: book for book in news.books}
        return RowBooksView(tuple(changed.get(each.token_id, each) for each in before.books))

    def apply_events(self, message: Events) -> None:
        """Add log entries, each once."""
        entries = cast("tuple[LogEntry, ...]", decode(message.entries, tuple[LogEntry, ...]))
        self._log.add(entries, dropped=message.dropped)
        self._notify_log()

    def add_notice(self, level: Level, text: str, *, at: datetime) -> None:
        """Report what no service reports; it stays until it is read, unless it is only for the log."""
        self._log.add_own(level, text, at=at)
        self._notify_log()

    def status(self) -> StatusView:
        """Return the status, with the notices that were not read in this terminal, and the account's money."""
        status = cast("StatusView", self._views[StatusTopic()])
        account = self.account()
        status = status if account is None else with_money(status, account)
        armed_until = None if self._disarming else status.armed_until
        return replace(status, unread_notices=self._log.unread, armed_until=armed_until)

    def begin_disarming(self) -> None:
        """Show this terminal as disarmed, whatever views arrive before the service has disarmed it.

        A service that goes on after a silence first sends what it knew before.
        """
        self._disarming += 1
        self._notify(StatusTopic())

    def end_disarming(self) -> None:
        """Show again what the service says: it has disarmed, or is gone."""
        self._disarming -= 1
        self._notify(StatusTopic())

    def account(self) -> AccountView | None:
        """Return the account at the prices of the books that are here: those on show are newer than its own."""
        sent = self._views.get(AccountTopic())
        if self._marked is None and isinstance(sent, AccountView):
            orders = sent.open_orders
            self._marked = sent.marked(lambda position: mark_of(position, self._book_here, orders))
        return self._marked

    def _book_here(self, token_id: TokenId) -> BookView | None:
        topic = BookTopic(token_id)
        if topic not in self._subscribers and token_id in self._rows:
            return self._row_books.get(token_id)
        view = self._views.get(topic)
        return view if isinstance(view, BookView) else None

    def log(self) -> LogView:
        """Return the log, as far as this terminal has read it."""
        return self._log.view()

    def mark_read(self, sequence: int) -> int:
        """Count everything up to this entry as read, in this terminal; return its number at the service."""
        if self._log.mark_read(sequence):
            self._notify_log()
        return self._log.to_service(sequence)

    def book(self, token_id: TokenId) -> object | None:
        """Return a token's book, from any topic that includes it, if it is there; see `read`."""
        topic = BookTopic(token_id)
        if topic not in self._subscribers and token_id in self._rows:
            # There, or on its way; requesting it would send it once more every second.
            return self._row_books.get(token_id)
        return self.read(topic)

    def read(self, topic: AnyTopic) -> object | None:
        """Return the last known view of a topic, None if there is none, and request it if nobody watches it."""
        is_followed = (
            topic in self._subscribers or topic in STANDING or self._kept.get(topic, False)
        )
        if not is_followed:
            self._keep(topic, is_followed=self._send is not None)
            if self._send is not None:
                self._send(Peek(encode(topic)))
        return self._views.get(topic)

    def subscribe(self, topics: Iterable[Topic], notify: Notify) -> TopicSubscription:
        """Subscribe to changes of topics; those with a known view are announced at once."""
        subscription = TopicSubscription(frozenset(topics), notify, drop=self.drop)
        loop = asyncio.get_running_loop()
        for topic in subscription.topics:
            others = self._subscribers.setdefault(topic, [])
            others.append(subscription)
            self._kept.pop(topic, None)
            if len(others) == 1 and isinstance(topic, RowQuotesTopic):
                self._rows.update(topic.token_ids)
            if len(others) == 1 and self._send is not None and topic not in STANDING:
                self._send(Watch(encode(topic)))
            if topic in self._views or isinstance(topic, LogTopic):
                _ = loop.call_soon(self._announce, subscription, topic)
        return subscription

    def drop(self, subscription: TopicSubscription) -> None:
        """Forget a subscriber."""
        for topic in subscription.topics:
            others = self._subscribers[topic]
            others.remove(subscription)
            if others:
                continue
            del self._subscribers[topic]
            if isinstance(topic, RowQuotesTopic):
                self._rows -= Counter(topic.token_ids)
            if topic in STANDING:
                continue
            if self._send is not None:
                self._send(Unwatch(encode(topic)))
            if isinstance(topic, _LIVE_ONLY):
                self._forget(topic)
            else:
                self._keep(topic)

    def _announce(self, subscription: TopicSubscription, topic: Topic) -> None:
        if subscription.is_open:
            subscription.notify(topic)

    def _notify(self, topic: Topic) -> None:
        for subscription in tuple(self._subscribers.get(topic, ())):
            subscription.notify(topic)

    def _notify_log(self) -> None:
        self._notify(LogTopic())
        self._notify(StatusTopic())

    def _keep(self, topic: AnyTopic, *, is_followed: bool = False) -> None:
        if topic in STANDING:
            return
        self._kept[topic] = is_followed
        self._kept.move_to_end(topic)
        if len(self._kept) > MOST_KEPT:
            self._release(next(iter(self._kept)))
        histories = [each for each in self._kept if isinstance(each, HistoryTopic)]
        if len(histories) > MOST_HISTORIES_KEPT:
            self._release(histories[0])

    def _release(self, topic: AnyTopic) -> None:
        """Forget an unwatched view, and stop the service from sending it."""
        self._forget(topic)
        if self._send is not None:
            self._send(Unwatch(encode(topic)))

    def _forget(self, topic: AnyTopic) -> None:
        self._kept.pop(topic, None)
        _ = self._views.pop(topic, None)
        self._marked = None
        if isinstance(topic, RowQuotesTopic):
            for token_id in set(topic.token_ids) - self._rows.keys():
                _ = self._row_books.pop(token_id, None)

    def _learn_titles(self, account: AccountView) -> None:
        """Request the markets of our own orders and positions once: prompts show their titles."""
        markets = {each.condition_id for each in account.open_orders}
        markets.update(each.condition_id for each in account.positions)
        markets.update(each.condition_id for each in account.conditionals)
        for condition_id in markets:
            topic = MarketTopic(condition_id)
            if topic not in self._views and topic not in self._subscribers:
                _ = self.read(topic)


def _stale(book: BookView) -> BookView:
    return replace(book, state=BookState.STALE) if book.state.is_good else book


_NOTHING_YET: Mapping[type, object] = {
    MarketListTopic: MarketListView((), Load.LOADING, has_more=False, as_of=None),
    TagsTopic: TagsView((), Load.LOADING),
    EventTopic: EventView(None, Load.LOADING, None),
    EventQuotesTopic: EventQuotesView(()),
    MarketTopic: MarketView(None, None, Load.LOADING, None),
    TapeTopic: TapeView((), 0),
    AccountTopic: AccountView(
        load=Load.LOADING, balance=None, reserved=ZERO, positions=(), open_orders=(), as_of=None
    ),
    FillsTopic: FillsView(),
    ActivityTopic: ActivityView(),
    RewardsTopic: NOTHING_EARNED,
    WatchlistTopic: WatchlistView((), Load.LOADING, None),
    AlertTopic: AlertsView(),
    AddressBookTopic: AddressBook(),
    WalletTopic: NO_WALLET,
    RequestsTopic: RequestsView((), 0),
}


@final
class MirrorQueries(Queries):
    """Answers queries from the views that the service has sent."""

    def __init__(self, mirror: Mirror, clock: Clock) -> None:
        """Create queries that read a mirror."""
        self._mirror = mirror
        self._clock = clock
        self._fired_before: int | None = None
        """Alerts that fired before: a notice mentions them, but no bell sounds."""
        self._last_search = SearchView("", (), Load.LOADING, indexed=0)

    @override
    def now(self) -> datetime:
        return self._clock.now()

    @override
    def monotonic(self) -> float:
        return self._clock.monotonic()

    @override
    def _read(self, topic: AnyTopic) -> object:
        match topic:
            case StatusTopic():
                return self._mirror.status()
            case LogTopic():
                return self._mirror.log()
            case BookTopic(token_id):
                view = self._mirror.book(token_id)
            case AccountTopic():
                view = self._mirror.account()
            case _:
                view = self._mirror.read(topic)
        match view:
            case None:
                return self._nothing_yet(topic)
            case AlertsView(fired):
                return self._fired_since(fired)
            case SearchView():
                self._last_search = view
                return view
            case _:
                return view

    def _fired_since(self, fired: int) -> AlertsView:
        """Return how many price alerts have fired since this terminal first asked."""
        if self._fired_before is None or fired < self._fired_before:
            self._fired_before = fired
        return AlertsView(fired - self._fired_before)

    def _nothing_yet(self, topic: AnyTopic) -> object:
        """Return what is shown of a topic until its view arrives."""
        match topic:
            case SearchTopic(text):
                return narrow(self._last_search, text)
            case BookTopic(token_id):
                return BookView(token_id, BookState.LOADING)
            case RowQuotesTopic(token_ids):
                return RowBooksView(tuple(BookView(each, BookState.LOADING) for each in token_ids))
            case HistoryTopic(interval=interval):
                return HistoryView((), interval, Load.LOADING, None)
            case OnboardingTopic():
                return Onboarding(self._mirror.status().profile)
            case _:
                return _NOTHING_YET[type(topic)]


def narrow(view: SearchView, text: str) -> SearchView:
    """Return another text's results that contain every word of the new one."""
    words = text.casefold().split()
    rows = (
        row
        for row in view.rows
        if all(word in f"{row.market.question} {row.event_title}".casefold() for word in words)
    )
    return replace(view, text=text, rows=tuple(rows) if words else (), load=Load.LOADING)
