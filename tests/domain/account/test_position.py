"""What a wallet holds: what can be traded of it, and what is too little for an order."""

from dataclasses import replace
from datetime import timedelta
from random import Random

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
    rebase_positions,
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


def fees_of_both(size: Micros, of_other: Micros, fills: list[Fill]) -> tuple[Micros, Micros]:
    return (
        entry_fees(fills, TOKEN, size, FOUR_PERCENT, of_other=(OTHER, of_other)),
        entry_fees(fills, OTHER, of_other, FOUR_PERCENT, of_other=(TOKEN, size)),
    )


def test_a_leg_of_a_split_that_is_sold_leaves_its_fee_with_the_other_one() -> None:
    short, sold = replace(fill(1, 100), token_id=OTHER), fill(2, 100, side=Side.SELL)
    # $1 for each 100 shares; 100 of both were split before the sale.
    assert fees_of_both(ZERO, m("200"), [short, sold]) == (0, m("2"))
    back = fill(3, 150)
    assert fees_of_both(m("150"), m("200"), [short, sold, back]) == (m("1.5"), m("2"))
    # Half of the 150 pairs merged.
    assert fees_of_both(m("75"), m("125"), [short, sold, back]) == (m("0.75"), m("1.25"))


steps = st.lists(st.tuples(st.booleans(), st.integers(1, 10**9)), max_size=8)


@given(split=st.integers(1, 10**9).map(Micros), trades=steps)
def test_no_fee_of_a_market_is_lost_while_nothing_is_closed(
    split: Micros, trades: list[tuple[bool, int]]
) -> None:
    """Shares of a split are sold out of pairs, and the other outcome is bought, in any order."""
    held, of_other, fills = int(split), int(split), list[Fill]()
    for second, (is_sale, drawn) in enumerate(trades):
        size = Micros(min(drawn, held) if is_sale else drawn)
        if not size:
            continue
        traded = replace(
            fill(second, 1), trade_id=TradeId(str(second)), size=size, fee=Micros(drawn)
        )
        if is_sale:
            held -= size
            fills.append(replace(traded, side=Side.SELL))
        else:
            of_other += size
            fills.append(replace(traded, token_id=OTHER))
    bought = replace(fill(99, 1), size=Micros(10**6), fee=Micros(7))
    paid = sum(each.fee or 0 for each in (*fills, bought))
    found = fees_of_both(Micros(held + bought.size), Micros(of_other), [*fills, bought])
    assert sum(found) in range(paid, paid + 3)


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
    # Closed again since the list was read.
    later = replace(sold, trade_id=TradeId("3"), matched_at=NOW + timedelta(minutes=1))
    again = close_remnants([replace(remnant, realized=m("-8"))], [later, bought], found)
    assert [(each.token_id, each.realized) for each in again] == [
        (HELD.token_id, m("-8")), (other.token_id, m("1.5")),
    ]  # fmt: skip


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


def traded(
    second: int, size: str, price: str, *, token: TokenId = TOKEN, side: Side = Side.BUY
) -> Fill:
    at = NOW + timedelta(seconds=second)
    found = fill(second, 1, side=side)
    return replace(
        found, trade_id=TradeId(f"{second}{token}{side}{price}{size}"), token_id=token, size=m(size),
        price=m(price), liquidity=Liquidity.MAKER, fee=ZERO, matched_at=at,
    )  # fmt: skip


ROUND_TRIP = (traded(1, "30", "0.4"), traded(2, "30", "0.58", token=OTHER))
"""It leaves 30 pairs that cost 98 cents each."""


def yes_and_no(
    size: str, price: str, of_other: str = "30", other_price: str = "0.58"
) -> tuple[Stake, Stake]:
    return Stake(m(size), m(price)), Stake(m(of_other), m(other_price), is_other=True)


def test_the_average_is_that_of_the_trades_since_the_net_was_flat() -> None:
    yes, no = yes_and_no("40", "0.41")
    fills = (*ROUND_TRIP, traded(3, "10", "0.44"))
    net = net_stake(yes, no, fills, tokens=(TOKEN, OTHER))
    assert net is not None
    assert (net.entry, net.size, net.pairs) == (m("0.44"), m("10"), m("30"))
    assert (net.apart, net.is_estimate) == (m("0.6"), False)
    assert break_even(net, Micros(10_000)) == m("0.44")
    # Half of it is sold, the rest still cost the same.
    sold = traded(4, "5", "0.5", side=Side.SELL)
    half = net_stake(*yes_and_no("35", "0.41"), (*fills, sold), tokens=(TOKEN, OTHER))
    assert half is not None
    assert half.entry == m("0.44")
    # The same from the other outcome's side.
    seen = net_stake(
        replace(no, is_other=False), replace(yes, is_other=True), fills, tokens=(OTHER, TOKEN)
    )
    assert seen is not None
    assert (seen.entry, seen.apart) == (m("0.56"), m("0.6"))


