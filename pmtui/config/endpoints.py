"""Addresses of a profile's hosts, and the dialect of the venue that they speak."""

import ipaddress
from dataclasses import dataclass
from enum import StrEnum


class Dialect(StrEnum):
    """The set of routes, bodies and limits that a profile uses; never mixed, never guessed."""

    SEED = "seed"
    """The routes of the first description of the venue, and the local venue's default."""
    LIVE = "live"
    """The routes of the public service, as observed in November 2026."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Every address the program may open. The local venue announces its own under the same names."""

    clob: str
    gamma: str
    data: str
    relayer: str
    ws_market: str
    ws_user: str
    rpc: str
    geoblock: str
    """The full URL of the geographic check, path included."""


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
    """Whether a host name means this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
