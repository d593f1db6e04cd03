"""What makers get back of the fees their takers paid: computed from the trades, never paid out.

Of every trade's fee the market's rebate share belongs to its makers, by the shares they gave. A
trade has one price, so this is the published share of fee-equivalent volume. Failed trades paid
no fee in the end.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime

from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.money import SCALE, ZERO, Micros
from pmtui.domain.orders.order import TradeStatus
from pmtui.sim.engine.events import Trade
from pmtui.sim.venue import Venue


@dataclass(frozen=True, slots=True)
class Rebate:
    """What a maker gets back in a market for a day (UTC)."""

    day: date
    condition_id: ConditionId
    maker: Address
    amount: Micros


def rebate_of(trade: Trade, maker: Address, rebate_rate: Micros) -> Micros:
    """Return one maker's part of the rebate on a trade, rounded down."""
    given = sum(fill.size for fill in trade.makers if fill.account == maker)
    return Micros(trade.fee * rebate_rate * given // (SCALE * trade.size))


def rebates(venue: Venue, *, day: date | None = None, maker: Address | None = None) -> list[Rebate]:
    """Return the rebates of accounts that are not simulated, of one day or one maker if named."""
    sums: dict[tuple[date, ConditionId, Address], Micros] = {}
    for account in venue.records.users() if maker is None else (maker,):
        for trade in venue.records.trades_of(account):
            on = datetime.fromtimestamp(trade.matched_ms / 1_000, UTC).date()
            market = venue.market(trade.condition_id)
            if market is None or trade.status is TradeStatus.FAILED or day not in (None, on):
                continue
            amount = rebate_of(trade, account, market.fee.rebate_rate)
            if amount:
                key = on, trade.condition_id, account
                sums[key] = Micros(sums.get(key, ZERO) + amount)
    return [Rebate(*key, amount) for key, amount in sums.items()]
