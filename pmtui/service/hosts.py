"""The outside as the service holds it: one object per host, made when it is needed."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from pmtui.domain.account.onboarding import Identity, Spender, TradingKey
from pmtui.domain.answers import Failure
from pmtui.domain.health import RateBudget
from pmtui.service.ports import (
    AccountHost,
    AnalyticsHost,
    ChainHost,
    EarningsHost,
    GeoHost,
    HeartbeatHost,
    MarketStream,
    MetadataHost,
    OrderSigner,
    ScoringHost,
    TradingHost,
    UserStream,
    WalletHost,
)

READ_ONLY = "No key: this session is read-only"


@dataclass(frozen=True, slots=True)
class Account:
    """The private side: made once credentials exist."""

    host: AccountHost
    signer: OrderSigner
    stream: UserStream
    heartbeat: HeartbeatHost
    scoring: ScoringHost | None = None
    """None where nobody tells which orders earn rewards."""
    earnings: EarningsHost | None = None
    """None where nobody tells what they brought."""
    trading_key: TradingKey | None = None
    """The credentials, as far as they may be seen."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What is known of an account before anybody answers, and who tells of its wallet."""

    relayer: WalletHost
    chain: ChainHost | None = None
    """None where no chain can be asked."""
    identity: Identity | None = None
    """None in a session without a key."""
    spenders: tuple[Spender, ...] = ()
    """The contracts that orders are settled by, and others known by name."""


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
    setup: Setup | None = None
    """None where nobody tells of wallets."""
