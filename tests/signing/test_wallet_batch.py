import json
from dataclasses import replace
from typing import cast

import pytest
from eth_abi.abi import decode
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.wallet_transactions import Batch, ContractCall
from pmtui.signing import wallet_calls
from pmtui.signing.contracts import POLYGON
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from pmtui.signing.wallet_batch import (
    MOST_METADATA,
    BatchMismatchError,
    DepositWalletSigner,
    encode_batch,
    encode_create,
    encode_creation,
    encode_execution,
    recover_batch_signer,
    sign_batch,
)
from tests.sim.kit import KEYS

OWNER = Signer(Secret.from_hex(KEYS[0]))
WALLET = derive_wallets(OWNER.address).deposit_beacon
CALL = wallet_calls.approve(POLYGON.collateral, POLYGON.exchange, 5)
BATCH = Batch(WALLET, nonce=4, deadline_s=1_790_000_600, calls=(CALL,))


@given(
    changed=st.one_of(
        st.integers(0, 2**256 - 1).map(lambda n: replace(BATCH, nonce=n)),
        st.integers(0, 2**256 - 1).map(lambda n: replace(BATCH, deadline_s=n)),
        st.binary(max_size=80).map(lambda d: replace(BATCH, calls=(replace(CALL, data=d),))),
        st.integers(0, 4).map(lambda n: replace(BATCH, calls=(CALL,) * n)),
        st.sampled_from([POLYGON.exchange, WALLET]).map(lambda w: replace(BATCH, wallet=w)),
    )
)
def test_a_signature_is_good_for_one_batch_only(changed: Batch) -> None:
    signature = sign_batch(BATCH, OWNER).signature
    is_same = changed == BATCH
    assert (recover_batch_signer(changed, signature) == OWNER.address) is is_same


def test_a_signature_is_good_on_one_chain_only() -> None:
    signature = sign_batch(BATCH, OWNER).signature
    assert recover_batch_signer(BATCH, signature) == OWNER.address
    assert recover_batch_signer(BATCH, signature, chain_id=80002) != OWNER.address
    assert recover_batch_signer(BATCH, signature[:-1]) is None


@pytest.mark.parametrize(
    "batch",
    [
        replace(BATCH, nonce=-1),
        replace(BATCH, deadline_s=2**256),
        replace(BATCH, calls=(ContractCall(POLYGON.exchange, b"", -1),)),
    ],
)
def test_a_number_that_does_not_fit_is_refused(batch: Batch) -> None:
    with pytest.raises(OverflowError):
        sign_batch(batch, OWNER)


def test_bodies_hold_what_was_signed_and_a_bounded_text() -> None:
    body = json.loads(encode_batch(sign_batch(BATCH, OWNER), metadata="x" * 9_999))
    assert body["from"] == OWNER.address
    assert body["nonce"] == "4"
    assert len(body["metadata"]) == MOST_METADATA
    assert "metadata" not in json.loads(encode_create(OWNER.address))


def test_what_the_local_chain_executes_holds_batch_and_signature() -> None:
    signed = sign_batch(BATCH, OWNER)
    data = encode_execution(BATCH, signed.signature)
    terms = "(address,uint256,uint256,(address,uint256,bytes)[])"
    batch, signature = decode([terms, "bytes"], data[4:])
    call = (CALL.target.lower(), 0, CALL.data)
    assert batch == (WALLET.lower(), 4, BATCH.deadline_s, (call,))
    assert signature == signed.signature
    assert encode_creation(OWNER.address)[16:].hex() == OWNER.address[2:].lower()


def test_the_service_gets_a_checked_submission_and_never_the_key() -> None:
    wallet = DepositWalletSigner(OWNER)
    batch = Batch(WALLET, nonce=4, deadline_s=1_790_000_600, calls=(CALL,))
    signed = wallet.sign(batch, metadata="Approve")
    assert wallet.owner == OWNER.address
    assert json.loads(signed.body)["signature"] == signed.signature
    assert json.loads(wallet.deployment(metadata=""))["type"] == "WALLET-CREATE"
    impostor = _Impostor(OWNER, Signer(Secret.from_hex(KEYS[1])))
    with pytest.raises(BatchMismatchError):
        DepositWalletSigner(cast("Signer", impostor)).sign(batch, metadata="")


class _Impostor:
    """Claims one address and signs with another key."""

    def __init__(self, claimed: Signer, real: Signer) -> None:
        self.address = claimed.address
        self.sign_digest = real.sign_digest
