"""A seeded book is the book that placing the same orders one by one makes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmtui.domain.ids import Address, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros
from pmtui.sim.engine.events import LevelChanged
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import (
    MarketSpec,
    Payout,
    Permission,
    Placed,
    Refusal,
    Seeded,
    SeedOrder,
    TradingMode,
)
from tests.sim.engine.scenario import (
    NO,
    NOBODY,
    NOW_MS,
    RAIN,
    YES,
    address_of,
    micros,
    posted,
)
from tests.sim.engine.sequences import ADDRESSES, SNOW, SNOW_YES, TOKENS, opened, posts, run, steps

CROWD = tuple(Address(f"0xcrowd{number}") for number in range(3))

seeds = st.lists(
    st.builds(
        SeedOrder,
        order_id=st.integers(0, 10_000).map(lambda number: OrderId(f"order-{number}")),
        account=st.sampled_from(CROWD),
        token_id=st.sampled_from((YES, NO)),
        side=st.sampled_from(Side),
        price=(st.integers(47, 53) | st.integers(1, 99)).map(lambda cents: Micros(cents * 10_000)),
        size=st.integers(500, 40_000).map(lambda hundredths: Micros(hundredths * 10_000)),
    ),
    min_size=8,
    max_size=40,
    unique_by=lambda order: order.order_id,
)


def crowded() -> Exchange:
    exchange = opened()
    for address in CROWD:
        exchange.open_account(address, simulated=True, unlimited=True)
    return exchange


def seeded(exchange: Exchange, *orders: SeedOrder, condition_id: ConditionId = RAIN) -> Seeded:
    answer = exchange.seed(condition_id, orders, owner=NOBODY, now_ms=NOW_MS)
    assert isinstance(answer, Seeded), answer
    assert exchange.reads.audit() == []
    return answer


def refused(exchange: Exchange, *orders: SeedOrder) -> Refusal:
    before = [exchange.reads.book(token) for token in TOKENS], everybody(exchange)
    answer = exchange.seed(RAIN, orders, owner=NOBODY, now_ms=NOW_MS + 1)
    assert isinstance(answer, Refusal), answer
    assert ([exchange.reads.book(token) for token in TOKENS], everybody(exchange)) == before
    assert exchange.reads.audit() == []
    return answer


def everybody(exchange: Exchange) -> list[object]:
    return [exchange.reads.account(address) for address in (*ADDRESSES, *CROWD)]


def bid(price: str, size: str = "10", *, order_id: str = "a", token: TokenId = YES) -> SeedOrder:
    return SeedOrder(OrderId(order_id), CROWD[0], token, Side.BUY, micros(price), micros(size))


@given(st.lists(posts, max_size=12), seeds, steps)
@settings(max_examples=150, deadline=None)
@pytest.mark.no_cover
def test_a_seeded_exchange_cannot_be_told_from_one_where_each_order_was_placed(
    before: list[object], orders: list[SeedOrder], after: list[object]
) -> None:
    bulk, single = crowded(), crowded()
    assert run(bulk, before) == run(single, before)
    orders = [order for order in orders if bulk.reads.order(order.order_id) is None]
    known = {order_id for order_id, _ in bulk.export_state().known_orders}
    orders = [order for order in orders if order.order_id not in known]
    answer = seeded(bulk, *orders)
    answers = [single.place(posted(order, post_only=True), now_ms=NOW_MS) for order in orders]
    assert bulk.drain_events() == ()
    assert all(isinstance(event, LevelChanged) for event in single.drain_events())
    assert answer.count == sum(isinstance(each, Placed) for each in answers)
    assert list(answer.crossing) == [
        order.order_id
        for order, each in zip(orders, answers, strict=True)
        if isinstance(each, Refusal)
    ]
    _assert_alike(bulk, single)
    assert run(bulk, after) == run(single, after)
    _assert_alike(bulk, single)
    for exchange in (bulk, single):
        exchange.cancel([order.order_id for order in orders[::2]], NOBODY, now_ms=NOW_MS)
        exchange.resolve(RAIN, Payout.FIRST, now_ms=NOW_MS)
    assert bulk.drain_events() == single.drain_events()
    _assert_alike(bulk, single)


def _assert_alike(first: Exchange, second: Exchange) -> None:
    assert everybody(first) == everybody(second)
    assert first.reads.open_orders(NOBODY) == second.reads.open_orders(NOBODY)
    for token in TOKENS:
        assert first.reads.book(token) == second.reads.book(token)
    assert first.reads.market(RAIN) == second.reads.market(RAIN)
    assert first.export_state() == second.export_state()
    assert first.reads.audit() == []


def test_an_order_that_would_cross_is_left_out_and_named() -> None:
    exchange = crowded()
    answer = seeded(
        exchange,
        bid("0.40"),
        bid("0.60", order_id="b", token=NO),
        bid("0.55", order_id="c", token=NO),
        bid("0.46", order_id="d"),
    )
    assert answer == Seeded(2, (OrderId("b"), OrderId("d")))
    assert exchange.reads.top(YES) == (micros("0.40"), micros("0.45"))


@pytest.mark.parametrize(
    ("order", "text"),
    [
        (bid("0.405"), "Price (0.405) breaks minimum tick size rule: 0.01"),
        (bid("0.005"), "Price (0.005) breaks minimum tick size rule: 0.01"),
        (bid("0"), "invalid price"),
        (bid("1"), "invalid price"),
        (bid("0.40", "0"), "invalid price"),
        (bid("0.40", "10.001"), "invalid amounts, the buy orders"),
        (bid("0.40", "4.99"), "Size (4.99) lower than the minimum: 5"),
        (bid("0.40", order_id="first"), "order first is invalid. Duplicated."),
        (bid("0.40", token=SNOW_YES), "Invalid token id"),
    ],
)
def test_a_bad_order_refuses_the_batch_without_a_trace(order: SeedOrder, text: str) -> None:
    assert text in refused(crowded(), bid("0.30", order_id="first"), order).text


def test_an_order_whose_cash_has_no_exact_amount_is_refused() -> None:
    exchange = crowded()
    exchange.change_tick_size(RAIN, Micros(50), now_ms=NOW_MS)
    exchange.drain_events()
    assert "breaks minimum tick size" in refused(exchange, bid("0.40005", "5.01")).text
    assert seeded(exchange, bid("0.40005", "5")).count == 1


def test_an_order_of_before_cannot_be_seeded_again() -> None:
    exchange = crowded()
    seeded(exchange, bid("0.30"))
    assert refused(exchange, bid("0.31")).text == "order a is invalid. Duplicated."


def test_a_market_that_takes_no_orders_takes_no_seed() -> None:
    exchange = crowded()
    shut = ConditionId("0xshut")
    tokens = (TokenId("91"), TokenId("92"))
    exchange.add_market(MarketSpec(shut, tokens, is_accepting=False), now_ms=NOW_MS)
    exchange.resolve(SNOW, Payout.HALF, now_ms=NOW_MS)
    for market in (shut, SNOW):
        answer = exchange.seed(market, [], owner=NOBODY, now_ms=NOW_MS)
        assert isinstance(answer, Refusal)
        assert "not yet ready" in answer.text


def test_seeding_obeys_the_mode_of_the_exchange() -> None:
    exchange = crowded()
    exchange.mode = TradingMode.CANCEL_ONLY
    assert "cancel-only" in refused(exchange, bid("0.30")).text
    exchange.mode = TradingMode.POST_ONLY
    assert seeded(exchange, bid("0.30")).count == 1


def test_seeding_obeys_the_standing_of_the_account() -> None:
    exchange = crowded()
    exchange.set_standing(CROWD[0], Permission.CLOSED_ONLY)
    assert "closed only" in refused(exchange, bid("0.30")).text
    sale = bid("0.30")._replace(side=Side.SELL)
    assert seeded(exchange, sale).count == 1


@pytest.mark.parametrize("address", [address_of("ann"), Address("0xunheard")])
def test_an_account_that_can_run_out_cannot_seed(address: Address) -> None:
    exchange = crowded()
    with pytest.raises(ValueError, match="only simulated, unlimited"):
        exchange.seed(RAIN, [bid("0.30")._replace(account=address)], owner=NOBODY, now_ms=NOW_MS)
    assert exchange.reads.account(Address("0xunheard")) is None


def test_an_empty_seed_changes_nothing() -> None:
    exchange = crowded()
    book = exchange.reads.book(YES)
    assert exchange.seed(RAIN, [], owner=NOBODY, now_ms=NOW_MS + 5) == Seeded(0, ())
    assert exchange.reads.book(YES) == book


def test_pairs_are_split_once_for_what_both_tokens_lack() -> None:
    exchange = crowded()
    sale = SeedOrder(OrderId("a"), CROWD[0], YES, Side.SELL, micros("0.60"), micros("30"))
    other = sale._replace(order_id=OrderId("b"), token_id=NO, size=micros("50"))
    seeded(exchange, sale, other, bid("0.20", order_id="c"))
    account = exchange.reads.account(CROWD[0])
    assert account is not None
    assert account.collateral == account.reserved == micros("2")
    assert account.shares == {YES: micros("50"), NO: micros("50")}
    assert exchange.reads.available(CROWD[0], NO) == ZERO
