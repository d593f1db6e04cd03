"""What each kind of order promises, and whose turn it is."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pmtui.domain.ids import OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import complement
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.engine.events import TradeMatched
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import NewOrder, Placed, Refusal
from tests.sim.engine.scenario import NOW_MS
from tests.sim.engine.sequences import TOKENS, Post, apply, opened, posts, run


@given(st.lists(posts, min_size=12, max_size=60), posts)
@settings(max_examples=200, deadline=None)
@pytest.mark.no_cover
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
                for token in TOKENS:
                    turns = [
                        arrival[fill.order_id]
                        for fill in event.trade.makers
                        if fill.token_id == token
                    ]
                    assert turns == sorted(turns)
                own = [fill.token_id == event.trade.token_id for fill in event.trade.makers]
                assert own == sorted(own, reverse=True)
