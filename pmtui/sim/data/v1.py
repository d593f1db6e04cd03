"""The analytics host, older dialect: bare arrays in camel case (docs/wire.md#analytics-host).

Positions that lost stay listed until they are redeemed, as with the service.
"""

from collections.abc import Mapping
from types import MappingProxyType

from pmtui.sim.data.figures import Answer, Figures
from pmtui.sim.data.ledger import Deed, history_of
from pmtui.sim.data.query import MOST_OFFSET, AnalyticsQuery
from pmtui.sim.data.rows import Row, units
from pmtui.sim.data.standings import standing_rows

_POSITION_COLUMNS = MappingProxyType(
    {
        "TOKENS": "size",
        "CURRENT": "currentValue",
        "INITIAL": "initialValue",
        "CASHPNL": "cashPnl",
        "PERCENTPNL": "percentPnl",
        "TITLE": "title",
        "RESOLVING": "endDate",
        "PRICE": "curPrice",
        "AVGPRICE": "avgPrice",
    }
)
_CLOSED_COLUMNS = MappingProxyType(
    {
        "REALIZEDPNL": "realizedPnl",
        "TITLE": "title",
        "PRICE": "curPrice",
        "AVGPRICE": "avgPrice",
        "TIMESTAMP": "timestamp",
    }
)
_MARKET_POSITION_COLUMNS = MappingProxyType(
    {
        "TOKENS": "size",
        "CASH_PNL": "cashPnl",
        "REALIZED_PNL": "realizedPnl",
        "TOTAL_PNL": "totalPnl",
    }
)
_ACTIVITY_COLUMNS = MappingProxyType(
    {"TIMESTAMP": "timestamp", "TOKENS": "size", "CASH": "usdcSize"}
)


class AnalyticsV1:
    """Answers of the older dialect."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._writer = figures.writer

    def answers(self) -> Mapping[str, Answer]:
        """Return what answers each path."""
        return {
            "/": lambda _: {"data": "OK"},
            "/positions": self.positions,
            "/closed-positions": self.closed_positions,
            "/trades": self.trades,
            "/activity": self.activity,
            "/value": self.value,
            "/holders": self.holders,
            "/traded": self.traded,
            "/oi": self.open_interest,
            "/live-volume": self.live_volume,
            "/v1/leaderboard": self.leaderboard,
            "/v1/market-positions": self.market_positions,
        }

    def positions(self, query: AnalyticsQuery) -> list[Row]:
        """List what an account holds, settled markets included."""
        holdings = self._figures.holdings(query)
        mergeable = self._figures.mergeable(holdings)
        least = query.amount("sizeThreshold", 1)
        rows = [
            self._writer.position(
                holding, is_mergeable=(holding.account, holding.condition_id) in mergeable
            )
            for holding in holdings
            if holding.size and holding.size >= least
        ]
        for name in ("redeemable", "mergeable"):
            if query.flag(name, default=False):
                rows = [row for row in rows if row[name]]
        ordered = query.sorted(rows, _POSITION_COLUMNS, default="TOKENS")
        return query.page(ordered, 100, most=500)

    def closed_positions(self, query: AnalyticsQuery) -> list[Row]:
        """List what an account has left again."""
        rows = [
            self._writer.closed_position(holding)
            for holding in self._figures.holdings(query)
            if not holding.size and holding.bought
        ]
        ordered = query.sorted(rows, _CLOSED_COLUMNS, default="REALIZEDPNL")
        return query.page(ordered, 10, most=50)

    def trades(self, query: AnalyticsQuery) -> list[Row]:
        """List trades; without `takerOnly=false` only from the takers' sides."""
        is_taker_only = query.flag("takerOnly", default=True)
        entries = self._figures.trades(query, is_taker_only=is_taker_only)
        page = query.page(entries, 100, most=MOST_OFFSET)
        return [self._writer.trade(entry) for entry in page]

    def activity(self, query: AnalyticsQuery) -> list[Row]:
        """List what an account did."""
        is_without = query.flag("excludeDepositsWithdrawals", default=True)
        entries = self._figures.activity(query, is_without_transfers=is_without)
        rows = [self._writer.activity(entry) for entry in entries]
        ordered = query.sorted(rows, _ACTIVITY_COLUMNS, default="TIMESTAMP")
        return query.page(ordered, 100, most=500)

    def value(self, query: AnalyticsQuery) -> list[Row]:
        """Tell what an account's positions are worth."""
        user = query.account().lower()
        return [{"user": user, "value": units(self._figures.value(query))}]

    def holders(self, query: AnalyticsQuery) -> list[Row]:
        """List the biggest holders of both tokens of some markets."""
        least, most = query.amount("minBalance", 1), query.whole("limit", 20, most=20)
        return [
            {"token": token_id, "holders": rows}
            for market in query.markets()
            for token_id, rows in zip(
                market.token_ids,
                self._figures.holders(market, least=least, most=most),
                strict=True,
            )
        ]

    def traded(self, query: AnalyticsQuery) -> Row:
        """Count the markets an account has traded."""
        user = query.account()
        history = history_of(self._figures.venue, user)
        traded = {entry.condition_id for entry in history if entry.deed is Deed.TRADE}
        return {"user": user.lower(), "traded": len(traded)}

    def open_interest(self, query: AnalyticsQuery) -> list[Row]:
        """Tell how many dollars are locked in some markets, or in all of them."""
        return [
            {"market": market, "value": value}
            for market, value in self._figures.open_interest(query)
        ]

    def live_volume(self, query: AnalyticsQuery) -> list[Row]:
        """Tell how much was traded in an event."""
        volumes = self._figures.volumes(query)
        rows = [{"market": m.condition_id, "value": units(v)} for m, v in volumes if v]
        return [{"total": sum(units(v) for _, v in volumes), "markets": rows or None}]

    def market_positions(self, query: AnalyticsQuery) -> list[Row]:
        """List the positions in both tokens of one market, whoever holds them."""
        market = query.one_market()
        status = query.choice("status", ("all", "open", "closed"), "all")
        user = query.user(is_required=False)
        rows = [
            self._writer.market_position(holding)
            for holding in self._figures.market_holdings(market)
            if user in (None, holding.account)
            and (status == "all" or bool(holding.size) == (status == "open"))
        ]
        ordered = query.sorted(rows, _MARKET_POSITION_COLUMNS, default="TOTAL_PNL")
        return [
            {
                "token": token_id,
                "positions": query.page(
                    [row for row in ordered if row["asset"] == token_id], 50, most=500
                ),
            }
            for token_id in market.token_ids
        ]

    def leaderboard(self, query: AnalyticsQuery) -> list[Row]:
        """Rank accounts by what they won or traded."""
        return query.page(standing_rows(self._figures.venue, self._writer, query), 25, most=50)
