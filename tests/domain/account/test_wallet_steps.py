"""Steps are values: equal where they ask for the same, and unlimited unless an amount is named."""

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.wallet_steps import (
    UNLIMITED_APPROVAL,
    Approval,
    ApprovalKind,
    Approve,
    Flow,
    FlowKind,
    HeldOutcome,
    QuestionState,
    Redeem,
    Settlement,
    convert_flows,
    merge_flows,
    redeem_flows,
    split_flows,
)
from pmtui.domain.account.wallet_transactions import MAX_UINT256
from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.money import ONE, SCALE, ZERO, Micros


def test_an_approval_without_an_amount_is_unlimited() -> None:
    approval = Approval(Address("0x1"), ApprovalKind.CASH)
    assert Approve((approval,)).amount == UNLIMITED_APPROVAL == MAX_UINT256
    assert Approve((approval,)) == Approve((approval,))
    assert Approve((approval,)) != Approve((approval,), 5)


def test_redeeming_everything_names_no_market() -> None:
    assert Redeem() != Redeem((ConditionId("0x1"),))
    assert Redeem().conditions == ()


sizes = st.integers(0, 10**15).map(Micros)
payouts = st.integers(0, SCALE).map(Micros)


def market(
    yes: int,
    no: int,
    pays: tuple[int, int] | None = None,
    *,
    name: str = "a",
    can_convert: bool = False,
) -> Settlement:
    told = (None, None) if pays is None else (Micros(pays[0]), Micros(pays[1]))
    outcomes = (
        HeldOutcome(TokenId(f"{name}1"), "Yes", Micros(yes), told[0]),
        HeldOutcome(TokenId(f"{name}2"), "No", Micros(no), told[1]),
    )
    return Settlement(ConditionId(name), name, outcomes, can_convert=can_convert)


def cash_of(flows: tuple[Flow, ...]) -> int:
    return sum(flow.amount for flow in flows if flow.kind is FlowKind.CASH)


def shares_of(flows: tuple[Flow, ...]) -> dict[TokenId | None, int]:
    return {flow.token_id: flow.amount for flow in flows if flow.kind is FlowKind.SHARES}


@given(sizes, sizes, payouts)
def test_redeeming_takes_every_share_and_pays_no_more_than_their_worth(
    yes: Micros, no: Micros, first: Micros
) -> None:
    held = market(yes, no, (first, SCALE - first))
    flows = redeem_flows(held)
    gone = shares_of(flows)
    assert {size for size in gone.values() if size >= 0} == set()
    assert sum(gone.values()) == -(yes + no)
    exact = yes * first + no * (SCALE - first)
    assert 0 <= exact - cash_of(flows) * SCALE < 2 * SCALE
    if yes or no:
        assert held.is_resolved
        assert held.mergeable == held.convertible == ZERO


@given(sizes, sizes)
def test_merging_and_splitting_undo_each_other(yes: Micros, no: Micros) -> None:
    held = market(yes, no)
    most = held.mergeable
    assert most == min(yes, no)
    merged, split = merge_flows(held, most), split_flows(held.outcomes, most)
    assert cash_of(merged) == -cash_of(split) == most
    assert shares_of(merged) == {token: -size for token, size in shares_of(split).items()}
    assert held.redeems == ZERO


@given(st.integers(1, 6), st.integers(0, 6), st.integers(1, 10**12).map(Micros))
def test_a_conversion_is_worth_the_same_whatever_wins(
    count: int, others: int, amount: Micros
) -> None:
    given_ = [market(0, amount, name=f"g{n}", can_convert=True) for n in range(count)]
    received = [market(0, 0, name=f"r{n}") for n in range(others)]
    flows = convert_flows(given_, received, amount)
    moved = shares_of(flows)
    for winner in (*given_, *received):
        before = sum(amount for each in given_ if each is not winner)
        after = cash_of(flows) + sum(
            moved.get(each.outcomes[0].token_id, 0) for each in received if each is winner
        )
        assert before == after


def test_how_a_question_stands_is_told_by_what_a_share_pays() -> None:
    def standing(pays: int | None) -> QuestionState:
        payout = None if pays is None else Micros(pays)
        return HeldOutcome(TokenId("1"), "Yes", ONE, payout).standing

    assert [standing(p) for p in (None, 0, SCALE, SCALE // 2)] == [
        QuestionState.OPEN, QuestionState.LOST, QuestionState.WON, QuestionState.SHARED,
    ]  # fmt: skip


def test_only_an_open_market_of_a_negative_risk_event_converts_its_no_shares() -> None:
    assert market(1, 7).convertible == ZERO
    assert market(1, 7, can_convert=True).convertible == 7
    assert market(1, 7, (SCALE, 0), can_convert=True).convertible == ZERO
    alone = Settlement(
        ConditionId("a"), "a", (HeldOutcome(TokenId("1"), "Yes", ONE),), can_convert=True
    )
    assert alone.convertible == alone.mergeable == ZERO
    assert not market(0, 0, (SCALE, 0)).is_resolved
