"""What a batch of calls does, or that it does nothing at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.wallet_transactions import MAX_UINT256, ContractCall
from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.signing import wallet_calls
from pmtui.signing.contracts import POLYGON
from pmtui.sim.chain import contracts as chain
from pmtui.sim.chain.contracts import Condition, Reverted, World, execute
from tests.sim.chain.owner_kit import GROUP, LEGS, Small

WALLET = Address("0xBc0fF067b7740Eff76C1ca93c875Ba6B890d6B50")
FRIEND = Address("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
RAIN = ConditionId("0x" + "a1" * 32)


def condition(
    name: ConditionId, *, neg_risk: bool, pays: tuple[int, int] | None = None
) -> Condition:
    return Condition(name, (TokenId(f"{name}-yes"), TokenId(f"{name}-no")), neg_risk, pays)


def world(*, cash: int = 0, pays: tuple[int, int] | None = None) -> Small:
    adapters = {POLYGON.collateral_adapter, POLYGON.neg_risk_collateral_adapter}
    rain = condition(RAIN, neg_risk=False, pays=pays)
    legs: dict[str, Condition] = {leg: condition(leg, neg_risk=True) for leg in LEGS}
    return Small(
        cash=cash,
        allowances=dict.fromkeys(adapters, MAX_UINT256),
        operators=adapters,
        conditions={RAIN: rain, **legs},
    )


def reason(calls: list[ContractCall], state: World) -> tuple[int, str]:
    outcome = execute(WALLET, calls, state)
    assert isinstance(outcome, Reverted)
    return outcome.call_index, outcome.reason


def test_a_batch_sees_what_its_earlier_calls_did() -> None:
    state = world(cash=10)
    state.allowances.clear()
    state.operators.clear()
    adapter = POLYGON.collateral_adapter
    calls = [
        wallet_calls.approve(POLYGON.collateral, adapter, 10),
        wallet_calls.split(RAIN, 10, neg_risk=False),
        wallet_calls.set_operator(POLYGON.conditional_tokens, adapter, is_approved=True),
        wallet_calls.merge(RAIN, 4, neg_risk=False),
        wallet_calls.transfer(POLYGON.collateral, FRIEND, 4),
    ]
    assert execute(WALLET, calls, state) == (
        chain.Approved(adapter, 10),
        chain.Split(RAIN, 10),
        chain.OperatorSet(adapter, True, POLYGON.conditional_tokens),
        chain.Merged(RAIN, 4),
        chain.Sent(FRIEND, 4),
    )
    assert reason([*calls, wallet_calls.transfer(POLYGON.collateral, FRIEND, 1)], state) == (
        5, chain.POOR,
    )  # fmt: skip
    again = [*calls[:2], wallet_calls.split(RAIN, 1, neg_risk=False)]
    state.cash = 11
    assert reason(again, state) == (2, chain.NO_ALLOWANCE)


def test_calls_are_tried_on_what_those_before_them_changed() -> None:
    split, merge = (
        each(RAIN, 6, neg_risk=False) for each in (wallet_calls.split, wallet_calls.merge)
    )
    outcomes = chain.try_each(WALLET, [merge, split, split, merge], world(cash=10))
    assert outcomes == (chain.TOO_FEW_SHARES, None, chain.POOR, None)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (wallet_calls.split(RAIN, 1, neg_risk=False), chain.POOR),
        (wallet_calls.merge(RAIN, 1, neg_risk=False), chain.TOO_FEW_SHARES),
        (wallet_calls.redeem(RAIN, neg_risk=False), chain.NOT_RESOLVED),
        (wallet_calls.redeem(RAIN, neg_risk=True), chain.WRONG_ADAPTER),
        (
            wallet_calls.redeem(ConditionId("0x" + "00" * 32), neg_risk=False),
            chain.UNKNOWN_CONDITION,
        ),
        (wallet_calls.convert("0x" + "00" * 32, 1, 1), chain.UNKNOWN_CONDITION),
        (wallet_calls.convert(GROUP, 0, 1), chain.UNKNOWN_CONDITION),
        (wallet_calls.convert(GROUP, 0b1000, 1), chain.UNKNOWN_CONDITION),
        (wallet_calls.convert(GROUP, 0b1, 1), chain.TOO_FEW_SHARES),
        (ContractCall(POLYGON.collateral, b"\1\2\3\4"), chain.NO_FUNCTION),
        (
            ContractCall(FRIEND, wallet_calls.approve(POLYGON.collateral, FRIEND, 1).data),
            chain.NO_FUNCTION,
        ),
        (ContractCall(POLYGON.collateral, b"", 1), chain.NO_FUNCTION),
    ],
)
def test_what_a_contract_refuses_reverts_with_its_reason(call: ContractCall, expected: str) -> None:
    assert reason([call], world()) == (0, expected)


def test_moving_shares_needs_the_wallets_leave() -> None:
    state = world(cash=5)
    state.operators.clear()
    for call in (wallet_calls.merge(RAIN, 1, neg_risk=False), wallet_calls.convert(GROUP, 1, 1)):
        assert reason([call], state) == (0, chain.NOT_OPERATOR)


def test_redeeming_pays_for_both_tokens_at_once() -> None:
    state = world(pays=(500_000, 500_000))
    state.held = {TokenId(f"{RAIN}-yes"): 6, TokenId(f"{RAIN}-no"): 2}
    calls = [
        wallet_calls.redeem(RAIN, neg_risk=False),
        wallet_calls.transfer(POLYGON.collateral, FRIEND, 4),
    ]
    outcome = execute(WALLET, calls, state)
    assert outcome == (chain.Redeemed(RAIN, (6, 2), 4), chain.Sent(FRIEND, 4))
    calls.append(wallet_calls.transfer(POLYGON.collateral, FRIEND, 1))
    assert reason(calls, state) == (2, chain.POOR)


@given(chosen=st.integers(1, 7), amount=st.integers(1, 1_000))
def test_converting_frees_a_dollar_for_every_no_but_one(chosen: int, amount: int) -> None:
    state = world()
    for leg in LEGS:
        state.held[TokenId(f"{leg}-no")] = amount
    given_legs = tuple(leg for i, leg in enumerate(LEGS) if chosen >> i & 1)
    others = tuple(leg for leg in LEGS if leg not in given_legs)
    freed = amount * (len(given_legs) - 1)
    convert = wallet_calls.convert(GROUP, chosen, amount)
    calls = [convert, wallet_calls.transfer(POLYGON.collateral, FRIEND, freed)]
    assert execute(WALLET, calls, state) == (
        chain.Converted(given_legs, others, amount, GROUP, chosen),
        chain.Sent(FRIEND, freed),
    )
    assert reason([convert, convert], state) == (1, chain.TOO_FEW_SHARES)
