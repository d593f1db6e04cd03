"""What a wallet holds: what can be traded of it, and what is too little for an order."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.position import (
    ClosedPosition,
    Dust,
    Position,
    Stake,
    break_even,
    close_remnants,
    entry_fees,
    net_stake,
    profits_at_end,
    split_dust,
)
from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import NO_FEE, FeeSchedule, Side
from pmtui.domain.money import ONE, ZERO, Micros, complement, parse_micros
from pmtui.domain.orders.amounts import TICK_RULES
from pmtui.domain.orders.order import Fill, Liquidity, TradeStatus
from tests.ui import believable
from tests.ui.fake_surface import NOW

m = parse_micros
HELD = Position(
    token_id=TokenId("1"), condition_id=ConditionId("0xaa"), title="", outcome="Yes",
    size=m("5"), average_price=m("0.3"), current_price=m("0.5"), realized=ZERO,
)  # fmt: skip
MINIMA = {ConditionId("0xaa"): m("5"), ConditionId("0xbb"): m("15"), ConditionId("0xcc"): None}

held = st.builds(
    replace,
    st.just(HELD),
    condition_id=st.sampled_from(sorted(MINIMA)),
    size=st.integers(0, 20_000_000).map(Micros),
    current_price=st.none() | st.integers(0, 1_000_000).map(Micros),
    is_redeemable=st.booleans(),
)


@given(st.lists(held, max_size=8))
def test_every_position_is_kept_or_is_dust_and_no_worth_is_lost(drawn: list[Position]) -> None:
    positions = [replace(each, token_id=TokenId(str(n))) for n, each in enumerate(drawn)]
    kept, dust = split_dust(positions, MINIMA.get)
    small = dust.positions if dust is not None else ()
    assert sorted((*kept, *small), key=positions.index) == positions
    assert [list(part) for part in (kept, small)] == [
        sorted(part, key=positions.index) for part in (kept, small)
    ]
    for position in small:
        least = MINIMA[position.condition_id]
        assert position.is_dust or (least is not None and position.size < least)
        assert not position.is_redeemable
        legs = [p for p in positions if p.condition_id == position.condition_id and p.size]
        legs = [p for p in legs if not p.is_dust]
        assert position.is_dust or len(legs) < 2
    for position in kept:
        assert position.is_redeemable or not position.is_dust
    worth = sum(p.value or 0 for p in kept) + (dust.value if dust is not None else 0)
    assert worth == sum(p.value or 0 for p in positions)


def test_the_smallest_order_is_no_dust() -> None:
    assert split_dust([HELD], MINIMA.get) == ((HELD,), None)
    _, dust = split_dust([replace(HELD, size=m("4.999999"))], MINIMA.get)
    assert dust is not None
    assert dust.value == m("2.499999")


def test_pairs_are_no_dust_however_few() -> None:
    yes = replace(HELD, size=m("2"))
    no = replace(yes, token_id=TokenId("2"), outcome="No", outcome_index=1)
    assert split_dust([yes, no], MINIMA.get) == ((yes, no), None)
    assert split_dust([yes], MINIMA.get) == ((), Dust((yes,)))


def test_what_a_sale_left_over_is_dust_beside_the_other_outcome_and_where_no_minimum_is_known() -> (
    None
):
    left = replace(HELD, size=m("0.01"))
    no = replace(HELD, token_id=TokenId("2"), outcome="No", outcome_index=1)
    for minima in (MINIMA, dict.fromkeys(MINIMA)):
        assert split_dust([left, no], minima.get) == ((no,), Dust((left,)))
    assert split_dust([left, replace(no, size=left.size)], MINIMA.get)[0] == ()
    won = replace(left, is_redeemable=True)
    assert split_dust([won], MINIMA.get) == ((won,), None)


TOKEN = TokenId("1")
FOUR_PERCENT = FeeSchedule(Micros(40_000))

fees = st.builds(FeeSchedule, st.integers(0, 100_000).map(Micros), st.sampled_from((1, 2)))
stakes = st.builds(
    Stake,
    size=st.integers(1, 10**12).map(Micros),
    average_price=st.integers(1, ONE - 1).map(Micros),
    entry_fees=st.integers(0, 10**7).map(Micros),
    fee=fees,
    is_other=st.booleans(),
)


def test_profit_is_proceeds_less_fee_less_cost() -> None:
    stake = Stake(Micros(100_000_000), Micros(300_000), Micros(840_000), FOUR_PERCENT)
    # 100 shares at 50c: $50 less a fee of $1, less $30 paid, less $0.84 paid in fees.
    assert stake.profit_at(Micros(500_000)) == 18_160_000


@given(stakes, st.integers(1, ONE - 1).map(Micros))
def test_the_other_outcome_is_closed_at_the_complement(stake: Stake, price: Micros) -> None:
    own = complement(price) if stake.is_other else price
    gain = stake.size * own // ONE - taker_fee(stake.size, own, stake.fee)
    cost = -(-stake.size * stake.average_price // ONE) + stake.entry_fees
    assert stake.profit_at(price) == gain - cost


def test_resolution_makes_the_most_of_the_larger_side_and_the_least_of_the_smaller() -> None:
    yes = Stake(m("100"), Micros(300_000), Micros(840_000))
    no = Stake(m("40"), Micros(500_000), is_other=True)
    # $30 and $0.84 in fees for Yes, $20 for No.
    assert profits_at_end((yes, no)) == (m("49.16"), m("-10.84"))
    assert profits_at_end((yes,)) == (m("69.16"), m("-30.84"))
    assert profits_at_end((no,)) == (m("20"), m("-20"))


@given(stakes, st.sampled_from(sorted(TICK_RULES)))
def test_break_even_is_the_worst_price_that_loses_nothing(stake: Stake, tick: Micros) -> None:
    price = break_even(stake, tick)
    worse = tick if stake.is_other else -tick
    if price is None:
        best = tick if stake.is_other else ONE - tick
        assert stake.profit_at(Micros(best)) < -stake.rounding
        return
    assert price % tick == 0
    assert 0 < price < ONE
    assert stake.profit_at(price) >= -stake.rounding
    if 0 < price + worse < ONE:
        assert stake.profit_at(Micros(price + worse)) < -stake.rounding


def test_dust_does_not_move_the_break_even_by_a_tick() -> None:
    dusty = Stake(Micros(105_003_846), Micros(880_000))
    assert dusty.profit_at(Micros(880_000)) == -1
    assert break_even(dusty, Micros(10_000)) == 880_000
    # Bought a millionth dearer on average, which is how averages are rounded.
    assert break_even(Stake(Micros(105_003_846), Micros(880_001)), Micros(10_000)) == 880_000
    assert break_even(Stake(Micros(105_003_846), Micros(880_100)), Micros(10_000)) == 890_000


def test_without_fees_one_breaks_even_at_the_average() -> None:
    stake = Stake(Micros(7_000_000), Micros(480_000))
    assert break_even(stake, Micros(10_000)) == stake.entry == 480_000


def fill(
    n: int, size: int, *, side: Side = Side.BUY, liquidity: Liquidity = Liquidity.TAKER,
    status: TradeStatus = TradeStatus.CONFIRMED, fee: int = 0,
) -> Fill:  # fmt: skip
    base = believable.fill(n)
    return Fill(
        trade_id=TradeId(f"t{n}"), order_id=OrderId(f"o{n}"), condition_id=base.condition_id,
        token_id=TOKEN, outcome="Yes", side=side, price=Micros(500_000),
        size=Micros(size * ONE), fee=Micros(fee), liquidity=liquidity, status=status,
        matched_at=NOW + timedelta(seconds=n),
    )  # fmt: skip


def test_fees_paid_are_those_of_the_shares_still_held() -> None:
    fills = [
        fill(3, 100, side=Side.SELL), fill(1, 100), fill(2, 100, liquidity=Liquidity.MAKER),
        fill(4, 50, status=TradeStatus.FAILED),
    ]  # fmt: skip
    # A fee of $1 on 200 shares, half of them sold.
    assert entry_fees(fills, TOKEN, Micros(100 * ONE), FOUR_PERCENT) == 500_000
    assert entry_fees(fills, TokenId("2"), Micros(100 * ONE), FOUR_PERCENT) == 0


@pytest.mark.parametrize("held", [0, 50, 150])
def test_fills_that_do_not_explain_what_is_held_tell_no_fees(held: int) -> None:
    fills = [fill(1, 100)]
    assert entry_fees(fills, TOKEN, Micros(held * ONE), FOUR_PERCENT) == 0


OTHER = TokenId("9")


def test_a_split_keeps_the_fees_of_what_was_bought_and_a_merge_takes_its_part() -> None:
    def fees(size: int, of_other: int, *fills: Fill) -> int:
        return entry_fees(
            fills, TOKEN, Micros(size * ONE), FOUR_PERCENT, of_other=(OTHER, Micros(of_other * ONE))
        )

    bought, other = fill(1, 200), replace(fill(2, 50), token_id=OTHER)
    # $2 on 200 shares; a split of 50 adds to both, a merge of 50 takes from both.
    assert fees(200, 0, bought) == fees(250, 50, bought) == fees(250, 100, bought, other) == m("2")
    assert fees(150, 0, bought, other) == m("1.5")
    assert fees(250, 0, bought) == fees(150, 0, bought) == fees(250, 20, bought) == 0
    assert fees(50, 50) == fees(0, 0, bought) == 0


def test_a_fee_that_is_known_counts_as_it_is() -> None:
    assert entry_fees([fill(1, 100, fee=123)], TOKEN, Micros(100 * ONE), NO_FEE) == 123


@pytest.mark.parametrize(
    ("size", "is_remnant"), [("0", False), ("0.000001", True), ("0.009999", True), ("0.01", False)]
)
def test_what_no_order_can_sell_is_a_remnant(size: str, *, is_remnant: bool) -> None:
    assert replace(HELD, size=m(size)).is_remnant is is_remnant


def test_a_position_that_left_a_remnant_counts_as_closed_once() -> None:
    bought = Fill(
        trade_id=TradeId("1"), order_id=OrderId("0xa"), token_id=HELD.token_id,
        condition_id=HELD.condition_id, outcome="Yes", side=Side.BUY, price=m("0.3"),
        size=m("20.004"), fee=ZERO, liquidity=Liquidity.TAKER, status=TradeStatus.CONFIRMED,
        matched_at=NOW - timedelta(hours=1),
    )  # fmt: skip
    sold = replace(bought, trade_id=TradeId("2"), side=Side.SELL, size=m("20"), matched_at=NOW)
    remnant = replace(HELD, size=m("0.004"), realized=m("-7.06"))
    other = ClosedPosition(
        TokenId("2"), ConditionId("0xbb"), "", "No", m("0.4"), m("10"), m("1.5"), NOW
    )
    found = close_remnants([remnant], [sold, bought], [other])
    assert found == (
        ClosedPosition(
            HELD.token_id, HELD.condition_id, "", "Yes", m("0.3"), m("20.004"), m("-7.06"), NOW
        ),
        other,
    )
    assert close_remnants([remnant], [sold, bought], found) == found


def test_the_net_stake_is_what_is_held_beyond_the_other_with_its_part_of_the_fees() -> None:
    yes = Stake(parse_micros("100"), parse_micros("0.5"), parse_micros("2"))
    no = Stake(parse_micros("125"), parse_micros("0.4"), parse_micros("5"), is_other=True)
    net = net_stake(yes, no)
    assert net is not None
    # $50 and $50, and $7 in fees, less $100 for the pairs: 25 shares for nothing but fees.
    assert (net.size, net.is_other, net.cost) == (parse_micros("25"), True, parse_micros("7"))
    assert net.entry is None
    dearer = net_stake(yes, replace(no, average_price=parse_micros("0.48")))
    assert dearer is not None
    # $50 and $60 less $100: 25 No at 40 cents, which is 60 cents in terms of Yes.
    assert dearer.entry == parse_micros("0.6")
    assert net_stake(yes, None) == yes
    assert net_stake(None, no) == no
    assert net_stake(None, None) is None
    assert net_stake(yes, replace(no, size=yes.size)) is None


@given(stakes, stakes, st.integers(1, ONE - 1).map(Micros))
def test_all_figures_of_a_net_position_agree_with_those_of_both_legs(
    one: Stake, two: Stake, price: Micros
) -> None:
    legs = replace(one, is_other=False), replace(two, is_other=True, fee=one.fee)
    net, pairs = net_stake(*legs), min(leg.size for leg in legs)
    if net is None:
        assert one.size == two.size
        return
    assert (net.size, net.pairs) == (abs(one.size - two.size), pairs)
    assert net.cost == sum(leg.cost for leg in legs) - pairs
    assert profits_at_end(legs) == (net.size - net.cost, -net.cost)
    # Pairs are merged for a dollar each: closing the net brings the rest.
    own = complement(price) if net.is_other else price
    brings = net.size * own // ONE - taker_fee(net.size, own, net.fee)
    assert net.profit_at(price) == brings + pairs - sum(leg.cost for leg in legs)
    most, least = profits_at_end(legs)
    assert net.profit_at(price) <= most
    even = break_even(net, Micros(10_000))
    if least >= 0:
        assert even is None
    if even is not None:
        assert net.profit_at(even) >= -net.rounding
    if net.entry is None:
        assert net.cost - net.entry_fees <= net.rounding or (
            net.size - net.cost + net.entry_fees <= net.rounding
        )


def test_a_part_of_nothing_has_no_fees() -> None:
    nothing = Stake(ZERO, parse_micros("0.5"))
    assert nothing.part(ZERO) == nothing
