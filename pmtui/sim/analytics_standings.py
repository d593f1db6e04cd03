"""The leaderboard: what accounts traded and won in the trades the public tape still holds."""

from collections import defaultdict

from pmtui.domain.ids import Address, TokenId
from pmtui.domain.market import Side
from pmtui.domain.money import ZERO, Micros, notional_floor
from pmtui.sim.analytics_ledger import entries_of_trade, price_of
from pmtui.sim.analytics_query import AnalyticsQuery
from pmtui.sim.analytics_rows import Row, RowWriter, units
from pmtui.sim.venue import Venue

_PERIODS_MS = {"DAY": 86_400_000, "WEEK": 604_800_000, "MONTH": 2_592_000_000}


def standing_rows(venue: Venue, writer: RowWriter, query: AnalyticsQuery) -> list[Row]:
    """Return every account that traded, the best first, valued at today's prices."""
    period = (query.text("timePeriod") or query.text("time_period") or "DAY").upper()
    since_ms = venue.clock.now_ms() - _PERIODS_MS.get(period, venue.clock.now_ms())
    volumes: defaultdict[Address, int] = defaultdict(int)
    gains: defaultdict[Address, int] = defaultdict(int)
    held: defaultdict[tuple[Address, TokenId], int] = defaultdict(int)
    for trade in venue.records.all_recent():
        for entry in entries_of_trade(trade) if trade.matched_ms >= since_ms else ():
            is_purchase = entry.side is Side.BUY
            volumes[entry.account] += entry.cash
            gains[entry.account] += -entry.cash if is_purchase else entry.cash
            held[entry.account, entry.token_id] += entry.size if is_purchase else -entry.size
    prices = {token_id: price_of(venue, token_id) for _, token_id in held}
    for (account, token_id), size in held.items():
        gains[account] += notional_floor(prices[token_id], Micros(size))
    order = gains if (query.text("orderBy") or "PNL").upper() == "PNL" else volumes
    ranked = sorted(volumes, key=lambda account: -order[account])
    user = query.user(is_required=False)
    rows: list[Row] = []
    for rank, account in enumerate(ranked, start=1):
        if user is None or account == user:
            profile = writer.profile(account)
            rows.append(
                {
                    "rank": str(rank),
                    "proxyWallet": account.lower(),
                    "userName": profile["name"],
                    "vol": units(Micros(volumes[account])),
                    "pnl": units(Micros(gains.get(account, ZERO))),
                    "profileImage": profile["profileImage"],
                    "xUsername": "",
                    "verifiedBadge": False,
                }
            )
    return rows
