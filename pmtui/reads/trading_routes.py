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
class ClobRoute:
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
    rows: Mapping[RouteName, ClobRoute]
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

    def route(self, call: RouteName) -> ClobRoute:
        """Return the route of a call."""
        return self.rows[call]


_SHARED = {
    RouteName.TIME: ClobRoute("GET", "/time"),
    RouteName.VERSION: ClobRoute("GET", "/version"),
    RouteName.MARKETS: ClobRoute("GET", "/markets"),
    RouteName.SIMPLIFIED_MARKETS: ClobRoute("GET", "/simplified-markets"),
    RouteName.SAMPLING_MARKETS: ClobRoute("GET", "/sampling-markets"),
    RouteName.SAMPLING_SIMPLIFIED_MARKETS: ClobRoute("GET", "/sampling-simplified-markets"),
    RouteName.MARKET: ClobRoute("GET", "/markets/{id}"),
    RouteName.MARKET_TERMS: ClobRoute("GET", "/clob-markets/{id}"),
    RouteName.BOOK: ClobRoute("GET", "/book"),
    RouteName.BOOKS: ClobRoute("POST", "/books"),
    RouteName.MARKET_OF_TOKEN: ClobRoute("GET", "/markets-by-token/{id}"),
    RouteName.PRICE: ClobRoute("GET", "/price"),
    RouteName.PRICES: ClobRoute("POST", "/prices"),
    RouteName.MIDPOINT: ClobRoute("GET", "/midpoint"),
    RouteName.MIDPOINTS: ClobRoute("POST", "/midpoints"),
    RouteName.SPREAD: ClobRoute("GET", "/spread"),
    RouteName.SPREADS: ClobRoute("POST", "/spreads"),
    RouteName.TICK_SIZE: ClobRoute("GET", "/tick-size"),
    RouteName.NEG_RISK: ClobRoute("GET", "/neg-risk"),
    RouteName.FEE_RATE: ClobRoute("GET", "/fee-rate"),
    RouteName.LAST_TRADE: ClobRoute("GET", "/last-trade-price"),
    RouteName.LAST_TRADES: ClobRoute("POST", "/last-trades-prices"),
    RouteName.PRICES_HISTORY: ClobRoute("GET", "/prices-history"),
    RouteName.PRICES_HISTORIES: ClobRoute("POST", "/batch-prices-history"),
    RouteName.CREATE_KEY: ClobRoute("POST", "/auth/api-key", Auth.OWNER),
    RouteName.DERIVE_KEY: ClobRoute("GET", "/auth/derive-api-key", Auth.OWNER),
    RouteName.API_KEYS: ClobRoute("GET", "/auth/api-keys", Auth.KEY),
    RouteName.CLOSED_ONLY: ClobRoute("GET", "/auth/ban-status/closed-only", Auth.KEY),
    RouteName.READONLY_KEYS: ClobRoute("GET", "/auth/readonly-api-keys", Auth.KEY),
    RouteName.CREATE_BUILDER_KEY: ClobRoute("POST", "/auth/builder-api-key", Auth.KEY),
    RouteName.BUILDER_FEES: ClobRoute("GET", "/fees/builder-fees/{id}"),
    RouteName.BALANCE: ClobRoute("GET", "/balance-allowance", Auth.KEY),
    RouteName.REFRESH_BALANCE: ClobRoute("GET", "/balance-allowance/update", Auth.KEY),
    RouteName.POST_ORDER: ClobRoute("POST", "/order", Auth.KEY),
    RouteName.POST_ORDERS: ClobRoute("POST", "/orders", Auth.KEY),
    RouteName.CANCEL: ClobRoute("DELETE", "/order", Auth.KEY),
    RouteName.CANCEL_MANY: ClobRoute("DELETE", "/orders", Auth.KEY),
    RouteName.CANCEL_MARKET: ClobRoute("DELETE", "/cancel-market-orders", Auth.KEY),
    RouteName.CANCEL_ALL: ClobRoute("DELETE", "/cancel-all", Auth.KEY),
    RouteName.OPEN_ORDERS: ClobRoute("GET", "/data/orders", Auth.KEY),
    RouteName.TRADES: ClobRoute("GET", "/data/trades", Auth.KEY),
    RouteName.HEARTBEAT: ClobRoute("POST", "/v1/heartbeats", Auth.KEY),
    RouteName.NOTICES: ClobRoute("GET", "/notifications", Auth.KEY),
    RouteName.DROP_NOTICES: ClobRoute("DELETE", "/notifications", Auth.KEY),
    RouteName.REWARD_SEARCH: ClobRoute("GET", "/rewards/markets/multi"),
}
"""Routes that both dialects share, and routes of the public service that the seed lacks."""

_SEED = {
    RouteName.CHECK: ClobRoute("GET", "/"),
    RouteName.ORDER: ClobRoute("GET", "/order/{id}", Auth.KEY),
    RouteName.BUILDER_KEYS: ClobRoute("GET", "/auth/builder-api-keys", Auth.KEY),
    RouteName.REVOKE_BUILDER_KEY: ClobRoute("DELETE", "/auth/builder-api-key/{id}", Auth.KEY),
    RouteName.SCORING: ClobRoute("GET", "/orders/scoring", id_key="order_id"),
    RouteName.SCORINGS: ClobRoute("POST", "/orders/scoring"),
    RouteName.REWARDS: ClobRoute("GET", "/rewards/config"),
    RouteName.MARKET_REWARDS: ClobRoute("GET", "/rewards/raw", id_key="market"),
    RouteName.EARNINGS: ClobRoute("GET", "/rewards/earnings"),
    RouteName.TOTAL_EARNINGS: ClobRoute("GET", "/rewards/total-earnings"),
    RouteName.REWARD_PERCENTAGES: ClobRoute("GET", "/rewards/percentages"),
    RouteName.MARKET_EARNINGS: ClobRoute("GET", "/rewards/markets"),
    RouteName.REBATES: ClobRoute("GET", "/rebates"),
}
"""Routes of the seed dialect (docs/wire.md#dialects)."""

_LIVE = {
    RouteName.CHECK: ClobRoute("GET", "/ok"),
    RouteName.ORDER: ClobRoute("GET", "/data/order/{id}", Auth.KEY),
    RouteName.BUILDER_KEYS: ClobRoute("GET", "/auth/builder-api-key", Auth.KEY),
    RouteName.REVOKE_BUILDER_KEY: ClobRoute("DELETE", "/auth/builder-api-key", Auth.KEY),
    RouteName.SCORING: ClobRoute("GET", "/order-scoring", Auth.KEY, id_key="order_id"),
    RouteName.SCORINGS: ClobRoute("POST", "/orders-scoring", Auth.KEY),
    RouteName.REWARDS: ClobRoute("GET", "/rewards/markets/current"),
    RouteName.MARKET_REWARDS: ClobRoute("GET", "/rewards/markets/{id}"),
    RouteName.EARNINGS: ClobRoute("GET", "/rewards/user", Auth.KEY),
    RouteName.TOTAL_EARNINGS: ClobRoute("GET", "/rewards/user/total", Auth.KEY),
    RouteName.REWARD_PERCENTAGES: ClobRoute("GET", "/rewards/user/percentages", Auth.KEY),
    RouteName.MARKET_EARNINGS: ClobRoute("GET", "/rewards/user/markets", Auth.KEY),
    RouteName.REBATES: ClobRoute("GET", "/rebates/current"),
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
