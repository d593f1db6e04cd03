"""Figures from the venue's ledger, for both dialects of the analytics host.

An account's volume, statistics, and profit and loss over time are replayed from its own history, so
that they agree with positions and activity. The leaderboard covers the trades that are still on the
public tape. There is no chain behind the venue: blocks are 0.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, ZERO, Micros, complement, notional_floor
from pmtui.sim.catalogue.gamma import rows_of
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.clob.price_history import PastPrices
from pmtui.sim.data.ledger import (
    Book,
    Entry,
    EntryKind,
    Holding,
    apply_entry,
    entries_of_trade,
    history_of,
    holdings_of,
    price_of,
)
from pmtui.sim.data.query import AnalyticsQuery, QueryRefusal
from pmtui.sim.data.rows import Row, RowWriter, units
from pmtui.sim.venue import Venue

HOUR_S = 3_600
INTERVALS_S: Mapping[str, int | None] = MappingProxyType(
    {
        "max": None,
        "all": None,
        "1m": 30 * 24 * HOUR_S,
        "1w": 7 * 24 * HOUR_S,
        "1d": 24 * HOUR_S,
        "12h": 12 * HOUR_S,
        "6h": 6 * HOUR_S,
    }
)
"""The length of a profit and loss curve; None for the whole history."""
FIDELITIES_S: Mapping[str, int] = MappingProxyType(
    {"1d": 24 * HOUR_S, "18h": 18 * HOUR_S, "12h": 12 * HOUR_S, "3h": 3 * HOUR_S, "1h": HOUR_S}
)
"""Time between two of its points."""
_USUAL = MappingProxyType({"max": "1d", "all": "1d", "1m": "12h", "1w": "3h"})
MOST_POINTS = 1_000


class AccountFigures:
    """Figures of single accounts."""

    def __init__(self, venue: Venue, prices: PastPrices) -> None:
        self._venue = venue
        self._prices = prices

    def volume(self, account: Address, start_s: int, end_s: int) -> Row:
        """Return an account's volume between two times."""
        trades = [
            entry
            for entry in _trades(history_of(self._venue, account))
            if start_s <= entry.at_ms // 1_000 <= end_s
        ]
        return _volume_row(trades)

    def stats(self, account: Address) -> Row | None:
        """Return an account's statistics; None if it has never done anything."""
        history = history_of(self._venue, account)
        if not history:
            return None
        book = self._book(account, history)
        gains = [holding.realized for holding in book.holdings.values()]
        return {
            "proxy_wallet": account.lower(),
            "trades": len({entry.condition_id for entry in _trades(history)}),
            "biggest_win": units(max([ZERO, *gains])),
            "views": 0,
            "join_date": history[0].at_ms // 1_000,
            "all_time_pnl": self._point(book, history, self._venue.clock.now_ms() // 1_000),
        }

    def profit_and_loss(self, account: Address, interval: str, fidelity: str) -> Row:
        """Return cumulative figures of an account, oldest first, ending now.

        Args:
            account: the account.
            interval: one of `INTERVALS_S`.
            fidelity: one of `FIDELITIES_S`, or empty for the interval's default.
        """
        fidelity = fidelity or _USUAL.get(interval, "1h")
        history = history_of(self._venue, account)
        moments = self._moments(history, INTERVALS_S[interval], FIDELITIES_S[fidelity])
        times = [entry.at_ms // 1_000 for entry in history]
        book, done = Book(account), 0
        points: list[Row] = []
        for at_s in moments:
            count = bisect_right(times, at_s)
            for entry in history[done:count]:
                apply_entry(self._venue, book, entry)
            done = count
            points.append(self._point(book, history[:count], at_s))
        return {
            "proxy_wallet": account.lower(),
            "interval": interval,
            "fidelity": fidelity,
            "source_fidelity": fidelity,
            "points": points,
        }

    def _moments(self, history: Sequence[Entry], length_s: int | None, step_s: int) -> list[int]:
        now_s = self._venue.clock.now_ms() // 1_000
        if not history:
            return []
        first_s = history[0].at_ms // 1_000
        start_s = first_s if length_s is None else max(first_s, now_s - length_s)
        start_s = max(start_s, now_s - MOST_POINTS * step_s)
        on_grid = -(-start_s // step_s) * step_s
        return [*range(on_grid, now_s, step_s), now_s]

    def _book(self, account: Address, history: Iterable[Entry]) -> Book:
        book = Book(account)
        for entry in history:
            apply_entry(self._venue, book, entry)
        return book

    def _point(self, book: Book, history: Sequence[Entry], at_s: int) -> Row:
        holdings = book.holdings.values()
        realized = sum(holding.realized for holding in holdings)
        unrealized = sum(self._value(held, at_s) - held.cost for held in holdings if held.size)
        fees = sum(entry.fee for entry in history)
        deposits = _sum_of(history, EntryKind.DEPOSIT)
        withdrawals = _sum_of(history, EntryKind.WITHDRAWAL)
        return {
            "timestamp": at_s,
            "source_block": 0,
            "realized_market_pnl": units(Micros(realized)),
            "realized_lp_pnl": 0,
            "realized_combo_pnl": 0,
            "realized_pnl": units(Micros(realized)),
            "unrealized_pnl": units(Micros(unrealized)),
            "position_pnl": units(Micros(realized + unrealized)),
            "trade_pnl": units(Micros(realized + unrealized - fees)),
            "fees_paid": units(Micros(fees)),
            "deposits": units(deposits),
            "withdrawals": units(withdrawals),
            "cashflow_net": units(Micros(deposits - withdrawals)),
            **_volume_row(_trades(history)),
        }

    def _value(self, holding: Holding, at_s: int) -> Micros:
        market = self._venue.market_of_token(holding.token_id)
        if market is None or at_s >= self._venue.clock.now_ms() // 1_000:
            return notional_floor(price_of(self._venue, holding.token_id), holding.size)
        seen = [price for _, price in self._prices.points(market, at_s, at_s, 1)]
        first = seen[0] if seen else market.start_price
        price = first if holding.token_id == market.token_ids[0] else complement(first)
        return notional_floor(price, holding.size)


def _trades(history: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in history if entry.kind is EntryKind.TRADE]


def _volume_row(trades: Sequence[Entry]) -> Row:
    return {
        "volume": sum(entry.size for entry in trades) / ONE,
        "volume_usdc": sum(entry.cash for entry in trades) / ONE,
        "trade_count": len(trades),
    }


def _sum_of(history: Iterable[Entry], kind: EntryKind) -> Micros:
    return Micros(sum(entry.cash for entry in history if entry.kind is kind))


_DAY_MS = 86_400_000
_PERIODS_MS: Mapping[str, int | None] = MappingProxyType(
    {"DAY": _DAY_MS, "WEEK": 7 * _DAY_MS, "MONTH": 30 * _DAY_MS, "ALL": None}
)
_CATEGORIES = frozenset(
    {
        "OVERALL",
        "POLITICS",
        "SPORTS",
        "ESPORTS",
        "CRYPTO",
        "CULTURE",
        "MENTIONS",
        "WEATHER",
        "ECONOMICS",
        "TECH",
        "FINANCE",
    }
)


@dataclass(slots=True)
class PeriodTotals:
    """An account's totals in a period."""

    account: Address
    dollars: int = 0
    """Dollars traded, in millionths like all amounts here."""
    shares: int = 0
    gain: int = 0
    """Cash received, less cash spent, plus the resulting holdings at current prices."""


def standings(venue: Venue, query: AnalyticsQuery) -> list[PeriodTotals]:
    """Return every account that traded in the requested period and category, in any order."""
    is_wanted = _Category(venue, (query.text("category") or "OVERALL").upper())
    period = (query.text("timePeriod") or query.text("time_period") or "DAY").upper()
    if period not in _PERIODS_MS:
        raise QueryRefusal("invalid time period")
    length_ms = _PERIODS_MS[period]
    since_ms = 0 if length_ms is None else venue.clock.now_ms() - length_ms
    found: dict[Address, PeriodTotals] = {}
    held: defaultdict[tuple[Address, TokenId], int] = defaultdict(int)
    for trade in venue.records.all_recent():
        if trade.matched_ms < since_ms or not is_wanted(trade.condition_id):
            continue
        for entry in entries_of_trade(trade):
            standing = found.setdefault(entry.account, PeriodTotals(entry.account))
            sign = 1 if entry.side is Side.BUY else -1
            standing.dollars += entry.cash
            standing.shares += entry.size
            standing.gain -= sign * entry.cash
            held[entry.account, entry.token_id] += sign * entry.size
    prices = {token_id: price_of(venue, token_id) for _, token_id in held}
    for (account, token_id), size in held.items():
        found[account].gain += notional_floor(prices[token_id], Micros(size))
    return list(found.values())


class _Category:
    """Whether a market belongs to a category, which is one of its event's tags."""

    def __init__(self, venue: Venue, category: str) -> None:
        if category not in _CATEGORIES:
            raise QueryRefusal("invalid category")
        self._venue = venue
        self._slug = "" if category == "OVERALL" else category.lower()

    def __call__(self, condition_id: str) -> bool:
        if not self._slug:
            return True
        market = self._venue.market(condition_id)
        if market is None:
            return False
        tags = rows_of(self._venue.catalogue.event_of(market).raw, "tags")
        return any(tag.get("slug") == self._slug for tag in tags)


def standing_rows(venue: Venue, writer: RowWriter, query: AnalyticsQuery) -> list[Row]:
    """Return the leaderboard in the older dialect, the best first."""
    is_by_gain = (query.text("orderBy") or "PNL").upper() == "PNL"
    ranked = sorted(
        standings(venue, query), key=lambda one: -(one.gain if is_by_gain else one.dollars)
    )
    user = query.user(is_required=False)
    rows: list[Row] = []
    for rank, one in enumerate(ranked, start=1):
        if user in (None, one.account):
            profile = writer.profile(one.account)
            rows.append(
                {
                    "rank": str(rank),
                    "proxyWallet": one.account.lower(),
                    "userName": profile["name"],
                    "vol": units(Micros(one.dollars)),
                    "pnl": units(Micros(one.gain)),
                    "profileImage": profile["profileImage"],
                    "xUsername": "",
                    "verifiedBadge": False,
                }
            )
    return rows


def standing_rows_v2(venue: Venue, writer: RowWriter, query: AnalyticsQuery) -> list[Row]:
    """Return the leaderboard in the newer dialect, the best first; volumes are shares there."""
    sort_by = (query.text("sort_by") or "PNL").upper()
    if sort_by not in ("PNL", "VOLUME"):
        raise QueryRefusal("invalid sort_by")
    ranked = _ranked(standings(venue, query), is_by_gain=sort_by == "PNL")
    return [{"rank": rank, **_trader(writer, one)} for rank, one in enumerate(ranked, start=1)]


def own_standing_row(
    venue: Venue, writer: RowWriter, query: AnalyticsQuery, user: Address
) -> Row | None:
    """Return the rank of one account by either measure; None if it did not trade."""
    found = standings(venue, query)
    own = next((one for one in found if one.account == user), None)
    if own is None:
        return None
    return {
        **_trader(writer, own),
        "rank_pnl": _ranked(found, is_by_gain=True).index(own) + 1,
        "rank_volume": _ranked(found, is_by_gain=False).index(own) + 1,
    }


def _ranked(found: list[PeriodTotals], *, is_by_gain: bool) -> list[PeriodTotals]:
    return sorted(found, key=lambda one: -(one.gain if is_by_gain else one.shares))


def _trader(writer: RowWriter, one: PeriodTotals) -> Row:
    profile = writer.profile(one.account)
    return {
        "user_id": one.account.lower(),
        "pnl": units(Micros(one.gain)),
        "volume": units(Micros(one.shares)),
        "user_name": profile["name"],
        "profile_image": profile["profileImage"],
        "x_username": "",
        "verified": False,
    }


EVERYWHERE = "GLOBAL"
"""Stands for all markets together."""

Answer = Callable[[AnalyticsQuery], object]


class Figures:
    """Figures from the ledger for both dialects."""

    def __init__(
        self, venue: Venue, prices: PastPrices, hash_of: Callable[[Address, int], str]
    ) -> None:
        self.venue = venue
        self.writer = RowWriter(venue, hash_of)
        self.prices = prices
        self.accounts = AccountFigures(venue, self.prices)

    def holdings(self, query: AnalyticsQuery) -> list[Holding]:
        """Return the requested holdings, open and past."""
        conditions, title = query.conditions(), query.text("title").lower()
        return [
            holding
            for holding in holdings_of(self.venue, query.account())
            if (conditions is None or holding.condition_id in conditions)
            and title in self._question(holding).lower()
        ]

    def market_holdings(self, market: CatalogueMarket) -> list[Holding]:
        """Return the current holdings of every account, or all holdings of one, in one market."""
        reads = self.venue.exchange.reads
        accounts = dict.fromkeys(
            (
                *(a for token in market.token_ids for a in reads.holders(token)),
                *self.venue.records.users(),
            )
        )
        return [
            holding
            for account in accounts
            for holding in holdings_of(self.venue, account)
            if holding.condition_id == market.condition_id
        ]

    def _question(self, holding: Holding) -> str:
        market = self.venue.market(holding.condition_id)
        return "" if market is None else market.question

    def mergeable(self, holdings: list[Holding]) -> set[tuple[Address, ConditionId]]:
        """Return the accounts and markets where both tokens are held."""
        held = Counter((one.account, one.condition_id) for one in holdings if one.size)
        return {both for both, count in held.items() if count > 1}

    def open_interest(self, query: AnalyticsQuery) -> list[tuple[str, float]]:
        """Return the dollars locked in the named markets, or in all together if none is named."""
        if query.conditions() is None:
            every = (
                self.writer.open_interest(m.condition_id) for m in self.venue.catalogue.markets
            )
            return [(EVERYWHERE, sum(value for value in every if value is not None))]
        return [
            (market.condition_id, value)
            for market in query.markets()
            if (value := self.writer.open_interest(market.condition_id)) is not None
        ]

    def trades(self, query: AnalyticsQuery, *, is_taker_only: bool) -> list[Entry]:
        """Return sides of trades, latest first."""
        user = query.user(is_required=False)
        if user is not None:
            entries = [e for e in history_of(self.venue, user) if e.kind is EntryKind.TRADE]
        else:
            recent = self.venue.records.all_recent(query.conditions())
            entries = [entry for trade in recent for entry in entries_of_trade(trade)]
        wanted = [e for e in query.matching(entries) if e.is_taker or not is_taker_only]
        return wanted[::-1]

    def activity(self, query: AnalyticsQuery, *, is_without_transfers: bool) -> list[Entry]:
        """Return an account's activity, latest first."""
        kinds = {kind.upper() for kind in query.listed("type")}
        entries = query.matching(history_of(self.venue, query.account()))
        if is_without_transfers:
            entries = [
                e for e in entries if e.kind not in (EntryKind.DEPOSIT, EntryKind.WITHDRAWAL)
            ]
        return [e for e in entries if not kinds or e.kind.value in kinds][::-1]

    def value(self, query: AnalyticsQuery) -> Micros:
        """Return the current value of an account's positions."""
        worth = ZERO
        for holding in self.holdings(query):
            price = price_of(self.venue, holding.token_id)
            worth = Micros(worth + notional_floor(price, holding.size))
        return worth

    def holders(self, market: CatalogueMarket, *, least: Micros, most: int) -> list[list[Row]]:
        """Return the largest holders of each token of a market."""
        lists = []
        for token_id in market.token_ids:
            held = self.venue.exchange.reads.holders(token_id)
            largest = sorted(held.items(), key=lambda item: -item[1])
            rows = [
                self.writer.holder(account, token_id, amount)
                for account, amount in largest
                if amount >= least
            ]
            lists.append(rows[:most])
        return lists

    def volumes(self, query: AnalyticsQuery) -> list[tuple[CatalogueMarket, Micros]]:
        """Return the dollars traded in each market of the requested events."""
        events = query.listed("id", "event_id")
        if not events:
            raise QueryRefusal("required query param 'id' not provided")
        found = [self.venue.catalogue.event(event_id) for event_id in events]
        markets = [market for event in found if event is not None for market in event.markets]
        return [(market, self.venue.records.volume(market.condition_id)) for market in markets]
