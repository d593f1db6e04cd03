"""Read price and size out of an order's two amounts, or refuse it as the service does.

Prices are never sent: they are the quotient of the amounts. Limits of decimals by tick size are
those of docs/wire.md#amounts.
"""

from dataclasses import dataclass

from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, SCALE, Micros
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.engine import refusals
from pmtui.sim.engine.terms import MarketSpec, NewOrder, Refusal


@dataclass(frozen=True, slots=True)
class Demand:
    """What an order asks for, in its own token."""

    price: Micros
    """The limit, on the price grid; a market BUY's quotient is cut down to it."""
    size: Micros
    """Shares; for a market BUY the least that a complete fill brings."""
    budget: Micros | None
    """Dollars to spend, for a market BUY only."""


def decimals_of(tick: Micros) -> int:
    """Return how many decimals a price on this grid can have."""
    decimals = 6
    while decimals and tick % 10 == 0:
        tick = Micros(tick // 10)
        decimals -= 1
    return decimals


def read_demand(order: NewOrder, spec: MarketSpec, tick: Micros) -> Demand | Refusal:
    """Derive limit price and size, checking range, decimals, grid and share minimum in that order."""
    is_buy = order.side is Side.BUY
    is_market = not order.time_in_force.rests
    cash, shares = (
        (order.maker_amount, order.taker_amount)
        if is_buy
        else (order.taker_amount, order.maker_amount)
    )
    if not 0 < cash < shares:
        return refusals.INVALID_PRICE
    decimals = min(decimals_of(tick) + 2, 6)
    unit = 10 ** (6 - decimals)
    # Of a market BUY the dollars are coarse and the shares fine; of all others the shares are coarse.
    coarse, fine = (cash, shares) if is_buy and is_market else (shares, cash)
    if coarse % SIZE_STEP or fine % unit:
        return refusals.amounts_too_fine(
            is_buy=is_buy, is_market=is_market, amount_decimals=decimals
        )
    price = (
        _market_buy_limit(cash, shares, tick=tick, unit=unit)
        if is_buy and is_market
        else _exact_price(cash, shares, tick)
    )
    if price is None:
        return refusals.off_grid(order.order_id, cash, shares, tick)
    if (not is_market or spec.needs_min_size_at_once) and shares < spec.min_size:
        return refusals.too_small(order.order_id, shares, spec.min_size)
    return Demand(price=price, size=shares, budget=cash if is_buy and is_market else None)


def _exact_price(cash: Micros, shares: Micros, tick: Micros) -> Micros | None:
    price, rest = divmod(cash * SCALE, shares)
    if rest or price % tick or not tick <= price <= ONE - tick:
        return None
    return Micros(price)


def _market_buy_limit(cash: Micros, shares: Micros, *, tick: Micros, unit: int) -> Micros | None:
    # The shares are a quotient cut to `unit`, so the price they imply is a hair off its grid.
    # Cut down they give the intended price; rounded up they buy only one tick below it.
    price = (2 * cash * SCALE + tick * shares) // (2 * tick * shares) * tick
    if abs(cash * SCALE - price * shares) > price * unit or not tick <= price <= ONE - tick:
        return None
    return Micros(price if price * shares <= cash * SCALE else price - tick)


def is_expiration_valid(order: NewOrder, *, now_ms: int, notice_ms: int) -> bool:
    """Say whether the stated expiration suits the time in force and lies far enough ahead."""
    if order.time_in_force is TimeInForce.GTD:
        return order.expiration_s * 1000 >= now_ms + notice_ms
    return order.expiration_s == 0
