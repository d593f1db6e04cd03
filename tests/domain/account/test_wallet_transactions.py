"""What the relayer refuses is explained, with its own words and the contract that it is about."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pmtui.domain.account.wallet_transactions import (
    COMPARE,
    ChainTransaction,
    DecodedCall,
    Receipt,
    RelayerState,
    RelayerTransaction,
    SubmitRefusal,
    TransactionId,
    TransactionKey,
    TransactionStatus,
    WalletTransaction,
    describe_state,
    explain_refusal,
    find_contradiction,
    follow,
    is_of_batch,
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
    assert replace(BATCH, transaction_id=TransactionId("t")).is_reported_by(TOLD)
    assert not replace(BATCH, transaction_id=TransactionId("u")).is_reported_by(TOLD)
    assert BATCH.is_reported_by(replace(TOLD, signature="0xab"))
    assert not BATCH.is_reported_by(replace(TOLD, signature="0xac"))
    assert not replace(BATCH, signature="").is_reported_by(TOLD)


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
    assert DEPLOYMENT.is_reported_by(row) is expected


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


CONTRACT = "0xd91E80cF2E7be2e162c6513ceD06f1dD0dA35296"
STRANGER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


def name_of(address: Address) -> str:
    return "Old adapter" if address == CONTRACT else address


@pytest.mark.parametrize(
    "text",
    [
        "call blocked: call[0] blocked: calls to {} are not permitted",
        "setApprovalForAll operator {} is not in the allowed list",
    ],
)
def test_a_target_that_is_not_allowed_is_named_with_what_to_compare_it_with(text: str) -> None:
    known = explain_refusal(text.format(CONTRACT), name_of)
    assert "Old adapter" in known
    assert CONTRACT in known
    assert known.endswith(COMPARE)
    unknown = explain_refusal(text.format(STRANGER), name_of)
    assert unknown.count(STRANGER) == 1


def test_a_bounded_approval_is_explained() -> None:
    said = explain_refusal(f"approve to exchange {CONTRACT} must be MaxUint256", name_of)
    assert "Old adapter" in said


@pytest.mark.parametrize(
    "text",
    [
        f"wallet registry validation failed: wallet {STRANGER} is not registered",
        "deadline too soon",
        f"from {STRANGER} does not match auth {CONTRACT}",
        "invalid 'to' field: must be deposit wallet factory",
        "batch nonce 1 does not match on-chain nonce 2",
        "call blocked: call[0] blocked: self-call",
        "quota exceeded",
        "invalid authorization",
        "wallet busy: active action",
    ],
)
def test_every_known_refusal_is_said_in_words_before_its_own(text: str) -> None:
    said = explain_refusal(text, name_of)
    assert said.endswith(f"({text})")
    assert len(said) > len(text) + 10


def test_a_refusal_that_nobody_documented_stays_as_it_is() -> None:
    assert explain_refusal("the moon is in the way", name_of) == "the moon is in the way"


FACTORY = Address("0x" + "Fa" * 20)
WALLET = Address("0x" + "Aa" * 20)
SIGNATURE = "0x" + "12" * 32 + "34" * 32 + "1b"
KNOWN = WalletTransaction(
    TransactionKey("0x01"), "Send $1", Address("0x" + "0b" * 20), WALLET,
    datetime(2026, 11, 23, tzinfo=UTC), nonce=4, signature=SIGNATURE,
)  # fmt: skip
RS = bytes.fromhex(SIGNATURE[2:-2])
RECEIPT = Receipt("0xab", is_success=True, block_number=5)
NAMED = replace(RECEIPT, named=frozenset({WALLET.lower()}))


def carrying(data: bytes, target: str = FACTORY.lower()) -> ChainTransaction:
    return ChainTransaction("0xab", target, data)


@pytest.mark.parametrize("last", [b"\x00", b"\x01", b"\x1b", b"\x1c"])
def test_the_signature_proves_a_batch_however_its_last_byte_is_written(last: bytes) -> None:
    found = carrying(b"head" + RS + last + b"tail")
    assert is_of_batch(KNOWN, found, RECEIPT, factory=FACTORY)


def test_an_input_without_the_signature_is_somebody_elses() -> None:
    changed = bytes([RS[0] ^ 1]) + RS[1:]
    for data in (b"", RS[:-1], changed, RS[32:] + RS[:32]):
        assert not is_of_batch(KNOWN, carrying(data), NAMED, factory=FACTORY)


def test_a_signature_written_along_elsewhere_proves_nothing_without_a_log_of_the_wallet() -> None:
    elsewhere = carrying(RS, "0x" + "cc" * 20)
    assert not is_of_batch(KNOWN, elsewhere, RECEIPT, factory=FACTORY)
    assert not is_of_batch(KNOWN, carrying(RS, ""), RECEIPT, factory=FACTORY)
    assert is_of_batch(KNOWN, elsewhere, NAMED, factory=FACTORY)


def test_nothing_is_asked_of_the_transaction_of_a_deployment() -> None:
    deployment = replace(KNOWN, nonce=None, signature="")
    assert is_of_batch(deployment, carrying(b""), RECEIPT, factory=FACTORY)


@pytest.mark.parametrize("signature", ["0xzz", "0x1234"])
def test_what_is_no_signature_is_found_nowhere(signature: str) -> None:
    known = replace(KNOWN, signature=signature)
    assert not is_of_batch(known, carrying(bytes.fromhex("1234")), NAMED, factory=FACTORY)
