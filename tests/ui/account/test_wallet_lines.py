"""The account's lines where a deposit wallet can be used: states, results, and what a key does."""

from dataclasses import replace

import pytest

from pmtui.domain.account.keys import BuilderCode, BuilderKey
from pmtui.domain.account.onboarding import LastAnswer, SetupState, next_step
from pmtui.domain.account.wallet_steps import (
    Approval,
    ApprovalKind,
    Approve,
    Deploy,
    MintBuilderKey,
    MintRelayerKey,
    Revoke,
    RevokeBuilderKey,
)
from pmtui.domain.account.wallet_transactions import TransactionStatus
from pmtui.domain.ids import ApiKey
from pmtui.service.wallet.wallet_views import (
    StepKind,
    StepState,
    ViewsDiffer,
    WalletStepView,
    WalletView,
)
from pmtui.ui.account.account_line import AccountLine
from pmtui.ui.account.onboarding_lines import account_lines
from pmtui.ui.account.paint_account import describe_next, paint_account_row
from pmtui.ui.keys.actions import DEFAULT_KEYMAP
from tests.ui.fake_surface import NOW, PAPER_STATUS
from tests.ui.onboarded import EXCHANGE, READY
from tests.ui.wallet.wallets import ADAPTER, READY_WALLET, approval


def lines(view: WalletView = READY_WALLET) -> dict[str, AccountLine]:
    return {each.key: each for each in account_lines(READY, PAPER_STATUS, view)}


def with_step(step: WalletStepView, view: WalletView = READY_WALLET) -> WalletView:
    others = tuple(each for each in view.steps if each.kind is not step.kind)
    return replace(view, steps=(*others, step))


def with_chain(*, relayer: bool, chain: bool) -> WalletView:
    older, paying = READY_WALLET.wallets
    told = replace(paying, relayer=LastAnswer(relayer, NOW), chain=LastAnswer(chain, NOW))
    return replace(READY_WALLET, wallets=(older, told))


def test_keys_come_before_what_they_are_needed_for_and_lines_are_counted() -> None:
    found = list(lines())
    order = ["place", "key", "credentials", "relayer key", "wallet", "deployed", "code"]
    assert found[:7] == order
    numbers = [each.number for each in lines().values() if each.number]
    assert numbers == list(range(1, len(numbers) + 1))
    assert next_step(lines().values()) is None


def test_without_a_wallet_the_lines_stay_as_they_are() -> None:
    plain = account_lines(READY, PAPER_STATUS)
    assert account_lines(READY, PAPER_STATUS, replace(READY_WALLET, reason="no key")) == plain


def test_a_missing_relayer_key_is_made_and_what_needs_it_waits() -> None:
    view = with_step(
        WalletStepView(StepKind.RELAYER_KEY, StepState.TO_DO, step=MintRelayerKey()),
        replace(with_chain(relayer=False, chain=False), relayer_key=""),
    )
    blocked = WalletStepView(
        StepKind.DEPLOY, StepState.TO_DO, step=Deploy(), blocked_by="the relayer key"
    )
    found = lines(with_step(blocked, view))
    assert found["relayer key"].does == MintRelayerKey()
    assert found["relayer key"].state is SetupState.NOT_DONE
    assert found["deployed"].does is None
    assert "relayer key" in found["deployed"].to_do
    following = next_step(found.values())
    assert following is not None
    assert following.key == "relayer key"
    assert describe_next(following, DEFAULT_KEYMAP).startswith("n: make a key")


def test_a_relayer_key_is_not_needed_where_nothing_waits_for_it() -> None:
    view = with_step(
        WalletStepView(StepKind.RELAYER_KEY, StepState.TO_DO, step=MintRelayerKey()),
        replace(READY_WALLET, relayer_key=""),
    )
    line = lines(view)["relayer key"]
    assert (line.state, line.does) == (SetupState.NOT_NEEDED, MintRelayerKey())
    assert next_step(lines(view).values()) is None


def test_a_deployment_is_offered_runs_and_fails() -> None:
    fresh = WalletStepView(StepKind.DEPLOY, StepState.TO_DO, step=Deploy())
    assert lines(with_step(fresh))["deployed"].does == Deploy()
    moving = WalletStepView(
        StepKind.DEPLOY,
        StepState.RUNNING,
        "STATE_NEW",
        NOW,
        transaction=READY_WALLET.transactions[1].key,
    )
    running = lines(with_step(moving))["deployed"]
    assert running.is_running
    assert running.does is None
    assert running.result == "STATE_NEW"
    assert paint_account_row(running, NOW, 40).cells[1].text == "… running"
    failed = replace(moving, state=StepState.FAILED, result="given up", step=Deploy())
    assert lines(with_step(failed))["deployed"].result == "failed: given up"
    assert lines(with_step(failed))["deployed"].does == Deploy()


