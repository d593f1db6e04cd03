from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import NO_FEE, FeeSchedule
from pmtui.domain.markets.outcome_set import (
    SetLeg,
    SetPrice,
    has_one_winner,
    is_decided,
    legs_of,
    set_prices,
)
from pmtui.domain.money import ONE, Micros
from tests.ui import believable

prices = st.integers(1, 999).map(lambda n: Micros(n * 1_000))
fees = st.sampled_from((NO_FEE, FeeSchedule(Micros(50_000)), FeeSchedule(Micros(70_000))))
legs = st.builds(
    SetLeg, st.just("One"), prices | st.none(), prices | st.none(), fees | st.none(), st.booleans()
)
ELECTION = believable.election()


def leg(bid: int, ask: int, fee: FeeSchedule | None = NO_FEE, **more: bool) -> SetLeg:
    return SetLeg("One", Micros(bid * 1_000), Micros(ask * 1_000), fee, **more)


def test_the_pair_of_sums_decides_and_not_the_mids() -> None:
    found = set_prices([leg(396, 398), leg(387, 388), leg(106, 108), leg(102, 104)])
    assert found.buying == SetPrice(Micros(998_000), Micros(0), Micros(2_000))
    assert found.selling == SetPrice(Micros(991_000), Micros(0), Micros(-9_000))


def test_fees_can_take_more_than_the_sums_leave() -> None:
    fee = FeeSchedule(Micros(50_000))
    found = set_prices([leg(390, 497, fee), leg(480, 499, fee)])
    assert found.buying is not None
    each = [taker_fee(ONE, Micros(ask), fee) for ask in (497_000, 499_000)]
    assert found.buying.fees == sum(each)
    assert found.buying.gain is not None
    assert found.buying.gain < 0


@given(st.lists(legs, max_size=6))
def test_a_side_without_a_price_in_every_leg_has_no_sum(found: list[SetLeg]) -> None:
    known = set_prices(found)
    assert (known.buying is None) is (not found or any(leg.ask is None for leg in found))
    assert (known.selling is None) is (not found or any(leg.bid is None for leg in found))
    assert len(known.halted) == sum(leg.is_halted for leg in found)


@given(st.lists(legs, min_size=1, max_size=6))
def test_what_a_set_brings_is_its_dollar_less_everything_paid(found: list[SetLeg]) -> None:
    known = set_prices(found)
    for side, sign in ((known.buying, 1), (known.selling, -1)):
        if side is not None:
            assert (side.gain is None) is (side.fees is None)
            if side.gain is not None and side.fees is not None:
                assert side.gain + side.fees == sign * (ONE - side.total)
                assert side.fees >= 0


def test_only_open_markets_of_an_event_with_one_winner_make_a_set() -> None:
    event = replace(ELECTION, neg_risk=True)
    assert has_one_winner(event)
    assert all(not m.closed for m in legs_of(event))
    assert not has_one_winner(replace(event, neg_risk=False))
    first = event.markets[0]
    won = replace(
        first, closed=True,
        outcomes=(replace(first.outcomes[0], price=ONE), *first.outcomes[1:]),
    )  # fmt: skip
    decided = replace(event, markets=(won, *event.markets[1:]))
    assert is_decided(decided)
    assert not has_one_winner(decided)
