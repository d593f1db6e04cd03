"""The terminal's views: frozen values, each with its age, none of which can act.

Every view can be encoded by `service/codec.py`; none contains a socket, a task or a widget.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from pmtui.domain.account.exposure import OwnEvent
from pmtui.domain.account.onboarding import Purpose
from pmtui.domain.account.pnl import DayFigures, EquityPoint, agree_to_the_cent
from pmtui.domain.account.position import Activity, ClosedPosition, Position
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.books.tape import TapeGap
from pmtui.domain.conditionals.alerts import PriceAlert
from pmtui.domain.conditionals.conditional import GONE, ConditionalOrder, ConditionalState
from pmtui.domain.conditionals.coverage import covered_by, covering, unprotected
from pmtui.domain.health import SourceHealth
from pmtui.domain.ids import ConditionId, EventId, MarketId, OrderId, TokenId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import Comment, Event, Holder, Market, MarketTerms, Side, Tag
from pmtui.domain.markets.price_path import Traded
from pmtui.domain.markets.rewards import Earned
from pmtui.domain.markets.venue_state import VenueFact
from pmtui.domain.markets.watchlist import StarKey, StarSnapshot
from pmtui.domain.money import Micros, cents_down
from pmtui.domain.orders.amounts import pairs_of, size_floor
from pmtui.domain.orders.heartbeat import NO_HEARTBEATS, HeartbeatView
from pmtui.domain.orders.limits import NO_RULES, EntryRules
from pmtui.domain.orders.order import Fill, Order, TradePrint, Volume
from pmtui.domain.orders.own_orders import reserved_shares


class Load(StrEnum):
    """The loading state of a view."""

    EMPTY = "empty"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


class OwnList(StrEnum):
    """A list about our account that the venue keeps."""

    ORDERS = "open orders"
    FILLS = "own trades"
    EARLIER = "own trades of before"
    TODAY = "today's own trades"
    POSITIONS = "positions"
    CLOSED = "closed positions"
    ACTIVITY = "activity"


STILL_LOADING: Final = "still loading"


class Mode(StrEnum):
    """The abilities of this session, in the words of the status line."""

    PAPER = "PAPER"
    LIVE = "LIVE"
    READ_ONLY = "READ-ONLY"


class Level(StrEnum):
    """The severity of a notice."""

    INFO = "info"
    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class StatusView:
    """The contents of the status line. `cash` is free cash: the balance minus reservations of orders."""

    profile: str
    mode: Mode
    mode_reason: str
    """Why the session is read-only; empty otherwise."""
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
    """The trading wallet, checksummed; empty if read-only."""
    armed_until: datetime | None = None
    """Until when single keys can trade if none is used before; None if they cannot."""
    kill_lock: str = ""
    """Why no order may be entered at all; empty if entry is open."""
    heartbeat: HeartbeatView = NO_HEARTBEATS
    day_result: Micros | None = None
    """What was won or lost since midnight UTC, fees included, also in positions that are gone; in whole
    cents that go with those of the equity."""
    day_figures: DayFigures | None = None
    """The same in parts."""
    watching: int = 0
    """Conditional orders that may sell automatically."""
    blind: int = 0
    """Those among them whose book is not good, so that they cannot fire."""
    paused: int = 0
    """Paused conditional orders, except those whose shares the venue reports as gone."""
    terminals: int = 0
    """The terminals that are attached to a service in its own process."""
    are_orders_known: bool = True
    """Whether `open_orders` is complete; False until the venue's list has been read completely."""
    venue: tuple[VenueFact, ...] = ()
    """Special states of the venue, the most severe first."""
    account_as_of: datetime | None = None
    """When cash and positions were read last; None before."""
    is_gone: bool = False
    """Whether the service that sent this is gone; set by the terminal on the last received view."""
    is_kill_waiting: bool = False
    """Whether entry was locked while the service did not answer, so that it has cancelled nothing yet; set
    by the terminal."""


@dataclass(frozen=True, slots=True)
class ServiceLoss:
    """The loss of the service that a terminal was attached to."""

    at: datetime
    is_final: bool
    """Whether it was ended on purpose: then it is started again only on request."""
    refusal: str = ""
    """Why the service that runs instead does not take the terminal in; empty where none does."""


