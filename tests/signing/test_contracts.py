import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.signing.contracts import (
    AMOY,
    POLYGON,
    ChainError,
    ExchangeKind,
    collection_id,
    condition_id,
    contracts_on,
    exchange_domain,
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


SEPARATORS = {
    (137, "regular"): "3264e159346253e26a64e00b69032db0e7d32f94628de3e6eecb50304d7af3d2",
    (137, "neg_risk"): "9b858f53327b0bd13af8ec14cfb35234fb9eb7b0504d1a4e61f433840d30e81a",
    (137, "v3"): "466c63910185bbd55e8679264200c4e0abdcbb0c6264eb3d41d13326022e095b",
    (80002, "regular"): "a440cbd865bc0c6243d7a8df9a8bf48a8827b0a4abbb61c30e96d305423af148",
    (80002, "neg_risk"): "1468e39841f0a0e05d3762b235cb7acecabf8cd7b6d3a672965a5d415bf9378e",
    (80002, "v3"): "df8b5fd204134b8d562677d7fc9346884e8f02ef2fd43358239393723e8833e6",
}
RANDOM = TokenId("71321045679252212594626385532706912750332728571942532289631379312455583992563")
POSITION = TokenId(str(0x100000000000000ABCDEF0123456789ABCDEF00000000000000001122334400))


@pytest.mark.parametrize(("chain_id", "kind"), SEPARATORS, ids=str)
def test_domain_separators_are_the_published_ones(chain_id: int, kind: str) -> None:
    domain = exchange_domain(ExchangeKind(kind), chain_id=chain_id)
    assert domain.separator.hex() == SEPARATORS[chain_id, kind]
    assert exchange_domain(ExchangeKind(kind), chain_id=chain_id) is domain


def test_the_market_decides_between_the_two_ordinary_exchanges() -> None:
    assert exchange_for(RANDOM, neg_risk=False).kind is ExchangeKind.REGULAR
    assert exchange_for(RANDOM, neg_risk=True).kind is ExchangeKind.NEG_RISK


@pytest.mark.parametrize("neg_risk", [False, True])
def test_a_position_id_settles_on_the_third_exchange(neg_risk: bool) -> None:
    assert exchange_for(POSITION, neg_risk=neg_risk).kind is ExchangeKind.V3
    assert exchange_for(TokenId("1234"), neg_risk=neg_risk).kind is ExchangeKind.V3


@pytest.mark.parametrize("bit", [40, 70, 103])
def test_any_bit_of_the_middle_makes_a_token_an_ordinary_one(bit: int) -> None:
    token = TokenId(str(int(POSITION) | 1 << bit))
    assert exchange_for(token, neg_risk=False).kind is ExchangeKind.REGULAR


def test_the_test_chain_has_its_own_contracts() -> None:
    assert contracts_on(80002) is AMOY
    assert contracts_on(137) is POLYGON
    assert exchange_domain(ExchangeKind.V3, chain_id=80002).contract == AMOY.exchange_v3


def test_a_chain_the_service_is_not_on_is_refused() -> None:
    with pytest.raises(ChainError, match="chain 1"):
        contracts_on(1)
