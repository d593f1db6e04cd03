"""What could be lost, the limits a trader sets to it, and the judgement of a new order by both.

A new order is judged as it is typed and once more before it is signed. The exposure of a set of orders and
positions is money that is gone if every share turns out worthless, fees aside:

- shares held count with what they cost, those of a resolved market not at all: there is nothing
  left to lose or to win;
- a purchase that may still fill, also one whose fate is unknown, counts with what its rest costs
  at its limit;
- a purchase that was matched counts at its limit until its fills are reported, one by one;
- a sale counts nothing, resting or not. It can only hand over what is held, because the venue
  takes no sale of anything else; so no limit ever stands in the way of getting out.

The two outcomes of a market add up, although a share of each is worth a dollar together: whoever
hedges is warned a little early, and nobody too late.
"""

from dataclasses import dataclass

from pmtui.domain.account.position import Position
from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros, format_micros, notional_ceil
from pmtui.domain.orders.order import MarketBuyIntent, Order, OrderIntent


@dataclass(frozen=True, slots=True)
class Limits:
    """What a trader allows at most, in dollars; None allows everything."""

    order: Micros | None = None
    """Of one purchase."""
    market: Micros | None = None
    """Exposure in one market, both outcomes together."""
    total: Micros | None = None
    """Exposure everywhere."""
    daily_loss: Micros | None = None
    """Loss since midnight UTC; once reached, nothing may be bought."""

    @property
    def need_account(self) -> bool:
        """Whether any of them depends on what is held and what rests."""
        return (self.market, self.total, self.daily_loss) != (None, None, None)


NO_LIMITS = Limits()


def position_exposure(position: Position) -> Micros:
    """Return what the shares of a position cost; nothing once their market is resolved."""
    return ZERO if position.is_redeemable else position.cost


def order_exposure(order: Order, booked: Micros) -> Micros:
    """Return what an order may cost beyond what is held already.

    Args:
        order: one of ours, in any state.
        booked: how many of its shares have been told of as fills and count as held. Pass its
            matched size where all of them do.
    """
    if order.side is not Side.BUY:
        return ZERO
    resting = order.remaining_size if order.status.is_open else 0
    unbooked = max(order.matched_size - booked, 0)
    return notional_ceil(order.price, Micros(resting + unbooked))


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
        """Return which limit an order would break, in words with the numbers; empty for none.

        Args:
            condition_id: its market.
            side: a sale breaks no limit.
            cash: dollars a purchase costs if all of it fills, fee aside.
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
