"""What an account made over time: its volume, its statistics, and its profit and loss as a curve.

Everything is replayed from the account's own history, so that every figure agrees with positions and
activity. There is no chain behind the venue: blocks are 0.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from pmtui.domain.ids import Address
from pmtui.domain.money import ONE, ZERO, Micros, complement, notional_floor
from pmtui.sim.clob.price_history import PastPrices
from pmtui.sim.data.ledger import Book, Deed, Entry, Holding, apply_entry, history_of, price_of
from pmtui.sim.data.rows import Row, units
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
"""How far back a curve of profit and loss reaches; None for the whole history."""
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
        """Return what an account traded between two moments."""
        trades = [
            entry
            for entry in _trades(history_of(self._venue, account))
            if start_s <= entry.at_ms // 1_000 <= end_s
        ]
        return _volume_row(trades)

    def stats(self, account: Address) -> Row | None:
        """Return what an account is known for; None where it has never done anything."""
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
        """Return cumulative figures of an account, oldest first, the last of this moment.

        Args:
            account: whose.
            interval: one of `INTERVALS_S`.
            fidelity: one of `FIDELITIES_S`, or empty for the usual one of the interval.
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
        deposits = _sum_of(history, Deed.DEPOSIT)
        withdrawals = _sum_of(history, Deed.WITHDRAWAL)
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
    return [entry for entry in history if entry.deed is Deed.TRADE]


def _volume_row(trades: Sequence[Entry]) -> Row:
    return {
        "volume": sum(entry.size for entry in trades) / ONE,
        "volume_usdc": sum(entry.cash for entry in trades) / ONE,
        "trade_count": len(trades),
    }


def _sum_of(history: Iterable[Entry], deed: Deed) -> Micros:
    return Micros(sum(entry.cash for entry in history if entry.deed is deed))
