"""Deposits, pairs, resolution and redeeming, and what they do to resting orders."""

import pytest

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.sim.engine.events import (
    BalanceChanged,
    Cause,
    MarketResolved,
    OrderCancelled,
)
from pmtui.sim.engine.terms import Done, MarketSpec, Payout, Refusal
from tests.sim.engine.scenario import (
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

ANN, BOB = address_of("ann"), address_of("bob")
UNKNOWN = ConditionId("0xff")


def test_collateral_comes_and_goes_and_is_journaled() -> None:
    scene = Scenario(pairs="0")
    assert scene.exchange.deposit(ANN, micros("5"), now_ms=NOW_MS) == Done(micros("5"))
    assert scene.exchange.withdraw(ANN, micros("7"), now_ms=NOW_MS + 1) == Done(micros("7"))
    assert scene.events() == (
        BalanceChanged(ANN, None, micros("1005"), micros("5"), Cause.DEPOSIT, "", NOW_MS),
        BalanceChanged(ANN, None, micros("998"), micros("-7"), Cause.WITHDRAWAL, "", NOW_MS + 1),
    )
    assert scene.exchange.reads.audit() == []


def test_a_split_makes_pairs_and_a_merge_dissolves_them() -> None:
    scene = Scenario(pairs="0")
    scene.exchange.split(ANN, RAIN, micros("10"), now_ms=NOW_MS)
    assert (scene.shares("ann", YES), scene.shares("ann", NO)) == (micros("10"), micros("10"))
    scene.exchange.merge(ANN, RAIN, micros("4.000001"), now_ms=NOW_MS)
    assert scene.cash("ann") == micros("994.000001")
    assert scene.exchange.reads.holders(NO) == {ANN: micros("5.999999")}
    assert scene.exchange.reads.audit() == []


def test_nobody_moves_what_they_do_not_have() -> None:
    scene = Scenario(pairs="10")
    exchange = scene.exchange
    answers = (
        exchange.deposit(ANN, Micros(0), now_ms=NOW_MS),
        exchange.withdraw(ANN, Micros(0), now_ms=NOW_MS),
        exchange.withdraw(ANN, micros("1000.000001"), now_ms=NOW_MS),
        exchange.split(ANN, RAIN, Micros(-1), now_ms=NOW_MS),
        exchange.split(ANN, RAIN, micros("1001"), now_ms=NOW_MS),
        exchange.split(ANN, UNKNOWN, micros("1"), now_ms=NOW_MS),
        exchange.merge(ANN, RAIN, Micros(0), now_ms=NOW_MS),
        exchange.merge(ANN, RAIN, micros("10.000001"), now_ms=NOW_MS),
        exchange.merge(ANN, UNKNOWN, micros("1"), now_ms=NOW_MS),
        exchange.redeem(ANN, RAIN, now_ms=NOW_MS),
        exchange.redeem(ANN, UNKNOWN, now_ms=NOW_MS),
    )
    assert all(isinstance(answer, Refusal) for answer in answers)
    assert scene.events() == ()


def test_withdrawing_what_orders_have_spoken_for_cancels_the_youngest() -> None:
    scene = Scenario(pairs="0")
    old = scene.buy("ann", "1000", "0.50").order_id
    young = scene.buy("ann", "1000", "0.40").order_id
    scene.exchange.withdraw(ANN, micros("200"), now_ms=NOW_MS)
    cancelled = [event.order for event in scene.events() if isinstance(event, OrderCancelled)]
    assert [(order.order_id, order.status) for order in cancelled] == [
        (young, "CANCELED_NOT_ENOUGH_BALANCE")
    ]
    assert [order.order_id for order in scene.exchange.reads.open_orders(key_of("ann"))] == [old]
    assert scene.exchange.reads.audit() == []


def test_merging_shares_that_are_for_sale_cancels_the_sale() -> None:
    scene = Scenario(pairs="10")
    scene.sell("ann", "8", "0.60")
    scene.exchange.merge(ANN, RAIN, micros("5"), now_ms=NOW_MS)
    assert scene.exchange.reads.open_orders(key_of("ann")) == ()
    assert scene.exchange.reads.audit() == []


@pytest.mark.parametrize(
    ("payout", "winner", "received"),
    [
        (Payout.FIRST, YES, "10"),
        (Payout.SECOND, NO, "4"),
        (Payout.HALF, None, "7"),
    ],
)
def test_a_resolved_market_pays_its_winners(
    payout: Payout, winner: TokenId | None, received: str
) -> None:
    scene = Scenario(pairs="10")
    scene.sell("ann", "6", "0.50", token=NO)
    scene.buy("bob", "6", "0.50", token=NO)
    resting = scene.buy("ann", "10", "0.30").order_id
    scene.events()
    before = scene.cash("ann")
    scene.exchange.resolve(RAIN, payout, now_ms=NOW_MS)
    _, cancelled, resolved = scene.events()
    assert isinstance(cancelled, OrderCancelled)
    assert (cancelled.order.order_id, cancelled.order.status) == (
        resting,
        "CANCELED_MARKET_RESOLVED",
    )
    assert resolved == MarketResolved(RAIN, payout, winner, NOW_MS)
    assert scene.exchange.redeem(ANN, RAIN, now_ms=NOW_MS) == Done(micros(received))
    assert scene.cash("ann") == before + micros(received)
    assert scene.exchange.redeem(ANN, RAIN, now_ms=NOW_MS) == Done(Micros(0))
    assert scene.exchange.reads.audit() == []
    assert "not yet ready" in scene.refused(scene.limit("ann", Side.BUY, "10", price="0.5"))
    scene.exchange.resolve(RAIN, Payout.HALF, now_ms=NOW_MS)
    market = scene.exchange.reads.market(RAIN)
    assert market is not None
    assert (market.payout, market.is_accepting) == (payout, False)


def test_half_a_millionth_stays_in_the_pool() -> None:
    scene = Scenario(pairs="0.000003")
    scene.exchange.resolve(RAIN, Payout.HALF, now_ms=NOW_MS)
    assert scene.exchange.redeem(ANN, RAIN, now_ms=NOW_MS) == Done(Micros(2))
    assert scene.exchange.reads.audit() == []


def test_the_winner_of_a_group_makes_its_siblings_lose() -> None:
    scene = Scenario(spec=rain(neg_risk=True, group="weather"))
    snow = MarketSpec(
        ConditionId("0xb2"), (TokenId("333"), TokenId("444")), neg_risk=True, group="weather"
    )
    hail = MarketSpec(
        ConditionId("0xc3"), (TokenId("555"), TokenId("666")), neg_risk=True, group="weather"
    )
    scene.exchange.add_market(snow, now_ms=NOW_MS)
    scene.exchange.add_market(hail, now_ms=NOW_MS)
    scene.exchange.resolve(hail.condition_id, Payout.SECOND, now_ms=NOW_MS)
    market = scene.exchange.reads.market(RAIN)
    assert market is not None
    assert market.payout is None
    scene.exchange.resolve(hail.condition_id, Payout.FIRST, now_ms=NOW_MS)
    market = scene.exchange.reads.market(RAIN)
    assert market is not None
    assert market.payout is None
    scene.exchange.resolve(snow.condition_id, Payout.FIRST, now_ms=NOW_MS)
    payouts = [
        view.payout
        for condition_id in scene.exchange.reads.markets()
        if (view := scene.exchange.reads.market(condition_id)) is not None
    ]
    assert payouts == [Payout.SECOND, Payout.FIRST, Payout.SECOND]


def test_an_unlimited_account_gets_what_it_lacks_by_recorded_deposits() -> None:
    scene = Scenario(traders=("ann",))
    maker = address_of("maker")
    scene.exchange.open_account(maker, simulated=True, unlimited=True)
    scene.events()
    scene.sell("maker", "100", "0.60")
    scene.buy("maker", "100", "0.40")
    account = scene.exchange.reads.account(maker)
    assert account is not None
    assert (account.collateral, account.reserved) == (micros("40"), micros("40"))
    assert account.shares == {YES: micros("100"), NO: micros("100")}
    assert scene.exchange.split(maker, RAIN, micros("5"), now_ms=NOW_MS) == Done(micros("5"))
    scene.buy("ann", "100", "0.60")
    quiet = [event for event in scene.events() if getattr(event, "account", None) == maker]
    assert quiet == []
    scene.exchange.resolve(RAIN, Payout.SECOND, now_ms=NOW_MS)
    account = scene.exchange.reads.account(maker)
    assert account is not None
    assert account.shares == {}
    assert scene.exchange.reads.audit() == []


def test_a_market_cannot_be_added_twice(scene: Scenario) -> None:
    with pytest.raises(ValueError, match="added twice"):
        scene.exchange.add_market(rain(), now_ms=NOW_MS)


def test_unknown_things_read_as_nothing() -> None:
    reads = Scenario().exchange.reads
    nobody = address_of("nobody")
    assert reads.market(UNKNOWN) is None
    assert reads.market_of(TokenId("9")) is None
    assert reads.market_of(NO) == RAIN
    assert reads.book(TokenId("9")) is None
    assert reads.top(TokenId("9")) == (None, None)
    assert reads.account(nobody) is None
    assert reads.available(nobody, None) == 0
    assert reads.open_orders(key_of("nobody")) == ()


@pytest.mark.parametrize("winner", [0, 1, 2])
@pytest.mark.parametrize("chosen", [1, 2, 3, 5, 7])
def test_converting_keeps_every_sum_and_pays_what_it_promised(winner: int, chosen: int) -> None:
    scene = Scenario(spec=rain(neg_risk=True, group="weather"), pairs="0")
    legs = [scene.spec.condition_id, ConditionId("0xb2"), ConditionId("0xc3")]
    tokens = [scene.spec.tokens, (TokenId("333"), TokenId("444")), (TokenId("555"), TokenId("666"))]
    for leg, pair in list(zip(legs, tokens, strict=True))[1:]:
        spec = MarketSpec(leg, pair, neg_risk=True, group="weather")
        scene.exchange.add_market(spec, now_ms=NOW_MS)
    for leg in legs:
        scene.exchange.split(ANN, leg, micros("10"), now_ms=NOW_MS)
    given = [leg for index, leg in enumerate(legs) if chosen >> index & 1]
    received = [leg for leg in legs if leg not in given]

    def worth() -> int:
        """Return what Ann has once every market is resolved and redeemed."""
        held = scene.exchange.reads.account(ANN)
        assert held is not None
        pays = [pair[0 if index == winner else 1] for index, pair in enumerate(tokens)]
        return held.collateral + sum(held.shares.get(token, 0) for token in pays)

    before = worth()
    done = scene.exchange.convert(ANN, given, received, micros("4"), now_ms=NOW_MS)
    assert done == Done(Micros(4_000_000 * (len(given) - 1)))
    assert worth() == before
    assert scene.exchange.reads.audit() == []
    scene.exchange.resolve(legs[winner], Payout.FIRST, now_ms=NOW_MS)
    for leg in legs:
        scene.exchange.redeem(ANN, leg, now_ms=NOW_MS)
    assert scene.cash("ann") == before
    assert scene.exchange.reads.audit() == []


def test_only_what_is_held_of_open_markets_is_converted() -> None:
    scene = Scenario(spec=rain(neg_risk=True, group="weather"), pairs="5")
    other = ConditionId("0xb2")
    spec = MarketSpec(other, (TokenId("333"), TokenId("444")), neg_risk=True, group="weather")
    scene.exchange.add_market(spec, now_ms=NOW_MS)
    for given, received, amount in (
        ([], [other], "1"),
        ([UNKNOWN], [other], "1"),
        ([RAIN], [other], "0"),
        ([RAIN], [other], "6"),
    ):
        answer = scene.exchange.convert(ANN, given, received, micros(amount), now_ms=NOW_MS)
        assert isinstance(answer, Refusal)
    scene.exchange.resolve(other, Payout.SECOND, now_ms=NOW_MS)
    late = scene.exchange.convert(ANN, [RAIN], [other], micros("1"), now_ms=NOW_MS)
    assert isinstance(late, Refusal)