@dataclass(frozen=True, slots=True)
class MarketRow:
    """A market as shown in a list, with live numbers if a stream provides them."""

    market: Market
    event_id: EventId | None
    event_title: str
    position_size: Micros | None = None
    """Own shares of the first outcome minus those of the second."""
    is_starred: bool = False
    as_of: datetime | None = None
    """When the metadata host sent its prices."""
    event: Event | None = None
    """Its event without markets and texts if it is a window of a rolling series, else None."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event as shown in a list, represented by its leading market."""

    event: Event
    """Far down a list its other markets have only their ids."""
    leading_place: int | None
    """Index of the leading market: the open one with the highest first-outcome price."""
    open_markets: int
    has_position: bool = False
    is_starred: bool = False
    """Whether the event, or its only market, is starred."""
    as_of: datetime | None = None
    """When the metadata host sent its prices."""

    @property
    def leading(self) -> Market | None:
        """The market that represents the event; None if it has none."""
        return None if self.leading_place is None else self.event.markets[self.leading_place]


@dataclass(frozen=True, slots=True)
class MarketListView:
    """A list that grows at its end as the cursor approaches it."""

    rows: tuple[EventRow, ...]
    load: Load
    has_more: bool
    as_of: datetime | None
    problem: str = ""
    is_cached: bool = False
    """Whether it is from an earlier session and not confirmed in this one: no price is current."""


@dataclass(frozen=True, slots=True)
class SearchView:
    """Markets from the local index first, then merged with the venue's results."""

    text: str
    rows: tuple[MarketRow, ...]
    load: Load
    """READY once the venue has replied too; LOADING while there are only local rows."""
    indexed: int
    """Number of markets in the local index."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TagsView:
    """The tags known so far."""

    tags: tuple[Tag, ...]
    load: Load


@dataclass(frozen=True, slots=True)
class EventView:
    """An event with its markets in the event's own order."""

    event: Event | None
    load: Load
    as_of: datetime | None
    problem: str = ""
    comments: tuple[Comment, ...] = ()
    is_starred: bool = False
    """Whether the event, or its only market, is starred."""
    starred: frozenset[MarketId] = frozenset()
    """Its markets that are starred individually."""


@dataclass(frozen=True, slots=True)
class QuoteRow:
    """Best prices of a market's first outcome, and their age."""

    condition_id: ConditionId
    best_bid: Micros | None
    best_ask: Micros | None
    last_trade_price: Micros | None
    as_of: datetime | None
    is_live: bool
    """Whether they are from a good streamed book; else from the metadata host."""
    position_size: Micros | None = None
    is_loading: bool = False
    """Whether no book is there yet."""


@dataclass(frozen=True, slots=True)
class EventQuotesView:
    """Live prices of an event's outcomes."""

    rows: tuple[QuoteRow, ...]


@dataclass(frozen=True, slots=True)
class MarketView:
    """One market with its rules for orders."""

    market: Market | None
    terms: MarketTerms | None
    load: Load
    as_of: datetime | None
    holders: tuple[Holder, ...] = ()
    problem: str = ""
    venue: tuple[VenueFact, ...] = ()
    """States of the venue that affect orders here, the most severe first."""
    is_starred: bool = False


@dataclass(frozen=True, slots=True)
class TapeView:
    """Public trades, newest first."""

    prints: tuple[TradePrint, ...]
    sequence: int
    volume: Volume = ()
    """All known trades; the prints are the newest of them."""
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
    traded: tuple[Traded, ...] = ()
    """How much was traded and when, in ascending time; the tape continues it."""


@dataclass(frozen=True, slots=True)
class EarnedView:
    """Earnings of resting orders on the last days, today first."""

    rows: tuple[Earned, ...] = ()
    load: Load = Load.LOADING
    as_of: datetime | None = None
    """When all of it was last complete; None while a day is missing."""
    problem: str = ""


NOTHING_EARNED: Final = EarnedView()


@dataclass(frozen=True, slots=True)
class FillsView:
    """Our fills."""

    fills: tuple[Fill, ...] = ()
    """Newest first."""


