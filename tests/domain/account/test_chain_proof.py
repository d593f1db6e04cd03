from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pmtui.domain.account.chain_proof import ChainTransaction, is_of_batch
from pmtui.domain.account.wallet_call import Receipt, TransactionKey, WalletTransaction
from pmtui.domain.ids import Address

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
