"""What the terminal gets to see: frozen values, each with its age, nothing that can act.

Every view travels through `service/codec.py`; none holds a socket, a task or a widget.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from pmtui.domain.account.exposure import OwnEvent
from pmtui.domain.account.onboarding import Purpose
from pmtui.domain.account.pnl import DayFigures, EquityPoint
from pmtui.domain.account.position import Activity, ClosedPosition, Position
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.books.tape import TapeGap
from pmtui.domain.conditionals.alerts import PriceAlert
from pmtui.domain.conditionals.conditional import (
    GONE,
    Conditional,
    ConditionalState,
    allot,
    unprotected,
)
from pmtui.domain.health import SourceHealth
from pmtui.domain.ids import ConditionId, EventId, MarketId, OrderId, TokenId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import Comment, Event, Holder, Market, MarketTerms, Side, Tag
from pmtui.domain.markets.rewards import Earned
from pmtui.domain.markets.venue_state import VenueFact
from pmtui.domain.markets.watchlist import StarKey, StarSnapshot
from pmtui.domain.money import Micros
from pmtui.domain.orders.amounts import size_floor
from pmtui.domain.orders.heartbeat import NO_HEARTBEATS, HeartbeatView
from pmtui.domain.orders.limits import NO_RULES, EntryRules
from pmtui.domain.orders.order import Fill, Order, TradePrint, Volume
from pmtui.domain.orders.own_orders import reserved_shares


class Load(StrEnum):
    """How far a view has come."""

    EMPTY = "empty"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


class OwnList(StrEnum):
    """A list of ours that the venue keeps."""

    ORDERS = "open orders"
    FILLS = "own trades"
    EARLIER = "own trades of before"
    TODAY = "today's own trades"
    POSITIONS = "positions"
    CLOSED = "closed positions"
    ACTIVITY = "activity"


STILL_LOADING: Final = "still loading"


class Mode(StrEnum):
    """What this session can do, in the words of the status line."""

    PAPER = "PAPER"
    LIVE = "LIVE"
    READ_ONLY = "READ-ONLY"


class Level(StrEnum):
    """How a notice is meant."""

    INFO = "info"
    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class StatusView:
    """Everything of the status line. `cash` is what is free: balance minus what orders reserve."""

    profile: str
    mode: Mode
    mode_reason: str
    """Why it is read-only; empty otherwise."""
    cash: Micros | None
    portfolio_value: Micros | None
    """Balance plus positions at current prices."""
    open_orders: int
    unknown_orders: int
    unread_notices: int
    health: tuple[SourceHealth, ...]
    clock_skew_ms: int | None
    now: datetime
    address: str = ""
    """The wallet that trades, checksummed; empty when read-only."""
    armed_until: datetime | None = None
    """Until when single keys trade if none is used before; None when they do not."""
    kill_lock: str = ""
    """Why no order may be entered at all; empty when entry is open."""
    heartbeat: HeartbeatView = NO_HEARTBEATS
    day_result: Micros | None = None
    """What was won or lost since midnight UTC, fees included, also in positions that are gone."""
    day_figures: DayFigures | None = None
    """The same in parts, to the cent."""
    watching: int = 0
    """Conditional orders that may sell by themselves."""
    blind: int = 0
    """Those among them that see nothing, as their book is not good."""
    paused: int = 0
    """Conditional orders that are paused, but for those of which the venue says nothing is held."""
    are_orders_known: bool = True
    """Whether `open_orders` is all of them; False until the venue's list has been read whole."""
    venue: tuple[VenueFact, ...] = ()
    """What the venue is up to besides trading as usual, the most severe first."""
    is_gone: bool = False
    """The service that told this is gone: a terminal says so of the last that it heard."""


@dataclass(frozen=True, slots=True)
class ServiceLoss:
    """The service that a terminal was attached to is gone."""

    at: datetime
    is_final: bool
    """Whether it was ended on purpose: then it is started again only on request."""


