"""The analytics host, older dialect: bare arrays in camel case (WIRE_METADATA §4.1).

The rows of both dialects are written here. Amounts are JSON numbers in whole units (WIRE_METADATA
§4); 999 stands for "no outcome". Positions that lost stay listed until they are redeemed, as with the
service.
"""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.money import ONE, ZERO, Micros, notional_floor
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.data.accounts import standing_rows
from pmtui.sim.data.ledger import (
    Answer,
    Deed,
    Entry,
    Figures,
    Holding,
    history_of,
    is_resolved,
    price_of,
)
from pmtui.sim.data.query import MOST_OFFSET, AnalyticsQuery
from pmtui.sim.venue import Venue

NO_OUTCOME = 999
Row = dict[str, object]

V2_NAMES = {
    "asset": "token_id",
    "proxyWallet": "proxy_wallet",
    "conditionId": "condition_id",
    "transactionHash": "transaction_hash",
    "eventSlug": "event_slug",
    "eventId": "event_id",
    "outcomeIndex": "outcome_index",
    "oppositeOutcome": "opposite_outcome",
    "oppositeAsset": "opposite_token_id",
    "profileImage": "profile_image",
    "profileImageOptimized": "profile_image_optimized",
    "displayUsernamePublic": "display_username_public",
    "usdcSize": "usdc_size",
    "isCombo": "is_combo",
    "endDate": "end_date",
    "negativeRisk": "negative_risk",
}


def to_v2(row: Mapping[str, object]) -> Row:
    """Return a row under the names of the newer dialect."""
    return {V2_NAMES.get(key, key): value for key, value in row.items()}


def units(amount: Micros) -> float:
    """Return an amount in whole units, as the host sends it."""
    return amount / ONE


def percent(gain: Micros, cost: Micros) -> float:
    """Return a gain in percent of its cost."""
    return round(gain * 100 / cost, 4) if cost else 0.0


