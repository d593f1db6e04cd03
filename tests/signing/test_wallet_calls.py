from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.wallet_steps import Approval, ApprovalKind
from pmtui.domain.account.wallet_transactions import MAX_UINT256, ContractCall
from pmtui.domain.ids import Address, ConditionId
from pmtui.signing import wallet_calls
from pmtui.signing.contracts import AMOY, POLYGON, condition_id, token_ids
from pmtui.signing.eip712 import checksum_address
from pmtui.signing.wallet_calls import MOST_QUESTIONS, CalldataError, WalletCalls, decode_call

CONDITION = ConditionId("0x" + "ab" * 32)
addresses = st.binary(min_size=20, max_size=20).map(checksum_address)
amounts = st.integers(0, MAX_UINT256)


@given(token=addresses, spender=addresses, amount=amounts)
def test_what_was_encoded_is_decoded(token: Address, spender: Address, amount: int) -> None:
    decoded = decode_call(wallet_calls.approve(token, spender, amount))
    assert decoded is not None
    assert (decoded.target, decoded.function) == (token, "approve")
    assert decoded.arguments == (("spender", spender), ("amount", amount))


@given(data=st.binary(max_size=300))
def test_bytes_mean_all_of_what_they_hold_or_nothing(data: bytes) -> None:
    for function in (*wallet_calls.WRITES, *wallet_calls.READS):
        call = ContractCall(POLYGON.collateral, function.selector + data)
        decoded = decode_call(call)
        if decoded is not None:
            values = [value for _, value in decoded.arguments]
            assert wallet_calls.encode_call(function, *values) == call.data


def test_a_call_that_is_not_wholly_understood_is_not_decoded() -> None:
    call = wallet_calls.redeem(CONDITION, neg_risk=False)
    assert decode_call(call) is not None
    assert decode_call(replace(call, data=call.data + b"\0")) is None
    assert decode_call(replace(call, data=call.data[:-1])) is None
    assert decode_call(replace(call, data=b"")) is None
    assert decode_call(replace(call, data=b"\0\0\0\0" + call.data[4:])) is None
    assert decode_call(replace(call, value=1)) is None
    dirty = wallet_calls.approve(POLYGON.collateral, POLYGON.exchange, 1).data
    assert decode_call(ContractCall(POLYGON.collateral, dirty[:4] + b"\1" + dirty[5:])) is None


def test_the_kind_of_market_chooses_the_adapter() -> None:
    for make in (wallet_calls.split, wallet_calls.merge):
        assert make(CONDITION, 5, neg_risk=False).target == POLYGON.collateral_adapter
        assert make(CONDITION, 5, neg_risk=True).target == POLYGON.neg_risk_collateral_adapter
    assert (
        wallet_calls.redeem(CONDITION, neg_risk=True).target == POLYGON.neg_risk_collateral_adapter
    )
    convert = wallet_calls.convert("0x" + "00" * 32, 0b101, 7)
    assert convert.target == POLYGON.neg_risk_collateral_adapter
    decoded = decode_call(convert)
    assert decoded is not None
    assert decoded.argument("indexSet") == 0b101


@pytest.mark.parametrize("amount", [-1, MAX_UINT256 + 1])
def test_an_amount_that_does_not_fit_is_refused(amount: int) -> None:
    with pytest.raises(CalldataError):
        wallet_calls.transfer(POLYGON.collateral, POLYGON.exchange, amount)


@pytest.mark.parametrize("condition", ["", "0xab", "0x" + "zz" * 32])
def test_a_text_that_is_no_hash_is_refused(condition: str) -> None:
    with pytest.raises(CalldataError):
        wallet_calls.redeem(ConditionId(condition), neg_risk=False)


def test_a_missing_argument_is_refused() -> None:
    with pytest.raises(CalldataError):
        wallet_calls.encode_call(wallet_calls.APPROVE, POLYGON.exchange)


def test_a_balance_is_asked_for_by_token() -> None:
    data = wallet_calls.encode_call(wallet_calls.BALANCE_OF_TOKEN, POLYGON.exchange, 123)
    decoded = decode_call(ContractCall(POLYGON.conditional_tokens, data))
    assert decoded is not None
    assert decoded.arguments == (("owner", POLYGON.exchange), ("id", 123))


TABLE = WalletCalls()
RAIN = ConditionId("0x" + "a1" * 32)
WALLET = Address("0xBc0fF067b7740Eff76C1ca93c875Ba6B890d6B50")


