"""The analytics host, newer dialect: snake case in envelopes with cursors (WIRE_METADATA §4.2)."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pmtui.sim.analytics_figures import Answer, Figures
from pmtui.sim.analytics_query import AnalyticsQuery, QueryRefusal
from pmtui.sim.analytics_rows import Row, to_v2, units
from pmtui.sim.paging import cursor_at, offset_of

_MOST = 1_000
_COLUMNS = MappingProxyType(
    {
        "CURRENT_VALUE": "current_value",
        "PRICE": "current_price",
        "TOKENS": "current_size",
        "UNREALIZED_PNL": "unrealized_pnl",
        "REALIZED_PNL": "realized_pnl",
        "TOTAL_PNL": "total_pnl",
        "TIMESTAMP": "last_event_at",
    }
)


class AnalyticsV2:
    """Answers of the newer dialect."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._writer = figures.writer

    def answers(self) -> Mapping[str, Answer]:
        """Return what answers each path."""
        return {
            "/v2/positions": self.positions,
            "/v2/trades": self.trades,
            "/v2/activity": self.activity,
            "/v2/value": self.value,
            "/v2/holders": self.holders,
            "/v2/oi": self.open_interest,
            "/v2/live-volume": self.live_volume,
        }

    def positions(self, query: AnalyticsQuery) -> Row:
        """List positions of an account by their status; open ones unless told otherwise."""
        status = query.text("status", "OPEN").upper()
        holdings = self._figures.holdings(query)
        mergeable = self._figures.mergeable(holdings)
        rows = [
            self._writer.position_v2(
                holding, is_mergeable=bool(holding.size) and holding.condition_id in mergeable
            )
            for holding in holdings
        ]
        choose = _STATUSES.get(status)
        if choose is None:
            raise QueryRefusal("invalid status")
        wanted = [row for row in rows if choose(row)]
        return _envelope(query, query.sorted(wanted, _COLUMNS, default="CURRENT_VALUE"))

    def trades(self, query: AnalyticsQuery) -> Row:
        """List trades."""
        is_taker_only = query.flag("taker_only", default=True)
        entries = self._figures.trades(query, is_taker_only=is_taker_only)
        return _envelope(query, [to_v2(self._writer.trade(entry)) for entry in entries])

    def activity(self, query: AnalyticsQuery) -> Row:
        """List what an account did."""
        is_without = query.flag("exclude_deposits_withdrawals", default=True)
        entries = self._figures.activity(query, is_without_transfers=is_without)
        if query.text("sort_direction").upper() == "ASC":
            entries.reverse()
        return _envelope(query, [to_v2(self._writer.activity(entry)) for entry in entries])

    def value(self, query: AnalyticsQuery) -> Row:
        """Tell what an account's positions are worth."""
        user = query.account().lower()
        return {"data": {"proxy_wallet": user, "value": units(self._figures.value(query))}}

    def holders(self, query: AnalyticsQuery) -> Row:
        """List the biggest holders of both tokens of some markets."""
        least, most = query.amount("min_balance", 1), query.whole("limit", 20, most=_MOST)
        rows: list[Row] = [
            {"token_id": token_id, "holders": [to_v2(holder) for holder in holders]}
            for market in query.markets()
            for token_id, holders in zip(
                market.token_ids,
                self._figures.holders(market, least=least, most=most),
                strict=True,
            )
        ]
        return _envelope(query, rows)

    def open_interest(self, query: AnalyticsQuery) -> Row:
        """Tell how many dollars are locked in some markets."""
        rows: list[Row] = [
            {"condition_id": market.condition_id, "value": value}
            for market in query.markets()
            if (value := self._writer.open_interest(market.condition_id)) is not None
        ]
        return _envelope(query, rows)

    def live_volume(self, query: AnalyticsQuery) -> Row:
        """Tell how much was traded in some events."""
        volumes = self._figures.volumes(query)
        return {
            "data": {
                "taker_volume_total": sum(units(volume) for _, volume in volumes),
                "conditions": [
                    {"condition_id": market.condition_id, "taker_volume": units(volume)}
                    for market, volume in volumes
                ],
            }
        }


_STATUSES: Mapping[str, Callable[[Row], object]] = MappingProxyType(
    {
        "OPEN": lambda row: row["current_size"],
        "REDEEMABLE": lambda row: row["redeemable"] and row["current_price"],
        "REDEEMABLE_LOST": lambda row: row["redeemable"] and not row["current_price"],
        "MERGEABLE": lambda row: row["mergeable"],
        "CLOSED": lambda row: row["status"] == "CLOSED",
    }
)


def _envelope(query: AnalyticsQuery, rows: Sequence[Row]) -> Row:
    limit = query.whole("limit", 100, most=_MOST)
    offset = offset_of(query.text("cursor"))
    if offset is None or offset < 0:
        raise QueryRefusal("invalid cursor")
    has_more = offset + limit < len(rows)
    return {
        "data": list(rows[offset : offset + limit]),
        "pagination": {
            "limit": limit,
            "offset": offset,
            "has_more": has_more,
            "next_cursor": cursor_at(offset + limit) if has_more else None,
        },
    }
