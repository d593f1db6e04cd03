from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.orders.life import TRADE_STAGE, is_contradictory, merge_fill
from pmtui.domain.orders.order import TradeStatus
from tests.domain.orders.test_own_orders import FILL, m


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
