"""What a new order is judged by, as it is typed and once more before it is signed."""

from dataclasses import dataclass

from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros, notional_ceil
from pmtui.domain.orders.limits import NO_LIMITS, Exposed, Limits, find_breach
from pmtui.domain.orders.order import MarketBuyIntent, OrderIntent


@dataclass(frozen=True, slots=True)
class EntryRules:
    """What a new order is judged by before it is signed: the trader's limits, and what counts now."""

    limits: Limits = NO_LIMITS
    unchecked: str = ""
    """Why the limits that need the account cannot be checked; empty where they can."""
    total: Micros = ZERO
    """What is at stake everywhere."""
    markets: tuple[tuple[ConditionId, Micros], ...] = ()
    """What is at stake in each market where anything is."""
    loss: Micros = ZERO
    """Since midnight UTC; negative for a gain."""
    doubt: str = ""
    """What is counted and may yet turn out never to arrive, as words to add; empty for nothing."""

    def problem(self, intent: OrderIntent) -> str:
        """Return why an intent would be refused; empty if it would not."""
        if isinstance(intent, MarketBuyIntent):
            cash = intent.amount
        else:
            cash = notional_ceil(intent.price, intent.size)
        return self.find_breach(intent.condition_id, intent.side, cash)

    def find_breach(self, condition_id: ConditionId, side: Side, cash: Micros) -> str:
        """Return which limit an order would break; empty for none.

        Args:
            condition_id: its market.
            side: a sale breaks no limit.
            cash: dollars a purchase costs if all of it fills, fee aside.
        """
        if side is not Side.BUY:
            return ""
        if self.unchecked:
            return self.unchecked
        market = dict(self.markets).get(condition_id, ZERO)
        exposed = Exposed(market=market, total=self.total, loss=self.loss)
        breach = find_breach(self.limits, exposed, side=side, cash=cash)
        return f"{breach}; {self.doubt}" if breach and self.doubt else breach


NO_RULES = EntryRules()
