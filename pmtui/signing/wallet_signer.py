"""The owner's key as the service holds it for its deposit wallet: signatures, never the key."""

from pmtui.domain.account.wallet_call import Batch, SignedSubmission
from pmtui.domain.ids import Address
from pmtui.signing.contracts import POLYGON, Contracts
from pmtui.signing.signer import Signer
from pmtui.signing.wallet_batch import (
    encode_batch,
    encode_create,
    recover_batch_signer,
    sign_batch,
)


class BatchMismatchError(Exception):
    """A signature that does not recover to the owner: a bug, not a batch."""


class DepositWalletSigner:
    """Signs batches of one owner's deposit wallet."""

    def __init__(self, signer: Signer, contracts: Contracts = POLYGON) -> None:
        self._signer = signer
        self._contracts = contracts

    @property
    def owner(self) -> Address:
        """The key's own address."""
        return self._signer.address

    def sign(self, batch: Batch, *, metadata: str) -> SignedSubmission:
        """Sign a batch and write the body that is submitted.

        Raises:
            AddressError: the wallet or a target is no address.
            OverflowError: a number is negative or has more than 256 bits.
            BatchMismatchError: the signature does not recover to the owner.
        """
        chain_id = self._contracts.chain_id
        signed = sign_batch(batch, self._signer, chain_id=chain_id)
        if recover_batch_signer(batch, signed.signature, chain_id=chain_id) != self.owner:
            raise BatchMismatchError("a batch's signature does not recover to the owner")
        body = encode_batch(signed, metadata=metadata, contracts=self._contracts)
        return SignedSubmission("0x" + signed.digest.hex(), "0x" + signed.signature.hex(), body)

    def deployment(self, *, metadata: str) -> bytes:
        """Write the body that deploys the owner's wallet; nothing is signed."""
        return encode_create(self.owner, metadata=metadata, contracts=self._contracts)