@dataclass(frozen=True, slots=True)
class ActivityView:
    """Closed positions, from a host that is queried seldom."""

    closed: tuple[ClosedPosition, ...] = ()
    activity: tuple[Activity, ...] = ()
    equity: tuple[EquityPoint, ...] = ()
    """The account's equity, in ascending time, sampled while the service ran."""
    events: tuple[OwnEvent, ...] = ()
    """Events of current and past holdings, if they are known."""


@dataclass(frozen=True, slots=True)
class AlertsView:
    """The price alerts fired in this session."""

    fired: int = 0
    """How many have fired."""


@dataclass(frozen=True, slots=True)
class RowBooksView:
    """The live books of a list's visible rows."""

    books: tuple[BookView, ...]
    """In the order of the topic's tokens."""


@dataclass(frozen=True, slots=True)
class AccountView:
    """The parts of the account that may change with every stream event.

    Fills, closed positions and earnings have views of their own, as they are longer and change
    seldom. Without a key all of it is empty and `load` is EMPTY.
    """

    load: Load
    balance: Micros | None
    """Collateral in the wallet according to the trading host, reservations included."""
    reserved: Micros
    """Cash reserved by open buy orders, fees included."""
    positions: tuple[Position, ...]
    open_orders: tuple[Order, ...]
    """Open and unknown ones, newest first."""
    as_of: datetime | None
    problem: str = ""
    balances: tuple[tuple[TokenId, Micros], ...] = ()
    """Shares held by token, if a host has reported them: reports reconciled with own fills."""
    recent: tuple[Order, ...] = ()
    """The most recent orders, newest first, however they ended."""
    queue_ahead: tuple[tuple[OrderId, Micros], ...] = ()
    """Estimated queue ahead of our resting orders, if their book is subscribed to."""
    displayed: frozenset[OrderId] = frozenset()
    """Those of them that the displayed size certainly includes."""
    remnants: tuple[Position, ...] = ()
    """Closed positions: with fewer shares left than any order can sell, or sold a moment ago."""
    scoring: frozenset[OrderId] = frozenset()
    """Open orders that earn rewards, according to the venue's last reply."""
    conditionals: tuple[ConditionalOrder, ...] = ()
    """Conditional orders that have not ended; they exist only while this program runs."""
    unseen: frozenset[TokenId] = frozenset()
    """Tokens of conditional orders whose book is not good, so that nothing fires."""
    entry: EntryRules = NO_RULES
    """The rules for a new order while it is typed; the service checks it again before sending."""
    incomplete_lists: tuple[tuple[OwnList, str], ...] = ()
    """The incomplete lists, with what is missing in each."""
    cash_not_allowed: frozenset[Purpose] = frozenset()
    """Exchanges without a cash allowance: purchases there are refused."""
    shares_not_allowed: frozenset[Purpose] = frozenset()
    """Exchanges without an allowance for shares: sales there are refused."""
    day: DayFigures | None = None
    """The day's result at the prices of the positions, whose gains add up to its unrealised part."""

    @property
    def equity(self) -> Micros | None:
        """Balance plus positions at their prices; None while a part of it is not known."""
        # A total with a missing part would look like a loss.
        if self.balance is None or self.missing_in(OwnList.POSITIONS):
            return None
        return Micros(self.balance + sum(each.value or 0 for each in self.positions))

    def marked(self, price_of: Callable[[Position], Micros | None]) -> "AccountView":
        """Return the same account at other prices: of positions, equity and the day's result alike.

        Args:
            price_of: returns the price of a position; None for the one that it has.
        """
        moving = (p for p in self.positions if not (p.is_settled or p.is_redeemable))
        prices = {p.token_id: price_of(p) or p.current_price for p in moving}
        positions = tuple(
            p
            if (price := prices.get(p.token_id)) in (None, p.current_price)
            else replace(p, current_price=price)
            for p in self.positions
        )
        if positions == self.positions:
            return self
        then = replace(self, positions=positions)
        before, after = self.equity, then.equity
        if self.day is None or before is None or after is None:
            return then
        moved = cents_down(after) - cents_down(before)
        return then.with_day(replace(self.day, total=Micros(self.day.total + moved)))

    def with_day(self, day: DayFigures | None) -> "AccountView":
        """Return the same account with the day's result; the two agree to the cent."""
        if day is None:
            return self
        day, positions = agree_to_the_cent(day, self.positions)
        return replace(self, day=day, positions=positions)

    def missing_in(self, what: OwnList) -> str:
        """Return what is missing in a list; empty if it is complete."""
        return dict(self.incomplete_lists).get(what, "")

    @property
    def available(self) -> Micros | None:
        """The cash available for a new purchase."""
        if self.balance is None:
            return None
        return Micros(max(self.balance - self.reserved, 0))

    @property
    def active(self) -> tuple[ConditionalOrder, ...]:
        """Conditional orders that may sell automatically."""
        return active_of(self.conditionals)

    @property
    def blind(self) -> tuple[ConditionalOrder, ...]:
        """Conditional orders that cannot fire because their book is not good."""
        return tuple(each for each in self.conditionals if self.is_blind(each))

    def is_blind(self, each: ConditionalOrder) -> bool:
        """Whether a conditional order's book is not good, so that nothing fires from it."""
        return each.token_id in self.unseen and each.state is ConditionalState.WATCHING

    @property
    def paused(self) -> tuple[ConditionalOrder, ...]:
        """Paused conditional orders that may have something to sell."""
        active_or_idle = (*self.active, *self.idle)
        return tuple(each for each in self.conditionals if each not in active_or_idle)

    @property
    def idle(self) -> tuple[ConditionalOrder, ...]:
        """Paused conditional orders whose shares the venue reports as gone."""
        gone = (each for each in self.conditionals if each.reason == GONE)
        return tuple(each for each in gone if self.has_none(each.token_id))

    def attached_to(self, order_id: OrderId) -> ConditionalOrder | None:
        """Return the stop or target attached to an order, if it has not ended."""
        them = (e for e in self.conditionals if any(s.order_id == order_id for s in e.sources))
        return next(them, None)

    def protecting(self, token_id: TokenId) -> tuple[ConditionalOrder, ...]:
        """Active conditional orders of a token."""
        return tuple(each for each in self.active if each.token_id == token_id)

    def covering(self, token_id: TokenId) -> ConditionalOrder | None:
        """A stop or target that leaves no shares of a token for another; None if some are left."""
        return covering(self.protecting(token_id), self.held(token_id))

    def allotted(self, each: ConditionalOrder) -> Micros:
        """Shares that a conditional order covers, or will cover once it is resumed.

        Never more than are held; the stated size while there are none.
        """
        if self.has_none(each.token_id) and not each.is_all:
            return each.size
        held, of_other = self.held(each.token_id), self.held_of_other(each.token_id)
        return covered_by(each, self.protecting(each.token_id), held, of_other=of_other)

    def unprotected(self, token_id: TokenId) -> Micros | None:
        """Unpaired shares of a token that no active stop covers; None if there is no stop at all."""
        same = tuple(each for each in self.conditionals if each.token_id == token_id)
        held, of_other = self.held(token_id), self.held_of_other(token_id)
        return unprotected(same, held, of_other=of_other) if same else None

    def shares(self, token_id: TokenId) -> Micros:
        """Shares held of a token."""
        return Micros(sum(p.size for p in self.positions if p.token_id == token_id))

    def held(self, token_id: TokenId) -> Micros:
        """Return the shares held, including those reserved by open sales; used everywhere."""
        return dict(self.balances).get(token_id, self.shares(token_id))

    def held_of_other(self, token_id: TokenId) -> Micros:
        """Return the shares held of the other outcome of a token's market."""
        return Micros(sum(self.held(other) for other in self.others_of(token_id)))

    def others_of(self, token_id: TokenId) -> frozenset[TokenId]:
        """Return the held tokens of the other outcome of a token's market: one, or none."""
        here = {p.condition_id for p in self.positions if p.token_id == token_id}
        return frozenset(p.token_id for p in self.positions if p.condition_id in here) - {token_id}

    def unpaired(self, token_id: TokenId) -> Micros:
        """Return the shares of a token beyond those held of the other outcome of its market."""
        held = self.held(token_id)
        return Micros(held - pairs_of(held, self.held_of_other(token_id)))

    def has_none(self, token_id: TokenId) -> bool:
        """Whether a token is known to have no shares that could be sold."""
        return self.load is Load.READY and size_floor(self.held(token_id)) <= 0

    def sellable(self, token_id: TokenId) -> Micros:
        """Return the shares available for a new sale."""
        return Micros(max(self.held(token_id) - reserved_shares(self.open_orders, token_id), 0))

    def orders_at(self, token_id: TokenId) -> tuple[Order, ...]:
        """Open orders in one token's book."""
        return tuple(o for o in self.open_orders if o.token_id == token_id)


