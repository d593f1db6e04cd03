"""Signs batches of a deposit wallet's calls, and creates the relayer's request bodies.

The owner signs plain EIP-712: 65 bytes, not wrapped as order signatures are
(docs/wire.md#deposit-wallet, checked against the official libraries, September 2026).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from pmtui.domain.account.wallet_transactions import Batch, ContractCall, SignedSubmission
from pmtui.domain.ids import Address
from pmtui.signing.contracts import POLYGON
from pmtui.signing.eip712 import (
    address_word,
    domain_separator,
    keccak256,
    type_hash,
    typed_digest,
    uint_word,
)
from pmtui.signing.signer import Signer, recover_address

_NAME = "DepositWallet"
_VERSION = "1"
_CALL_TYPE = "Call(address target,uint256 value,bytes data)"
CALL_TYPE_HASH = type_hash(_CALL_TYPE)
BATCH_TYPE_HASH = type_hash(
    f"Batch(address wallet,uint256 nonce,uint256 deadline,Call[] calls){_CALL_TYPE}"
)
_BATCH_TUPLE = "(address,uint256,uint256,(address,uint256,bytes)[])"
_PROXY = f"proxy({_BATCH_TUPLE},bytes)"
_DEPLOY = "deploy(address)"
_SESSION_MARK = bytes.fromhex("6492" * 16)
MOST_METADATA = 500
"""Characters in the free text sent with a submission."""


@dataclass(frozen=True, slots=True)
class BatchHashes:
    """Every step from a batch to the signed bytes."""

    calls: tuple[bytes, ...]
    call_array: bytes
    domain: bytes
    struct: bytes
    digest: bytes


@dataclass(frozen=True, slots=True)
class SignedBatch:
    """A batch with its owner's signature."""

    batch: Batch
    owner: Address
    digest: bytes
    signature: bytes


def hash_batch(batch: Batch, *, chain_id: int = POLYGON.chain_id) -> BatchHashes:
    """Return the hashes that a wallet's owner signs for a batch.

    Raises:
        AddressError: the wallet or a target is not an address.
        OverflowError: a number is negative or has more than 256 bits.
    """
    calls = tuple(_hash_call(call) for call in batch.calls)
    array = keccak256(b"".join(calls))
    domain = domain_separator(_NAME, _VERSION, chain_id=chain_id, verifying_contract=batch.wallet)
    struct = keccak256(
        BATCH_TYPE_HASH
        + address_word(batch.wallet)
        + uint_word(batch.nonce)
        + uint_word(batch.deadline_s)
        + array
    )
    return BatchHashes(calls, array, domain, struct, typed_digest(domain, struct))


def sign_batch(batch: Batch, signer: Signer, *, chain_id: int = POLYGON.chain_id) -> SignedBatch:
    """Sign a batch as the wallet's owner.

    Raises:
        AddressError: the wallet or a target is not an address.
        OverflowError: a number is negative or has more than 256 bits.
    """
    digest = hash_batch(batch, chain_id=chain_id).digest
    return SignedBatch(batch, signer.address, digest, signer.sign_digest(digest))


def recover_batch_signer(
    batch: Batch, signature: bytes, *, chain_id: int = POLYGON.chain_id
) -> Address | None:
    """Return the signer of a batch; None if the signature is invalid."""
    return recover_address(hash_batch(batch, chain_id=chain_id).digest, signature)


def encode_batch(signed: SignedBatch, *, metadata: str | None = None) -> bytes:
    """Return the body of `POST /submit` for a signed batch; without metadata if that is None."""
    batch = signed.batch
    body: dict[str, object] = {
        "type": "WALLET",
        "from": signed.owner,
        "to": POLYGON.wallets.deposit_factory,
        "nonce": str(batch.nonce),
        "signature": "0x" + signed.signature.hex(),
    }
    if metadata is not None:
        body["metadata"] = metadata[:MOST_METADATA]
    body["depositWalletParams"] = {
        "depositWallet": batch.wallet,
        "deadline": str(batch.deadline_s),
        "calls": _encode_calls(batch.calls),
    }
    return msgspec.json.encode(body)


