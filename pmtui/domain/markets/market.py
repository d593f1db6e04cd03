"""Events, markets and their outcomes as a trader knows them, and how lists of them are ordered."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pmtui.domain.ids import ConditionId, EventId, MarketId, SeriesId, TagId, TokenId
from pmtui.domain.money import ONE, Micros


class Side(StrEnum):
    """Which way an order goes, seen from the one who gives it."""

    BUY = "BUY"
    SELL = "SELL"

    @property
    def opposite(self) -> "Side":
        """The side that would meet this one."""
        return Side.SELL if self is Side.BUY else Side.BUY


class Trading(StrEnum):
    """Whether orders are taken in a market, whatever its book looks like."""

    OPEN = "open"
    NOT_OPEN = "not open"
    """It has not begun."""
    HALTED = "paused"
    """It takes no orders now."""
    CLOSED = "closed"
    """It takes none any more."""


@dataclass(frozen=True, slots=True)
class FeeSchedule:
    """The taker fee of a market: shares × rate × (price × (1 − price)) ^ exponent.

    Source: the `fd` key of the trading host's compact market record.
    """

    rate: Micros
    exponent: int = 1
    is_taker_only: bool = True


NO_FEE = FeeSchedule(rate=Micros(0))
_NEAR = 32
"""Characters of a name that the narrowest card of an order shows."""


@dataclass(frozen=True, slots=True)
class RewardTerms:
    """What a resting order must satisfy to earn liquidity rewards."""

    min_size: Micros
    """Shares."""
    max_spread: Micros
    """Distance from the midpoint as a price, not in cents."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One of the things that can happen in a market, and the token that pays if it does."""

    label: str
    """As the venue sent it: untrusted text."""
    token_id: TokenId | None
    """None while the market has no tokens: it can be read, not traded."""
    price: Micros | None
    """The metadata host's indicative price (a midpoint); 0 or 1 after resolution."""


@dataclass(frozen=True, slots=True)
class Market:
    """One question. Texts are untrusted; absent facts are None, never a guess."""

    market_id: MarketId
    condition_id: ConditionId | None
    slug: str
    question: str
    outcomes: tuple[Outcome, ...]
    group_title: str = ""
    """Short name among the siblings of an event, for example a candidate."""
    description: str = ""
    resolution_source: str = ""
    event_id: EventId | None = None
    event_title: str = ""
    event_slug: str = ""
    tick_size: Micros | None = None
    min_order_size: Micros | None = None
    neg_risk: bool = False
    active: bool = True
    closed: bool = False
    archived: bool = False
    accepting_orders: bool = True
    has_order_book: bool = True
    best_bid: Micros | None = None
    """Of the first outcome, from the metadata host; the book is the truth once it is open."""
    best_ask: Micros | None = None
    last_trade_price: Micros | None = None
    day_change: Micros | None = None
    """Change of the first outcome's price over 24 hours."""
    volume: Micros | None = None
    volume_24h: Micros | None = None
    liquidity: Micros | None = None
    created_at: datetime | None = None
    end_at: datetime | None = None
    game_start_at: datetime | None = None
    fee: FeeSchedule | None = None
    rewards: RewardTerms | None = None
    sports_type: str = ""
    is_disputed: bool = False
    """Whether an answer was proposed that somebody contests."""

    @property
    def token_ids(self) -> tuple[TokenId, ...]:
        """The tokens in outcome order; empty unless every outcome has one."""
        tokens = tuple(o.token_id for o in self.outcomes if o.token_id)
        return tokens if len(tokens) == len(self.outcomes) else ()

    def settled_price(self, token_id: TokenId) -> Micros | None:
        """Return what a share of an outcome is worth once its market is resolved, else None."""
        price = next((o.price for o in self.outcomes if o.token_id == token_id), None)
        return price if self.closed and price in (0, ONE) else None

    def change_to(self, price: Micros | None) -> Micros | None:
        """Return how far the first outcome has come in 24 hours, up to a live price or what it is worth.

        The venue counts up to the moment of its row, when the outcome stood at the row's price, and
        up to the last trade where the answer is known. The last trade of an open market says too little:
        it may be stated in terms of the other outcome.

        Args:
            price: live; None where there is none, for the change as the venue states it.
        """
        stated = self.outcomes[0].price if self.outcomes else None
        if self.day_change is None or stated is None:
            return self.day_change
        counted = self.last_trade_price if self.closed else stated
        if counted is None:
            return None
        before = counted - self.day_change
        now = stated if self.closed or price is None else price
        # The fields come from different moments: what no price can have been says nothing.
        return Micros(now - before) if 0 <= before <= ONE else None

    @property
    def quoted_token(self) -> TokenId | None:
        """The token whose book prices the market in lists; None where no price moves any more."""
        if self.closed or not self.has_order_book or not self.token_ids:
            return None
        return self.token_ids[0]

    @property
    def trading(self) -> Trading:
        """Whether orders are taken, by what the metadata says."""
        if self.closed or self.archived:
            return Trading.CLOSED
        if not self.active:
            return Trading.NOT_OPEN
        return Trading.OPEN if self.accepting_orders else Trading.HALTED

    @property
    def takes_orders(self) -> bool:
        """Whether orders are taken now, by what the metadata says."""
        return self.trading is Trading.OPEN

    @property
    def is_tradable(self) -> bool:
        """Whether orders can be sent at all, by what the metadata says."""
        return (
            self.takes_orders
            and self.has_order_book
            and self.condition_id is not None
            and len(self.token_ids) == 2
        )

    @property
    def title(self) -> str:
        """The group title where there is one, else the question."""
        return self.group_title or self.question

    @property
    def distinct_name(self) -> str:
        """The question; where its group title does not stand near its beginning, that and the event.

        The questions of an event may begin alike, and a narrow line shows no more of them: `Cut of 25 bps:
        Bank of Canada decision in December` says in few words which market of which event it is. A group
        title that no such line shows whole is not put before a question that holds it already.
        """
        name, group = self.question or self.title, self.group_title
        place = _folded(name).find(_folded(group))
        is_near = place >= 0 and (len(group) > _NEAR or place <= _NEAR - len(group))
        return name if not group or is_near else f"{group}: {self.event_title or name}"

    @property
    def names_its_group(self) -> bool:
        """Whether the question says which of its siblings it is about."""
        return _folded(self.group_title) in _folded(self.question)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass(frozen=True, slots=True)
