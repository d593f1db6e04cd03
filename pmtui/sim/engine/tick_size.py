"""Changes of a market's tick size: by a trade near 0 or 1, and by the operator."""

from pmtui.domain.money import Micros
from pmtui.sim.engine.floor import Engine, TradedMarket
from pmtui.sim.engine.events import TickSizeChanged
from pmtui.sim.engine.terms import LiveStatus

FINE_TICK = Micros(1_000)
COARSE_TICK = Micros(10_000)
FINE_BELOW = Micros(40_000)
FINE_ABOVE = Micros(960_000)
"""A trade beyond these prices refines the grid of a 0.01 market (docs/wire.md#market-stream)."""


def refine_tick_size(engine: Engine, market: TradedMarket, price: Micros) -> None:
    """Give a 0.01 market the finer tick size when the first token trades near 0 or 1."""
    if market.tick_size == COARSE_TICK and not FINE_BELOW <= price <= FINE_ABOVE:
        change_tick_size(engine, market, FINE_TICK)


def change_tick_size(engine: Engine, market: TradedMarket, tick: Micros) -> None:
    """Change the tick size, after cancelling the orders whose prices are no multiples of it."""
    for order in (*market.book.bids.orders(), *market.book.asks.orders()):
        if order.price % tick:
            engine.cancel(order, LiveStatus.TICK_SIZE)
    old, market.tick_size = market.tick_size, tick
    engine.journal.add(TickSizeChanged(market.spec.condition_id, old, tick, engine.journal.now_ms))
