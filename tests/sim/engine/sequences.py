"""Random sequences of commands, and how to run them on an engine that is audited at every step."""

from dataclasses import dataclass

from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import FeeSchedule, Side
from pmtui.domain.money import ONE, Micros, parse_micros
from pmtui.domain.orders.order import TimeInForce, TradeStatus
from pmtui.sim.engine.events import Event
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import MarketSpec, NewOrder, Payout
from tests.sim.engine.scenario import NO, NOW_MS, RAIN, YES, CountingIds, address_of, key_of, rain

SNOW = ConditionId("0x" + "b2" * 32)
SNOW_YES, SNOW_NO = TokenId("333"), TokenId("444")
TOKENS = (YES, NO, SNOW_YES, SNOW_NO)
TRADERS = ("ann", "bob", "maker")
ADDRESSES = tuple(address_of(trader) for trader in TRADERS)


@dataclass(frozen=True)
class Post:
    """One order to place; amounts follow from the price and the tick of the day."""

    number: int
    trader: str
    token: TokenId
    side: Side
    ticks: int
    hundredths: int
    tif: TimeInForce
    post_only: bool

    def order(self, tick: Micros) -> NewOrder:
        price = self.ticks * tick
        shares = self.hundredths * 10_000
        cash = price * shares // ONE
        if self.side is Side.BUY and not self.tif.rests:
            cash = max(cash - cash % 10_000, ONE)
            shares = cash * ONE // price // 100 * 100
        is_gtd = self.tif is TimeInForce.GTD
        return NewOrder(
            order_id=OrderId(f"order-{self.number}"),
            account=address_of(self.trader),
            owner=key_of(self.trader),
            token_id=self.token,
            side=self.side,
            maker_amount=Micros(cash if self.side is Side.BUY else shares),
            taker_amount=Micros(shares if self.side is Side.BUY else cash),
            time_in_force=self.tif,
            expiration_s=NOW_MS // 1000 + 600 if is_gtd else 0,
            post_only=self.post_only,
        )


posts = st.builds(
    Post,
    number=st.integers(0, 10_000),
    trader=st.sampled_from(TRADERS),
    token=st.sampled_from((YES, YES, YES, NO, NO, SNOW_YES)),
    side=st.sampled_from(Side),
    ticks=st.integers(44, 56) | st.integers(1, 99),
    hundredths=st.integers(500, 700) | st.integers(500, 40_000),
    tif=st.sampled_from((TimeInForce.GTC, *TimeInForce)),
    post_only=st.sampled_from((False, False, True)),
)
amounts = st.integers(1, 50_000_000).map(Micros)
addresses = st.sampled_from(ADDRESSES)
conditions = st.sampled_from((RAIN, SNOW))
others = st.one_of(
    st.tuples(st.just("cancel"), st.integers(0, 10_000)),
    st.tuples(st.just("cancel_all"), st.sampled_from(TRADERS)),
    st.tuples(st.just("withdraw"), addresses, amounts),
    st.tuples(st.just("deposit"), addresses, amounts),
    st.tuples(st.just("split"), addresses, conditions, amounts),
    st.tuples(st.just("merge"), addresses, conditions, amounts),
    st.tuples(st.just("redeem"), addresses, conditions),
    st.tuples(st.just("settle"), st.sampled_from((TradeStatus.RETRYING, TradeStatus.MINED))),
    st.tuples(st.just("fail")),
    st.tuples(st.just("tick"), st.sampled_from((1_000, 10_000, 5_000)).map(Micros)),
    st.tuples(st.just("expire")),
)
endings = st.sampled_from(Payout)
steps = st.lists(posts | posts | posts | others, min_size=12, max_size=80)


def opened(*, rate: str = "0.07", simulated: bool = True) -> Exchange:
    exchange = Exchange(CountingIds())
    exchange.add_market(rain(fee=FeeSchedule(parse_micros(rate))), now_ms=NOW_MS)
    exchange.add_market(MarketSpec(SNOW, (SNOW_YES, SNOW_NO), neg_risk=True), now_ms=NOW_MS)
    for trader in TRADERS:
        address = address_of(trader)
        is_maker = trader == "maker"
        exchange.open_account(address, simulated=is_maker and simulated, unlimited=is_maker)
        if not is_maker:
            exchange.deposit(address, Micros(300_000_000), now_ms=NOW_MS)
            exchange.split(address, RAIN, Micros(100_000_000), now_ms=NOW_MS)
    return exchange


def apply(exchange: Exchange, step: object, now_ms: int) -> object:
    if isinstance(step, Post):
        condition_id = exchange.reads.market_of(step.token)
        assert condition_id is not None
        market = exchange.reads.market(condition_id)
        assert market is not None
        return exchange.place(step.order(market.spec.tick_size), now_ms=now_ms)
    assert isinstance(step, tuple)
    name, *rest = step
    match name:
        case "cancel":
            order_id = OrderId(f"order-{rest[0]}")
            return [exchange.cancel([order_id], key_of(t), now_ms=now_ms) for t in TRADERS]
        case "cancel_all":
            return exchange.cancel_all(key_of(rest[0]), now_ms=now_ms)
        case "settle" | "fail":
            return settle(exchange, rest[0] if rest else TradeStatus.FAILED, now_ms)
        case "tick":
            exchange.change_tick_size(RAIN, rest[0], now_ms=now_ms)
            return None
        case "expire":
            return exchange.expire(now_ms=now_ms + 1_000_000)
        case _:
            return getattr(exchange, name)(*rest, now_ms=now_ms)


def settle(exchange: Exchange, status: TradeStatus, now_ms: int) -> object:
    return [
        exchange.advance_trade(trade.trade_id, status, now_ms=now_ms)
        for trade in exchange.export_state().unsettled[:2]
    ]


def run(exchange: Exchange, todo: list[object]) -> list[tuple[Event, ...]]:
    events = [exchange.drain_events()]
    for number, step in enumerate(todo):
        apply(exchange, step, NOW_MS + number)
        assert exchange.reads.audit() == []
        events.append(exchange.drain_events())
    return events