class Tag:
    """A label that groups events by subject."""

    tag_id: TagId
    slug: str
    label: str


@dataclass(frozen=True, slots=True)
class Series:
    """A recurring event: daily, weekly, every five minutes."""

    series_id: SeriesId
    slug: str
    title: str
    recurrence: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """A group of markets about one thing. In a negative-risk event exactly one resolves Yes."""

    event_id: EventId
    slug: str
    title: str
    markets: tuple[Market, ...]
    description: str = ""
    resolution_source: str = ""
    tags: tuple[Tag, ...] = ()
    series: tuple[Series, ...] = ()
    neg_risk: bool = False
    neg_risk_id: str = ""
    """0x and 64 hexadecimal digits: what the contracts call a negative-risk event; empty if none."""
    active: bool = True
    closed: bool = False
    archived: bool = False
    volume: Micros | None = None
    volume_24h: Micros | None = None
    liquidity: Micros | None = None
    open_interest: Micros | None = None
    comment_count: int | None = None
    created_at: datetime | None = None
    end_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Comment:
    """One public remark on an event. Body and author are untrusted text."""

    comment_id: str
    author: str
    body: str
    created_at: datetime | None
    parent_id: str | None = None
    reaction_count: int = 0


@dataclass(frozen=True, slots=True)
class Holder:
    """One of the biggest holders of a token."""

    address: str
    name: str
    token_id: TokenId
    amount: Micros
    outcome_index: int


@dataclass(frozen=True, slots=True)
class MarketTerms:
    """What the trading host says an order in this market must obey.

    Source: `/clob-markets/{condition_id}`, else the per-token reads.
    """

    condition_id: ConditionId
    token_ids: tuple[TokenId, ...]
    outcome_labels: tuple[str, ...]
    tick_size: Micros
    min_order_size: Micros
    neg_risk: bool
    fee: FeeSchedule
    accepting_orders: bool = True
    has_taker_delay: bool = False
    seconds_delay: int = 0
    rewards: RewardTerms | None = None


MOST_STREAMED_ROWS = 60
"""Of a list: more than a tall terminal shows at once. Rows out of view show the age of their price."""


class MarketSort(StrEnum):
    """How a list of markets is ordered."""

    VOLUME_24H = "volume 24h"
    VOLUME = "volume"
    LIQUIDITY = "liquidity"
    NEWEST = "newest"
    ENDING_SOON = "ending soon"


@dataclass(frozen=True, slots=True)
class ListedMarket:
    """A row of the trading host's lists. Facts that the short lists leave out are None."""

    condition_id: ConditionId | None
    """None on old rows that never went on chain."""
    token_ids: tuple[TokenId, ...]
    """Empty while the market has no tokens."""
    outcome_labels: tuple[str, ...]
    slug: str = ""
    question: str = ""
    tick_size: Micros | None = None
    min_order_size: Micros | None = None
    neg_risk: bool | None = None
    active: bool = True
    closed: bool = False
    accepting_orders: bool = True
