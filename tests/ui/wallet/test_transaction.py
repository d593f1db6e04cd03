from dataclasses import replace

import pytest

from pmtui.domain.account.wallet_transactions import TransactionStatus
from pmtui.service.wallet.wallet_views import TransactionView
from pmtui.ui.cells import line_width
from pmtui.ui.theme.theme import Role
from pmtui.ui.wallet.transaction import (
    BY_RELAYER,
    describe_calls,
    paint_state,
    paint_transaction,
    paint_transaction_row,
)
from tests.ui.fake_surface import NOW
from tests.ui.onboarded import EXCHANGE
from tests.ui.wallet.wallets import DIGEST, HASH, MADE, SENT


def whole(transaction: TransactionView, width: int = 100) -> str:
    lines = paint_transaction(transaction, width, names={EXCHANGE.address: "exchange"}, now=NOW)
    assert all(line_width(line) <= width for line in lines)
    return "\n".join("".join(cell.text for cell in line).rstrip() for line in lines)


@pytest.mark.parametrize("status", list(TransactionStatus))
def test_every_state_is_said_in_a_word_and_a_sign(status: TransactionStatus) -> None:
    row = paint_transaction_row("k", replace(SENT, status=status), NOW)
    words = [cell.text for cell in row.cells]
    assert words[0] == "1m"
    assert words[1].endswith(status.value)
    assert words[2:6] == ["Approve trading", "2", "4", "executed"]


def test_a_deployment_has_neither_calls_nor_nonce() -> None:
    row = paint_transaction_row("k", MADE, NOW)
    assert [cell.text for cell in row.cells][3:5] == ["–", "–"]
    assert "Deadline" not in whole(MADE)


def test_the_whole_transaction_has_its_ids_times_and_calls() -> None:
    shown = whole(SENT)
    for part in (HASH, DIGEST, "0197-id", f"exchange {EXCHANGE.address}", "2. Second"):
        assert part in shown
    assert "2026-06-15 11:58:30 UTC (1m ago)" in shown
    assert "2026-06-15 11:59:30 UTC (30s ago)" in shown


def test_a_failure_says_why() -> None:
    failed = replace(SENT, status=TransactionStatus.FAILED, reason="reverted: paused\x1b[31m")
    assert "reverted: paused" in whole(failed)
    assert "\x1b" not in whole(failed)
    assert "not asked about any more" in paint_state(replace(SENT, is_followed=False)).text


def test_what_only_the_relayer_confirms_is_shown_with_both_views() -> None:
    view = "the relayer says confirmed, the chain knows no such transaction"
    doubted = replace(SENT, status=TransactionStatus.CONFIRMED, reason=view, chain_view=view)
    believed = replace(doubted, chain_view="", reason="")
    cells = [paint_transaction_row("k", each, NOW).cells[1] for each in (doubted, believed)]
    assert cells[0].text != cells[1].text
    assert (cells[0].role, cells[1].role) == (Role.NOTICE_WARN, Role.NOTICE_GOOD)
    assert paint_state(doubted).text.startswith(BY_RELAYER)
    assert "Chain" in whole(doubted)
    assert "Chain" not in whole(believed)
    other = whole(replace(SENT, relayer_view="it has counter 9"))
    assert "the relayer says that it has counter 9" in other


def test_one_of_another_program_says_so() -> None:
    assert "another program" in whole(replace(SENT, is_ours=False))


@pytest.mark.parametrize("width", [28, 44, 76, 120])
def test_no_line_is_wider_than_its_room(width: int) -> None:
    assert whole(SENT, width)


def test_calls_are_summed_up_by_the_first() -> None:
    assert describe_calls(MADE) == ""
    assert describe_calls(SENT).endswith("and 1 more call")
