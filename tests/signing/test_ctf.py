import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId
from pmtui.signing.contracts import (
    ExchangeKind,
    collection_id,
    condition_id,
    exchange_for,
    token_ids,
)
from pmtui.signing.eip712 import HexError

FIELD = 21888242871839275222246405745257275088696311157297823662689037894645226208583


@settings(max_examples=30)
@given(st.binary(min_size=32, max_size=32), st.sampled_from([1, 2]))
def test_a_collection_is_a_point_of_the_curve(raw: bytes, index_set: int) -> None:
    collection = collection_id(ConditionId("0x" + raw.hex()), index_set)
    x = int.from_bytes(collection, "big") & ~(1 << 254)
    assert x < FIELD
    assert pow(x**3 + 3, (FIELD - 1) // 2, FIELD) in (0, 1)


@settings(max_examples=20)
@given(st.binary(min_size=32, max_size=32), st.booleans())
def test_derived_tokens_settle_on_an_ordinary_exchange(raw: bytes, neg_risk: bool) -> None:
    tokens = token_ids(ConditionId("0x" + raw.hex()), neg_risk=neg_risk)
    assert tokens[0] != tokens[1]
    for token in tokens:
        assert exchange_for(token, neg_risk=neg_risk).kind is not ExchangeKind.V3


def test_the_collateral_tells_the_two_kinds_of_market_apart() -> None:
    condition = ConditionId("0x" + "12" * 32)
    assert token_ids(condition, neg_risk=True) != token_ids(condition, neg_risk=False)


def test_two_outcomes_are_the_usual_number() -> None:
    oracle, question = "0x" + "11" * 20, "0x" + "22" * 32
    assert condition_id(oracle, question) == condition_id(oracle, question, 2)
    assert condition_id(oracle, question) != condition_id(oracle, question, 3)


def test_a_text_that_is_no_condition_is_refused() -> None:
    with pytest.raises(HexError):
        collection_id(ConditionId("0x12"), 1)