@dataclass(frozen=True, slots=True)
class MarketRow:
    """A market as a list shows it, with live numbers where a stream gives them."""

    market: Market
    event_id: EventId | None
    event_title: str
    position_size: Micros | None = None
    """Own shares of the first outcome minus those of the second."""
    is_starred: bool = False
    as_of: datetime | None = None
    """When the metadata host sent its prices."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event as a list shows it: its leading market stands for it."""

    event: Event
    """Far down a list its other markets are known by their ids alone."""
    leading_place: int | None
    """Of the leading market among them: the open one with the highest price of its first outcome."""
    open_markets: int
    has_position: bool = False
    is_starred: bool = False
    """The event, or the market that is all of it."""
    as_of: datetime | None = None
    """When the metadata host sent its prices."""

    @property
    def leading(self) -> Market | None:
        """The market that stands for the event; None where it has none."""
        return None if self.leading_place is None else self.event.markets[self.leading_place]


@dataclass(frozen=True, slots=True)
class MarketListView:
    """A list that grows at its end as the cursor nears it."""

    rows: tuple[EventRow, ...]
    load: Load
    has_more: bool
    as_of: datetime | None
    problem: str = ""
    is_cached: bool = False
    """Seen in an earlier session and not confirmed in this one: no price of it is current."""


@dataclass(frozen=True, slots=True)
class SearchView:
    """Markets first from the local index, then merged with the venue's own answer."""

    text: str
    rows: tuple[MarketRow, ...]
    load: Load
    """READY once the venue has answered too; LOADING while only local rows are here."""
    indexed: int
    """How many markets the local index holds."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TagsView:
    """The tags known so far."""

    tags: tuple[Tag, ...]
    load: Load


@dataclass(frozen=True, slots=True)
class EventView:
    """An event with its markets in the order the event states them."""

    event: Event | None
    load: Load
    as_of: datetime | None
    problem: str = ""
    comments: tuple[Comment, ...] = ()
    is_starred: bool = False
    """The event, or the market that is all of it."""
    starred: frozenset[MarketId] = frozenset()
    """Its markets that are starred by themselves."""


@dataclass(frozen=True, slots=True)
class QuoteRow:
    """Best prices of a market's first outcome, and how old they are."""

    condition_id: ConditionId
    best_bid: Micros | None
    best_ask: Micros | None
    last_trade_price: Micros | None
    as_of: datetime | None
    is_live: bool
    """From a good streamed book; else from the metadata host."""
    position_size: Micros | None = None


@dataclass(frozen=True, slots=True)
class EventQuotesView:
    """Live prices of an event's outcomes."""

    rows: tuple[QuoteRow, ...]


@dataclass(frozen=True, slots=True)
class MarketView:
    """One market with the terms that orders in it must obey."""

    market: Market | None
    terms: MarketTerms | None
    load: Load
    as_of: datetime | None
    holders: tuple[Holder, ...] = ()
    problem: str = ""
    venue: tuple[VenueFact, ...] = ()
    """What the venue is up to that matters to orders here, the most severe first."""
    is_starred: bool = False


@dataclass(frozen=True, slots=True)
class TapeView:
    """Public trades, newest first."""

    prints: tuple[TradePrint, ...]
    sequence: int
    volume: Volume = ()
    """All trades that are known; the prints are the newest part of them."""
    gaps: tuple[TapeGap, ...] = ()
    """Where trades may be missing, newest first."""


@dataclass(frozen=True, slots=True)
class HistoryView:
    """Points in ascending time."""

    points: tuple[PricePoint, ...]
    interval: Interval
    load: Load
    as_of: datetime | None
    version: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class EarnedView:
    """What resting orders brought on the last days, today first."""

    rows: tuple[Earned, ...] = ()
    load: Load = Load.LOADING
    as_of: datetime | None = None
    """When all of it was last known; None while a day is missing."""
    problem: str = ""


NOTHING_EARNED: Final = EarnedView()


@dataclass(frozen=True, slots=True)
class FillsView:
    """Our parts of trades."""

    fills: tuple[Fill, ...] = ()
    """Newest first."""


@dataclass(frozen=True, slots=True)
class ActivityView:
    """Closed positions, from a host that is asked seldom."""

    closed: tuple[ClosedPosition, ...] = ()
    activity: tuple[Activity, ...] = ()
    equity: tuple[EquityPoint, ...] = ()
    """What the account was worth, in ascending time, sampled while the service ran."""
    events: tuple[OwnEvent, ...] = ()
    """Of what is and was held, as far as they are known."""


@dataclass(frozen=True, slots=True)
class AlertsView:
    """What the price alerts of this session did."""

    fired: int = 0
    """How many have fired."""


