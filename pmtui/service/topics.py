"""The topics that can be subscribed to. A topic's feed runs while the topic has a watcher."""

from dataclasses import dataclass

from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import MarketSort


@dataclass(frozen=True, slots=True)
class StatusTopic:
    """Profile, cash, counts and the health of every source."""


@dataclass(frozen=True, slots=True)
class MarketListTopic:
    """One list of events, sorted and filtered by the venue."""

    sort: MarketSort = MarketSort.VOLUME_24H
    tag_slug: str = ""
    include_closed: bool = False
    is_reversed: bool = False
    """Whether the sort order is reversed."""


@dataclass(frozen=True, slots=True)
class SearchTopic:
    """Results for one text; the local index answers at once, the venue's search later."""

    text: str


@dataclass(frozen=True, slots=True)
class TagsTopic:
    """The tags that can filter a list."""


@dataclass(frozen=True, slots=True)
class EventTopic:
    """An event with all its markets."""

    event_id: EventId


@dataclass(frozen=True, slots=True)
class EventQuotesTopic:
    """Live best bid and ask of every market of an event."""

    event_id: EventId


@dataclass(frozen=True, slots=True)
class RowQuotesTopic:
    """The live books of a list's visible rows: those of the first `MOST_STREAMED_ROWS` tokens."""

    token_ids: tuple[TokenId, ...]
    """From the top of the view."""


@dataclass(frozen=True, slots=True)
class MarketTopic:
    """One market's data and trading terms."""

    condition_id: ConditionId


@dataclass(frozen=True, slots=True)
class BookTopic:
    """The live book of one token, with its public trades."""

    token_id: TokenId


@dataclass(frozen=True, slots=True)
class TapeTopic:
    """Public trades of one token, newest first."""

    token_id: TokenId


@dataclass(frozen=True, slots=True)
class HistoryTopic:
    """Price history of one token."""

    token_id: TokenId
    interval: Interval


@dataclass(frozen=True, slots=True)
class AccountTopic:
    """Cash, open orders, positions and conditional orders."""


@dataclass(frozen=True, slots=True)
class FillsTopic:
    """Our own fills."""


@dataclass(frozen=True, slots=True)
class ActivityTopic:
    """Our closed positions and other activity of the account."""


@dataclass(frozen=True, slots=True)
class RewardsTopic:
    """Earnings of resting orders; fetched only while watched."""


@dataclass(frozen=True, slots=True)
class OnboardingTopic:
    """The account's progress through onboarding."""


@dataclass(frozen=True, slots=True)
class WalletTopic:
    """The deposit wallet: steps, approvals, redeemable markets, transactions; fetched while watched."""


@dataclass(frozen=True, slots=True)
class AddressBookTopic:
    """The trader's address book."""


@dataclass(frozen=True, slots=True)
class WatchlistTopic:
    """Starred items, live: their books and data are fetched only while this is watched."""


@dataclass(frozen=True, slots=True)
class AlertTopic:
    """Price alerts: set, fired, ended or removed."""


@dataclass(frozen=True, slots=True)
class LogTopic:
    """Notices, orders and requests; sequence numbers show what is new."""


@dataclass(frozen=True, slots=True)
class RequestsTopic:
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
