"""The routes of the metadata and the analytics host, one table per dialect.

A client reads its table and nothing else: no request ever falls from one dialect to the other.
"""

from dataclasses import dataclass
from enum import StrEnum

from pmtui.config.endpoints import LIVE, Dialect, Endpoints
from pmtui.domain.markets.market import MarketSort

__all__ = [
    "ANALYTICS_ROUTES",
    "EVENT_ORDER",
    "LIVE",
    "METADATA_ROUTES",
    "AnalyticsRoutes",
    "Dialect",
    "Endpoints",
    "ListRoute",
    "MetadataRoutes",
    "Paging",
]


class Paging(StrEnum):
    """How a list says where its next page begins."""

    OFFSET = "offset"
    """By counting rows; the last page is a short one. Rows shift when the list does."""
    CURSOR = "cursor"
    """By an opaque text in the answer, absent on the last page."""


@dataclass(frozen=True, slots=True)
class ListRoute:
    """A list and how it is paged."""

    path: str
    paging: Paging
    cursor_key: str
    """The query key that carries the cursor, or the offset."""
    limit: int
    """Rows a page: what the route allows at most, or what a screen can use."""
    max_rows: int
    """Where reading on ends, so that no answer can keep us for ever."""
    fixed: tuple[tuple[str, str], ...] = ()
    """Query that always goes along."""


@dataclass(frozen=True, slots=True)
class MetadataRoutes:
    """The metadata host."""

    events: ListRoute
    event: str
    markets: str
    search: str
    tags: str
    comments: str


@dataclass(frozen=True, slots=True)
class AnalyticsRoutes:
    """The analytics host."""

    positions: ListRoute
    closed_positions: ListRoute
    activity: ListRoute
    value: str
    holders: str
    trades: ListRoute
    """Newest first; both dialects take `start` in seconds."""
    market_key: str
    """The query key for a condition id."""


METADATA_ROUTES = {
    Dialect.SEED: MetadataRoutes(
        events=ListRoute("/events", Paging.OFFSET, "offset", 50, 10_000),
        event="/events/{id}",
        markets="/markets",
        search="/public-search",
        tags="/tags",
        comments="/comments",
    ),
    Dialect.LIVE: MetadataRoutes(
        events=ListRoute("/events/keyset", Paging.CURSOR, "after_cursor", 50, 10_000),
        event="/events/{id}",
        markets="/markets",
        search="/public-search",
        tags="/tags",
        comments="/comments",
    ),
}
"""SEED §4.4; WIRE_METADATA §2 rows 1 and 8, §3.1."""

ANALYTICS_ROUTES = {
    Dialect.SEED: AnalyticsRoutes(
        # The host's default threshold of 1 share would hide small holdings.
        positions=ListRoute(
            "/positions", Paging.OFFSET, "offset", 500, 10_000, (("sizeThreshold", "0"),)
        ),
        closed_positions=ListRoute(
            "/closed-positions",
            Paging.OFFSET,
            "offset",
            50,
            1_000,
            (("sortBy", "TIMESTAMP"), ("sortDirection", "DESC")),
        ),
        activity=ListRoute("/activity", Paging.OFFSET, "offset", 500, 2_000),
        value="/value",
        holders="/holders",
        trades=ListRoute("/trades", Paging.OFFSET, "offset", 500, 2_000),
        market_key="market",
    ),
    Dialect.LIVE: AnalyticsRoutes(
        positions=ListRoute("/v2/positions", Paging.CURSOR, "cursor", 500, 10_000),
        closed_positions=ListRoute(
            "/v2/positions",
            Paging.CURSOR,
            "cursor",
            500,
            1_000,
            (("status", "CLOSED"), ("sort_by", "TIMESTAMP"), ("sort_direction", "DESC")),
        ),
        activity=ListRoute("/v2/activity", Paging.CURSOR, "cursor", 500, 2_000, (("start", "1"),)),
        value="/v2/value",
        holders="/v2/holders",
        trades=ListRoute("/v2/trades", Paging.CURSOR, "cursor", 500, 2_000),
        market_key="condition_id",
    ),
}
"""SEED §4.3; WIRE_METADATA §4.1 and §4.2 with their bounds."""

EVENT_ORDER = {
    MarketSort.VOLUME_24H: ("volume24hr", "false"),
    MarketSort.VOLUME: ("volume", "false"),
    MarketSort.LIQUIDITY: ("liquidity", "false"),
    MarketSort.NEWEST: ("createdAt", "false"),
    MarketSort.ENDING_SOON: ("endDate", "true"),
}
"""`order` and `ascending` of the event lists: field names in camel case (WIRE_METADATA §3.1)."""
