"""The routes of the trading host in the two dialects, as data; no request falls back from one to the other.

`seed` follows the seed document, `live` the public venue of September 2026.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from types import MappingProxyType
from urllib.parse import quote

from pmtui.config.endpoints import Dialect
from pmtui.domain.answers import Failure, FailureKind


class Auth(Enum):
    """The authentication that a route requires."""

    PUBLIC = "public"
    OWNER = "level 1"
    KEY = "level 2"


class RouteName(StrEnum):
    """The requests that the trading host supports."""

    CHECK = "check"
    TIME = "time"
    VERSION = "version"
    MARKETS = "markets"
    SIMPLIFIED_MARKETS = "simplified markets"
    SAMPLING_MARKETS = "sampling markets"
    SAMPLING_SIMPLIFIED_MARKETS = "sampling simplified markets"
    MARKET = "market"
    MARKET_TERMS = "market terms"
    BOOK = "book"
    BOOKS = "books"
    MARKET_OF_TOKEN = "market of token"  # noqa: S105 - names a route
    PRICE = "price"
    PRICES = "prices"
    MIDPOINT = "midpoint"
    MIDPOINTS = "midpoints"
    SPREAD = "spread"
    SPREADS = "spreads"
    TICK_SIZE = "tick size"
    NEG_RISK = "neg risk"
    FEE_RATE = "fee rate"
    LAST_TRADE = "last trade"
    LAST_TRADES = "last trades"
    PRICES_HISTORY = "prices history"
    PRICES_HISTORIES = "prices histories"
    CREATE_KEY = "create key"
    DERIVE_KEY = "derive key"
    API_KEYS = "api keys"
    CLOSED_ONLY = "closed only"
    READONLY_KEYS = "readonly keys"
    CREATE_BUILDER_KEY = "create builder key"
    BUILDER_KEYS = "builder keys"
    REVOKE_BUILDER_KEY = "revoke builder key"
    BUILDER_FEES = "builder fees"
    BALANCE = "balance"
    REFRESH_BALANCE = "refresh balance"
    POST_ORDER = "post order"
    POST_ORDERS = "post orders"
    CANCEL = "cancel"
    CANCEL_MANY = "cancel many"
    CANCEL_MARKET = "cancel market"
    CANCEL_ALL = "cancel all"
    ORDER = "order"
    OPEN_ORDERS = "open orders"
    TRADES = "trades"
    HEARTBEAT = "heartbeat"
    NOTICES = "notices"
    DROP_NOTICES = "drop notices"
    SCORING = "scoring"
    SCORINGS = "scorings"
    REWARDS = "rewards"
    MARKET_REWARDS = "market rewards"
    REWARD_SEARCH = "reward search"
    EARNINGS = "earnings"
    TOTAL_EARNINGS = "total earnings"
    REWARD_PERCENTAGES = "reward percentages"
    MARKET_EARNINGS = "market earnings"
    REBATES = "rebates"


@dataclass(frozen=True, slots=True)
class Route:
    """One row of the table; `{id}` in a path is replaced by an identifier."""

    method: str
    path: str
    auth: Auth = Auth.PUBLIC
    id_key: str = ""
    """Query key of the identifier, if the path does not contain it."""

    @property
    def label(self) -> str:
        """Method and path template, used as the route's name in logs, failures and limits."""
        return f"{self.method} {self.path}"

    def with_id(self, identifier: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Return the path for an identifier, and the query for it if the path does not contain it."""
        query = ((self.id_key, identifier),) if self.id_key and identifier else ()
        return self.path.format(id=quote(identifier, safe="")), query

    def withheld(self, text: str) -> Failure:
        """Return the failure of a request that is not sent, and why."""
        return Failure(FailureKind.CANCELLED, self.label, text)


@dataclass(frozen=True, slots=True)
class ClobRoutes:
    """All routes of the trading host in one dialect."""

    dialect: Dialect
    rows: Mapping[RouteName, Route]
    cursor_name: str
    """Query key of a page's cursor."""
    wraps_cancel_ids: bool
    """Whether ids to cancel are sent in an object, `orderIDs`, or as a bare array."""
    max_cancel_ids: int
    collateral: str
    """Asset type of the cash balance."""
    conditional: str
    max_batch_orders: int = 15
    max_books: int = 500
    """Tokens in one batch read."""
    max_histories: int = 20

    def route(self, call: RouteName) -> Route:
        """Return the route of a call."""
        return self.rows[call]


_SHARED = {
    RouteName.TIME: Route("GET", "/time"),
    RouteName.VERSION: Route("GET", "/version"),
    RouteName.MARKETS: Route("GET", "/markets"),
    RouteName.SIMPLIFIED_MARKETS: Route("GET", "/simplified-markets"),
    RouteName.SAMPLING_MARKETS: Route("GET", "/sampling-markets"),
    RouteName.SAMPLING_SIMPLIFIED_MARKETS: Route("GET", "/sampling-simplified-markets"),
    RouteName.MARKET: Route("GET", "/markets/{id}"),
    RouteName.MARKET_TERMS: Route("GET", "/clob-markets/{id}"),
    RouteName.BOOK: Route("GET", "/book"),
    RouteName.BOOKS: Route("POST", "/books"),
    RouteName.MARKET_OF_TOKEN: Route("GET", "/markets-by-token/{id}"),
    RouteName.PRICE: Route("GET", "/price"),
    RouteName.PRICES: Route("POST", "/prices"),
    RouteName.MIDPOINT: Route("GET", "/midpoint"),
    RouteName.MIDPOINTS: Route("POST", "/midpoints"),
    RouteName.SPREAD: Route("GET", "/spread"),
    RouteName.SPREADS: Route("POST", "/spreads"),
    RouteName.TICK_SIZE: Route("GET", "/tick-size"),
    RouteName.NEG_RISK: Route("GET", "/neg-risk"),
    RouteName.FEE_RATE: Route("GET", "/fee-rate"),
    RouteName.LAST_TRADE: Route("GET", "/last-trade-price"),
    RouteName.LAST_TRADES: Route("POST", "/last-trades-prices"),
    RouteName.PRICES_HISTORY: Route("GET", "/prices-history"),
    RouteName.PRICES_HISTORIES: Route("POST", "/batch-prices-history"),
    RouteName.CREATE_KEY: Route("POST", "/auth/api-key", Auth.OWNER),
    RouteName.DERIVE_KEY: Route("GET", "/auth/derive-api-key", Auth.OWNER),
    RouteName.API_KEYS: Route("GET", "/auth/api-keys", Auth.KEY),
    RouteName.CLOSED_ONLY: Route("GET", "/auth/ban-status/closed-only", Auth.KEY),
    RouteName.READONLY_KEYS: Route("GET", "/auth/readonly-api-keys", Auth.KEY),
    RouteName.CREATE_BUILDER_KEY: Route("POST", "/auth/builder-api-key", Auth.KEY),
    RouteName.BUILDER_FEES: Route("GET", "/fees/builder-fees/{id}"),
    RouteName.BALANCE: Route("GET", "/balance-allowance", Auth.KEY),
    RouteName.REFRESH_BALANCE: Route("GET", "/balance-allowance/update", Auth.KEY),
    RouteName.POST_ORDER: Route("POST", "/order", Auth.KEY),
    RouteName.POST_ORDERS: Route("POST", "/orders", Auth.KEY),
    RouteName.CANCEL: Route("DELETE", "/order", Auth.KEY),
    RouteName.CANCEL_MANY: Route("DELETE", "/orders", Auth.KEY),
    RouteName.CANCEL_MARKET: Route("DELETE", "/cancel-market-orders", Auth.KEY),
    RouteName.CANCEL_ALL: Route("DELETE", "/cancel-all", Auth.KEY),
    RouteName.OPEN_ORDERS: Route("GET", "/data/orders", Auth.KEY),
    RouteName.TRADES: Route("GET", "/data/trades", Auth.KEY),
    RouteName.HEARTBEAT: Route("POST", "/v1/heartbeats", Auth.KEY),
    RouteName.NOTICES: Route("GET", "/notifications", Auth.KEY),
    RouteName.DROP_NOTICES: Route("DELETE", "/notifications", Auth.KEY),
    RouteName.REWARD_SEARCH: Route("GET", "/rewards/markets/multi"),
}
"""Routes that both dialects share, and routes of the public service that the seed lacks."""

_SEED = {
    RouteName.CHECK: Route("GET", "/"),
    RouteName.ORDER: Route("GET", "/order/{id}", Auth.KEY),
    RouteName.BUILDER_KEYS: Route("GET", "/auth/builder-api-keys", Auth.KEY),
    RouteName.REVOKE_BUILDER_KEY: Route("DELETE", "/auth/builder-api-key/{id}", Auth.KEY),
    RouteName.SCORING: Route("GET", "/orders/scoring", id_key="order_id"),
    RouteName.SCORINGS: Route("POST", "/orders/scoring"),
    RouteName.REWARDS: Route("GET", "/rewards/config"),
    RouteName.MARKET_REWARDS: Route("GET", "/rewards/raw", id_key="market"),
    RouteName.EARNINGS: Route("GET", "/rewards/earnings"),
    RouteName.TOTAL_EARNINGS: Route("GET", "/rewards/total-earnings"),
    RouteName.REWARD_PERCENTAGES: Route("GET", "/rewards/percentages"),
    RouteName.MARKET_EARNINGS: Route("GET", "/rewards/markets"),
    RouteName.REBATES: Route("GET", "/rebates"),
}
"""Routes of the seed dialect (docs/wire.md#dialects)."""

_LIVE = {
    RouteName.CHECK: Route("GET", "/ok"),
    RouteName.ORDER: Route("GET", "/data/order/{id}", Auth.KEY),
    RouteName.BUILDER_KEYS: Route("GET", "/auth/builder-api-key", Auth.KEY),
    RouteName.REVOKE_BUILDER_KEY: Route("DELETE", "/auth/builder-api-key", Auth.KEY),
    RouteName.SCORING: Route("GET", "/order-scoring", Auth.KEY, id_key="order_id"),
    RouteName.SCORINGS: Route("POST", "/orders-scoring", Auth.KEY),
    RouteName.REWARDS: Route("GET", "/rewards/markets/current"),
    RouteName.MARKET_REWARDS: Route("GET", "/rewards/markets/{id}"),
    RouteName.EARNINGS: Route("GET", "/rewards/user", Auth.KEY),
    RouteName.TOTAL_EARNINGS: Route("GET", "/rewards/user/total", Auth.KEY),
    RouteName.REWARD_PERCENTAGES: Route("GET", "/rewards/user/percentages", Auth.KEY),
    RouteName.MARKET_EARNINGS: Route("GET", "/rewards/user/markets", Auth.KEY),
    RouteName.REBATES: Route("GET", "/rebates/current"),
}
"""Routes of the public service (docs/wire.md#dialects), September 2026."""

SEED_ROUTES = ClobRoutes(
    dialect=Dialect.SEED,
    rows=MappingProxyType(_SHARED | _SEED),
    cursor_name="cursor",
    wraps_cancel_ids=True,
    max_cancel_ids=3000,
    collateral="collateral",
    conditional="conditional",
)

LIVE_ROUTES = ClobRoutes(
    dialect=Dialect.LIVE,
    rows=MappingProxyType(_SHARED | _LIVE),
    cursor_name="next_cursor",
    wraps_cancel_ids=False,
    max_cancel_ids=1000,
    collateral="COLLATERAL",
    conditional="CONDITIONAL",
)

ROUTES: Mapping[Dialect, ClobRoutes] = MappingProxyType(
    {Dialect.SEED: SEED_ROUTES, Dialect.LIVE: LIVE_ROUTES}
)