def with_money(status: StatusView, account: AccountView) -> StatusView:
    """Return a status with the money of an account, so that one frame shows both as of one moment."""
    if status.mode is Mode.READ_ONLY:
        return replace(status, cash=account.available)
    day = account.day
    return replace(
        status, cash=account.available, portfolio_value=account.equity, day_figures=day,
        day_result=None if day is None else day.total,
    )  # fmt: skip


def active_of(conditionals: tuple[ConditionalOrder, ...]) -> tuple[ConditionalOrder, ...]:
    """Return the conditional orders that may sell by themselves."""
    return tuple(each for each in conditionals if each.state.is_active)


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """The parts of an entry about one order or fill; texts may be the venue's."""

    verb: str
    """The event: filled, cancelled, rejected."""
    side: Side
    size: Micros
    price: Micros
    outcome: str
    market: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One log entry; `text` may contain the venue's text and is untrusted."""

    sequence: int
    at: datetime
    level: Level
    kind: str
    """One of: notice, order, request, stream."""
    text: str
    order_id: OrderId | None = None
    until_read: bool = False
    """Whether every screen shows it until the log has been read."""
    cause: str = ""
    """What a notice until read is about: it ends early with a later entry of the same cause that is
    none."""
    facts: EntryFacts | None = None
    """The parts of `text` about an order, for columns."""


