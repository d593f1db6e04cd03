"""The local venue's matching engine: a mixed stream of orders and cancels, and filling books.

There is no peer to set it beside; filling in bulk is set beside placing the same orders. All
figures are microseconds an order.
"""

import gc
from collections.abc import Iterator
from random import Random
from statistics import median
from time import perf_counter

from pmtui.domain.ids import Address, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import NO_FEE, FeeSchedule, Side
from pmtui.domain.money import ONE, Micros
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import MarketSpec, Placed, SeedOrder
from tests.bench.row import Row, at_most, plain
from tests.sim.engine.scenario import FEE, NOBODY, CountingIds, posted

TURNS = 5
ORDERS = 8_000
RESTING = 600
"""From here on, each order that rests is followed by a cancel."""
MARKETS, LEVELS = 200, 15
TICK = Micros(1_000)
BULK_GOAL = 0.4
ACCOUNTS = tuple(Address(f"0x{number:040x}") for number in range(20))


def rows() -> list[Row]:
    """Return what an order costs, in a mix and in bulk."""
    pairs = [(_timed_fill(in_bulk=True), _timed_fill(in_bulk=False)) for _ in range(TURNS)]
    return [
        plain("engine: order and cancel, many cross", _stream(NO_FEE, reach=20)),
        plain("engine: order and cancel, many cross, with fees", _stream(FEE, reach=20)),
        plain("engine: order and cancel, deep book, few cross", _stream(NO_FEE, reach=100)),
        at_most("engine: filling books in bulk over placing one by one", pairs, BULK_GOAL),
    ]


def _stream(fee: FeeSchedule, *, reach: int) -> float:
    return median(_timed_stream(fee, reach) for _ in range(TURNS))


def _timed_stream(fee: FeeSchedule, reach: int) -> float:
    rng = Random(7)
    exchange, (market,) = _venue(1, fee)
    orders = [
        posted(order) for order in _drawn(market, rng, count=ORDERS, reach=reach, crosses=True)
    ]
    resting: list[OrderId] = []
    start = perf_counter()
    for now_ms, order in enumerate(orders):
        if isinstance(exchange.place(order, now_ms=now_ms), Placed):
            resting.append(order.order_id)
        if len(resting) > RESTING:
            index = rng.randrange(len(resting))
            resting[index], resting[-1] = resting[-1], resting[index]
            exchange.cancel((resting.pop(),), NOBODY, now_ms=now_ms)
        exchange.drain_events()
    return (perf_counter() - start) / ORDERS * 1e6


def _timed_fill(*, in_bulk: bool) -> float:
    rng = Random(7)
    exchange, markets = _venue(MARKETS, NO_FEE)
    batches = [
        list(_drawn(market, rng, count=2 * LEVELS, reach=LEVELS, crosses=False))
        for market in markets
    ]
    orders = [posted(order) for batch in batches for order in batch]
    # As at the start of the venue: what is made here lasts, so garbage is not looked for.
    gc.disable()
    try:
        start = perf_counter()
        if in_bulk:
            for market, batch in zip(markets, batches, strict=True):
                exchange.seed(market.condition_id, batch, owner=NOBODY, now_ms=0)
        else:
            for order in orders:
                exchange.place(order, now_ms=0)
        return (perf_counter() - start) / len(orders) * 1e6
    finally:
        gc.enable()


def _venue(markets: int, fee: FeeSchedule) -> tuple[Exchange, list[MarketSpec]]:
    exchange = Exchange(CountingIds())
    specs = [
        MarketSpec(
            ConditionId(f"0x{number:064x}"),
            (TokenId(f"{number}1"), TokenId(f"{number}2")),
            tick_size=TICK,
            fee=fee,
        )
        for number in range(markets)
    ]
    for spec in specs:
        exchange.add_market(spec, now_ms=0)
    for address in ACCOUNTS:
        exchange.open_account(address, simulated=True, unlimited=True)
    exchange.drain_events()
    return exchange, specs


def _drawn(
    market: MarketSpec, rng: Random, *, count: int, reach: int, crosses: bool
) -> Iterator[SeedOrder]:
    """Draw orders within reach of 0.50, some of which meet each other if they may."""
    for _ in range(count):
        is_bid, is_purchase = rng.random() < 0.5, rng.random() < 0.8
        away = int(rng.expovariate(1 / reach)) + (-1 if crosses else 1)
        ticks = min(max(500 - away if is_bid else 500 + away, 1), 999)
        price = Micros(ticks * TICK)
        is_first = is_bid == is_purchase
        yield SeedOrder(
            order_id=OrderId(f"0x{rng.getrandbits(256):064x}"),
            account=rng.choice(ACCOUNTS),
            token_id=market.tokens[0 if is_first else 1],
            side=Side.BUY if is_purchase else Side.SELL,
            price=price if is_first else Micros(ONE - price),
            size=Micros(rng.randrange(500, 100_000) * 10_000),
        )
