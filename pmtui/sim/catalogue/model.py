"""Events and markets of the venue, from any source.

Each row keeps the metadata host's own JSON object beside the few facts that trading needs, so the
metadata host can return every field unchanged while the engine has exact numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from pmtui.domain.ids import ConditionId, EventId, MarketId, SeriesId, TagId, TokenId
from pmtui.domain.money import ZERO, Micros

Row = Mapping[str, object]
"""A decoded JSON object of the metadata host."""


class MarketState(Enum):
    """The trading state of a market."""

    OPEN = "open"
    """Accepts orders."""
    CLOSED = "closed"
    """Closed without final prices."""
    RESOLVED = "resolved"
    """Closed, with known payouts."""
    LEGACY = "legacy"
    """A row of 2020: not two outcomes, or no condition id. Not tradable."""
    NO_BOOK = "no-book"
    """Open, but without order book, token ids or permission to accept orders."""


class DepthProfile(Enum):
    """The depth of the book at the start."""

    EMPTY = "empty"
    THIN = "thin"
    NORMAL = "normal"
    DEEP = "deep"
    LONG_SHOT = "long-shot"
    """Almost decided: one side has nearly all orders, the other none or a single level."""


class Activity(Enum):
    """How often a book changes and trades, in the classes of recorded streams."""

    IDLE = "idle"
    QUIET = "quiet"
    STEADY = "steady"
    BUSY = "busy"
    FAST = "fast"

    @property
    def changes_per_second(self) -> float:
        """Return the mean rate of book changes."""
        return _RATES[self][0]

    @property
    def trades_per_minute(self) -> float:
        """Return the mean rate of public trades."""
        return _RATES[self][1]


_RATES = {
    Activity.IDLE: (0.0, 0.0),
    Activity.QUIET: (0.01, 0.02),
    Activity.STEADY: (0.15, 0.4),
    Activity.BUSY: (2.0, 8.0),
    Activity.FAST: (8.0, 24.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeeTerms:
    """The taker fee of a market: shares · rate · (p·(1−p))^exponent."""

    rate: Micros = ZERO
    exponent: int = 1
    taker_only: bool = True
    rebate_rate: Micros = ZERO


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewards:
    """The conditions under which resting orders earn liquidity rewards."""

    min_size: Micros = ZERO
    max_spread: Micros = ZERO
    """Distance from the midpoint, in price units (3.5 cents are 35000)."""
    daily_rate: Micros = ZERO
    """Dollars per day, zero if the market pays none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueMarket:
    """One market at the start of the venue."""

    market_id: MarketId
    event_id: EventId
    slug: str
    question: str
    raw: Row
    """The metadata host's object, without its `events`."""
    condition_id: ConditionId
    """Empty on legacy rows."""
    question_id: str
    token_ids: tuple[TokenId, ...]
    """In the order of `outcomes`; empty if the row has none."""
    outcomes: tuple[str, ...]
    tick_size: Micros
    min_order_size: Micros
    neg_risk: bool
    fee: FeeTerms
    rewards: Rewards
    start_price: Micros
    """Midpoint of the first outcome; may lie between two ticks."""
    spread: Micros
    depth: DepthProfile
    activity: Activity
    state: MarketState
    payouts: tuple[Micros, ...] = ()
    """Payout of each outcome, once resolved."""
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    volume: Micros = ZERO
    """Dollars traded before the venue started; zero if the row has none."""
    volume_24h: Micros = ZERO
    liquidity: Micros = ZERO
    is_window: bool = False
    """Whether it is a market of the five-minute series, which the venue resolves at `ends_at`."""

    def activity_at(self, now: datetime) -> Activity:
        """Return the activity of the book at a moment: a five-minute market becomes active at its start."""
        if self.is_window and self.starts_at is not None and now < self.starts_at:
            return Activity.QUIET
        return self.activity

    @property
    def is_tradable(self) -> bool:
        """Return whether orders may be sent."""
        return self.state is MarketState.OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEvent:
    """One event with its markets."""

    event_id: EventId
    slug: str
    title: str
    raw: Row
    """The metadata host's object, without its `markets`."""
    neg_risk: bool
    markets: tuple[CatalogueMarket, ...]
    tag_ids: tuple[TagId, ...] = ()
    series_ids: tuple[SeriesId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """Rows other than events and markets, in the metadata host's form."""

    tags: tuple[Row, ...] = ()
    series: tuple[Row, ...] = ()
    comments: tuple[Row, ...] = ()
    profiles: tuple[Row, ...] = ()
    teams: tuple[Row, ...] = ()
    sports: tuple[Row, ...] = ()


@dataclass(slots=True)
class _Index:
    events: dict[str, CatalogueEvent] = field(default_factory=dict)
    event_slugs: dict[str, CatalogueEvent] = field(default_factory=dict)
    markets: dict[str, CatalogueMarket] = field(default_factory=dict)
    market_slugs: dict[str, CatalogueMarket] = field(default_factory=dict)
    conditions: dict[str, CatalogueMarket] = field(default_factory=dict)
    tokens: dict[str, CatalogueMarket] = field(default_factory=dict)


class Catalogue:
    """Every event that the venue lists; events are added and removed while it runs, but never changed."""

    def __init__(self, events: Iterable[CatalogueEvent], *, extras: Extras | None = None) -> None:
        self._events: list[CatalogueEvent] = []
        self._markets: list[CatalogueMarket] = []
        self._index = _Index()
        self._extras = Extras() if extras is None else extras
        self.version = 0
        """Incremented with every event added or removed."""
        for event in events:
            self.add_event(event)

    @property
    def events(self) -> Sequence[CatalogueEvent]:
        """Return the events in the order they were added."""
        return self._events

    @property
    def markets(self) -> Sequence[CatalogueMarket]:
        """Return the markets of all events."""
        return self._markets

    @property
    def extras(self) -> Extras:
        """Return tags, series, comments, profiles, teams and sports."""
        return self._extras

    def add_event(self, event: CatalogueEvent) -> bool:
        """Add an event; one with a known id is left unchanged.

        Returns:
            Whether the event is new.
        """
        index = self._index
        if event.event_id in index.events:
            return False
        self.version += 1
        self._events.append(event)
        index.events[event.event_id] = event
        index.event_slugs.setdefault(event.slug, event)
        for market in event.markets:
            self._add_market(market)
        return True

    def _add_market(self, market: CatalogueMarket) -> None:
        index = self._index
        if market.market_id in index.markets:
            return
        self._markets.append(market)
        index.markets[market.market_id] = market
        index.market_slugs.setdefault(market.slug, market)
        if market.condition_id:
            index.conditions.setdefault(market.condition_id, market)
        for token_id in market.token_ids:
            index.tokens.setdefault(token_id, market)

    def remove_event(self, event: CatalogueEvent) -> None:
        """Remove a past event with its markets; do nothing if it is not listed."""
        index = self._index
        if index.events.get(event.event_id) is not event:
            return
        self.version += 1
        gone = {market.market_id for market in event.markets}
        self._events = [one for one in self._events if one is not event]
        self._markets = [one for one in self._markets if one.market_id not in gone]
        del index.events[event.event_id]
        index.event_slugs.pop(event.slug, None)
        for market in event.markets:
            index.markets.pop(market.market_id, None)
            index.market_slugs.pop(market.slug, None)
            index.conditions.pop(market.condition_id, None)
            for token_id in market.token_ids:
                index.tokens.pop(token_id, None)

    def event(self, event_id: str) -> CatalogueEvent | None:
        """Find an event by id."""
        return self._index.events.get(event_id)

    def event_by_slug(self, slug: str) -> CatalogueEvent | None:
        """Find an event by slug."""
        return self._index.event_slugs.get(slug)

    def event_of(self, market: CatalogueMarket) -> CatalogueEvent:
        """Return the event a market of this catalogue belongs to."""
        return self._index.events[market.event_id]

    def market(self, market_id: str) -> CatalogueMarket | None:
        """Find a market by the metadata host's id."""
        return self._index.markets.get(market_id)

    def market_by_slug(self, slug: str) -> CatalogueMarket | None:
        """Find a market by slug."""
        return self._index.market_slugs.get(slug)

    def market_by_condition(self, condition_id: str) -> CatalogueMarket | None:
        """Find a market by condition id, in any letter case."""
        return self._index.conditions.get(condition_id.lower())

    def market_by_token(self, token_id: str) -> CatalogueMarket | None:
        """Find the market of a token id."""
        return self._index.tokens.get(token_id)