@pytest.mark.parametrize(
    ("relayer", "chain", "said"),
    [
        (True, True, "deployed, says the relayer"),
        (False, True, "not seen by the relayer; deployed on chain"),
        (False, False, "not deployed, says the relayer"),
    ],
)
def test_both_views_of_the_wallet_are_shown(relayer: bool, chain: bool, said: str) -> None:
    found = lines(with_chain(relayer=relayer, chain=chain))
    assert found["deployed"].result == said
    assert found["code"].state is (SetupState.DONE if chain else SetupState.NOT_DONE)


def test_hosts_that_disagree_have_a_line_with_both_views() -> None:
    told = ViewsDiffer(
        "the wallet", (("the relayer", "deployed"), ("the chain", "not")), "the chain"
    )
    found = lines(replace(READY_WALLET, disagreements=(told,)))
    line = found["differs the wallet"]
    assert line.result == (
        "the wallet: the relayer says deployed; the chain says not; the chain is believed"
    )
    assert line.number == 0


def test_each_approval_has_its_contract_its_right_and_its_keys() -> None:
    found = lines()
    cash = found[f"approvals cash {EXCHANGE.address}"]
    assert "unlimited: exchange 0xE11118…7B996B" in cash.result
    assert EXCHANGE.address in cash.full
    right = Approval(EXCHANGE.address, ApprovalKind.CASH)
    assert (cash.does, cash.undoes) == (Approve((right,)), Revoke((right,)))
    assert cash.exact is not None
    spare = found[f"approvals cash {ADAPTER}"]
    assert spare.state is SetupState.NOT_NEEDED
    assert spare.undoes is None


def test_missing_approvals_are_one_step() -> None:
    rights = (
        approval(EXCHANGE.address, "exchange", allowed=0),
        replace(
            approval(ADAPTER, "adapter", allowed=0),
            approval=Approval(ADAPTER, ApprovalKind.SHARES),
        ),
    )
    missing = tuple(each.approval for each in rights)
    view = with_step(
        WalletStepView(StepKind.APPROVE, StepState.TO_DO, "2 missing", step=Approve(missing)),
        replace(READY_WALLET, approvals=rights),
    )
    line = lines(view)["approvals"]
    assert line.does == Approve(missing)
    assert line.result == "2 are missing"
    assert lines(view)[f"approvals shares {ADAPTER}"].exact is None
    assert lines(view)[f"approvals shares {ADAPTER}"].result.startswith("none: adapter")


def test_an_amount_that_nobody_told_is_not_known() -> None:
    unknown = replace(
        READY_WALLET, approvals=(approval(EXCHANGE.address, "exchange", allowed=None),)
    )
    line = lines(unknown)[f"approvals cash {EXCHANGE.address}"]
    assert line.state is SetupState.NOT_KNOWN
    exact = replace(
        READY_WALLET, approvals=(approval(EXCHANGE.address, "exchange", allowed=5_000_000),)
    )
    assert "$5.00: exchange" in lines(exact)[f"approvals cash {EXCHANGE.address}"].result


def test_builder_keys_are_made_listed_and_revoked() -> None:
    key = BuilderKey(ApiKey("0197-secretive-id"), NOW)
    code = BuilderCode("0x" + "ab" * 32)
    found = lines(replace(READY_WALLET, builder_keys=(key,), builder_code=code))
    assert found["builder"].does == MintBuilderKey()
    assert code in found["builder"].result
    line = found["builder 0197-secretive-id"]
    assert line.undoes == RevokeBuilderKey(ApiKey("0197-secretive-id"))
    assert "secretive-id" not in line.full


def test_transactions_under_way_are_named() -> None:
    assert lines()["transactions"].result == "Approve trading: pending"
    assert lines()["transactions"].shows_transactions
    done = replace(READY_WALLET.transactions[0], status=TransactionStatus.CONFIRMED)
    view = replace(READY_WALLET, transactions=(done,))
    assert lines(view)["transactions"].result == "1 transaction, 1 confirmed"
    assert lines(replace(view, transactions=()))["transactions"].result == "none yet"
