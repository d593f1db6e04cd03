"""Where the hosts of a profile are, and which of the two dialects of the venue they speak."""

import ipaddress
from dataclasses import dataclass
from enum import StrEnum


class Dialect(StrEnum):
    """Which table of routes, bodies and limits a profile goes by; never mixed, never guessed."""

    SEED = "seed"
    """The routes of the first description of the venue; what the local venue speaks by default."""
    LIVE = "live"
    """As the public service answered in November 2026."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Every address the program may open. The local venue names its own in these very words."""

    clob: str
    gamma: str
    data: str
    relayer: str
    ws_market: str
    ws_user: str
    rpc: str
    geoblock: str
    """The whole address of the geographic check, path included."""


LIVE = Endpoints(
    clob="https://clob.polymarket.com",
    gamma="https://gamma-api.polymarket.com",
    data="https://data-api.polymarket.com",
    relayer="https://relayer-v2.polymarket.com",
    ws_market="wss://ws-subscriptions-clob.polymarket.com/ws/market",
    ws_user="wss://ws-subscriptions-clob.polymarket.com/ws/user",
    rpc="https://polygon.drpc.org",
    geoblock="https://polymarket.com/api/geoblock",
)
"""The public service (docs/wire.md, November 2026)."""


def is_loopback(host: str) -> bool:
    """Whether a host name means this very machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
