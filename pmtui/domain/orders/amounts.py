"""The signed amounts of an order: ticks, rounding, and the worst price of a market order.

Everything is exact integer arithmetic; products with more than six decimals stay exact until the one
rounding that the venue itself performs. Refuses ticks the venue does not use.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, SCALE, ZERO, Micros, notional_floor
from pmtui.domain.orders.order import MarketBuyIntent, OrderIntent, TimeInForce


class AmountError(ValueError):
    """A tick size that the venue does not have, or a price or size that is invalid for any order."""


@dataclass(frozen=True, slots=True)
class TickRules:
    """Decimals sent to the venue in a market of one tick size."""

    tick: Micros
    price_decimals: int
    amount_decimals: int


TICK_RULES = MappingProxyType(
    {
        rules.tick: rules
        for rules in (
            TickRules(Micros(100_000), price_decimals=1, amount_decimals=3),
            TickRules(Micros(10_000), price_decimals=2, amount_decimals=4),
            TickRules(Micros(5_000), price_decimals=3, amount_decimals=5),
            TickRules(Micros(2_500), price_decimals=4, amount_decimals=6),
            TickRules(Micros(1_000), price_decimals=3, amount_decimals=5),
            TickRules(Micros(100), price_decimals=4, amount_decimals=6),
        )
    }
)
"""Both official client libraries contain this table (September 2026)."""

# Bound once: on Python 3.11 accessing an enum member is slow.
_BUY = Side.BUY

_POWERS = tuple(10**exponent for exponent in range(11))

SIZE_STEP = Micros(10_000)
"""Shares, and the dollars of a market order, have two decimals at every tick."""


_FINEST_TICK = min(TICK_RULES)

MIN_MARKETABLE_BUY = ONE
"""A purchase that fills at once must be worth at least a dollar (docs/wire.md#amounts)."""


class OrderAmounts(NamedTuple):
    """The two signed amounts. A buy gives collateral for shares, a sell the reverse."""

    maker: Micros
    taker: Micros

    @property
    def is_empty(self) -> bool:
        """Whether rounding reduced one side to zero, so that the order has no price."""
        return self.maker <= 0 or self.taker <= 0


def tick_rules(tick: Micros) -> TickRules:
    """Return the decimals of a tick size.

    Raises:
        AmountError: the venue has no such tick.
    """
    rules = TICK_RULES.get(tick)
    if rules is None:
        raise AmountError(f"no such tick size: {tick} millionths")
    return rules


def is_on_tick(price: Micros, tick: Micros) -> bool:
    """Return whether a price is a multiple of the tick within [tick, 1 − tick]."""
    return tick <= price <= ONE - tick and price % tick == 0


def nearest_price(price: Micros, tick: Micros) -> Micros:
    """Return the closest valid order price; halfway rounds up."""
    return _within((2 * price + tick) // (2 * tick) * tick, tick)


def price_floor(price: Micros, tick: Micros) -> Micros:
    """Return the highest valid price not above `price`, or the lowest valid price."""
    return _within(price // tick * tick, tick)


def price_ceil(price: Micros, tick: Micros) -> Micros:
    """Return the lowest valid price not below `price`, or the highest valid price."""
    return _within(-(-price // tick) * tick, tick)


def _within(price: int, tick: Micros) -> Micros:
    return Micros(min(max(price, tick), ONE - tick))


def size_floor(size: Micros) -> Micros:
    """Return a size (or the dollars of a market order) truncated to the two decimals that are sent."""
    return Micros(size // SIZE_STEP * SIZE_STEP)


def size_ceil(size: Micros) -> Micros:
    """Return a size rounded up to two decimals: an estimate that must not look too small."""
    return Micros(-(-size // SIZE_STEP) * SIZE_STEP)


def pairs_of(held: Micros, of_other: Micros) -> Micros:
    """Return how many shares of both outcomes are held; dust that no order can carry pairs nothing."""
    pairs = Micros(max(min(held, of_other), 0))
    return pairs if pairs >= SIZE_STEP else ZERO


def to_finest_tick(price: Micros) -> Micros:
    """Return the nearest multiple of the finest tick, which every other tick is a multiple of."""
    return Micros((price + _FINEST_TICK // 2) // _FINEST_TICK * _FINEST_TICK)


def limit_amounts(side: Side, price: Micros, size: Micros, *, tick: Micros) -> OrderAmounts:
    """Return the signed amounts of a limit order for `size` shares at `price`.

    Raises:
        AmountError: the tick is unknown, the price is outside (0, 1), or the size is negative.
    """
    rules = tick_rules(tick)
    shares = _checked_floor(price, size)
    cash = _fit_product(price * shares, rules.amount_decimals)
    return OrderAmounts(cash, shares) if side is _BUY else OrderAmounts(shares, cash)


def market_amounts(
    side: Side, worst_price: Micros, amount: Micros, *, tick: Micros
) -> OrderAmounts:
    """Return the signed amounts of a market order: `amount` is dollars for a buy, shares for a sell.

    Raises:
        AmountError: the tick is unknown, the price is outside (0, 1) or below the price grid, or
            the amount is negative.
    """
    rules = tick_rules(tick)
    given = _checked_floor(worst_price, amount)
    step = 10 ** (6 - rules.price_decimals)
    price = worst_price // step * step
    if price == 0:
        raise AmountError(f"price below the grid: {worst_price} millionths")
    if side is _BUY:
        return OrderAmounts(given, fit(given, price, decimals=rules.amount_decimals))
    return OrderAmounts(given, _fit_product(given * price, rules.amount_decimals))


def _checked_floor(price: Micros, quantity: Micros) -> Micros:
    if not 0 < price < ONE:
        raise AmountError(f"price outside 0 and 1: {price} millionths")
    if quantity < 0:
        raise AmountError(f"negative amount: {quantity} millionths")
    return Micros(quantity // SIZE_STEP * SIZE_STEP)


def fit(numerator: int, denominator: int, *, decimals: int) -> Micros:
    """Return a ratio (in dollars or shares) with at most `decimals` decimals, truncated as the venue does.

    The venue's libraries first round up at four further decimals and then truncate; for a ratio
    that already fits, both steps do nothing, so one expression serves all three cases.
    """
    widened = -(-numerator * _POWERS[decimals + 4] // denominator)
    return Micros(widened // 10_000 * _POWERS[6 - decimals])


def _fit_product(product: int, decimals: int) -> Micros:
    # `fit` over 10^12, after removing the common factor of both sides of the ratio.
    widened = -(-product // _POWERS[8 - decimals])
    return Micros(widened // 10_000 * _POWERS[6 - decimals])


def market_price_walk(
    levels: Iterable[tuple[Micros, Micros]],
    side: Side,
    amount: Micros,
    *,
    time_in_force: TimeInForce,
) -> Micros | None:
    """Return the price of the level at which a market order is completely filled.

    Args:
        levels: (price, size) of the side that the order would match, in any order, as sources
            disagree.
        side: of the order: a buy matches asks, a sell matches bids.
        amount: dollars for a buy, shares for a sell.
        time_in_force: fill-and-kill returns the worst level if the book is too thin.

    Returns:
        None if nothing can match: an empty side, or too little depth for any other order type.
    """
    ordered = sorted(levels, reverse=side is Side.SELL)
    wanted = amount * SCALE
    met = 0
    for price, size in ordered:
        met += price * size if side is _BUY else SCALE * size
        if met >= wanted:
            return price
    if ordered and time_in_force is TimeInForce.FAK:
        return ordered[-1][0]
    return None


def order_amounts(intent: OrderIntent, tick: Micros) -> OrderAmounts:
    """Return the signed amounts of an intent.

    To the venue every order that does not rest is a market order, whatever the trader calls it: its
    amounts follow the market rules (docs/wire.md#amounts), so a purchase states dollars to the
    cent, and buys more shares than its size where it fills below the price that these assume.

    Raises:
        AmountError: the price or size is invalid for any order.
    """
    if isinstance(intent, MarketBuyIntent):
        return market_amounts(Side.BUY, intent.worst_price, intent.amount, tick=tick)
    if intent.time_in_force.rests:
        return limit_amounts(intent.side, intent.price, intent.size, tick=tick)
    is_buy = intent.side is Side.BUY
    amount = notional_floor(intent.price, intent.size) if is_buy else intent.size
    if intent.spend is not None:
        amount = min(amount, intent.spend)
    return market_amounts(intent.side, intent.price, amount, tick=tick)
