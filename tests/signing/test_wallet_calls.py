"""Calls name the pinned contracts only, and read back as what they were made for."""

import pytest

from pmtui.domain.account.wallet_steps import Approval, ApprovalKind
from pmtui.domain.account.wallet_transactions import MAX_UINT256
from pmtui.domain.ids import Address, ConditionId
from pmtui.signing.contracts import AMOY, POLYGON, condition_id, token_ids
from pmtui.signing.wallet_calls import MOST_QUESTIONS, WalletCalls

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
    held = TABLE.decode(TABLE.read_held(WALLET, token_ids(RAIN, neg_risk=False)[0]))
    assert held is not None
    assert held.argument("owner") == WALLET
    decoded = [TABLE.decode(call) for call in TABLE.read_payouts(RAIN)]
    assert [d.function for d in decoded if d is not None] == [
        "payoutDenominator", "payoutNumerators", "payoutNumerators",
    ]  # fmt: skip
