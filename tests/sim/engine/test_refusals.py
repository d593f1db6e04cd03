"""Every refusal in the service's exact words."""

from dataclasses import replace

import pytest

from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import CancelResult, TimeInForce
from pmtui.sim.engine.events import OrderCancelled
from pmtui.sim.engine.terms import NewOrder, Permission, Placed, Refusal, TradingMode
from tests.sim.engine.scenario import (
    FEE,
    NO,
    NOW_MS,
    YES,
    Scenario,
    address_of,
    key_of,
    micros,
    rain,
)

BUY, SELL = Side.BUY, Side.SELL
FOK, FAK, GTD = TimeInForce.FOK, TimeInForce.FAK, TimeInForce.GTD


def with_amounts(
    scene: Scenario, side: Side, maker: str, taker: str, tif: TimeInForce = TimeInForce.GTC
) -> NewOrder:
    order = scene.limit("ann", side, "10", price="0.5", tif=tif, order_id="0xab")
    return replace(order, maker_amount=micros(maker), taker_amount=micros(taker))


@pytest.mark.parametrize(
    ("side", "maker", "taker", "tif", "text"),
    [
        (BUY, "3.05", "10", TimeInForce.GTC, "0.305"),
        (BUY, "3.3333", "10", TimeInForce.GTC, "0.33333"),
        (BUY, "5", "7", TimeInForce.GTC, "0.7142857142857143"),
        (SELL, "10", "3.05", TimeInForce.GTC, "0.305"),
        (BUY, "10", "23.5", FOK, "0.425531914893617"),
    ],
)
def test_a_price_off_the_grid_is_printed_as_the_quotient(
    scene: Scenario, side: Side, maker: str, taker: str, tif: TimeInForce, text: str
) -> None:
    assert scene.refused(with_amounts(scene, side, maker, taker, tif)) == (
        f"order 0xab is invalid. Price ({text}) breaks minimum tick size rule: 0.01"
    )


def test_a_price_on_a_finer_grid_is_taken_there_only() -> None:
    fine = Scenario(spec=rain(tick_size=Micros(1_000)))
    assert isinstance(fine.send(with_amounts(fine, BUY, "3.05", "10")), Placed)


@pytest.mark.parametrize(
    ("maker", "taker"), [("10", "10"), ("11", "10"), ("0", "10"), ("10", "0"), ("-1", "10")]
)
@pytest.mark.parametrize("side", [BUY, SELL])
def test_a_price_must_lie_between_0_and_1(
    scene: Scenario, side: Side, maker: str, taker: str
) -> None:
    order = with_amounts(scene, side, maker, taker)
    if side is SELL:
        order = replace(order, maker_amount=micros(taker), taker_amount=micros(maker))
    assert scene.refused(order) == ("invalid price, price must be greater than 0 and less than 1")


@pytest.mark.parametrize(
    ("side", "maker", "taker", "tif", "tick", "orders", "limits"),
    [
        (BUY, "5.001", "10", FOK, 10_000, "market buy", "2 decimals, taker {} 4 decimals"),
        (BUY, "5", "10.00001", FAK, 10_000, "market buy", "2 decimals, taker {} 4 decimals"),
        (BUY, "5", "10.000001", FAK, 1_000, "market buy", "2 decimals, taker {} 5 decimals"),
        (SELL, "10.001", "5", FAK, 10_000, "sell", "2 decimals, taker {} 4 decimals"),
        (BUY, "5.000001", "10", TimeInForce.GTC, 1_000, "buy", "5 decimals, taker {} 2"),
        (BUY, "5", "10.001", TimeInForce.GTC, 1_000, "buy", "5 decimals, taker {} 2"),
        (SELL, "10.001", "5", TimeInForce.GTC, 10_000, "sell", "2 decimals, taker {} 4"),
    ],
)
def test_amounts_have_a_limit_of_decimals(
    side: Side, maker: str, taker: str, tif: TimeInForce, tick: int, orders: str, limits: str
) -> None:
    scene = Scenario(spec=rain(tick_size=Micros(tick)))
    limits = limits.format("amount a max of")
    assert scene.refused(with_amounts(scene, side, maker, taker, tif)) == (
        f"invalid amounts, the {orders} orders maker amount supports a max accuracy of {limits}"
    )


def test_a_resting_order_has_a_share_minimum(scene: Scenario) -> None:
    order = scene.limit("ann", BUY, "3", price="0.5", order_id="0xab")
    assert scene.refused(order) == "order 0xab is invalid. Size (3) lower than the minimum: 5"


