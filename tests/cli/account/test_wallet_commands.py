"""The words of a wallet command become a step, or are refused before anything runs."""

from pathlib import Path

import pytest

from pmtui.cli.account.wallet_commands import (
    NOTHING_HAPPENED,
    WALLET_ACTIONS,
    NothingToDoError,
    StepError,
    WalletRequest,
    read_request,
    run_wallet,
    step_of,
)
from pmtui.cli.session_process import session_lock
from pmtui.domain.account.onboarding import LastAnswer
from pmtui.domain.account.wallet_steps import (
    UNLIMITED_APPROVAL,
    Approval,
    ApprovalKind,
    Approve,
    ContractKind,
    Convert,
    Deploy,
    Merge,
    Redeem,
    Revoke,
    Send,
    Split,
    WalletStep,
)
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.money import Micros
from pmtui.service.wallet.wallet_views import ApprovalView, WalletView

EXCHANGE, ADAPTER = Address("0x" + "e1" * 20), Address("0x" + "ad" * 20)
CONDITION = ConditionId("0x" + "a1" * 32)


def approval(contract: Address, name: str, amount: int) -> ApprovalView:
    return ApprovalView(
        Approval(contract, ApprovalKind.CASH), name, ContractKind.EXCHANGE, "", is_needed=True,
        allowed=LastAnswer(amount),
    )  # fmt: skip


VIEW = WalletView(
    approvals=(approval(EXCHANGE, "Exchange", 0), approval(ADAPTER, "Collateral adapter", 5))
)


def asked(action: str, *words: str) -> WalletRequest:
    return read_request(action, list(words))


def step(action: str, *words: str) -> WalletStep:
    return step_of(asked(action, *words), VIEW)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("deploy",), Deploy()),
        (("approve",), Approve((Approval(EXCHANGE, ApprovalKind.CASH),))),
        (
            ("approve", "collateral-adapter", "--amount", "7.5"),
            Approve((Approval(ADAPTER, ApprovalKind.CASH),), 7_500_000),
        ),
        (("revoke", ADAPTER), Revoke((Approval(ADAPTER, ApprovalKind.CASH),))),
        (("redeem", "--all"), Redeem()),
        (("redeem", CONDITION.upper().replace("0X", "0x")), Redeem((CONDITION,))),
        (("merge", CONDITION, "5"), Merge(CONDITION, Micros(5_000_000))),
        (("split", CONDITION, "0.000001"), Split(CONDITION, Micros(1))),
        (("convert", "3", CONDITION), Convert((CONDITION,), Micros(3_000_000))),
        (("send", ADAPTER, "1"), Send(ADAPTER, Micros(1_000_000))),
    ],
)
def test_words_become_a_step(words: tuple[str, ...], expected: WalletStep) -> None:
    assert step(*words) == expected


def test_an_approval_without_an_amount_is_unlimited() -> None:
    found = step("approve", "exchange")
    assert isinstance(found, Approve)
    assert found.amount == UNLIMITED_APPROVAL


def test_what_is_so_already_is_told_from_wrong_words() -> None:
    with pytest.raises(NothingToDoError):
        step("revoke", "exchange")


@pytest.mark.parametrize(
    "words",
    [
        ("approve", "nobody"),
        ("revoke",),
        ("revoke", "exchange"),
        ("redeem",),
        ("redeem", "--all", CONDITION),
        ("merge", CONDITION),
        ("merge", CONDITION, "0"),
        ("split", CONDITION, "1.0000001"),
        ("convert", "3"),
        ("send", ADAPTER, "1x"),
    ],
)
def test_words_that_name_no_step_are_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(StepError):
        step(*words)


@pytest.mark.parametrize(
    "words",
    [
        ("deploy", "now"),
        ("merge", "--all"),
        ("send", "--amount", "5"),
        ("deploy", "--key-fd", "5"),
        ("approve", "--amount", "much"),
        ("status", "--nothing"),
    ],
)
def test_what_does_not_belong_together_ends_with_2(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        asked(*words)
    assert ended.value.code == 2


@pytest.mark.parametrize("action", WALLET_ACTIONS)
def test_every_action_has_its_help(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        asked(action, "--help")
    assert ended.value.code == 0
    assert "75" in capsys.readouterr().out


@pytest.mark.parametrize("action", ["status", "deploy"])
def test_a_profile_that_another_process_holds_is_no_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    monkeypatch.setenv("PMTUI_HOME", str(tmp_path))
    with session_lock(tmp_path / "state" / "paper"):
        assert run_wallet(action, []) == NOTHING_HAPPENED