def test_every_approval_is_of_a_contract_with_a_name() -> None:
    names = {each.address for each in TABLE.contracts}
    assert {approval.contract for approval, _ in TABLE.approvals} <= names
    assert len([1 for _, is_needed in TABLE.approvals if is_needed]) == 8
    assert len({each.name for each in TABLE.contracts}) == len(TABLE.contracts)


@pytest.mark.parametrize("amount", [0, 5, MAX_UINT256])
def test_an_approval_says_who_may_move_what(amount: int) -> None:
    for approval, _ in TABLE.approvals:
        call = TABLE.allow(approval, amount)
        decoded = TABLE.decode(call)
        assert decoded is not None
        if approval.kind is ApprovalKind.CASH:
            assert call.target == POLYGON.collateral
            assert dict(decoded.arguments) == {"spender": approval.contract, "amount": amount}
        else:
            assert call.target == POLYGON.conditional_tokens
            assert decoded.argument("operator") == approval.contract
            assert bool(decoded.argument("approved")) is (amount > 0)


@pytest.mark.parametrize("neg_risk", [False, True])
def test_a_market_is_settled_by_the_adapter_of_its_kind(*, neg_risk: bool) -> None:
    calls = (
        TABLE.split(RAIN, 5, neg_risk=neg_risk),
        TABLE.merge(RAIN, 5, neg_risk=neg_risk),
        TABLE.redeem(RAIN, neg_risk=neg_risk),
    )
    assert {call.target for call in calls} == {TABLE.adapter(neg_risk=neg_risk)}
    for call in calls:
        decoded = TABLE.decode(call)
        assert decoded is not None
        assert decoded.argument("conditionId") == RAIN


def test_cash_is_sent_by_the_token_itself() -> None:
    decoded = TABLE.decode(TABLE.send(WALLET, 7))
    assert decoded is not None
    assert (decoded.target, decoded.function) == (POLYGON.collateral, "transfer")
    assert dict(decoded.arguments) == {"to": WALLET, "amount": 7}


def test_the_relayer_reaches_wallets_through_the_factory() -> None:
    assert TABLE.factory == POLYGON.wallets.deposit_factory


def test_a_question_is_found_by_its_id_alone() -> None:
    event = "0x" + "e7" * 31 + "00"
    third = condition_id(POLYGON.neg_risk_adapter, event[:-2] + "03")
    assert TABLE.question_index(event, third) == 3
    assert TABLE.question_index(event, RAIN) is None
    assert TABLE.question_index("no id", third) is None
    assert TABLE.condition_of(event, 3) == third
    for index in (-1, MOST_QUESTIONS):
        assert TABLE.condition_of(event, index) is None
    decoded = TABLE.decode(TABLE.convert(event, 0b1000, 9))
    assert decoded is not None
    assert decoded.target == POLYGON.neg_risk_collateral_adapter
    assert decoded.argument("indexSet") == 8


def test_tokens_follow_from_the_condition_on_the_chain_where_that_is_known() -> None:
    assert TABLE.tokens_of(RAIN, neg_risk=True) == token_ids(RAIN, neg_risk=True)
    assert TABLE.tokens_of(ConditionId("rain"), neg_risk=True) == ()
    assert WalletCalls(AMOY).tokens_of(RAIN, neg_risk=True) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WALLET, WALLET),
        (f"  {WALLET}\n", WALLET),
        (WALLET.lower(), WALLET),
        (WALLET.replace("Bc0f", "bc0F"), None),
        (WALLET[:-1], None),
        ("", None),
    ],
)
def test_a_typed_address_is_checked_by_its_letters(text: str, expected: Address | None) -> None:
    assert TABLE.to_address(text) == expected


def test_reads_are_of_the_tokens() -> None:
    cash = TABLE.read_allowed(WALLET, Approval(POLYGON.exchange, ApprovalKind.CASH))
    shares = TABLE.read_allowed(WALLET, Approval(POLYGON.exchange, ApprovalKind.SHARES))
    assert (cash.target, shares.target) == (POLYGON.collateral, POLYGON.conditional_tokens)
    decoded = [TABLE.decode(call) for call in TABLE.read_payouts(RAIN)]
    assert [d.function for d in decoded if d is not None] == [
        "payoutDenominator", "payoutNumerators", "payoutNumerators",
    ]  # fmt: skip