def test_the_share_minimum_binds_orders_at_once_where_the_market_says_so(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.5")
    small = scene.limit("ann", SELL, "3", price="0.4", tif=FAK, order_id="0xab")
    assert "no orders found" in scene.refused(small)
    strict = Scenario(spec=rain(needs_min_size_at_once=True))
    assert strict.refused(small) == "order 0xab is invalid. Size (3) lower than the minimum: 5"


def test_the_same_order_cannot_come_twice(scene: Scenario) -> None:
    order = scene.limit("ann", BUY, "10", price="0.4", order_id="0xab")
    scene.taken(order)
    assert scene.refused(order) == "order 0xab is invalid. Duplicated."
    scene.exchange.cancel([order.order_id], key_of("ann"), now_ms=NOW_MS)
    assert scene.refused(order) == "order 0xab is invalid. Duplicated."


def test_an_order_that_filled_at_once_cannot_come_twice_either(scene: Scenario) -> None:
    scene.sell("bob", "50", "0.5")
    order = scene.market_buy("ann", "5", worst="0.5")
    scene.taken(order)
    assert scene.refused(order).endswith("Duplicated.")


@pytest.mark.parametrize(
    ("tif", "expiration_s"),
    [
        (GTD, 0),
        (GTD, NOW_MS // 1000 + 179),
        (GTD, NOW_MS // 1000 - 5),
        (TimeInForce.GTC, NOW_MS // 1000 + 900),
        (FAK, NOW_MS // 1000 + 900),
    ],
)
def test_an_expiration_must_suit_the_time_in_force(
    scene: Scenario, tif: TimeInForce, expiration_s: int
) -> None:
    order = scene.limit("ann", SELL, "10", price="0.5", tif=tif, expiration_s=expiration_s)
    assert scene.refused(order) == "invalid expiration"


def test_a_buy_may_not_exceed_the_collateral_that_is_free() -> None:
    scene = Scenario(traders=("ann",), dollars="45.967864")
    scene.buy("ann", "67", "0.4")
    order = scene.limit("ann", BUY, "43.1", price="0.5")
    assert scene.refused(order) == (
        "not enough balance / allowance: the balance is not enough -> balance: 45967864, "
        "sum of active orders: 26800000, sum of matched orders: 0, "
        "order amount (inc. fees): 21550000"
    )


def test_a_buy_counts_its_fee_at_the_limit() -> None:
    scene = Scenario(spec=rain(fee=FEE), traders=("ann",), dollars="50")
    order = scene.limit("ann", BUY, "100", price="0.5")
    assert scene.refused(order).endswith("order amount (inc. fees): 51750000")
    assert isinstance(scene.send(replace(order, post_only=True)), Placed)


def test_a_market_buy_at_better_prices_counts_the_larger_fee() -> None:
    scene = Scenario(spec=rain(fee=FEE), dollars="10.6")
    scene.sell("bob", "100", "0.1")
    order = scene.market_buy("ann", "10", worst="0.5")
    assert scene.refused(order).endswith("order amount (inc. fees): 10630000")


def test_a_sell_may_not_exceed_the_shares_that_are_free() -> None:
    scene = Scenario(pairs="20")
    scene.sell("ann", "15", "0.6")
    order = scene.limit("ann", SELL, "6", price="0.6")
    assert scene.refused(order) == (
        "not enough balance / allowance: the balance is not enough -> balance: 20000000, "
        "sum of active orders: 15000000, sum of matched orders: 0, "
        "order amount (inc. fees): 6000000"
    )


def test_without_allowance_the_short_text_is_given(scene: Scenario) -> None:
    scene.exchange.set_standing(address_of("ann"), Permission.NO_ALLOWANCE)
    order = scene.limit("ann", BUY, "10", price="0.5")
    assert scene.refused(order) == "not enough balance / allowance"


def test_a_post_only_order_may_not_cross(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.5")
    order = scene.limit("ann", BUY, "10", price="0.5", post_only=True)
    assert scene.refused(order) == "invalid post-only order: order crosses book"


def test_a_post_only_order_may_not_cross_the_other_token_either(scene: Scenario) -> None:
    scene.buy("bob", "10", "0.5", token=NO)
    order = scene.limit("ann", BUY, "10", price="0.5", post_only=True)
    assert scene.refused(order) == "invalid post-only order: order crosses book"


@pytest.mark.parametrize("tif", [FOK, FAK])
def test_post_only_does_not_go_with_orders_at_once(scene: Scenario, tif: TimeInForce) -> None:
    order = scene.limit("ann", SELL, "10", price="0.5", tif=tif, post_only=True)
    assert scene.refused(order) == "Invalid order payload"


def test_a_buy_that_takes_must_be_worth_a_dollar() -> None:
    scene = Scenario(spec=rain(min_size=micros("1")))
    scene.sell("bob", "100", "0.19")
    crossing = scene.limit("ann", BUY, "5.25", price="0.19")
    assert scene.refused(crossing) == (
        "invalid amount for a marketable BUY order ($0.9975), min size: $1"
    )
    at_once = scene.market_buy("ann", "0.17", worst="0.19")
    assert scene.refused(at_once) == (
        "invalid amount for a marketable BUY order ($0.17), min size: $1"
    )


def test_a_small_buy_that_rests_is_taken(scene: Scenario) -> None:
    assert not scene.buy("ann", "5", "0.1").is_matched


def test_a_fok_order_that_cannot_fill_is_killed_and_announced(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.5")
    scene.events()
    text = "order couldn't be fully filled. FOK orders are fully filled or killed."
    assert scene.refused(scene.market_buy("ann", "6", worst="0.5")) == text
    (event,) = scene.events()
    assert isinstance(event, OrderCancelled)
    assert event.order.status == f"CANCELED_{text}"


def test_a_fak_order_that_meets_nothing_is_refused(scene: Scenario) -> None:
    assert scene.refused(scene.market_buy("ann", "6", worst="0.5", tif=FAK)) == (
        "no orders found to match with FAK order. "
        "FAK orders are partially filled or killed if no match is found."
    )


def test_a_market_that_does_not_accept_orders_says_so() -> None:
    scene = Scenario(spec=rain(is_accepting=False))
    text = "the market is not yet ready to process new orders"
    order = scene.limit("ann", BUY, "10", price="0.5")
    assert scene.refused(order) == text


def test_an_unknown_token_is_refused(scene: Scenario) -> None:
    order = scene.limit("ann", BUY, "10", price="0.5", token=TokenId("999"))
    assert scene.refused(order) == "Invalid token id"


def test_banned_and_closed_only_accounts_are_told_so(scene: Scenario) -> None:
    scene.exchange.set_standing(address_of("ann"), Permission.BANNED)
    order = scene.limit("ann", SELL, "10", price="0.5")
    assert scene.refused(order) == "'0xann' address banned"
    scene.exchange.set_standing(address_of("ann"), Permission.CLOSED_ONLY)
    assert isinstance(scene.send(order), Placed)
    buying = scene.limit("ann", BUY, "10", price="0.4")
    assert scene.refused(buying) == "'0xann' address in closed only mode"


def test_a_disabled_exchange_takes_neither_orders_nor_cancels(scene: Scenario) -> None:
    scene.exchange.mode = TradingMode.DISABLED
    text = "Trading is currently disabled. Check polymarket.com for updates"
    answers = (
        scene.send(scene.limit("ann", BUY, "10", price="0.5")),
        scene.exchange.cancel([OrderId("0xab")], key_of("ann"), now_ms=NOW_MS),
        scene.exchange.cancel_all(key_of("ann"), now_ms=NOW_MS),
    )
    assert answers == (Refusal(503, text),) * 3


def test_a_cancel_only_exchange_takes_cancels(scene: Scenario) -> None:
    scene.buy("ann", "10", "0.4")
    scene.exchange.mode = TradingMode.CANCEL_ONLY
    assert scene.send(scene.limit("ann", BUY, "10", price="0.5")) == Refusal(
        503,
        "Trading is currently cancel-only. New orders are not accepted, but cancels are allowed.",
    )
    answer = scene.exchange.cancel_all(key_of("ann"), now_ms=NOW_MS)
    assert isinstance(answer, CancelResult)
    assert len(answer.canceled) == 1


def test_after_a_restart_only_post_only_orders_are_taken(scene: Scenario) -> None:
    scene.exchange.mode = TradingMode.POST_ONLY
    scene.exchange.retry_after_s = 79
    order = scene.limit("ann", BUY, "10", price="0.5")
    assert scene.send(order) == Refusal(
        503,
        "post-only mode: only post-only orders and cancels are allowed",
        code="post_only_mode",
        retry_after_s=79,
    )
    assert isinstance(scene.send(replace(order, post_only=True)), Placed)
    assert (scene.exchange.mode, scene.exchange.retry_after_s) == (TradingMode.POST_ONLY, 79)


def test_cancelling_names_the_reason_for_what_stays(scene: Scenario) -> None:
    resting = scene.buy("ann", "10", "0.4").order_id
    gone = scene.buy("ann", "10", "0.3").order_id
    scene.exchange.cancel([gone], key_of("ann"), now_ms=NOW_MS)
    matched = scene.sell("ann", "5", "0.6").order_id
    scene.buy("bob", "5", "0.6")
    foreign = scene.buy("bob", "5", "0.2").order_id
    asked = [resting, resting, gone, matched, foreign, OrderId("0xff")]
    answer = scene.exchange.cancel(asked, key_of("ann"), now_ms=NOW_MS)
    absent = "Order not found or already canceled"
    assert answer == CancelResult(
        (resting,),
        (
            (gone, absent),
            (matched, "order already matched"),
            (foreign, absent),
            (OrderId("0xff"), absent),
        ),
    )
    assert scene.levels(YES)[0] == ["5@0.2"]
