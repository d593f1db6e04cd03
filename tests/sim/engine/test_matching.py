"""How orders meet: priority, prices, mint and merge, times in force, fees and events."""

from pmtui.domain.markets.market import FeeSchedule, Side
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.engine.events import (
    BalanceChanged,
    LevelChanged,
    MatchKind,
    OrderCancelled,
    OrderPlaced,
    OrderUpdated,
    Trade,
    TradeMatched,
)
from pmtui.sim.engine.terms import Placed
from tests.sim.engine.scenario import (
    FEE,
    NO,
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


def trades_of(scene: Scenario) -> list[Trade]:
    return [event.trade for event in scene.events() if isinstance(event, TradeMatched)]


def test_a_resting_order_shows_in_both_books_mirrored(scene: Scenario) -> None:
    scene.buy("ann", "19", "0.42")
    assert scene.levels(YES) == (["19@0.42"], [])
    assert scene.levels(NO) == ([], ["19@0.58"])
    change = scene.events()[-1]
    assert isinstance(change, LevelChanged)
    yes, no = change.entries()
    assert (yes.token_id, yes.side, yes.price, yes.size) == (
        YES,
        BUY,
        micros("0.42"),
        micros("19"),
    )
    assert (yes.best_bid, yes.best_ask) == (micros("0.42"), None)
    assert (no.token_id, no.side, no.price, no.size) == (NO, SELL, micros("0.58"), micros("19"))
    assert (no.best_bid, no.best_ask) == (None, micros("0.58"))


def test_a_change_is_stated_first_in_the_token_of_the_order(scene: Scenario) -> None:
    scene.buy("ann", "19", "0.42", token=NO)
    change = scene.events()[-1]
    assert isinstance(change, LevelChanged)
    assert [entry.token_id for entry in change.entries()] == [NO, YES]
    assert (change.side, change.price, change.is_top_moved) == (BUY, micros("0.42"), True)


def test_the_taker_gets_the_makers_price(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.40")
    answer = scene.buy("ann", "10", "0.55")
    assert (answer.making, answer.taking) == (micros("4"), micros("10"))
    assert scene.cash("ann") == micros("996")
    assert scene.cash("bob") == micros("1004")


def test_two_buyers_mint_a_pair() -> None:
    scene = Scenario(pairs="0")
    scene.buy("bob", "10", "0.60", token=NO)
    scene.buy("ann", "10", "0.45", token=YES)
    assert (scene.shares("ann", YES), scene.shares("bob", NO)) == (micros("10"), micros("10"))
    assert (scene.cash("ann"), scene.cash("bob")) == (micros("996"), micros("994"))
    (trade,) = trades_of(scene)
    assert (trade.price, trade.makers[0].price) == (micros("0.4"), micros("0.6"))
    assert trade.makers[0].kind is MatchKind.MINT
    market = scene.exchange.reads.market(RAIN)
    assert market is not None
    assert market.open_interest == micros("10")


def test_two_sellers_merge_a_pair() -> None:
    scene = Scenario(pairs="10")
    scene.sell("bob", "10", "0.60", token=NO)
    scene.sell("ann", "10", "0.35", token=YES)
    assert (scene.cash("ann"), scene.cash("bob")) == (micros("1004"), micros("1006"))
    (trade,) = trades_of(scene)
    assert trade.makers[0].kind is MatchKind.MERGE
    market = scene.exchange.reads.market(RAIN)
    assert market is not None
    assert market.open_interest == micros("20")


def test_a_direct_match_comes_before_a_mint_at_the_same_price(scene: Scenario) -> None:
    first = scene.buy("bob", "10", "0.60", token=NO).order_id
    second = scene.sell("cid", "10", "0.40", token=YES).order_id
    scene.buy("ann", "15", "0.40")
    (trade,) = trades_of(scene)
    assert [(fill.order_id, fill.size) for fill in trade.makers] == [
        (second, micros("10")),
        (first, micros("5")),
    ]


def test_at_one_price_the_older_order_goes_first(scene: Scenario) -> None:
    older = scene.sell("bob", "10", "0.40").order_id
    scene.sell("cid", "10", "0.40")
    scene.buy("ann", "6", "0.40")
    scene.buy("ann", "6", "0.40")
    fills = [fill for trade in trades_of(scene) for fill in trade.makers]
    assert [fill.size for fill in fills] == [micros("6"), micros("4"), micros("2")]
    assert [fill.order_id == older for fill in fills] == [True, True, False]


def test_a_sweep_makes_one_trade_for_each_price_in_one_transaction(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.41")
    scene.sell("bob", "10", "0.40")
    scene.sell("bob", "10", "0.42")
    answer = scene.buy("ann", "35", "0.42")
    trades = trades_of(scene)
    assert [trade.price for trade in trades] == [micros("0.4"), micros("0.41"), micros("0.42")]
    assert [trade.bucket_index for trade in trades] == [0, 1, 2]
    assert answer.transaction_hashes == (trades[0].transaction_hash,)
    assert answer.trade_ids == tuple(trade.trade_id for trade in trades)
    assert scene.levels() == (["5@0.42"], [])


def test_the_last_price_is_one_value_for_both_tokens(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.60", token=NO)
    scene.buy("ann", "5", "0.60", token=NO)
    market = scene.exchange.reads.market(RAIN)
    assert market is not None
    assert (market.last_trade_price, market.last_trade_side) == (micros("0.6"), BUY)


def test_a_market_buy_spends_its_dollars_and_gets_more_when_prices_are_better(
    scene: Scenario,
) -> None:
    scene.sell("bob", "10", "0.30")
    scene.sell("bob", "900", "0.31")
    answer = scene.taken(scene.market_buy("ann", "25", worst="0.40"))
    assert answer.making == micros("25")
    assert answer.taking == micros("80.967741")
    assert scene.cash("ann") == micros("975")


def test_a_market_buy_whose_shares_were_rounded_up_stays_below_the_ask(scene: Scenario) -> None:
    scene.sell("bob", "100", "0.52")
    order = scene.market_buy("ann", "10", worst="0.52")
    assert order.taker_amount == micros("19.2307")
    rounded_up = scene.market_buy("ann", "10", worst="0.52")
    rounded_up = type(rounded_up)(
        **{
            **{name: getattr(rounded_up, name) for name in type(rounded_up).__slots__},
            "taker_amount": micros("19.2308"),
        }
    )
    assert "couldn't be fully filled" in scene.refused(rounded_up)
    assert isinstance(scene.send(order), Placed)


def test_a_maker_left_with_less_than_a_hundredth_of_a_share_is_done(scene: Scenario) -> None:
    maker = scene.sell("bob", "6", "0.30").order_id
    scene.taken(scene.market_buy("ann", "1.79", worst="0.30"))
    scene.taken(scene.market_buy("ann", "1", worst="0.31", tif=FAK))
    assert scene.exchange.reads.order(maker) is None
    updates = [event.order for event in scene.events() if isinstance(event, OrderUpdated)]
    assert updates[-1].status == "MATCHED"
    assert updates[-1].original_size - updates[-1].matched_size < micros("0.01")
    assert scene.exchange.reads.available(address_of("bob"), YES) == scene.shares("bob")


def test_sizes_set_in_shares_match_in_hundredths(scene: Scenario) -> None:
    scene.sell("bob", "20", "0.30")
    scene.taken(scene.market_buy("cid", "1", worst="0.30"))
    assert scene.levels() == ([], ["16.66@0.3"])
    answer = scene.buy("ann", "20", "0.30")
    assert (answer.making, answer.taking) == (micros("4.998"), micros("16.66"))
    assert scene.levels() == (["3.34@0.3"], [])


def test_a_change_behind_the_best_price_does_not_move_the_top(scene: Scenario) -> None:
    for price in ("0.40", "0.39", "0.41", "0.41"):
        scene.buy("ann", "10", price)
    changes = [event for event in scene.events() if isinstance(event, LevelChanged)]
    assert [change.is_top_moved for change in changes] == [True, False, True, False]


def test_a_fee_never_eats_more_than_the_seller_receives() -> None:
    flat = FeeSchedule(rate=micros("0.07"), exponent=0)
    scene = Scenario(spec=rain(fee=flat))
    scene.buy("bob", "10", "0.05")
    answer = scene.sell("ann", "10", "0.05")
    assert (answer.taking, answer.fee) == (micros("0.5"), micros("0.5"))


def test_a_fak_order_takes_what_is_there_and_never_rests(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.50")
    answer = scene.taken(scene.market_buy("ann", "100", worst="0.50", tif=FAK))
    assert (answer.making, answer.taking) == (micros("5"), micros("10"))
    assert scene.levels() == ([], [])
    kinds = [type(event) for event in scene.events()]
    assert OrderCancelled not in kinds


def test_a_fok_sell_fills_whole(scene: Scenario) -> None:
    scene.buy("bob", "10", "0.50")
    answer = scene.taken(scene.limit("ann", SELL, "10", price="0.45", tif=FOK))
    assert (answer.making, answer.taking) == (micros("10"), micros("5"))


def test_an_account_may_trade_with_itself(scene: Scenario) -> None:
    scene.sell("ann", "10", "0.50")
    scene.buy("ann", "10", "0.50")
    assert (scene.cash("ann"), scene.shares("ann")) == (micros("1000"), micros("1000"))


def test_the_taker_pays_the_fee_and_the_maker_does_not() -> None:
    scene = Scenario(spec=rain(fee=FEE))
    scene.sell("bob", "100", "0.50")
    bought = scene.buy("ann", "100", "0.50")
    assert bought.fee == micros("1.75")
    assert (scene.cash("ann"), scene.cash("bob")) == (micros("948.25"), micros("1050"))
    scene.buy("bob", "100", "0.50")
    sold = scene.sell("ann", "100", "0.50")
    assert (sold.taking, sold.fee) == (micros("50"), micros("1.75"))
    assert scene.cash("ann") == micros("996.5")
    assert scene.exchange.export_state().fees == micros("3.5")


def test_a_crossing_order_is_announced_placed_matched_and_updated(scene: Scenario) -> None:
    scene.sell("bob", "10", "0.50")
    scene.events()
    scene.buy("ann", "100", "0.50")
    events = [event for event in scene.events() if not isinstance(event, BalanceChanged)]
    assert [type(event) for event in events] == [
        OrderPlaced,
        TradeMatched,
        OrderUpdated,
        OrderUpdated,
        LevelChanged,
        LevelChanged,
    ]
    placed, _, maker, taker, taken, rested = events
    assert isinstance(placed, OrderPlaced)
    assert (placed.order.status, placed.order.matched_size) == ("LIVE", 0)
    assert isinstance(maker, OrderUpdated)
    assert (maker.order.owner, maker.order.status) == (key_of("bob"), "MATCHED")
    assert isinstance(taker, OrderUpdated)
    assert (taker.order.status, taker.order.matched_size) == ("LIVE", micros("10"))
    assert isinstance(taken, LevelChanged)
    assert (taken.size, taken.best_bid, taken.best_ask) == (0, None, None)
    assert isinstance(rested, LevelChanged)
    assert (rested.size, rested.best_bid) == (micros("90"), micros("0.5"))
