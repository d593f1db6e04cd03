"""The owner's key: one native key object for its whole life, which signs 32-byte digests."""

from typing import Never, final

from coincurve import PrivateKey, PublicKey
from typing_extensions import override

from pmtui.domain.ids import Address
from pmtui.signing.addresses import checksum_address
from pmtui.signing.keccak import keccak256
from pmtui.signing.native import SignDigest, make_signing
from pmtui.signing.secret import Secret, SecretError

SIGNATURE_LENGTH = 65


class KeyFormatError(ValueError):
    """Bytes that are no private key; the message does not show them."""


@final
class Signer:
    """An account that signs. Making one derives the public key; signing makes no new key object."""

    __slots__ = ("address", "sign_digest")

    address: Address
    """The checksummed address that its signatures recover to."""
    sign_digest: SignDigest
    """Sign 32 bytes."""

    def __init__(self, secret: Secret) -> None:
        """Take a private key of 32 bytes.

        Raises:
            KeyFormatError: not 32 bytes, zero, or not below the order of the curve.
        """
        if len(secret.reveal()) != 32:
            raise KeyFormatError("a private key is 32 bytes")
        try:
            key = PrivateKey(secret.reveal())
        except ValueError:
            # From None, and without the value: the library's frames hold the key.
            raise KeyFormatError("outside the range of private keys") from None
        self.address = _address_of(key.public_key)
        self.sign_digest = make_signing(key)

    @override
    def __repr__(self) -> str:
        return f"Signer({self.address})"

    @override
    def __reduce_ex__(self, protocol: object) -> Never:
        raise SecretError("a key is neither copied nor stored")


def recover_address(digest: bytes, signature: bytes) -> Address | None:
    """Return who signed a digest, or None where the signature is no signature.

    Accepts v as 27 and 28 or, as the exchange contract does, 0 and 1.
    """
    if len(signature) != SIGNATURE_LENGTH or signature[64] not in (0, 1, 27, 28):
        return None
    recovery_id = signature[64] - 27 if signature[64] >= 27 else signature[64]
    compact = signature[:64] + bytes((recovery_id,))
    try:
        key = PublicKey.from_signature_and_message(compact, digest, hasher=None)
    except ValueError:
        return None
    return _address_of(key)


def _address_of(key: PublicKey) -> Address:
    return checksum_address(keccak256(key.format(compressed=False)[1:])[12:])