def wrap_session_signature(session_signer: Address, signature: bytes) -> bytes:
    """Return the signature of a session key in the form that the wallet recognises.

    The bytes are the ABI encoding of (bytes32 signer, bytes32 0, bytes signature), followed by 6492
    sixteen times (docs/wire.md#deposit-wallet).
    """
    offset = 96
    padded = signature + bytes(-len(signature) % 32)
    head = address_word(session_signer) + uint_word(0) + uint_word(offset)
    return head + uint_word(len(signature)) + padded + _SESSION_MARK


def encode_create(owner: Address, *, metadata: str | None = None) -> bytes:
    """Return the body of `POST /submit` that deploys an owner's deposit wallet; nothing is signed."""
    body = {"type": "WALLET-CREATE", "from": owner, "to": POLYGON.wallets.deposit_factory}
    if metadata is not None:
        body["metadata"] = metadata[:MOST_METADATA]
    return msgspec.json.encode(body)


def encode_execution(batch: Batch, signature: bytes) -> bytes:
    """Return the input of the transaction that has a wallet execute a batch, through the factory.

    The venue publishes no ABI of it; it is only known that the factory's `proxy` passes the batch and its
    signature to the wallet (docs/wire.md#deposit-wallet). Only the local venue's chain creates such
    inputs.
    """
    # It takes a quarter of a second to import, and nothing else here needs it.
    from eth_abi.abi import encode  # noqa: PLC0415

    calls = [(call.target, call.value, call.data) for call in batch.calls]
    terms = (batch.wallet, batch.nonce, batch.deadline_s, calls)
    return _selector(_PROXY) + encode((_BATCH_TUPLE, "bytes"), (terms, signature))


def encode_creation(owner: Address) -> bytes:
    """Return the input of the transaction that deploys an owner's wallet, as on the local chain."""
    return _selector(_DEPLOY) + address_word(owner)


def _selector(function: str) -> bytes:
    return keccak256(function.encode())[:4]


def _hash_call(call: ContractCall) -> bytes:
    words = address_word(call.target) + uint_word(call.value) + keccak256(call.data)
    return keccak256(CALL_TYPE_HASH + words)


def _encode_calls(calls: Iterable[ContractCall]) -> list[dict[str, str]]:
    return [
        {"target": call.target, "value": str(call.value), "data": "0x" + call.data.hex()}
        for call in calls
    ]


class BatchMismatchError(Exception):
    """A signature does not recover to the owner: this is a bug, and nothing is submitted."""


class DepositWalletSigner:
    """Signs batches of one owner's deposit wallet."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    @property
    def owner(self) -> Address:
        """The key's own address."""
        return self._signer.address

    def digest(self, batch: Batch) -> str:
        """Return the digest that would be signed.

        Raises:
            AddressError: the wallet or a target is not an address.
            OverflowError: a number is negative or has more than 256 bits.
        """
        return "0x" + hash_batch(batch, chain_id=POLYGON.chain_id).digest.hex()

    def sign(self, batch: Batch, *, metadata: str) -> SignedSubmission:
        """Sign a batch and return it with the body to submit.

        Raises:
            AddressError: the wallet or a target is not an address.
            OverflowError: a number is negative or has more than 256 bits.
            BatchMismatchError: the signature does not recover to the owner.
        """
        signed = sign_batch(batch, self._signer)
        if recover_batch_signer(batch, signed.signature) != self.owner:
            raise BatchMismatchError("a batch's signature does not recover to the owner")
        body = encode_batch(signed, metadata=metadata)
        return SignedSubmission("0x" + signed.digest.hex(), "0x" + signed.signature.hex(), body)

    def deployment(self, *, metadata: str) -> bytes:
        """Return the body that deploys the owner's wallet; nothing is signed."""
        return encode_create(self.owner, metadata=metadata)
