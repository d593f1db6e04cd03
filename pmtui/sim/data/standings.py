"""The leaderboard: what accounts traded and won in the trades the public tape still holds."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pmtui.domain.ids import Address, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, notional_floor
from pmtui.sim.catalogue.gamma import rows_of
from pmtui.sim.data.ledger import entries_of_trade, price_of
from pmtui.sim.data.query import AnalyticsQuery, QueryRefusal
from pmtui.sim.data.rows import Row, RowWriter, units
from pmtui.sim.venue import Venue

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
class Standing:
    """What an account did in a period."""

    account: Address
    dollars: int = 0
    """Traded, as all amounts here in millionths."""
    shares: int = 0
    gain: int = 0
    """Cash that came in, less what went out, and what is held by it at today's prices."""


def standings(venue: Venue, query: AnalyticsQuery) -> list[Standing]:
    """Return every account that traded in the period and the category asked for, in no order."""
    is_wanted = _Category(venue, (query.text("category") or "OVERALL").upper())
    period = (query.text("timePeriod") or query.text("time_period") or "DAY").upper()
    if period not in _PERIODS_MS:
        raise QueryRefusal("invalid time period")
    length_ms = _PERIODS_MS[period]
    since_ms = 0 if length_ms is None else venue.clock.now_ms() - length_ms
    found: dict[Address, Standing] = {}
    held: defaultdict[tuple[Address, TokenId], int] = defaultdict(int)
    for trade in venue.records.all_recent():
        if trade.matched_ms < since_ms or not is_wanted(trade.condition_id):
            continue
        for entry in entries_of_trade(trade):
            standing = found.setdefault(entry.account, Standing(entry.account))
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
    """Return where one account stands by either measure; None where it did not trade."""
    found = standings(venue, query)
    own = next((one for one in found if one.account == user), None)
    if own is None:
        return None
    return {
        **_trader(writer, own),
        "rank_pnl": _ranked(found, is_by_gain=True).index(own) + 1,
        "rank_volume": _ranked(found, is_by_gain=False).index(own) + 1,
    }


def _ranked(found: list[Standing], *, is_by_gain: bool) -> list[Standing]:
    return sorted(found, key=lambda one: -(one.gain if is_by_gain else one.shares))


def _trader(writer: RowWriter, one: Standing) -> Row:
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
