from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.wallet_transactions import MAX_UINT256, Call
from pmtui.domain.ids import Address, ConditionId
from pmtui.signing import calldata
from pmtui.signing.calldata import CalldataError, decode_call
from pmtui.signing.contracts import POLYGON
from pmtui.signing.eip712 import checksum_address

CONDITION = ConditionId("0x" + "ab" * 32)
addresses = st.binary(min_size=20, max_size=20).map(checksum_address)
amounts = st.integers(0, MAX_UINT256)


@given(token=addresses, spender=addresses, amount=amounts)
def test_what_was_encoded_is_decoded(token: Address, spender: Address, amount: int) -> None:
    decoded = decode_call(calldata.approve(token, spender, amount))
    assert decoded is not None
    assert (decoded.target, decoded.function) == (token, "approve")
    assert decoded.arguments == (("spender", spender), ("amount", amount))


@given(data=st.binary(max_size=300))
def test_bytes_mean_all_of_what_they_hold_or_nothing(data: bytes) -> None:
    for function in (*calldata.WRITES, *calldata.READS):
        call = Call(POLYGON.collateral, function.selector + data)
        decoded = decode_call(call)
        if decoded is not None:
            values = [value for _, value in decoded.arguments]
            assert calldata.encode_call(function, *values) == call.data


def test_a_call_that_is_not_wholly_understood_is_not_decoded() -> None:
    call = calldata.redeem(CONDITION, neg_risk=False)
    assert decode_call(call) is not None
    assert decode_call(replace(call, data=call.data + b"\0")) is None
    assert decode_call(replace(call, data=call.data[:-1])) is None
    assert decode_call(replace(call, data=b"")) is None
    assert decode_call(replace(call, data=b"\0\0\0\0" + call.data[4:])) is None
    assert decode_call(replace(call, value=1)) is None
    dirty = calldata.approve(POLYGON.collateral, POLYGON.exchange, 1).data
    assert decode_call(Call(POLYGON.collateral, dirty[:4] + b"\1" + dirty[5:])) is None


def test_the_kind_of_market_chooses_the_adapter() -> None:
    for make in (calldata.split, calldata.merge):
        assert make(CONDITION, 5, neg_risk=False).target == POLYGON.collateral_adapter
        assert make(CONDITION, 5, neg_risk=True).target == POLYGON.neg_risk_collateral_adapter
    assert calldata.redeem(CONDITION, neg_risk=True).target == POLYGON.neg_risk_collateral_adapter
    convert = calldata.convert("0x" + "00" * 32, 0b101, 7)
    assert convert.target == POLYGON.neg_risk_collateral_adapter
    decoded = decode_call(convert)
    assert decoded is not None
    assert decoded.argument("indexSet") == 0b101


@pytest.mark.parametrize("amount", [-1, MAX_UINT256 + 1])
def test_an_amount_that_does_not_fit_is_refused(amount: int) -> None:
    with pytest.raises(CalldataError):
        calldata.transfer(POLYGON.collateral, POLYGON.exchange, amount)


@pytest.mark.parametrize("condition", ["", "0xab", "0x" + "zz" * 32])
def test_a_text_that_is_no_hash_is_refused(condition: str) -> None:
    with pytest.raises(CalldataError):
        calldata.redeem(ConditionId(condition), neg_risk=False)


def test_a_missing_argument_is_refused() -> None:
    with pytest.raises(CalldataError):
        calldata.encode_call(calldata.APPROVE, POLYGON.exchange)


def test_a_balance_is_asked_for_by_token() -> None:
    data = calldata.encode_call(calldata.BALANCE_OF_TOKEN, POLYGON.exchange, 123)
    decoded = decode_call(Call(POLYGON.conditional_tokens, data))
    assert decoded is not None
    assert decoded.arguments == (("owner", POLYGON.exchange), ("id", 123))