def test_a_short_of_pairs_is_averaged_from_its_sale_or_its_purchase() -> None:
    bought = traded(3, "10", "0.56", token=OTHER)
    short = net_stake(
        *yes_and_no("30", "0.4", "40", "0.575"), (*ROUND_TRIP, bought), tokens=(TOKEN, OTHER)
    )
    assert short is not None
    assert (short.is_other, short.entry, short.apart) == (True, m("0.44"), m("0.6"))
    sold = traded(3, "10", "0.44", side=Side.SELL)
    from_pairs = net_stake(*yes_and_no("20", "0.4"), (*ROUND_TRIP, sold), tokens=(TOKEN, OTHER))
    assert from_pairs is not None
    # The sale realised 40 of the 60 cents.
    assert (from_pairs.entry, from_pairs.apart) == (m("0.44"), m("0.2"))


def test_a_trade_through_flat_begins_the_average_anew() -> None:
    fills = (traded(1, "10", "0.4"), traded(2, "30", "0.45", side=Side.BUY, token=OTHER))
    net = net_stake(*yes_and_no("10", "0.4", "30", "0.45"), fills, tokens=(TOKEN, OTHER))
    assert net is not None
    assert (net.entry, net.size, net.apart) == (m("0.55"), m("20"), m("1.5"))


def test_a_reversal_within_a_second_begins_with_the_price_of_what_it_opens() -> None:
    long = traded(1, "500", "0.6")
    closed = traded(2, "500", "0.5794", side=Side.SELL)
    opened = traded(2, "500", "0.43", token=OTHER)
    for order in ((long, closed, opened), (opened, closed, long)):
        net = net_stake(
            None, Stake(m("500"), m("0.43"), is_other=True), order, tokens=(TOKEN, OTHER)
        )
        assert net is not None
        assert (net.average_price, net.size) == (m("0.43"), m("500"))
        (held,) = rebase_positions((leg("500", "0.43", of=OTHER),), order)
        assert held.average_price == m("0.43")
    back = (traded(3, "500", "0.4", token=OTHER, side=Side.SELL), traded(3, "500", "0.62"))
    fills = (long, closed, opened, *back)
    (held,) = rebase_positions((leg("500", "0.62"),), fills)
    assert held.average_price == m("0.62")


def test_after_a_merge_the_trades_still_tell_the_average() -> None:
    fills = (*ROUND_TRIP, traded(3, "10", "0.44"))
    net = net_stake(Stake(m("10"), m("0.41")), None, fills, tokens=(TOKEN, OTHER))
    assert net == Stake(m("10"), m("0.44"))


def leg(size: str, average: str, *, realized: str = "0", of: TokenId = TOKEN) -> Position:
    return replace(
        HELD, token_id=of, condition_id=fill(1, 1).condition_id, size=m(size), realized=m(realized),
        average_price=m(average),
    )  # fmt: skip


def test_merging_pairs_that_were_split_changes_no_cost_and_realises_nothing() -> None:
    bought = (traded(1, "100", "0.264"),)
    # The venue averages 200 split shares with 100 bought ones.
    pairs = (leg("300", "0.421333"), leg("200", "0.5", of=OTHER))
    assert rebase_positions(pairs, bought) == pairs
    half = (leg("200", "0.421333", realized="7.8667"), leg("100", "0.5", of=OTHER))
    (yes, no) = rebase_positions(half, bought)
    assert no == half[1]
    assert (yes.average_price, yes.realized) == (m("0.382"), m("0.0001"))
    (alone,) = rebase_positions((leg("100", "0.421333", realized="15.7334"),), bought)
    assert (alone.average_price, alone.realized) == (m("0.264"), m("0.0001"))


def test_merging_pairs_that_trades_made_realises_their_gain() -> None:
    fills = (*ROUND_TRIP, traded(3, "10", "0.44"))
    pairs = (leg("40", "0.41"), leg("30", "0.58", of=OTHER))
    assert rebase_positions(pairs, fills) == pairs
    # A third is merged: for $10 went shares of $9.90 on average, the pairs had cost $9.80.
    yes, _ = rebase_positions(
        (leg("30", "0.41", realized="0.9"), leg("20", "0.58", of=OTHER)), fills
    )
    assert (yes.average_price, yes.realized) == (m("0.413333"), m("1"))
    (alone,) = rebase_positions((leg("10", "0.41", realized="2.7"),), fills)
    assert (alone.average_price, alone.realized) == (m("0.44"), m("3"))


