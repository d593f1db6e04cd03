"""Events, markets and their outcomes, and the sort orders of their lists."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pmtui.domain.ids import ConditionId, EventId, MarketId, SeriesId, TagId, TokenId
from pmtui.domain.money import ONE, Micros, midpoint


class Side(StrEnum):
    """The direction of an order, from the view of its owner."""

    BUY = "BUY"
    SELL = "SELL"

    @property
    def opposite(self) -> "Side":
        """The side that would trade with this one."""
        return Side.SELL if self is Side.BUY else Side.BUY


class Trading(StrEnum):
    """Whether a market accepts orders, whatever its book looks like."""

    OPEN = "open"
    NOT_OPEN = "not open"
    """It has not opened yet."""
    HALTED = "paused"
    """It accepts no orders at the moment."""
    CLOSED = "closed"
    """It accepts no more orders."""


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
"""Characters of a market's name that fit on the narrowest order card."""


@dataclass(frozen=True, slots=True)
class RewardTerms:
    """What a resting order must satisfy to earn liquidity rewards."""

    min_size: Micros
    """Shares."""
    max_spread: Micros
    """Distance from the midpoint as a price, not in cents."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A possible result of a market, and the token that pays if it happens."""

    label: str
    """As sent by the venue: untrusted text."""
    token_id: TokenId | None
    """None while the market has no tokens: it can be viewed, but not traded."""
    price: Micros | None
    """The metadata host's indicative price (a midpoint); 0 or 1 after resolution."""


@dataclass(frozen=True, slots=True)
class Market:
    """One question. Texts are untrusted; missing facts are None, never a guess."""

    market_id: MarketId
    condition_id: ConditionId | None
    slug: str
    question: str
    outcomes: tuple[Outcome, ...]
    group_title: str = ""
    """Short name among the markets of an event, for example a candidate."""
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
    """First outcome's, from the metadata host; once the book is open, the book is authoritative."""
    best_ask: Micros | None = None
    last_trade_price: Micros | None = None
    day_change: Micros | None = None
    """Change of the first outcome's price over 24 hours."""
    volume: Micros | None = None
    volume_24h: Micros | None = None
    liquidity: Micros | None = None
    created_at: datetime | None = None
    end_at: datetime | None = None
    closed_at: datetime | None = None
    """When it was resolved, as stated by the venue."""
    game_start_at: datetime | None = None
    fee: FeeSchedule | None = None
    rewards: RewardTerms | None = None
    sports_type: str = ""
    is_disputed: bool = False
    """Whether a proposed answer is disputed."""

    @property
    def token_ids(self) -> tuple[TokenId, ...]:
        """The tokens in outcome order; empty unless every outcome has one."""
        tokens = tuple(o.token_id for o in self.outcomes if o.token_id)
        return tokens if len(tokens) == len(self.outcomes) else ()

    def settled_price(self, token_id: TokenId) -> Micros | None:
        """Return the value of an outcome's share once its market is resolved, else None."""
        price = next((o.price for o in self.outcomes if o.token_id == token_id), None)
        return price if self.closed and price in (0, ONE) else None

    @property
    def first_price(self) -> Micros | None:
        """The first outcome's price: the mid if there is one, as on every screen with a book.

        The metadata host's own price may be that of the last trade.
        """
        middle = None if self.closed else midpoint(self.best_bid, self.best_ask)
        return self.outcomes[0].price if middle is None and self.outcomes else middle

    def change_to(self, price: Micros | None, opened: Micros | None = None) -> Micros | None:
        """Return the first outcome's 24-hour change, up to a live price or its payout.

        It counts from where a chart of the day begins, if that is known: the venue states another change,
        which would contradict that chart. The venue's change runs up to the row's price at the time of its row, or up to the last trade if
        the market is resolved. The last trade of an open market is not used, because it may be stated in
        terms of the other outcome.

        Args:
            price: live price; None if there is none, for the change as the venue states it.
            opened: the price a day ago; None if unknown.
        """
        if price is not None and opened is not None and not self.closed:
            return Micros(price - opened)
        return self._stated_change(price)

    def _stated_change(self, price: Micros | None) -> Micros | None:
        stated = self.outcomes[0].price if self.outcomes else None
        if self.day_change is None or stated is None:
            return self.day_change
        counted = self.last_trade_price if self.closed else stated
        if counted is None:
            return None
        before = counted - self.day_change
        now = stated if self.closed or price is None else price
        # The fields are from different moments: a result that cannot be a price is ignored.
        return Micros(now - before) if 0 <= before <= ONE else None

    @property
    def quoted_token(self) -> TokenId | None:
        """The token whose book prices the market in lists; None once its price no longer moves."""
        if self.closed or not self.has_order_book or not self.token_ids:
            return None
        return self.token_ids[0]

    @property
    def trading(self) -> Trading:
        """Whether orders are accepted, according to the metadata."""
        if self.closed or self.archived:
            return Trading.CLOSED
        if not self.active:
            return Trading.NOT_OPEN
        return Trading.OPEN if self.accepting_orders else Trading.HALTED

    @property
    def takes_orders(self) -> bool:
        """Whether orders are accepted now, according to the metadata."""
        return self.trading is Trading.OPEN

    @property
    def is_tradable(self) -> bool:
        """Whether orders can be sent at all, according to the metadata."""
        return (
            self.takes_orders
            and self.has_order_book
            and self.condition_id is not None
            and len(self.token_ids) == 2
        )

    @property
    def title(self) -> str:
        """The group title if there is one, else the question."""
        return self.group_title or self.question

    @property
    def distinct_name(self) -> str:
        """The question, or the group title and the event if the question does not begin with the former.

        The questions of an event may begin alike, and a narrow line shows only that part: `Cut of 25 bps:
        Bank of Canada decision in December` identifies the market and its event in few words. A group
        title too long for such a line is not put before a question that already contains it.
        """
        name, group = self.question or self.title, self.group_title
        place = _folded(name).find(_folded(group))
        is_near = place >= 0 and (len(group) > _NEAR or place <= _NEAR - len(group))
        return name if not group or is_near else f"{group}: {self.event_title or name}"


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
    """A group of markets about one subject. In a negative-risk event exactly one resolves Yes."""

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
    """0x and 64 hexadecimal digits: the contracts' id of a negative-risk event; empty if none."""
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
    """A public comment on an event. Body and author are untrusted text."""

    comment_id: str
    author: str
    body: str
    created_at: datetime | None
    parent_id: str | None = None
    reaction_count: int = 0


@dataclass(frozen=True, slots=True)
class Holder:
    """One of the largest holders of a token."""

    address: str
    name: str
    token_id: TokenId
    amount: Micros
    outcome_index: int


@dataclass(frozen=True, slots=True)
class MarketTerms:
    """The trading host's rules for orders in this market.

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

    @property
    def delays_takers(self) -> bool:
        """Whether orders that would take wait at the venue before they are matched."""
        return self.has_taker_delay or self.seconds_delay > 0


MOST_STREAMED_ROWS = 60
"""Rows of a list: more than a tall terminal shows at once. Rows out of view show the age of their
price."""


class MarketSort(StrEnum):
    """The sort order of a list of markets."""

    VOLUME_24H = "volume 24h"
    VOLUME = "volume"
    LIQUIDITY = "liquidity"
    NEWEST = "newest"
    ENDING_SOON = "ending soon"


@dataclass(frozen=True, slots=True)
class ListedMarket:
    """A row of the trading host's lists. Fields that the short lists omit are None."""

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
