"""What the chain proves of a transaction that the relayer names as ours.

A hash is only a name: the relayer may tell one of somebody else. A batch cannot be carried out without its
owner's signature, so the input of the transaction that did it holds those bytes, and nobody can make them for
another batch. Whether it was carried out, and not only written along, follows from the contract that was
called, or from a log that names the wallet.
"""

from dataclasses import dataclass

from pmtui.domain.account.wallet_call import Receipt, WalletTransaction
from pmtui.domain.ids import Address

_PROOF = 64
"""Bytes of a signature that every spelling of it has: r and s. The last one is written in several ways."""


@dataclass(frozen=True, slots=True)
class ChainTransaction:
    """A transaction as a node returns it."""

    hash: str
    target: str
    """The contract that is called; empty for a transaction that makes one. Untrusted spelling."""
    data: bytes
    """Its whole input."""


def is_of_batch(
    known: WalletTransaction, found: ChainTransaction, receipt: Receipt, *, factory: Address
) -> bool:
    """Whether a transaction of the chain carried out a batch that was signed here.

    Args:
        known: the batch; a deployment has no signature, so nothing is asked of its transaction: the code
            at the wallet's address proves it.
        found: the transaction of the hash that the relayer named.
        receipt: of the same hash.
        factory: the contract through which the relayer reaches deposit wallets.
    """
    if not known.signature:
        return True
    try:
        proof = bytes.fromhex(known.signature.removeprefix("0x"))[:_PROOF]
    except ValueError:
        return False
    if len(proof) < _PROOF or proof not in found.data:
        return False
    reaches_wallet = found.target.lower() == factory.lower()
    return reaches_wallet or known.wallet.lower() in receipt.named
