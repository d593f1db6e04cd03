"""What can be subscribed to. A topic with a watcher keeps its feed alive; without one it goes."""

from dataclasses import dataclass

from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import MarketSort


@dataclass(frozen=True, slots=True)
class StatusTopic:
    """Profile, cash, counts and the health of every source."""


@dataclass(frozen=True, slots=True)
class MarketListTopic:
    """One browsable list of events, ordered and filtered by the venue."""

    sort: MarketSort = MarketSort.VOLUME_24H
    tag_slug: str = ""
    include_closed: bool = False
    is_reversed: bool = False
    """Whether what the order puts last comes first."""


@dataclass(frozen=True, slots=True)
class SearchTopic:
    """Results for one text; the local index answers at once, the venue's own search later."""

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
    """Live bid and ask of every market of an event."""

    event_id: EventId


@dataclass(frozen=True, slots=True)
class RowQuotesTopic:
    """The live books of rows in view of a list: those of the first `MOST_STREAMED_ROWS` tokens."""

    token_ids: tuple[TokenId, ...]
    """From the top of the view."""


@dataclass(frozen=True, slots=True)
class MarketTopic:
    """One market's facts and trading terms."""

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
    """Cash, open orders, positions and conditional orders of our own."""


@dataclass(frozen=True, slots=True)
class FillsTopic:
    """Our own fills."""


@dataclass(frozen=True, slots=True)
class ActivityTopic:
    """Our own positions that are closed, and what else happened to the account."""


@dataclass(frozen=True, slots=True)
class RewardsTopic:
    """What resting orders brought; asked for only while watched."""


@dataclass(frozen=True, slots=True)
class OnboardingTopic:
    """How far the account has come on its way to trading."""


@dataclass(frozen=True, slots=True)
class WalletTopic:
    """The deposit wallet: steps, approvals, what can be redeemed, transactions; asked while watched."""


@dataclass(frozen=True, slots=True)
class AddressBookTopic:
    """The trader's own names for addresses."""


@dataclass(frozen=True, slots=True)
class WatchlistTopic:
    """What is starred, live: only while it is watched are its books heard and its facts fetched."""


@dataclass(frozen=True, slots=True)
class AlertTopic:
    """Price alerts: set, fired, over or removed."""


@dataclass(frozen=True, slots=True)
class LogTopic:
    """Notices, orders and requests; sequence numbers tell what is new."""


@dataclass(frozen=True, slots=True)
class RequestsTopic:
    """What was asked of the hosts, and how each request ended; it changes with every one."""


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
