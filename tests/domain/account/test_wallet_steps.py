"""Steps are values: equal where they ask for the same, and unlimited unless an amount is named."""

from pmtui.domain.account.wallet_call import MAX_UINT256
from pmtui.domain.account.wallet_steps import (
    UNLIMITED_APPROVAL,
    Approval,
    ApprovalKind,
    Approve,
    Redeem,
)
from pmtui.domain.ids import Address, ConditionId


def test_an_approval_without_an_amount_is_unlimited() -> None:
    approval = Approval(Address("0x1"), ApprovalKind.CASH)
    assert Approve((approval,)).amount == UNLIMITED_APPROVAL == MAX_UINT256
    assert Approve((approval,)) == Approve((approval,))
    assert Approve((approval,)) != Approve((approval,), 5)


def test_redeeming_everything_names_no_market() -> None:
    assert Redeem() != Redeem((ConditionId("0x1"),))
    assert Redeem().conditions == ()
