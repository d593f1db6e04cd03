from dataclasses import replace
from datetime import UTC, timedelta

import pytest

from pmtui.domain.account.wallet_call import (
    Call,
    TransactionId,
    TransactionKey,
    TransactionStatus,
    WalletTransaction,
)
from pmtui.domain.ids import Address
from pmtui.signing.contracts import POLYGON
from pmtui.ui.cells import Line, line_width
from pmtui.ui.wallet.paint_transactions import (
    paint_transaction,
    paint_transaction_row,
    say_calls,
)
from tests.ui.fake_surface import NOW
from tests.ui.onboarded import NEWER, OWNER
from tests.ui.wallet.batches import APPROVALS, DIGEST, NAMES, SEND, meaning

HASH = "0x" + "7a" * 32


def transaction(
    *calls: Call, status: TransactionStatus = TransactionStatus.PENDING, reason: str = ""
) -> WalletTransaction:
    return WalletTransaction(
        TransactionKey(DIGEST), "Approve trading", OWNER, NEWER.address,
        NOW - timedelta(seconds=90), nonce=4, deadline_s=int(NOW.timestamp()) + 510, calls=calls,
        status=status, transaction_id=TransactionId("0197-id"), relayer_state="STATE_EXECUTED",
        hash=HASH, reason=reason,
    )  # fmt: skip


def text(lines: tuple[Line, ...]) -> str:
    return "\n".join("".join(cell.text for cell in line).rstrip() for line in lines)


@pytest.mark.parametrize("status", list(TransactionStatus))
def test_every_state_is_said_in_a_word_and_a_sign(status: TransactionStatus) -> None:
    row = paint_transaction_row("k", transaction(*APPROVALS, status=status), NOW)
    words = [cell.text for cell in row.cells]
    assert words[0] == "1m"
    assert words[1].endswith(status.value)
    assert words[2:6] == ["Approve trading", "2", "4", "executed"]


def test_a_deployment_has_neither_calls_nor_nonce() -> None:
    deployment = replace(transaction(), nonce=None, deadline_s=None, hash="", relayer_state="")
    row = paint_transaction_row("k", deployment, NOW)
    assert [cell.text for cell in row.cells][3:] == ["–", "–", "–", "–"]
    assert "Deadline" not in text(paint_transaction(deployment, (), 76, names=NAMES, now=NOW))


def test_the_whole_transaction_has_its_ids_and_its_calls() -> None:
    shown = text(
        paint_transaction(
            transaction(*APPROVALS, SEND), meaning(*APPROVALS, SEND), 100, names=NAMES, now=NOW,
            zone=UTC,
        )
    )  # fmt: skip
    for part in (HASH, DIGEST, "0197-id", NEWER.address, OWNER, POLYGON.exchange, "3. Send"):
        assert part in shown
    assert "2026-06-15 11:58:30 UTC (1m ago)" in shown


def test_a_failure_says_why() -> None:
    failed = transaction(SEND, status=TransactionStatus.FAILED, reason="reverted: paused\x1b[31m")
    shown = text(paint_transaction(failed, meaning(SEND), 76, names=NAMES, now=NOW))
    assert "reverted: paused" in shown
    assert "\x1b" not in shown


def test_calls_that_cannot_be_read_are_counted() -> None:
    odd = Call(Address("0x" + "11" * 20), b"\x01\x02\x03\x04")
    shown = text(paint_transaction(transaction(odd), (), 76, names=NAMES, now=NOW))
    assert "1 call cannot be decoded" in shown


@pytest.mark.parametrize("width", [28, 44, 76, 120])
def test_no_line_is_wider_than_its_room(width: int) -> None:
    lines = paint_transaction(
        transaction(*APPROVALS), meaning(*APPROVALS), width, names=NAMES, now=NOW
    )
    assert all(line_width(line) <= width for line in lines)


def test_calls_are_summed_up_by_the_first() -> None:
    assert say_calls((), NAMES) == ""
    assert say_calls(meaning(*APPROVALS), NAMES).endswith("and 1 more call")
    assert say_calls(meaning(SEND), NAMES).startswith("Send $1,250.000001")
