from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pmtui.domain.account.wallet_call import (
    DecodedCall,
    RelayerState,
    RelayerTransaction,
    SubmitRefusal,
    TransactionId,
    TransactionKey,
    TransactionStatus,
    WalletTransaction,
    describe_state,
    find_contradiction,
    follow,
    read_submit_refusal,
)
from pmtui.domain.ids import Address


def test_a_mined_transaction_is_not_at_its_end() -> None:
    terminal = {state for state in RelayerState if state.is_terminal}
    assert terminal == {RelayerState.CONFIRMED, RelayerState.FAILED, RelayerState.INVALID}


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (400, "Batch nonce 3 does not match on-chain nonce 4", SubmitRefusal(True, 4)),
        (400, "batch nonce 0x3 does not match on-chain nonce 12.", SubmitRefusal(True, 12)),
        (400, "wallet has in-flight action", SubmitRefusal(True)),
        (429, "", SubmitRefusal(True)),
        (400, "call blocked: call[0] blocked: calls to 0x00 are not permitted", SubmitRefusal(False)),
        (400, f"batch nonce 1 does not match on-chain nonce {'9' * 100_000}", SubmitRefusal(True, int("9" * 78))),
        (500, "internal error", SubmitRefusal(False)),
    ],
)  # fmt: skip
def test_a_refused_submission_says_what_may_be_done(
    status: int, text: str, expected: SubmitRefusal
) -> None:
    assert read_submit_refusal(status, text) == expected


def test_an_argument_is_found_by_its_name() -> None:
    call = DecodedCall(Address("0x"), "transfer", (("to", "0x1"), ("amount", 5)))
    assert call.argument("amount") == 5
    with pytest.raises(KeyError):
        call.argument("spender")


AT = datetime(2026, 6, 14, 12, tzinfo=UTC)
BATCH = WalletTransaction(
    TransactionKey("k"), "split", Address("0x0a"), Address("0x0b"), AT, nonce=1, signature="0xAB"
)
DEPLOYMENT = replace(BATCH, nonce=None, signature="")
TOLD = RelayerTransaction(TransactionId("t"), "STATE_NEW")


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("STATE_NEW", TransactionStatus.PENDING),
        ("STATE_EXECUTED", TransactionStatus.PENDING),
        ("STATE_MINED", TransactionStatus.PENDING),
        ("STATE_OF_TOMORROW", TransactionStatus.PENDING),
        ("STATE_CONFIRMED", TransactionStatus.CONFIRMED),
        ("STATE_FAILED", TransactionStatus.FAILED),
        ("STATE_INVALID", TransactionStatus.FAILED),
    ],
)
def test_what_the_relayer_tells_is_followed(state: str, expected: TransactionStatus) -> None:
    told = replace(TOLD, state_text=state, hash="0x01", error="reverted")
    known = follow(BATCH, told)
    assert (known.status, known.relayer_state, known.hash) == (expected, state, "0x01")
    assert bool(known.reason) == (expected is TransactionStatus.FAILED)
    assert known.status.is_over == (expected is not TransactionStatus.PENDING)


def test_an_end_is_final_and_a_hash_is_not_forgotten() -> None:
    ended = follow(BATCH, replace(TOLD, state_text="STATE_CONFIRMED", hash="0x01"))
    assert follow(ended, replace(TOLD, state_text="STATE_FAILED")) == ended
    pending = follow(replace(BATCH, hash="0x01"), TOLD)
    assert pending.hash == "0x01"


def test_a_row_is_found_by_its_id_else_by_what_was_signed() -> None:
    assert replace(BATCH, transaction_id=TransactionId("t")).is_told_by(TOLD)
    assert not replace(BATCH, transaction_id=TransactionId("u")).is_told_by(TOLD)
    assert BATCH.is_told_by(replace(TOLD, signature="0xab"))
    assert not BATCH.is_told_by(replace(TOLD, signature="0xac"))
    assert not replace(BATCH, signature="").is_told_by(TOLD)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (replace(TOLD, kind="WALLET-CREATE", owner="0x0a"), True),
        (replace(TOLD, kind="WALLET-CREATE", owner="0x0a", created_at=AT), True),
        (replace(TOLD, kind="WALLET-CREATE", owner="0x0a", created_at=AT - timedelta(1)), False),
        (replace(TOLD, kind="WALLET-CREATE", owner="0x0A"), True),
        (replace(TOLD, kind="WALLET-CREATE", owner="0x0c"), False),
        (replace(TOLD, kind="WALLET", owner="0x0a"), False),
    ],
)
def test_a_deployment_is_its_owners_and_no_older_one(
    row: RelayerTransaction, expected: bool
) -> None:
    assert DEPLOYMENT.is_deployment
    assert not BATCH.is_deployment
    assert DEPLOYMENT.is_told_by(row) is expected


@pytest.mark.parametrize(
    ("row", "is_other"),
    [
        (TOLD, False),
        (replace(TOLD, wallet="0x0B", nonce="1", signature="0xab"), False),
        (replace(TOLD, wallet="0x0A"), False),
        (replace(TOLD, nonce="0x1"), False),
        (replace(TOLD, wallet="0x0c"), True),
        (replace(TOLD, nonce="2"), True),
        (replace(TOLD, signature="0xac"), True),
    ],
)
def test_what_a_row_tells_otherwise_is_kept(row: RelayerTransaction, is_other: bool) -> None:
    assert bool(find_contradiction(BATCH, row)) is is_other
    known = follow(BATCH, row)
    assert bool(known.relayer_view) is is_other
    assert follow(known, TOLD).relayer_view == known.relayer_view


def test_a_deployment_has_no_counter_to_contradict() -> None:
    assert find_contradiction(DEPLOYMENT, replace(TOLD, nonce="7", signature="0x01")) == ""


def test_every_state_has_words_and_a_new_one_stays_as_it_came() -> None:
    for state in RelayerState:
        assert describe_state(state).endswith(f" ({state})")
    assert describe_state("STATE_OF_TOMORROW") == "STATE_OF_TOMORROW"
