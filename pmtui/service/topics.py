"""The topics that can be subscribed to, each with its view. A topic's feed runs while it has a watcher."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar, get_args

from typing_extensions import get_original_bases

from pmtui.domain.account.address_book import AddressBook
from pmtui.domain.account.onboarding import Onboarding
from pmtui.domain.books.book_view import BookView
from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import MarketSort
from pmtui.service import views
from pmtui.service.wallet.wallet_views import WalletView

V_co = TypeVar("V_co", covariant=True)


class TopicOf(Generic[V_co]):
    """A topic whose view is a `V_co`."""

    __slots__ = ()


AnyTopic: TypeAlias = TopicOf[object]


@dataclass(frozen=True, slots=True)
class StatusTopic(TopicOf[views.StatusView]):
    """Profile, cash, counts and the health of every source."""


@dataclass(frozen=True, slots=True)
class MarketListTopic(TopicOf[views.MarketListView]):
    """One list of events, sorted and filtered by the venue."""

    sort: MarketSort = MarketSort.VOLUME_24H
    tag_slug: str = ""
    include_closed: bool = False
    is_reversed: bool = False
    """Whether the sort order is reversed."""


@dataclass(frozen=True, slots=True)
class SearchTopic(TopicOf[views.SearchView]):
    """Results for one text; the local index answers at once, the venue's search later."""

    text: str


@dataclass(frozen=True, slots=True)
class TagsTopic(TopicOf[views.TagsView]):
    """The tags that can filter a list."""


@dataclass(frozen=True, slots=True)
class EventTopic(TopicOf[views.EventView]):
    """An event with all its markets."""

    event_id: EventId


@dataclass(frozen=True, slots=True)
class EventQuotesTopic(TopicOf[views.EventQuotesView]):
    """Live best bid and ask of every market of an event."""

    event_id: EventId


@dataclass(frozen=True, slots=True)
class RowQuotesTopic(TopicOf[views.RowBooksView]):
    """The live books of a list's visible rows: those of the first `MOST_STREAMED_ROWS` tokens."""

    token_ids: tuple[TokenId, ...]
    """From the top of the view."""


@dataclass(frozen=True, slots=True)
class MarketTopic(TopicOf[views.MarketView]):
    """One market's data and trading terms."""

    condition_id: ConditionId


@dataclass(frozen=True, slots=True)
class BookTopic(TopicOf[BookView]):
    """The live book of one token, with its public trades."""

    token_id: TokenId


@dataclass(frozen=True, slots=True)
class TapeTopic(TopicOf[views.TapeView]):
    """Public trades of one token, newest first."""

    token_id: TokenId


@dataclass(frozen=True, slots=True)
class HistoryTopic(TopicOf[views.HistoryView]):
    """Price history of one token."""

    token_id: TokenId
    interval: Interval


@dataclass(frozen=True, slots=True)
class AccountTopic(TopicOf[views.AccountView]):
    """Cash, open orders, positions and conditional orders."""


@dataclass(frozen=True, slots=True)
class FillsTopic(TopicOf[views.FillsView]):
    """Our own fills."""


@dataclass(frozen=True, slots=True)
class ActivityTopic(TopicOf[views.ActivityView]):
    """Our closed positions and other activity of the account."""


@dataclass(frozen=True, slots=True)
class RewardsTopic(TopicOf[views.EarnedView]):
    """Earnings of resting orders; fetched only while watched."""


@dataclass(frozen=True, slots=True)
class OnboardingTopic(TopicOf[Onboarding]):
    """The account's progress through onboarding."""


@dataclass(frozen=True, slots=True)
class WalletTopic(TopicOf[WalletView]):
    """The deposit wallet: steps, approvals, redeemable markets, transactions; fetched while watched."""


@dataclass(frozen=True, slots=True)
class AddressBookTopic(TopicOf[AddressBook]):
    """The trader's address book."""


@dataclass(frozen=True, slots=True)
class WatchlistTopic(TopicOf[views.WatchlistView]):
    """Starred items, live: their books and data are fetched only while this is watched."""


@dataclass(frozen=True, slots=True)
class AlertTopic(TopicOf[views.AlertsView]):
    """Price alerts: set, fired, ended or removed."""


@dataclass(frozen=True, slots=True)
class LogTopic(TopicOf[views.LogView]):
    """Notices, orders and requests; sequence numbers show what is new."""


@dataclass(frozen=True, slots=True)
class RequestsTopic(TopicOf[views.RequestsView]):
    """Requests to the hosts and their results; changes with every request."""


Topic = (
    StatusTopic
    | MarketListTopic
    | SearchTopic
    | TagsTopic
    | EventTopic
    | EventQuotesTopic
    | RowQuotesTopic
    | MarketTopic
    | BookTopic
    | TapeTopic
    | HistoryTopic
    | AccountTopic
    | FillsTopic
    | ActivityTopic
    | RewardsTopic
    | OnboardingTopic
    | WalletTopic
    | AddressBookTopic
    | WatchlistTopic
    | AlertTopic
    | LogTopic
    | RequestsTopic
)
VIEW_TYPES: Mapping[type, type] = {
    topic: get_args(get_original_bases(topic)[0])[0] for topic in get_args(Topic)
}
"""The type of each topic's view."""
