"""The trader's limits on possible losses, and the check of a new order against them.

A new order is checked as it is typed and again before it is signed. The exposure of a set of orders and
positions is the money lost if every share turns out worthless, before fees:

- shares held count at cost, those of a resolved market not at all: nothing is left to lose or to win;
- a purchase that may still fill, including one with an unknown result, counts with the cost of its rest at
  its limit;
- a purchase that was matched counts at its limit until its fills are reported, one by one;
- a sale counts nothing, resting or not. It can only deliver shares that are held, because the venue
  accepts no other sale; so no limit ever prevents closing a position.

The two outcomes of a market add up, although a share of each is worth a dollar together: a hedge is
flagged a little early, but never too late.
"""

from dataclasses import dataclass

from pmtui.domain.account.position import Position
from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros, format_micros, notional_ceil
from pmtui.domain.orders.order import MarketBuyIntent, Order, OrderIntent


@dataclass(frozen=True, slots=True)
class Limits:
    """A trader's limits in dollars; None sets no limit."""

    order: Micros | None = None
    """Cost of one purchase."""
    market: Micros | None = None
    """Exposure in one market, both outcomes together."""
    total: Micros | None = None
    """Exposure across all markets."""
    daily_loss: Micros | None = None
    """Loss since midnight UTC from which nothing more may be bought."""

    @property
    def need_account(self) -> bool:
        """Whether any of them depends on positions and open orders."""
        return (self.market, self.total, self.daily_loss) != (None, None, None)


NO_LIMITS = Limits()


def position_exposure(position: Position) -> Micros:
    """Return the cost of a position's shares; zero once the market is resolved."""
    return ZERO if position.is_redeemable else position.cost


def order_exposure(order: Order, booked: Micros) -> Micros:
    """Return what an order may cost beyond current holdings.

    Args:
        order: one of ours, in any state.
        booked: how many of its shares were reported as fills and count as held. Pass its matched
            size if all of them were.
    """
    if order.side is not Side.BUY:
        return ZERO
    resting = order.remaining_size if order.status.is_open else 0
    unbooked = max(order.matched_size - booked, 0)
    return notional_ceil(order.price, Micros(resting + unbooked))


@dataclass(frozen=True, slots=True)
class EntryRules:
    """The trader's limits and current exposure, which a new order is checked against."""

    limits: Limits = NO_LIMITS
    unchecked: str = ""
    """Why the limits that need the account cannot be checked; empty if they can."""
    total: Micros = ZERO
    """Total exposure."""
    markets: tuple[tuple[ConditionId, Micros], ...] = ()
    """Exposure in each market that has any."""
    loss: Micros = ZERO
    """Loss since midnight UTC; negative for a gain."""
    doubt: str = ""
    """Counted amounts that may never arrive, as text to append; empty if there are none."""

    def problem(self, intent: OrderIntent) -> str:
        """Return why an intent would be refused; empty if it would not."""
        if isinstance(intent, MarketBuyIntent):
            cash = intent.amount
        elif intent.spend is not None:
            cash = intent.spend
        else:
            cash = notional_ceil(intent.price, intent.size)
        return self.find_breach(intent.condition_id, intent.side, cash)

    def find_breach(self, condition_id: ConditionId, side: Side, cash: Micros) -> str:
        """Return the limit that an order would exceed, in words with the numbers; empty if none.

        Args:
            condition_id: its market.
            side: a sale exceeds no limit.
            cash: dollars a purchase costs if all of it fills, before fees.
        """
        if side is not Side.BUY:
            return ""
        if self.unchecked:
            return self.unchecked
        breach = self._breach(dict(self.markets).get(condition_id, ZERO), cash)
        return f"{breach}; {self.doubt}" if breach and self.doubt else breach

    def _breach(self, market: Micros, cash: Micros) -> str:
        limits = self.limits
        if limits.daily_loss is not None and self.loss >= limits.daily_loss:
            return (
                f"Your daily loss limit of {_usd(limits.daily_loss)} is reached: "
                f"{_usd(self.loss)} lost since 00:00 UTC"
            )
        would_be = (
            ("an order", limits.order, cash),
            ("a market", limits.market, Micros(market + cash)),
            ("all markets", limits.total, Micros(self.total + cash)),
        )
        for scope, limit, value in would_be:
            if limit is not None and value > limit:
                return f"Over your limit of {_usd(limit)} for {scope}: it would be {_usd(value)}"
        return ""


def _usd(amount: Micros) -> str:
    return f"${format_micros(amount, min_decimals=2)}"


NO_RULES = EntryRules()
