"""The outside as the service holds it: one object per host, made when it is needed."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from pmtui.domain.failure import Failure
from pmtui.domain.rate_budget import RateBudget
from pmtui.service.ports import (
    AccountHost,
    AnalyticsHost,
    GeoHost,
    HeartbeatHost,
    MarketStream,
    MetadataHost,
    OrderSigner,
    ScoringHost,
    TradingHost,
    UserStream,
)


@dataclass(frozen=True, slots=True)
class Account:
    """The private side: made once credentials exist."""

    host: AccountHost
    signer: OrderSigner
    stream: UserStream
    heartbeat: HeartbeatHost
    scoring: ScoringHost | None = None
    """None where nobody tells which orders earn rewards."""


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts of one profile. Without `open_account` the session is read-only."""

    metadata: MetadataHost
    trading: TradingHost
    analytics: AnalyticsHost
    geo: GeoHost
    market_stream: MarketStream
    open_account: Callable[[], Awaitable[Account | Failure]] | None
    close: Callable[[], Awaitable[None]]
    budgets: Callable[[], Iterable[RateBudget]] = tuple
    """What is left of the limits on orders and cancellations now."""
