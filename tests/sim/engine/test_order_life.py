"""What becomes of orders and trades afterwards: expiry, cancels, grid changes, settlement."""

import pytest

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import CancelResult, TimeInForce, TradeStatus
from pmtui.sim.engine.events import (
    LevelChanged,
    OrderCancelled,
    TickSizeChanged,
    Trade,
    TradeAdvanced,
)
from pmtui.sim.engine.terms import Payout, Refusal
from tests.sim.engine.scenario import (
    FEE,
    NO,
    NOW_MS,
    RAIN,
    YES,
    Scenario,
    address_of,
    key_of,
    micros,
    rain,
)

BUY, SELL = Side.BUY, Side.SELL
FOK, FAK, GTD = TimeInForce.FOK, TimeInForce.FAK, TimeInForce.GTD


def test_a_gtd_order_leaves_a_minute_before_its_time(scene: Scenario) -> None:
    expiration_s = NOW_MS // 1000 + 180
    order = scene.limit("ann", BUY, "10", price="0.4", tif=GTD, expiration_s=expiration_s)
    scene.taken(order)
    due_ms = (expiration_s - 60) * 1000
    assert scene.exchange.reads.next_expiry_ms() == due_ms
    scene.events()
    assert scene.exchange.expire(now_ms=due_ms - 1) == 0
    assert scene.exchange.expire(now_ms=due_ms) == 1
    assert scene.exchange.reads.next_expiry_ms() is None
    level, cancelled = scene.events()
    assert isinstance(level, LevelChanged)
    assert isinstance(cancelled, OrderCancelled)
    assert cancelled.order.status == "CANCELED_EXPIRED_ORDER"
    assert scene.exchange.reads.audit() == []


def test_a_cancelled_gtd_order_does_not_expire_again(scene: Scenario) -> None:
    for seconds in (200, 300):
        order = scene.limit(
            "ann", BUY, "10", price="0.4", tif=GTD, expiration_s=NOW_MS // 1000 + seconds
        )
        scene.taken(order)
        if seconds == 200:
            scene.exchange.cancel_all(key_of("ann"), now_ms=NOW_MS)
    assert scene.exchange.reads.next_expiry_ms() == NOW_MS + 240_000
    assert scene.exchange.expire(now_ms=NOW_MS + 500_000) == 1


def test_an_id_used_again_by_a_simulated_trader_does_not_expire_with_the_old_order(
    scene: Scenario,
) -> None:
    scene.exchange.open_account(address_of("maker"), simulated=True, unlimited=True)
    gone = scene.limit(
        "maker",
        BUY,
        "10",
        price="0.4",
        tif=GTD,
        expiration_s=NOW_MS // 1000 + 200,
        order_id="again",
    )
    scene.taken(gone)
    scene.exchange.cancel_all(key_of("maker"), now_ms=NOW_MS)
    scene.taken(scene.limit("maker", BUY, "10", price="0.4", order_id="again"))
    assert scene.exchange.expire(now_ms=NOW_MS + 500_000) == 0
    assert scene.levels() == (["10@0.4"], [])


def test_cancelling_by_token_leaves_the_other(scene: Scenario) -> None:
    yes = scene.buy("ann", "10", "0.3").order_id
    no = scene.buy("ann", "10", "0.3", token=NO).order_id
    foreign = scene.buy("bob", "10", "0.3").order_id
    cancel = scene.exchange.cancel_all
    assert cancel(key_of("ann"), token_id=YES, now_ms=NOW_MS) == CancelResult((yes,))
    assert cancel(key_of("ann"), condition_id=RAIN, now_ms=NOW_MS) == CancelResult((no,))
    assert cancel(key_of("ann"), now_ms=NOW_MS) == CancelResult(())
    assert [order.order_id for order in scene.exchange.reads.open_orders(key_of("bob"))] == [
        foreign
    ]