def test_positions_that_fills_do_not_explain_keep_the_venues_average() -> None:
    bought, sold = traded(1, "100", "0.264"), traded(0, "50", "0.3", side=Side.SELL)
    for positions, fills in (
        ((leg("100", "0.4"),), ()),
        ((leg("120", "0.4"),), (bought,)),
        ((leg("100", "0.4"), leg("100", "0.5", of=OTHER)), (bought,)),
        # Pairs that are older than what is known.
        (
            (leg("200", "0.4"), leg("100", "0.5", of=OTHER)),
            (sold, bought),
        ),
        ((leg("0", "0.4"),), (bought,)),
    ):
        assert rebase_positions(positions, fills) == positions


def test_without_pairs_the_average_is_the_venues_unless_earlier_trades_are_in_it() -> None:
    held = Stake(m("10"), m("0.44"))
    assert net_stake(held, None, (traded(1, "10", "0.44"),), tokens=(TOKEN, OTHER)) == held


def test_fees_of_the_trades_since_flat_are_those_of_the_net() -> None:
    yes, no = yes_and_no("40", "0.41")
    taken = replace(traded(3, "10", "0.44"), liquidity=Liquidity.TAKER, fee=m("0.1"))
    fees = replace(yes, entry_fees=m("0.3"))
    net = net_stake(fees, no, (*ROUND_TRIP, taken), tokens=(TOKEN, OTHER))
    assert net is not None
    # The pairs brought 60 cents less 20 cents in fees.
    assert (net.entry_fees, net.cost, net.apart) == (m("0.1"), m("4.5"), m("0.4"))


@pytest.mark.parametrize(
    "fills",
    [
        (),
        (*ROUND_TRIP, traded(3, "9", "0.44")),
        (*ROUND_TRIP, replace(traded(3, "10", "0.44"), status=TradeStatus.FAILED)),
        # Prices that the venue does not have.
        (traded(1, "30", "0.4", side=Side.SELL), traded(2, "40", "0")),
    ],
)
def test_fills_that_do_not_lead_back_to_flat_leave_the_formula(fills: tuple[Fill, ...]) -> None:
    yes, no = yes_and_no("40", "0.41")
    net = net_stake(yes, no, fills, tokens=(TOKEN, OTHER))
    assert net == net_stake(yes, no)
    assert net is not None
    assert (net.is_estimate, net.apart) == (True, ZERO)


def test_dust_that_a_sale_left_has_no_average_of_its_own() -> None:
    sold = traded(1, "0.02", "0.5", side=Side.SELL)
    net = net_stake(*yes_and_no("30.05", "0.4"), (sold,), tokens=(TOKEN, OTHER))
    assert net == net_stake(*yes_and_no("30.05", "0.4"))


trades = st.builds(
    traded, st.integers(1, 5), st.integers(1, 50).map(str),
    st.integers(1, 99).map(lambda cents: f"{cents / 100:.2f}"), token=st.sampled_from([TOKEN, OTHER]),
    side=st.sampled_from(Side),
)  # fmt: skip


@given(stakes, stakes, st.lists(trades, max_size=8), st.randoms(use_true_random=False))
def test_the_parts_add_up_and_the_order_of_fills_does_not_matter(
    one: Stake, two: Stake, known: list[Fill], random: Random
) -> None:
    gap = sum(
        (f.size if f.side is Side.BUY else -f.size) * (1 if f.token_id == TOKEN else -1)
        for f in known
    )
    smaller = min(one.size, two.size)
    legs = (
        replace(one, size=Micros(smaller + max(gap, 0)), is_other=False),
        replace(two, size=Micros(smaller + max(-gap, 0)), is_other=True, fee=one.fee),
    )
    net = net_stake(*legs, known, tokens=(TOKEN, OTHER))
    if net is None:
        assert gap == 0
        return
    assert net.cost - net.apart == sum(leg.cost for leg in legs) - net.pairs
    most, least = profits_at_end(legs)
    assert (net.size - net.cost + net.apart, net.apart - net.cost) == (most, least)
    assert net.apart == 0 or net.locked == 0
    shuffled = known.copy()
    random.shuffle(shuffled)
    assert net_stake(*legs, shuffled, tokens=(TOKEN, OTHER)) == net
    assert net.part(net.size) == net
