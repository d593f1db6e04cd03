"""The hosts that reads are sent to, and the account for reads that need a key."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pmtui.clients.account import AccountClient
from pmtui.clients.http.client import HttpHost, ShownRequest
from pmtui.clients.http.rate_limits import (
    METADATA_LIMITS,
    RELAYER_LIMITS,
    RateGate,
    analytics_limits,
    clob_limits,
)
from pmtui.clients.relayer import Authorize
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.domain.answers import Failure, FailureKind
from pmtui.reads.trading_routes import ROUTES, ClobRoutes

OpenAccount = Callable[[], Awaitable[AccountClient | Failure]]
"""Returns the account, opened when the first read needs it."""


async def no_account() -> AccountClient | Failure:
    """Refuse every read that needs a key."""
    return Failure(FailureKind.CANCELLED, "account", "this read needs the key of a profile")


@dataclass(frozen=True, slots=True)
class ReadHosts:
    """Connections to every host that can be read."""

    dialect: Dialect
    trading: HttpHost
    metadata: HttpHost
    analytics: HttpHost
    relayer: HttpHost
    geographic: HttpHost
    ws_market: str
    ws_user: str
    open_account: OpenAccount = no_account
    relayer_headers: Authorize | None = None
    """Returns the relayer's credential headers; None without a relayer key."""

    @property
    def routes(self) -> ClobRoutes:
        """The trading host's routes in its dialect."""
        return ROUTES[self.dialect]

    async def close(self) -> None:
        """Close every connection."""
        for host in (
            self.trading,
            self.metadata,
            self.analytics,
            self.relayer,
            self.geographic,
        ):
            await host.aclose()


def make_read_hosts(
    endpoints: Endpoints,
    dialect: Dialect,
    *,
    show: Callable[[ShownRequest], None] | None = None,
) -> ReadHosts:
    """Return the hosts at some addresses, each with its rate limits; no socket is opened yet.

    Args:
        endpoints: their addresses.
        dialect: their dialect.
        show: receives every request instead of the host; nothing is sent then.
    """

    def host(url: str, gate: RateGate | None = None) -> HttpHost:
        return HttpHost(url, gate=gate, show=show)

    return ReadHosts(
        dialect,
        host(endpoints.clob, RateGate(clob_limits(ROUTES[dialect]))),
        host(endpoints.gamma, RateGate(METADATA_LIMITS)),
        host(endpoints.data, RateGate(analytics_limits(dialect))),
        host(endpoints.relayer, RateGate(RELAYER_LIMITS)),
        host(endpoints.geoblock),
        endpoints.ws_market,
        endpoints.ws_user,
    )