class RowWriter:
    """Writes rows with the texts of markets and the public profiles of traders."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._profiles = {
            str(row.get("proxyWallet", "")).lower(): row for row in venue.catalogue.extras.profiles
        }

    def profile(self, account: Address) -> Row:
        """Return what a trader shows of itself; empty texts where there is no profile."""
        known = self._profiles.get(account.lower(), {})
        keys = ("name", "pseudonym", "bio", "profileImage", "profileImageOptimized")
        return {key: known.get(key) or "" for key in keys}

    def texts(self, market: CatalogueMarket | None) -> Row:
        """Return the texts of a market."""
        if market is None:
            return {"title": "", "slug": "", "icon": "", "eventSlug": ""}
        event = self._venue.catalogue.event_of(market)
        return {
            "title": market.question,
            "slug": market.slug,
            "icon": market.raw.get("icon") or "",
            "eventSlug": event.slug,
        }

    def outcome(self, market: CatalogueMarket | None, token_id: TokenId) -> Row:
        """Return label and index of a token's outcome."""
        if market is None or token_id not in market.token_ids:
            return {"outcome": "", "outcomeIndex": NO_OUTCOME}
        index = market.token_ids.index(token_id)
        return {"outcome": market.outcomes[index], "outcomeIndex": index}

    def trade(self, entry: Entry) -> Row:
        """Write one party's side of a trade."""
        market = self._venue.market(entry.condition_id)
        # What was paid for a share, which is no price of the grid when amounts were rounded.
        price = entry.cash / entry.size if entry.size else units(entry.price)
        return {
            "proxyWallet": entry.account.lower(),
            "side": entry.side.value if entry.side else "",
            "asset": entry.token_id,
            "conditionId": entry.condition_id,
            "size": units(entry.size),
            "price": price,
            "timestamp": entry.at_ms // 1_000,
            **self.texts(market),
            **self.outcome(market, entry.token_id),
            **self.profile(entry.account),
            "transactionHash": entry.transaction_hash,
        }

    def activity(self, entry: Entry) -> Row:
        """Write one line of an account's history."""
        row = self.trade(entry)
        row |= {"type": entry.deed.value, "usdcSize": units(entry.cash), "isCombo": False}
        if entry.deed is not Deed.TRADE:
            row |= {"asset": "", "price": 0, "outcome": "", "outcomeIndex": NO_OUTCOME}
        return row

    def _token(self, holding: Holding) -> tuple[Row, Row]:
        market = self._venue.market(holding.condition_id)
        opposite: Row = {"oppositeOutcome": "", "oppositeAsset": ""}
        if market is not None and holding.token_id in market.token_ids:
            other = 1 - market.token_ids.index(holding.token_id)
            opposite = {
                "oppositeOutcome": market.outcomes[other],
                "oppositeAsset": market.token_ids[other],
            }
        texts = self.texts(market) | self.outcome(market, holding.token_id) | opposite
        ends_at: datetime | None = None if market is None else market.ends_at
        return texts | {"endDate": ends_at.date().isoformat() if ends_at else ""}, {
            "eventId": "" if market is None else market.event_id,
            "negativeRisk": market is not None and market.neg_risk,
        }

    def position(self, holding: Holding, *, is_mergeable: bool) -> Row:
        """Write an open position in the older dialect."""
        texts, more = self._token(holding)
        price = price_of(self._venue, holding.token_id)
        value = notional_floor(price, holding.size)
        gain = Micros(value - holding.cost)
        return {
            "proxyWallet": holding.account.lower(),
            "asset": holding.token_id,
            "conditionId": holding.condition_id,
            "size": units(holding.size),
            "avgPrice": units(holding.average_price),
            "initialValue": units(holding.cost),
            "currentValue": units(value),
            "cashPnl": units(gain),
            "percentPnl": percent(gain, holding.cost),
            "totalBought": units(holding.bought),
            "realizedPnl": units(holding.realized),
            "percentRealizedPnl": percent(holding.realized, holding.paid),
            "curPrice": units(price),
            "redeemable": is_resolved(self._venue, holding.condition_id),
            "mergeable": is_mergeable,
            **texts,
            **more,
        }

    def closed_position(self, holding: Holding) -> Row:
        """Write a position that was left, in the older dialect."""
        texts, _ = self._token(holding)
        return {
            "proxyWallet": holding.account.lower(),
            "asset": holding.token_id,
            "conditionId": holding.condition_id,
            "avgPrice": units(holding.average_price),
            "totalBought": units(holding.bought),
            "realizedPnl": units(holding.realized),
            "curPrice": units(price_of(self._venue, holding.token_id)),
            "timestamp": holding.last_ms // 1_000,
            **texts,
        }

    def market_position(self, holding: Holding) -> Row:
        """Write a position as the list of one market's holders has it."""
        market = self._venue.market(holding.condition_id)
        price = price_of(self._venue, holding.token_id)
        value = notional_floor(price, holding.size)
        gain = Micros(value - holding.cost)
        profile = self.profile(holding.account)
        return {
            "proxyWallet": holding.account.lower(),
            "name": profile["name"],
            "profileImage": profile["profileImage"],
            "verified": False,
            "asset": holding.token_id,
            "conditionId": holding.condition_id,
            "avgPrice": units(holding.average_price),
            "size": units(holding.size),
            "currPrice": units(price),
            "currentValue": units(value),
            "cashPnl": units(gain),
            "totalBought": units(holding.bought),
            "realizedPnl": units(holding.realized),
            "totalPnl": units(Micros(gain + holding.realized)),
            **self.outcome(market, holding.token_id),
        }

    def position_v2(self, holding: Holding, *, is_mergeable: bool) -> Row:
        """Write a position, open or past, in the newer dialect."""
        texts, more = self._token(holding)
        price = price_of(self._venue, holding.token_id)
        value = notional_floor(price, holding.size)
        gain = Micros(value - holding.cost)
        can_redeem = is_resolved(self._venue, holding.condition_id) and holding.size > ZERO
        status = "REDEEMABLE" if can_redeem else "OPEN"
        profile = self.profile(holding.account)
        return to_v2(texts | more) | {
            "proxy_wallet": holding.account.lower(),
            "token_id": holding.token_id,
            "condition_id": holding.condition_id,
            "current_size": units(holding.size),
            "avg_price": units(holding.average_price),
            "entry_cost_usdc": units(holding.cost),
            "entry_fees_usdc": units(holding.fees),
            "total_cost_usdc": units(Micros(holding.cost + holding.fees)),
            "current_price": units(price),
            "current_value": units(value),
            "total_size": units(holding.bought),
            "realized_pnl": units(holding.realized),
            "unrealized_pnl": units(gain),
            "total_pnl": units(Micros(gain + holding.realized)),
            "percent_pnl": percent(gain, holding.cost),
            "percent_realized_pnl": percent(holding.realized, holding.paid),
            "status": status if holding.size else "CLOSED",
            "redeemable": can_redeem,
            "mergeable": is_mergeable,
            "archived": False,
            "verified": False,
            "end_date": texts["endDate"] or "1970-01-01",
            "last_event_at": holding.last_ms // 1_000,
            "first_entry_at": holding.first_ms // 1_000,
            "name": profile["name"],
            "profile_image": profile["profileImage"],
        }

    def holder(self, account: Address, token_id: TokenId, amount: Micros) -> Row:
        """Write one of the biggest holders of a token."""
        market = self._venue.market_of_token(token_id)
        return {
            "proxyWallet": account.lower(),
            **self.profile(account),
            "asset": token_id,
            "amount": units(amount),
            "displayUsernamePublic": True,
            "outcomeIndex": self.outcome(market, token_id)["outcomeIndex"],
            "verified": False,
        }

    def holder_gains(self, holding: Holding) -> Row:
        """Write what a holder's position cost and is worth, which some lists add."""
        price = price_of(self._venue, holding.token_id)
        value = notional_floor(price, holding.size)
        gain = Micros(value - holding.cost)
        return {
            "avg_price": units(holding.average_price),
            "entry_cost_usdc": units(holding.cost),
            "current_price": units(price),
            "current_value": units(value),
            "realized_pnl": units(holding.realized),
            "unrealized_pnl": units(gain),
            "total_pnl": units(Micros(gain + holding.realized)),
        }

    def open_interest(self, condition_id: ConditionId) -> float | None:
        """Return the dollars locked in a market; None for an unknown one."""
        view = self._venue.trading(condition_id)
        return None if view is None else units(view.open_interest)


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
