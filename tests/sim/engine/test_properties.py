"""What must hold after any sequence of commands, to the last millionth."""

from collections import defaultdict
from dataclasses import dataclass
from random import Random

import msgspec
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pmtui.domain.ids import Address, ConditionId, OrderId, TokenId
from pmtui.domain.market import FeeSchedule, Side
from pmtui.domain.money import ONE, Micros, complement, parse_micros
from pmtui.domain.order import TimeInForce, TradeStatus
from pmtui.sim.engine.events import (
    BalanceChanged,
    Event,
    LevelChanged,
    OrderCancelled,
    OrderPlaced,
    OrderUpdated,
    TradeMatched,
)
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.state import EngineState
from pmtui.sim.engine.terms import MarketSpec, NewOrder, Payout, Placed, Refusal
from tests.sim.engine.scenario import (
    NO,
    NOW_MS,
    RAIN,
    YES,
    CountingIds,
    address_of,
    key_of,
    rain,
)

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
            exchange.change_tick(RAIN, rest[0], now_ms=now_ms)
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


@given(steps, endings, st.sampled_from(("0", "0.07")))
@settings(max_examples=150, deadline=None)
def test_every_sum_agrees_after_every_command(
    todo: list[object], payout: Payout, rate: str
) -> None:
    exchange = opened(rate=rate)
    run(exchange, todo)
    exchange.resolve(RAIN, payout, now_ms=NOW_MS)
    assert exchange.reads.audit() == []
    for address in ADDRESSES:
        exchange.redeem(address, RAIN, now_ms=NOW_MS)
    assert exchange.reads.audit() == []
    market = exchange.reads.market(RAIN)
    assert market is not None
    assert 0 <= market.open_interest < len(ADDRESSES) * 2
    assert exchange.reads.holders(YES) == exchange.reads.holders(NO) == {}


@given(steps)
@settings(max_examples=80, deadline=None)
def test_both_tokens_books_are_mirrors(todo: list[object]) -> None:
    exchange = opened()
    run(exchange, todo)
    yes, no = exchange.reads.book(YES), exchange.reads.book(NO)
    assert yes is not None
    assert no is not None
    assert [(complement(level.price), level.size) for level in yes.bids] == [
        (level.price, level.size) for level in no.asks
    ]
    assert [(complement(level.price), level.size) for level in yes.asks] == [
        (level.price, level.size) for level in no.bids
    ]
    assert list(yes.bids) == sorted(yes.bids, key=lambda level: level.price)
    assert list(yes.asks) == sorted(yes.asks, key=lambda level: -level.price)


@given(steps)
@settings(max_examples=80, deadline=None)
def test_the_announced_levels_rebuild_the_book(todo: list[object]) -> None:
    exchange = opened()
    levels: dict[tuple[TokenId, Side], dict[Micros, Micros]] = defaultdict(dict)
    for event in (event for batch in run(exchange, todo) for event in batch):
        if not isinstance(event, LevelChanged):
            continue
        for entry in event.entries():
            side = levels[entry.token_id, entry.side]
            side[entry.price] = entry.size
            if not entry.size:
                del side[entry.price]
            assert entry.best_bid == max(levels[entry.token_id, Side.BUY], default=None)
            assert entry.best_ask == min(levels[entry.token_id, Side.SELL], default=None)
    for token in TOKENS:
        book = exchange.reads.book(token)
        assert book is not None
        assert {level.price: level.size for level in book.bids} == levels[token, Side.BUY]
        assert {level.price: level.size for level in book.asks} == levels[token, Side.SELL]


@given(steps)
@settings(max_examples=80, deadline=None)
def test_the_journal_rebuilds_balances_and_open_orders(todo: list[object]) -> None:
    exchange = opened()
    events = [event for batch in run(exchange, todo) for event in batch]
    balances: dict[tuple[Address, TokenId | None], Micros] = {}
    resting: dict[OrderId, Micros] = {}
    for event in events:
        match event:
            case BalanceChanged(address, token_id, balance, change):
                assert balances.get((address, token_id), 0) + change == balance
                balances[address, token_id] = balance
            case OrderUpdated(order):
                resting[order.order_id] = order.matched_size
                if order.status == "MATCHED":
                    del resting[order.order_id]
            case OrderCancelled(order):
                resting.pop(order.order_id, None)
            case OrderPlaced(order):
                resting[order.order_id] = Micros(0)
            case _:
                pass
    for trader in ("ann", "bob"):
        account = exchange.reads.account(address_of(trader))
        assert account is not None
        assert balances[account.account, None] == account.collateral
        for token in TOKENS:
            assert balances.get((account.account, token), 0) == account.shares.get(token, 0)
    open_orders = [
        order for trader in ("ann", "bob") for order in exchange.reads.open_orders(key_of(trader))
    ]
    assert resting == {order.order_id: order.matched_size for order in open_orders}


@given(steps)
@settings(max_examples=60, deadline=None)
def test_fills_sum_to_the_matched_size(todo: list[object]) -> None:
    exchange = opened(simulated=False)
    filled: dict[OrderId, int] = defaultdict(int)
    for event in (event for batch in run(exchange, todo) for event in batch):
        if isinstance(event, TradeMatched):
            trade = event.trade
            assert trade.size == sum(fill.size for fill in trade.makers)
            filled[trade.taker_order_id] += trade.size
            for fill in trade.makers:
                filled[fill.order_id] += fill.size
                assert fill.size > 0
        if isinstance(event, OrderUpdated | OrderCancelled):
            assert event.order.matched_size <= max(
                event.order.original_size, filled[event.order.order_id]
            )
    for trader in TRADERS:
        for order in exchange.reads.open_orders(key_of(trader)):
            assert order.matched_size == filled[order.order_id]


