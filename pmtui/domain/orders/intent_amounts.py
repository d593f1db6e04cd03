"""From what a trader means to the two integers an order signs."""

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, notional_floor
from pmtui.domain.orders.amounts import OrderAmounts, limit_amounts, market_amounts
from pmtui.domain.orders.order import MarketBuyIntent, OrderIntent


def order_amounts(intent: OrderIntent, tick: Micros) -> OrderAmounts:
    """Return the amounts an intent signs.

    What does not rest is a market order to the venue, whatever the trader calls it: its amounts
    follow the market rules (WIRE_CLOB §5.3), so a purchase states dollars to the cent.

    Raises:
        AmountError: a price or size that no order can carry.
    """
    if isinstance(intent, MarketBuyIntent):
        return market_amounts(Side.BUY, intent.worst_price, intent.amount, tick=tick)
    if intent.time_in_force.rests:
        return limit_amounts(intent.side, intent.price, intent.size, tick=tick)
    is_buy = intent.side is Side.BUY
    amount = notional_floor(intent.price, intent.size) if is_buy else intent.size
    return market_amounts(intent.side, intent.price, amount, tick=tick)
