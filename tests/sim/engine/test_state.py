"""What survives a restart, and the audit that would notice if something did not."""

import msgspec
import pytest

from pmtui.domain.ids import OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TimeInForce, TradeStatus
from pmtui.sim.engine.engine import Engine
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.state import COUNTERPARTY, EngineState
from pmtui.sim.engine.terms import Payout, Permission, Refusal
from tests.sim.engine.scenario import (
    NO,
    NOW_MS,
    RAIN,
    YES,
    CountingIds,
    Scenario,
    address_of,
    key_of,
    micros,
    rain,
)


def against_a_maker() -> Scenario:
    scene = Scenario(traders=("ann",))
    maker = address_of("maker")
    scene.exchange.open_account(maker, simulated=True, unlimited=True)
    scene.sell("maker", "100", "0.60")
    scene.buy("ann", "40", "0.60")
    return scene


def restored(scene: Scenario, *, with_market: bool = True) -> Exchange:
    saved = msgspec.msgpack.encode(scene.exchange.export_state())
    exchange = Exchange(CountingIds())
    if with_market:
        exchange.add_market(scene.spec, now_ms=NOW_MS)
    exchange.import_state(msgspec.msgpack.decode(saved, type=EngineState), now_ms=NOW_MS)
    return exchange


@pytest.mark.parametrize("with_market", [True, False])
def test_the_house_takes_the_other_side_of_what_was_saved(with_market: bool) -> None:
    scene = against_a_maker()
    exchange = restored(scene, with_market=with_market)
    assert exchange.reads.audit() == []
    assert exchange.reads.holders(YES) == {address_of("ann"): micros("1040")}
    assert exchange.reads.holders(NO) == {
        address_of("ann"): micros("1000"),
        COUNTERPARTY: micros("40"),
    }
    exchange.resolve(RAIN, Payout.FIRST, now_ms=NOW_MS)
    exchange.redeem(address_of("ann"), RAIN, now_ms=NOW_MS)
    account = exchange.reads.account(address_of("ann"))
    assert account is not None
    assert account.collateral == micros("2016")
    assert exchange.reads.audit() == []


def test_an_unsettled_trade_goes_on_after_a_restart() -> None:
    scene = against_a_maker()
    (trade,) = scene.exchange.export_state().unsettled
    exchange = restored(scene)
    for status in (TradeStatus.RETRYING, TradeStatus.FAILED):
        answer = exchange.advance_trade(trade.trade_id, status, now_ms=NOW_MS)
        assert not isinstance(answer, Refusal)
    account = exchange.reads.account(address_of("ann"))
    assert account is not None
    assert (account.collateral, account.shares[YES]) == (micros("1000"), micros("1000"))
    assert exchange.reads.audit() == []


def test_resting_orders_keep_their_place_and_their_time(scene: Scenario) -> None:
    expiration_s = NOW_MS // 1000 + 600
    first = scene.limit(
        "ann", Side.SELL, "10", price="0.6", tif=TimeInForce.GTD, expiration_s=expiration_s
    )
    scene.taken(first)
    scene.sell("bob", "10", "0.6")
    exchange = restored(scene)
    assert exchange.reads.next_expiry_ms() == (expiration_s - 60) * 1000
    exchange.drain_events()
    exchange.place(scene.limit("cid", Side.BUY, "5", price="0.6"), now_ms=NOW_MS)
    order = exchange.reads.order(first.order_id)
    assert order is not None
    assert order.matched_size == micros("5")


def test_known_orders_and_standings_are_remembered(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.6")
    order = scene.limit("ann", Side.BUY, "10", price="0.6")
    scene.taken(order)
    scene.exchange.set_standing(address_of("bob"), Permission.CLOSED_ONLY)
    exchange = restored(scene)
    assert exchange.place(order, now_ms=NOW_MS) == Refusal(
        400, f"order {order.order_id} is invalid. Duplicated."
    )
    answer = exchange.place(scene.limit("bob", Side.BUY, "10", price="0.2"), now_ms=NOW_MS)
    assert isinstance(answer, Refusal)
    assert answer.text.endswith("in closed only mode")


def test_simulated_accounts_are_left_out() -> None:
    scene = against_a_maker()
    saved = scene.exchange.export_state()
    assert [account.address for account in saved.accounts] == [address_of("ann")]
    assert saved.orders == ()
    assert restored(scene).reads.open_orders(key_of("maker")) == ()


def test_a_state_is_restored_into_a_fresh_engine_only(scene: Scenario) -> None:
    with pytest.raises(ValueError, match="before accounts"):
        scene.exchange.import_state(scene.exchange.export_state(), now_ms=NOW_MS)


def floor_of(scene: Scenario) -> Engine:
    return scene.exchange._engine


def lose_collateral(engine: Engine) -> None:
    engine.ledger.accounts[address_of("ann")].collateral -= 1


def overdraw(engine: Engine) -> None:
    engine.ledger.accounts[address_of("bob")].collateral = -1


def forget_a_reservation(engine: Engine) -> None:
    engine.ledger.accounts[address_of("ann")].reserved = 0


def spend_reserved_shares(engine: Engine) -> None:
    engine.ledger.accounts[address_of("ann")].shares[YES] = 1


def cross_the_book(engine: Engine) -> None:
    market = engine.markets[RAIN]
    (order,) = market.book.asks.orders()
    order.book_price = Micros(100_000)
    market.book.asks.add(order)


def miscount_a_level(engine: Engine) -> None:
    next(engine.markets[RAIN].book.bids.from_best()).total += 1


def drop_an_order(engine: Engine) -> None:
    del engine.orders.by_id[OrderId("order-1")]


def drain_the_pool(engine: Engine) -> None:
    engine.markets[RAIN].payout = Payout.HALF
    engine.ledger.pools[RAIN] = 1


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        (lose_collateral, "is not what was deposited"),
        (overdraw, "negative or empty balance"),
        (forget_a_reservation, "do not match its orders"),
        (spend_reserved_shares, "are not covered"),
        (spend_reserved_shares, "does not back"),
        (cross_the_book, "crossed book"),
        (miscount_a_level, "has a wrong size"),
        (drop_an_order, "holds a finished order"),
        (drain_the_pool, "cannot pay"),
    ],
)
def test_the_audit_notices_damage(damage: object, finding: str) -> None:
    scene = Scenario(spec=rain())
    scene.buy("ann", "10", "0.4")
    scene.sell("ann", "10", "0.6")
    assert callable(damage)
    damage(floor_of(scene))
    assert any(finding in line for line in scene.exchange.reads.audit())
