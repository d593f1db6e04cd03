"""How the metadata and the analytics host are asked for lists: paths and paging in the two dialects."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from pmtui.config.endpoints import Dialect


class Paging(StrEnum):
    """How the next page of a list is requested."""

    CURSOR = "cursor"
    """By a cursor in the answer, absent on the last page."""
    OFFSET = "offset"
    """By row offset; a short page is the last."""
    NUMBER = "page number"


@dataclass(frozen=True, slots=True)
class Pages:
    """How a list of the metadata or the analytics host is paged in one dialect."""

    paging: Paging
    key: str
    """The query key that carries the cursor or offset."""
    size: int
    """The most rows that one page may have."""
    most: int = 10_000
    """Rows after which reading stops: the host goes no further, or the wait would be too long."""
    size_key: str = "limit"


@dataclass(frozen=True, slots=True)
class Route:
    """How one dialect is asked: method and path; `{name}` in a path stands for an argument."""

    label: str
    pages: Pages | None = None
    fixed: tuple[tuple[str, str], ...] = ()
    """Query parameters that are always sent."""

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.label.partition(" ")[0]

    @property
    def path(self) -> str:
        """The path template, with a query if the path alone is ambiguous."""
        return self.label.partition(" ")[2]


def by_offset(size: int, most: int = 10_000) -> Pages:
    """Return the paging of a list read by row offset, with `size` rows per page."""
    return Pages(Paging.OFFSET, "offset", size, most)


@dataclass(frozen=True, slots=True)
class AnalyticsRoutes:
    """Routes of the analytics host that the terminal asks too."""

    positions: Route
    closed_positions: Route
    activity: Route
    trades: Route
    """Newest first, takers' sides only unless told otherwise; both dialects take `start` in seconds."""
    holders: Route
    value: Route
    market_key: str
    """The query key of a condition id."""


_CURSOR = Pages(Paging.CURSOR, "cursor", 500)
_HOLDERS = (("limit", "20"),)
"""Holders per token; the most the host returns."""

ANALYTICS_ROUTES: Mapping[Dialect, AnalyticsRoutes] = MappingProxyType(
    {
        Dialect.SEED: AnalyticsRoutes(
            # The host's default threshold of 1 share would hide small positions.
            positions=Route("GET /positions", by_offset(500), (("sizeThreshold", "0"),)),
            closed_positions=Route(
                "GET /closed-positions",
                by_offset(50),
                (("sortBy", "TIMESTAMP"), ("sortDirection", "DESC")),
            ),
            # Deposits and withdrawals belong to a wallet's history; the host omits them by default.
            activity=Route(
                "GET /activity", by_offset(500), (("excludeDepositsWithdrawals", "false"),)
            ),
            trades=Route("GET /trades", by_offset(500)),
            holders=Route("GET /holders", fixed=_HOLDERS),
            value=Route("GET /value"),
            market_key="market",
        ),
        Dialect.LIVE: AnalyticsRoutes(
            positions=Route("GET /v2/positions", _CURSOR),
            closed_positions=Route(
                "GET /v2/positions",
                _CURSOR,
                (("status", "CLOSED"), ("sort_by", "TIMESTAMP"), ("sort_direction", "DESC")),
            ),
            activity=Route(
                "GET /v2/activity",
                _CURSOR,
                (("start", "1"), ("exclude_deposits_withdrawals", "false")),
            ),
            trades=Route("GET /v2/trades", _CURSOR),
            holders=Route("GET /v2/holders", fixed=_HOLDERS),
            value=Route("GET /v2/value"),
            market_key="condition_id",
        ),
    }
)
"""See docs/wire.md#dialects and #analytics-host."""