@dataclass(frozen=True, slots=True)
class RequestEntry:
    """One request to a host; `text` may contain the host's text and is untrusted."""

    sequence: int
    at: datetime
    route: str
    """Method and path template; never a query or a secret."""
    status: int | None
    """None if there was no reply."""
    elapsed_ms: int
    text: str = ""
    """The error; empty if the host replied."""


@dataclass(frozen=True, slots=True)
class RequestsView:
    """The newest requests, oldest first."""

    entries: tuple[RequestEntry, ...]
    dropped: int
    """Number of dropped older requests."""


@dataclass(frozen=True, slots=True)
class LogView:
    """The newest entries, oldest first."""

    entries: tuple[LogEntry, ...]
    dropped: int
    """Number of dropped older entries."""
    read_up_to: int


@dataclass(frozen=True, slots=True)
class AlertRow:
    """A price alert with the current prices of its outcome."""

    alert: PriceAlert
    book: BookState
    """Nothing fires unless the state is good."""
    best_bid: Micros | None
    best_ask: Micros | None


@dataclass(frozen=True, slots=True)
class WatchRow:
    """A starred item, or a market that an alert watches."""

    key: StarKey
    title: str
    """Untrusted text."""
    is_starred: bool
    seen: StarSnapshot | None
    """None until any data is known."""
    quote: QuoteRow | None = None
    """Quote of the market, or of an event's leading market."""
    alerts: tuple[AlertRow, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchlistView:
    """The whole watchlist."""

    rows: tuple[WatchRow, ...]
    load: Load
    as_of: datetime | None
    """When the metadata host last replied for all of it."""
    problem: str = ""
    """Why the last request failed."""
    unstreamed: int = 0
    """Markets beyond the limit: their prices are the metadata host's."""
    kept_problem: str = ""
    """Why stars cannot be saved for the next session, or could not be read from the last."""

    def is_starred(self, key: StarKey) -> bool:
        """Whether an item is starred."""
        return any(row.is_starred and row.key == key for row in self.rows)

    @property
    def alerts(self) -> tuple[AlertRow, ...]:
        """Every alert, in the order of the rows."""
        return tuple(alert for row in self.rows for alert in row.alerts)
