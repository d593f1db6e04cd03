from dataclasses import replace
from datetime import timedelta
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.life import (
    IN_DOUBT,
    LIFE,
    STAGE,
    TRADE_STAGE,
    Flaw,
    claims_of_match,
    claims_of_order,
    fit_status,
    flaws_among,
    is_contradictory,
    is_end_reportable,
    is_legal_step,
    merge_fill,
    merge_order,
)
from pmtui.domain.orders.order import OrderStatus, TimeInForce, TradeStatus
from tests.domain.orders.order_kit import FILL, ORDER, START, TOKEN, m


def test_every_state_has_a_place_in_life() -> None:
    assert set(LIFE) == set(STAGE) == set(OrderStatus)
    assert all(STAGE[after] > STAGE[before] for before in LIFE for after in LIFE[before])


def test_nothing_follows_a_filled_order_and_a_refused_one_is_at_most_told_as_killed() -> None:
    after_filled = [s for s in OrderStatus if is_legal_step(OrderStatus.FILLED, s)]
    assert after_filled == [OrderStatus.FILLED]
    after_rejected = {s for s in OrderStatus if is_legal_step(OrderStatus.REJECTED, s)}
    assert after_rejected == {OrderStatus.REJECTED, OrderStatus.CANCELLED}


@pytest.mark.parametrize(
    "life",
    [
        "pending sent live partially-filled filled",
        "pending sent unknown live cancelled",
        "pending sent unknown rejected",
        "pending sent delayed live expired",
        "pending rejected",
        "pending sent delayed filled",
    ],
)
def test_a_usual_life_takes_legal_steps_and_its_last_report_counts(life: str) -> None:
    states = [OrderStatus(word.replace("-", " ")) for word in life.split()]
    assert all(is_legal_step(before, after) for before, after in pairwise(states))
    known = None
    for status in states:
        matched = m("100") if status is OrderStatus.FILLED else ORDER.matched_size
        known = merge_order(known, replace(ORDER, status=status, matched_size=matched))
    assert known is not None
    assert known.status is states[-1]


@given(*[st.sampled_from(OrderStatus)] * 2, st.integers(0, 100), st.integers(0, 100))
def test_it_does_not_matter_which_of_two_reports_comes_first(
    one: OrderStatus, other: OrderStatus, first: int, second: int
) -> None:
    a = replace(ORDER, status=one, matched_size=m(str(first)))
    b = replace(ORDER, status=other, matched_size=m(str(second)), created_at=START + timedelta(1))
    assert merge_order(a, b) == merge_order(b, a)


@given(st.sampled_from(sorted(IN_DOUBT)), st.sampled_from(OrderStatus), st.integers(0, 100))
def test_the_words_of_a_doubt_end_with_it(
    doubted: OrderStatus, told: OrderStatus, matched: int
) -> None:
    doubt = replace(ORDER, status=doubted, reason="checking", matched_size=m("0"))
    fact = replace(ORDER, status=told, reason="", matched_size=m(str(matched)))
    for known in (merge_order(doubt, fact), merge_order(fact, doubt)):
        assert known.reason == ("checking" if known.status in IN_DOUBT else "")
    # Sizes alone end a doubt too.
    settled = fit_status(replace(doubt, matched_size=m(str(matched))))
    assert settled.reason == ("" if matched else "checking")


def test_sizes_decide_the_status_where_they_can() -> None:
    assert fit_status(replace(ORDER, matched_size=m("100"))).status is OrderStatus.FILLED
    half = replace(ORDER, matched_size=m("50"), status=OrderStatus.UNKNOWN)
    assert fit_status(half).status is OrderStatus.PARTIALLY_FILLED


def test_what_was_refused_and_is_there_is_a_flaw_and_a_killed_order_is_none() -> None:
    refused = claims_of_order(replace(ORDER, status=OrderStatus.REJECTED))
    killed = claims_of_order(replace(ORDER, status=OrderStatus.CANCELLED))
    assert flaws_among(refused | killed) == frozenset()
    for there in (claims_of_order(ORDER), claims_of_match(TOKEN, Side.BUY)):
        assert flaws_among(refused | there) == {Flaw.REFUSED_BUT_THERE}


def test_another_token_or_side_is_a_flaw() -> None:
    for token, side in product((TOKEN, TokenId("2")), Side):
        flaws = flaws_among(claims_of_order(ORDER) | claims_of_match(token, side))
        is_same = (token, side) == (ORDER.token_id, ORDER.side)
        assert flaws == (frozenset() if is_same else {Flaw.OTHER_TERMS})


def test_an_end_is_told_unless_its_fills_or_the_answer_tell_it() -> None:
    gone = replace(ORDER, status=OrderStatus.CANCELLED)
    assert is_end_reportable(ORDER, gone)
    assert not is_end_reportable(None, gone)
    assert not is_end_reportable(gone, gone)
    assert not is_end_reportable(ORDER, ORDER)
    assert not is_end_reportable(ORDER, replace(ORDER, status=OrderStatus.FILLED))
    sent = replace(ORDER, status=OrderStatus.SENT, time_in_force=TimeInForce.FOK)
    assert not is_end_reportable(sent, gone)


def test_of_an_order_whose_record_is_lost_only_its_presence_is_claimed() -> None:
    assert len(claims_of_order(replace(ORDER, token_id=TokenId("")))) == 1


@given(*[st.sampled_from(TradeStatus)] * 2)
def test_settlement_only_moves_forward(one: TradeStatus, other: TradeStatus) -> None:
    a, b = replace(FILL, status=one), replace(FILL, status=other, transaction_hash="0xfe")
    merged = merge_fill(a, b)
    assert merged == merge_fill(b, a)
    assert TRADE_STAGE[merged.status] == max(TRADE_STAGE[one], TRADE_STAGE[other])
    assert merged.transaction_hash == "0xfe"


def test_texts_and_fees_that_only_one_report_has_are_kept() -> None:
    assert merge_fill(None, FILL) == FILL
    assert merge_fill(replace(FILL, outcome=""), FILL).outcome == "Yes"
    assert merge_fill(FILL, replace(FILL, fee=m("0.5"))).fee == m("0.5")


def test_both_ends_at_once_tear_a_trade() -> None:
    assert is_contradictory(frozenset({TradeStatus.CONFIRMED, TradeStatus.FAILED}))
    assert not is_contradictory(frozenset({TradeStatus.MATCHED, TradeStatus.FAILED}))
