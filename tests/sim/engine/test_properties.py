"""What must hold after any sequence of commands, to the last millionth."""

from collections import defaultdict
from random import Random

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from pmtui.domain.ids import Address, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, complement
from pmtui.domain.orders.order import TimeInForce, TradeStatus
from pmtui.sim.engine.events import (
    BalanceChanged,
    LevelChanged,
    OrderCancelled,
    OrderPlaced,
    OrderUpdated,
    TradeMatched,
)
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.state import EngineState
from pmtui.sim.engine.terms import Payout, Placed
from tests.sim.engine.scenario import NO, NOW_MS, RAIN, YES, CountingIds, address_of, key_of
from tests.sim.engine.sequences import (
    ADDRESSES,
    TOKENS,
    TRADERS,
    Post,
    apply,
    endings,
    opened,
    run,
    settle,
    steps,
)


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