@given(steps)
@settings(max_examples=40, deadline=None)
def test_the_same_commands_give_the_same_events(todo: list[object]) -> None:
    first, second = opened(), opened()
    assert run(first, todo) == run(second, todo)
    assert first.export_state() == second.export_state()


@given(steps)
@settings(max_examples=60, deadline=None)
def test_a_saved_state_restores_as_it_was(todo: list[object]) -> None:
    exchange = opened()
    run(exchange, todo)
    saved = exchange.export_state()
    travelled = msgspec.json.decode(msgspec.json.encode(saved), type=EngineState)
    assert travelled == saved
    restored = Exchange(CountingIds())
    restored.import_state(travelled, now_ms=NOW_MS)
    assert restored.reads.audit() == []
    assert restored.export_state() == saved
    for trader in ("ann", "bob"):
        assert restored.reads.account(address_of(trader)) == exchange.reads.account(
            address_of(trader)
        )
        assert restored.reads.open_orders(key_of(trader)) == exchange.reads.open_orders(
            key_of(trader)
        )


@given(st.lists(posts, min_size=12, max_size=60), posts)
@settings(max_examples=200, deadline=None)
def test_an_order_keeps_the_promises_of_its_kind(before: list[object], post: Post) -> None:
    exchange = opened()
    run(exchange, before)
    condition_id = exchange.reads.market_of(post.token)
    assert condition_id is not None
    market = exchange.reads.market(condition_id)
    assert market is not None
    order = post.order(market.spec.tick_size)
    assume(exchange.reads.order(order.order_id) is None)
    book = exchange.reads.book(post.token)
    answer = exchange.place(order, now_ms=NOW_MS)
    assert exchange.reads.audit() == []
    trades = [e.trade for e in exchange.drain_events() if isinstance(e, TradeMatched)]
    if isinstance(answer, Refusal):
        assert trades == []
        assert exchange.reads.book(post.token) == book
        return
    _check_kind(exchange, order, answer, post=post)
    limit = post.ticks * market.spec.tick_size
    for trade in trades:
        is_better = trade.price <= limit if post.side is Side.BUY else trade.price >= limit
        assert is_better
        assert all(f.price in (trade.price, complement(trade.price)) for f in trade.makers)
    prices = [trade.price for trade in trades]
    assert prices == sorted(prices, reverse=post.side is Side.SELL)


def _check_kind(exchange: Exchange, order: NewOrder, answer: Placed, *, post: Post) -> None:
    rests = exchange.reads.order(order.order_id) is not None
    size = order.taker_amount if post.side is Side.BUY else order.maker_amount
    filled = answer.taking if post.side is Side.BUY else answer.making
    if post.post_only:
        assert not answer.is_matched
    if not post.tif.rests:
        assert not rests
    else:
        assert rests == (filled < size)
    if post.tif is TimeInForce.FOK:
        assert answer.making == order.maker_amount
        assert answer.taking >= order.taker_amount
    if post.tif is TimeInForce.FAK:
        assert answer.is_matched
        assert answer.making <= order.maker_amount


@given(st.lists(posts, min_size=12, max_size=60))
@settings(max_examples=80, deadline=None)
def test_older_orders_at_a_price_fill_first(before: list[object]) -> None:
    exchange = opened(simulated=False)
    arrival: dict[OrderId, int] = {}
    for number, post in enumerate(before):
        assert isinstance(post, Post)
        apply(exchange, post, NOW_MS)
        arrival.setdefault(OrderId(f"order-{post.number}"), number)
        for event in exchange.drain_events():
            if isinstance(event, TradeMatched):
                for token in (YES, NO, SNOW_YES, SNOW_NO):
                    turns = [
                        arrival[fill.order_id]
                        for fill in event.trade.makers
                        if fill.token_id == token
                    ]
                    assert turns == sorted(turns)
                own = [fill.token_id == event.trade.token_id for fill in event.trade.makers]
                assert own == sorted(own, reverse=True)


def test_a_long_day_of_trading_leaves_nothing_out_of_place() -> None:
    rng = Random(20260921)
    exchange = opened()
    matched = 0
    for number in range(6_000):
        tif = rng.choice((*TimeInForce, *[TimeInForce.GTC] * 4))
        post = Post(
            number=number,
            trader=rng.choice(TRADERS),
            token=rng.choice((YES, NO)),
            side=rng.choice(tuple(Side)),
            ticks=rng.randint(45, 55),
            hundredths=rng.randint(500, 9_000),
            tif=tif,
            post_only=False,
        )
        answer = apply(exchange, post, NOW_MS + number)
        matched += isinstance(answer, Placed) and answer.is_matched
        if rng.random() < 0.3:
            apply(exchange, ("cancel", rng.randrange(number + 1)), NOW_MS + number)
        if number % 100 == 0:
            assert exchange.reads.audit() == []
            settle(exchange, TradeStatus.MINED, NOW_MS)
        if number % 1_000 == 0:
            saved = exchange.export_state()
            restored = Exchange(CountingIds())
            restored.import_state(saved, now_ms=NOW_MS)
            assert restored.export_state() == saved
            assert restored.reads.audit() == []
    assert matched > 1_000
    assert exchange.reads.audit() == []
