"""What an order ticket holds before it is an order: the fields as typed, and the trader's own settings."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from pmtui.domain.books.book_view import BookView
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.markets.venue_state import VenueFact
from pmtui.domain.money import SCALE, ZERO, Micros
from pmtui.domain.orders.order import Order, TimeInForce

_WARNED_FROM = Micros(1_000_000_000)


@dataclass(frozen=True, slots=True)
class TicketRules:
    """Bounds of the ticket's warnings; none of them stops an order."""

    worst_price_percent: int = 10
    """How much worse than the midpoint a price may be, in percent of it; 0 for any."""
    notional_warning: Micros = _WARNED_FROM
    """Dollars from which an order is called large; 0 for never."""
    duplicate_window: timedelta = timedelta(seconds=10)
    """For so long after an order the same one again is called a second one."""

    confirm_above: Micros = ZERO
    """Dollars up to which an order of the ticket needs no card; 0 for a card every time."""
    sells_short: bool = True
    """Whether a sale of what is not held buys the other outcome, or is refused."""

    @property
    def warns_of_size(self) -> bool:
        """Whether any size is too large to go unsaid."""
        return self.notional_warning > ZERO


DEFAULT_RULES = TicketRules()


DEFAULT_PRESETS = tuple(Micros(shares * SCALE) for shares in (5, 10, 50, 100, 500))
"""In shares; the venue's smallest order is 5 shares."""
DEFAULT_GIVE_WAY = 10
"""Percent of the best bid by which the worst price of selling a position may lie below it."""


_NO_SHARES = Micros(0)


class OrderKind(StrEnum):
    """What the ticket is for."""

    LIMIT = "limit"
    MARKET = "market"


class SizeUnit(StrEnum):
    """What the number in the size field counts."""

    SHARES = "shares"
    DOLLARS = "dollars"
    PERCENT = "percent"
    """Of free cash when buying, of free shares when selling."""


class TicketField(StrEnum):
    """Where a problem is shown."""

    SIDE = "side"
    KIND = "kind"
    OUTCOME = "outcome"
    TIME_IN_FORCE = "time_in_force"
    PRICE = "price"
    SIZE = "size"
    POST_ONLY = "post_only"
    EXPIRY = "expiry"
    STOP = "stop"
    TARGET = "target"


@dataclass(frozen=True, slots=True)
class TicketDraft:
    """What the fields hold, as typed."""

    side: Side
    outcome_index: int
    kind: OrderKind = OrderKind.LIMIT
    time_in_force: TimeInForce = TimeInForce.GTC
    price_text: str = ""
    """Cents: `51`, `51.5`. For a market purchase: the worst price; empty lets the book decide."""
    size_text: str = ""
    size_unit: SizeUnit = SizeUnit.SHARES
    is_post_only: bool = False
    expiry_text: str = ""
    """Minutes, or with a unit: `90s`, `30m`, `2h`, `1d`."""
    stop_text: str = ""
    """Cents at which a stop sells what the purchase brought; empty for none."""
    target_text: str = ""
    """The same of a target."""
    limit: "TicketDraft | None" = None
    """The limit order that this market order was before; what it becomes again."""


@dataclass(frozen=True, slots=True)
class TicketContext:
    """What the rules need to know of the world."""

    terms: MarketTerms
    book: BookView
    """Of the outcome in the draft."""
    now: datetime
    available_cash: Micros | None
    available_shares: Micros
    """Shares of the outcome not spoken for by resting sales."""
    resting_shares: Micros = _NO_SHARES
    """Shares of the outcome that rest in open orders to sell."""
    reserved_cash: Micros = _NO_SHARES
    """Dollars that open orders to buy speak for."""
    venue: tuple[VenueFact, ...] = ()
    """What the venue is up to that matters here, the most severe first."""
    own: tuple[Order, ...] = ()
    """Open orders of ours in the market, of both outcomes."""
    recent: tuple[Order, ...] = ()
    """Orders of ours that went out lately, however they ended."""
    rules: TicketRules = DEFAULT_RULES
    clock_skew: timedelta = timedelta()
    """The venue's clock minus ours."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about one field. A warning does not stop the order."""

    field: TicketField
    text: str
    is_warning: bool = False
    fix: TicketDraft | None = None
    """The draft with the nearest valid value."""