@dataclass(frozen=True, slots=True)
class RowBooksView:
    """The live books of the rows in view of a list."""

    books: tuple[BookView, ...]
    """In the order of the topic's tokens."""


@dataclass(frozen=True, slots=True)
class AccountView:
    """What is ours and may change with every event of a stream.

    Fills, what is over and what orders brought have views of their own, as they are longer and
    change seldom. Without a key all of it is empty and `load` says EMPTY.
    """

    load: Load
    balance: Micros | None
    """Collateral in the wallet by the trading host, reservations included."""
    reserved: Micros
    """What open buy orders speak for, fees included."""
    positions: tuple[Position, ...]
    open_orders: tuple[Order, ...]
    """Open and unknown ones, newest first."""
    as_of: datetime | None
    problem: str = ""
    balances: tuple[tuple[TokenId, Micros], ...] = ()
    """Shares held by token, wherever a host has said so: reports and own fills, reconciled."""
    recent: tuple[Order, ...] = ()
    """The most recent orders, newest first, however they ended."""
    queue_ahead: tuple[tuple[OrderId, Micros], ...] = ()
    """Estimates of what fills before our resting orders, where their book is subscribed to."""
    remnants: tuple[Position, ...] = ()
    """Closed positions of which fewer shares are left than any order can sell."""
    scoring: frozenset[OrderId] = frozenset()
    """Open orders that earn rewards, by the venue's last word."""
    conditionals: tuple[Conditional, ...] = ()
    """Conditional orders that are not over; they live only while this program runs."""
    unseen: frozenset[TokenId] = frozenset()
    """Tokens that conditional orders watch in vain: their book is not good, and nothing fires."""
    entry: EntryRules = NO_RULES
    """What a new order is judged by while it is typed; the service judges it again, last."""
    incomplete_lists: tuple[tuple[OwnList, str], ...] = ()
    """The lists that are not all known, with what is missing in each."""
    cash_not_allowed: frozenset[Purpose] = frozenset()
    """Exchanges that may move no cash of the wallet: purchases there are refused."""
    shares_not_allowed: frozenset[Purpose] = frozenset()
    """Exchanges that may move no shares of the wallet: sales there are refused."""

    def missing_in(self, what: OwnList) -> str:
        """Return what is missing in a list; empty if it is complete."""
        return dict(self.incomplete_lists).get(what, "")

    @property
    def available(self) -> Micros | None:
        """What a new purchase may cost."""
        if self.balance is None:
            return None
        return Micros(max(self.balance - self.reserved, 0))

    @property
    def awake(self) -> tuple[Conditional, ...]:
        """Conditional orders that may sell by themselves."""
        return awake_of(self.conditionals)

    @property
    def blind(self) -> tuple[Conditional, ...]:
        """Conditional orders that watch and see nothing."""
        return tuple(each for each in self.conditionals if self.is_blind(each))

    def is_blind(self, each: Conditional) -> bool:
        """Whether a conditional order watches a book that nothing fires from."""
        return each.token_id in self.unseen and each.state is ConditionalState.WATCHING

    @property
    def paused(self) -> tuple[Conditional, ...]:
        """Paused conditional orders that may have something to sell."""
        active_or_idle = (*self.awake, *self.idle)
        return tuple(each for each in self.conditionals if each not in active_or_idle)

    @property
    def idle(self) -> tuple[Conditional, ...]:
        """Paused conditional orders of which the venue says nothing is held."""
        gone = (each for each in self.conditionals if each.reason == GONE)
        return tuple(each for each in gone if self.has_none(each.token_id))

    def attached_to(self, order_id: OrderId) -> Conditional | None:
        """Return the stop or target that came with an order, if it is not over."""
        them = (e for e in self.conditionals if any(s.order_id == order_id for s in e.sources))
        return next(them, None)

    def protecting(self, token_id: TokenId) -> tuple[Conditional, ...]:
        """Active conditional orders of a token."""
        return tuple(each for each in self.awake if each.token_id == token_id)

    def allotted(self, each: Conditional) -> Micros:
        """Shares that a conditional order speaks for: of an active one never more than are held."""
        same = self.protecting(each.token_id)
        return allot(same, self.held(each.token_id)).get(each.conditional_id, each.size)

    def unprotected(self, token_id: TokenId) -> Micros | None:
        """Shares of a token that no active stop speaks for; None where there is no stop at all."""
        same = tuple(each for each in self.conditionals if each.token_id == token_id)
        return unprotected(same, self.held(token_id)) if same else None

    def shares(self, token_id: TokenId) -> Micros:
        """Shares held of a token."""
        return Micros(sum(p.size for p in self.positions if p.token_id == token_id))

    def held(self, token_id: TokenId) -> Micros:
        """Return the shares held, those that open sales reserve included; one figure for all."""
        return dict(self.balances).get(token_id, self.shares(token_id))

    def has_none(self, token_id: TokenId) -> bool:
        """Whether it is known that no share that could be sold is held of a token."""
        return self.load is Load.READY and size_floor(self.held(token_id)) <= 0

    def sellable(self, token_id: TokenId) -> Micros:
        """Return the shares that a new sale may offer."""
        return Micros(max(self.held(token_id) - reserved_shares(self.open_orders, token_id), 0))

    def orders_at(self, token_id: TokenId) -> tuple[Order, ...]:
        """Open orders in one token's book."""
        return tuple(o for o in self.open_orders if o.token_id == token_id)


