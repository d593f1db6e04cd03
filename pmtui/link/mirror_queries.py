"""The read side of a terminal that is attached: every question is answered by the mirror."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from pmtui.domain.account.address_book import AddressBook
from pmtui.domain.account.onboarding import Onboarding
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.money import ZERO
from pmtui.link.mirror import Mirror
from pmtui.service.ports import Clock
from pmtui.service.topics import (
    AccountTopic,
    ActivityTopic,
    AddressBookTopic,
    AlertTopic,
    EventQuotesTopic,
    EventTopic,
    FillsTopic,
    HistoryTopic,
    MarketListTopic,
    MarketTopic,
    OnboardingTopic,
    RequestsTopic,
    RewardsTopic,
    RowQuotesTopic,
    SearchTopic,
    TagsTopic,
    TapeTopic,
    WalletTopic,
    WatchlistTopic,
)
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
    RequestsView,
    RowBooksView,
    SearchView,
    StatusView,
    TagsView,
    TapeView,
)
from pmtui.service.wallet.wallet_views import NO_WALLET, WalletView
from pmtui.service.watch.watch_views import WatchlistView

_NO_ACCOUNT: Final = AccountView(
    load=Load.LOADING, balance=None, reserved=ZERO, positions=(), open_orders=(), as_of=None
)


class MirrorQueries:
    """Reads of what the terminal has been told."""

    def __init__(self, mirror: Mirror, clock: Clock) -> None:
        """Read a mirror.

        Args:
            mirror: what the service told.
            clock: the machine's own: the service runs on it too.
        """
        self._mirror = mirror
        self._read = mirror.read
        self._clock = clock
        self._fired_before: int | None = None
        """Alerts that fired before: a notice tells of them, no bell."""
        self._last_search = SearchView("", (), Load.LOADING, indexed=0)

    def now(self) -> datetime:
        """The service's clock."""
        return self._clock.now()

    def monotonic(self) -> float:
        """Seconds that pass as they do for the person at the keys, and never run backwards."""
        return self._clock.monotonic()

    def status(self) -> StatusView:
        """Return the status line's content."""
        return self._mirror.status()

    def market_list(self, topic: MarketListTopic) -> MarketListView:
        """Return as much of a list as is loaded."""
        return self._read(topic, MarketListView((), Load.LOADING, has_more=False, as_of=None))

    def search(self, topic: SearchTopic) -> SearchView:
        """Return the service's results; until they are here, what of the last ones fits the text."""
        view: SearchView | None = self._read(topic, None)
        if view is None:
            return narrow(self._last_search, topic.text)
        self._last_search = view
        return view

    def tags(self) -> TagsView:
        """Return the tags known so far."""
        return self._read(TagsTopic(), TagsView((), Load.LOADING))

    def event(self, event_id: EventId) -> EventView:
        """Return an event."""
        return self._read(EventTopic(event_id), EventView(None, Load.LOADING, None))

    def event_quotes(self, event_id: EventId) -> EventQuotesView:
        """Return live prices of an event's markets."""
        return self._read(EventQuotesTopic(event_id), EventQuotesView(()))

    def market(self, condition_id: ConditionId) -> MarketView:
        """Return a market and its terms."""
        return self._read(MarketTopic(condition_id), MarketView(None, None, Load.LOADING, None))

    def book(self, token_id: TokenId) -> BookView:
        """Return a token's book with its worth."""
        return self._mirror.book(token_id, BookView(token_id, BookState.LOADING))

    def row_books(self, topic: RowQuotesTopic) -> RowBooksView:
        """Return the books of the rows in view of a list."""
        empty = (BookView(token_id, BookState.LOADING) for token_id in topic.token_ids)
        return self._read(topic, RowBooksView(tuple(empty)))

    def tape(self, token_id: TokenId) -> TapeView:
        """Return public trades of a token."""
        return self._read(TapeTopic(token_id), TapeView((), 0))

    def history(self, token_id: TokenId, interval: Interval) -> HistoryView:
        """Return the price history of a token."""
        empty = HistoryView((), interval, Load.LOADING, None)
        return self._read(HistoryTopic(token_id, interval), empty)

    def account(self) -> AccountView:
        """Return cash, positions and open orders."""
        return self._read(AccountTopic(), _NO_ACCOUNT)

    def fills(self) -> FillsView:
        """Return our own fills."""
        return self._read(FillsTopic(), FillsView())

    def activity(self) -> ActivityView:
        """Return closed positions and what else happened."""
        return self._read(ActivityTopic(), ActivityView())

    def earned(self) -> EarnedView:
        """Return what resting orders brought."""
        return self._read(RewardsTopic(), NOTHING_EARNED)

    def watchlist(self) -> WatchlistView:
        """Return what is starred, and the price alerts."""
        return self._read(WatchlistTopic(), WatchlistView((), Load.LOADING, None))

    def address_book(self) -> AddressBook:
        """Return the trader's own names for addresses."""
        return self._read(AddressBookTopic(), AddressBook())

    def wallet(self) -> WalletView:
        """Return how it stands with the wallet, its approvals and its transactions."""
        return self._read(WalletTopic(), NO_WALLET)

    def alerts(self) -> AlertsView:
        """Return how many price alerts have fired since this terminal looked first."""
        view: AlertsView | None = self._read(AlertTopic(), None)
        if view is None:
            return AlertsView()
        if self._fired_before is None or view.fired < self._fired_before:
            self._fired_before = view.fired
        return AlertsView(view.fired - self._fired_before)

    def onboarding(self) -> Onboarding:
        """Return how far the account has come on its way to trading."""
        return self._read(OnboardingTopic(), Onboarding(self.status().profile))

    def log(self) -> LogView:
        """Return the log."""
        return self._mirror.log()

    def requests(self) -> RequestsView:
        """Return what was asked of the hosts lately."""
        return self._read(RequestsTopic(), RequestsView((), 0))


def narrow(view: SearchView, text: str) -> SearchView:
    """Return the results of another text as far as every word of a new one is in them."""
    words = text.casefold().split()
    rows = (
        row
        for row in view.rows
        if all(word in f"{row.market.question} {row.event_title}".casefold() for word in words)
    )
    return replace(view, text=text, rows=tuple(rows) if words else (), load=Load.LOADING)
