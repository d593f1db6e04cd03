"""The owner's key: one native key object for its whole lifetime, which signs 32-byte digests."""

from typing import Never, final

from coincurve import PrivateKey, PublicKey
from typing_extensions import override

from pmtui.domain.ids import Address
from pmtui.signing.eip712 import checksum_address, keccak256
from pmtui.signing.secret import Secret, SecretError

_V = (b"\x1b", b"\x1c")
SIGNATURE_LENGTH = 65


class KeyFormatError(ValueError):
    """Bytes that are not a private key; the message does not contain them."""


@final
class Signer:
    """An account that signs. Creating one derives the public key; signing creates no key object."""

    __slots__ = ("_key", "address")

    address: Address
    """The checksummed address that its signatures recover to."""

    def __init__(self, secret: Secret) -> None:
        """Load a private key of 32 bytes.

        Raises:
            KeyFormatError: it is not 32 bytes, zero, or not below the order of the curve.
        """
        if len(secret.reveal()) != 32:
            raise KeyFormatError("a private key is 32 bytes")
        try:
            key = PrivateKey(secret.reveal())
        except ValueError:
            # Without the cause and the value: the library's frames hold the key.
            raise KeyFormatError("outside the range of private keys") from None
        self.address = _address_of(key.public_key)
        self._key = key

    def sign_digest(self, digest: bytes) -> bytes:
        """Sign 32 bytes; return r, s (low) and v (27 or 28), deterministically (RFC 6979).

        Raises:
            ValueError: the digest has another length.
        """
        signature = self._key.sign_recoverable(digest, hasher=None)
        return signature[:64] + _V[signature[64]]

    @override
    def __repr__(self) -> str:
        return f"Signer({self.address})"

    @override
    def __reduce_ex__(self, protocol: object) -> Never:
        raise SecretError("a key is neither copied nor stored")


def recover_address(digest: bytes, signature: bytes) -> Address | None:
    """Return the signer of a digest, or None if the signature is invalid.

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