def awake_of(conditionals: tuple[Conditional, ...]) -> tuple[Conditional, ...]:
    """Return the conditional orders that may sell by themselves."""
    return tuple(each for each in conditionals if each.state.is_active)


@dataclass(frozen=True, slots=True)
class OrderDeed:
    """What an entry tells of one order or fill, part by part; the texts may be the venue's."""

    verb: str
    """What happened: filled, cancelled, rejected."""
    side: Side
    size: Micros
    price: Micros
    outcome: str
    market: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the log; `text` may hold venue words and is untrusted."""

    sequence: int
    at: datetime
    level: Level
    kind: str
    """notice, order, request or stream."""
    text: str
    order_id: OrderId | None = None
    until_read: bool = False
    """Whether every screen shows it until the log has been read."""
    deed: OrderDeed | None = None
    """What `text` says of an order, for columns."""


@dataclass(frozen=True, slots=True)
class RequestEntry:
    """One request to a host; `text` may hold its words and is untrusted."""

    sequence: int
    at: datetime
    route: str
    """Method and path template; never a query or a secret."""
    status: int | None
    """None where no answer came."""
    elapsed_ms: int
    text: str = ""
    """What went wrong; empty where it was answered."""


@dataclass(frozen=True, slots=True)
class RequestsView:
    """The newest requests, oldest first."""

    entries: tuple[RequestEntry, ...]
    dropped: int
    """How many older ones are gone."""


@dataclass(frozen=True, slots=True)
class LogView:
    """The newest entries, oldest first."""

    entries: tuple[LogEntry, ...]
    dropped: int
    """How many older ones are gone."""
    read_up_to: int


@dataclass(frozen=True, slots=True)
class AlertRow:
    """A price alert with what its outcome costs now."""

    alert: PriceAlert
    book: BookState
    """Nothing fires unless this is good."""
    best_bid: Micros | None
    best_ask: Micros | None


@dataclass(frozen=True, slots=True)
class WatchRow:
    """Something starred, or a market that an alert waits for."""

    key: StarKey
    title: str
    """Untrusted text."""
    is_starred: bool
    seen: StarSnapshot | None
    """None until anything is known of it."""
    quote: QuoteRow | None = None
    """Of its market, or of the leading one of an event."""
    alerts: tuple[AlertRow, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchlistView:
    """Everything that is watched."""

    rows: tuple[WatchRow, ...]
    load: Load
    as_of: datetime | None
    """When the metadata host last answered for all of it."""
    problem: str = ""
    """Why it did not."""
    unstreamed: int = 0
    """Markets beyond the bound: their prices are the metadata host's."""
    kept_problem: str = ""
    """Why what is starred cannot be kept for the next session, or was not read from the last."""

    def is_starred(self, key: StarKey) -> bool:
        """Whether something is starred."""
        return any(row.is_starred and row.key == key for row in self.rows)

    @property
    def alerts(self) -> tuple[AlertRow, ...]:
        """Every alert, in the order of the rows."""
        return tuple(alert for row in self.rows for alert in row.alerts)