def test_a_trade_near_one_refines_the_grid(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.96")
    scene.buy("ann", "10", "0.96")
    assert not [event for event in scene.events() if isinstance(event, TickSizeChanged)]
    scene.sell("bob", "10", "0.97")
    scene.buy("ann", "5", "0.97")
    assert scene.events()[-1] == TickSizeChanged(RAIN, Micros(10_000), Micros(1_000), NOW_MS)
    assert not scene.buy("ann", "10", "0.965").is_matched
    assert scene.levels() == (["10@0.965"], ["5@0.97"])


def test_a_trade_of_the_second_token_near_one_refines_the_grid_too(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.97", token=NO)
    scene.buy("ann", "10", "0.97", token=NO)
    assert isinstance(scene.events()[-1], TickSizeChanged)


def test_orders_without_a_place_on_a_coarser_grid_are_cancelled() -> None:
    scene = Scenario(spec=rain(tick_size=Micros(1_000)))
    scene.buy("ann", "10", "0.405")
    kept = scene.buy("ann", "10", "0.40").order_id
    scene.events()
    scene.exchange.change_tick_size(RAIN, Micros(10_000), now_ms=NOW_MS)
    _, cancelled, changed = scene.events()
    assert isinstance(cancelled, OrderCancelled)
    assert cancelled.order.status == "CANCELED_TICK_SIZE_CHANGED"
    assert isinstance(changed, TickSizeChanged)
    assert [order.order_id for order in scene.exchange.reads.open_orders(key_of("ann"))] == [kept]
    scene.exchange.change_tick_size(RAIN, Micros(10_000), now_ms=NOW_MS)
    assert scene.events() == ()


def test_a_held_order_can_be_asked_whether_it_would_take(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.5")
    would_take = scene.exchange.reads.would_take
    assert would_take(scene.limit("ann", BUY, "10", price="0.5"))
    assert not would_take(scene.limit("ann", BUY, "10", price="0.49"))
    assert not would_take(scene.limit("ann", BUY, "10", price="0.5", token=type(YES)("9")))
    assert not would_take(scene.limit("ann", BUY, "1", price="0.5"))


@pytest.mark.parametrize(
    "steps",
    [
        (TradeStatus.MINED, TradeStatus.CONFIRMED),
        (TradeStatus.RETRYING, TradeStatus.MINED, TradeStatus.CONFIRMED),
        (TradeStatus.RETRYING, TradeStatus.FAILED),
    ],
)
def test_a_trade_advances_to_its_end(steps: tuple[TradeStatus, ...]) -> None:
    scene = Scenario(spec=rain(fee=FEE))
    scene.buy("bob", "10", "0.50", token=NO)
    (trade_id,) = scene.buy("ann", "10", "0.50").trade_ids
    scene.events()
    for step in steps:
        advanced = scene.exchange.advance_trade(trade_id, step, now_ms=NOW_MS + 5)
        assert isinstance(advanced, Trade)
        assert (advanced.status, advanced.updated_ms) == (step, NOW_MS + 5)
        assert scene.events()[-1] == TradeAdvanced(advanced)
    assert scene.exchange.reads.pending_trade(trade_id) is None
    assert scene.exchange.reads.audit() == []
    is_undone = steps[-1] is TradeStatus.FAILED
    assert (scene.cash("ann") == micros("1000")) is is_undone
    assert (scene.shares("bob", NO) == micros("1000")) is is_undone


def test_a_trade_takes_no_other_step(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.50")
    (trade_id,) = scene.buy("ann", "10", "0.50").trade_ids
    advance = scene.exchange.advance_trade
    for status in (TradeStatus.CONFIRMED, TradeStatus.FAILED, TradeStatus.MATCHED):
        assert isinstance(advance(trade_id, status, now_ms=NOW_MS), Refusal)
    assert isinstance(advance(type(trade_id)("?"), TradeStatus.MINED, now_ms=NOW_MS), Refusal)


def test_a_trade_whose_proceeds_moved_on_cannot_fail(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.50")
    (trade_id,) = scene.buy("ann", "10", "0.50").trade_ids
    scene.exchange.advance_trade(trade_id, TradeStatus.RETRYING, now_ms=NOW_MS)
    scene.exchange.withdraw(address_of("bob"), scene.cash("bob"), now_ms=NOW_MS)
    failed = scene.exchange.advance_trade(trade_id, TradeStatus.FAILED, now_ms=NOW_MS)
    assert isinstance(failed, Refusal)
    scene.exchange.deposit(address_of("bob"), micros("100"), now_ms=NOW_MS)
    scene.exchange.resolve(RAIN, Payout.FIRST, now_ms=NOW_MS)
    failed = scene.exchange.advance_trade(trade_id, TradeStatus.FAILED, now_ms=NOW_MS)
    assert isinstance(failed, Refusal)
    assert scene.exchange.reads.audit() == []
