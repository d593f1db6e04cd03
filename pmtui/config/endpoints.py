"""Where the hosts of a profile are, and which of two spellings of the venue they speak."""

from dataclasses import dataclass
from enum import StrEnum


class Dialect(StrEnum):
    """Which table of routes, bodies and limits a profile goes by; never mixed, never guessed."""

    SEED = "seed"
    """As the first description of the venue has it; what the local venue is asked in."""
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
"""The public service (WIRE_METADATA §1, WIRE_CLOB §1, November 2026)."""
