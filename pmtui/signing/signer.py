"""The owner's key: one native key object for its whole life, which signs 32-byte digests.

Signing writes into buffers that are kept, because the library's own way makes four of them anew. It
uses the library's binding, which is not promised to stay; where that has changed, the promised way
takes over, a microsecond slower. Both give the same bytes.
"""

from collections.abc import Callable
from threading import Lock
from typing import Never, final

from coincurve import PrivateKey, PublicKey
from typing_extensions import override

from pmtui.domain.ids import Address
from pmtui.signing.eip712 import checksum_address, keccak256
from pmtui.signing.secret import Secret, SecretError

SignDigest = Callable[[bytes], bytes]
"""From 32 bytes to r, s and v (27 or 28): deterministic (RFC 6979), with a low s."""

_V = (b"\x1b", b"\x1c")


def make_signing(key: PrivateKey) -> SignDigest:
    """Return the fastest way to sign with a key."""
    try:
        return _signing_in_place(key)
    except (ImportError, AttributeError, TypeError):
        return signing_as_promised(key)


def signing_as_promised(key: PrivateKey) -> SignDigest:
    """Return the library's own way to sign."""

    def sign(digest: bytes) -> bytes:
        signature = key.sign_recoverable(digest, hasher=None)
        return signature[:64] + _V[signature[64]]

    return sign


def _signing_in_place(key: PrivateKey) -> SignDigest:
    # May be gone one day, and has no types.
    from coincurve._libsecp256k1 import ffi, lib  # type: ignore[import-not-found] # noqa: PLC0415

    context, null = key.context.ctx, ffi.NULL
    signature = ffi.new("secp256k1_ecdsa_recoverable_signature *")
    compact, parity = ffi.new("unsigned char[64]"), ffi.new("int *")
    written = ffi.buffer(compact)
    native_sign = lib.secp256k1_ecdsa_sign_recoverable
    serialize = lib.secp256k1_ecdsa_recoverable_signature_serialize_compact
    # The native calls let other threads run.
    lock = Lock()

    def sign(digest: bytes) -> bytes:
        if len(digest) != 32:
            raise ValueError("a digest is 32 bytes")
        with lock:
            if not native_sign(context, signature, digest, key.secret, null, null):
                raise ValueError("no signature")
            serialize(context, compact, parity, signature)
            both: bytes = written[:]
            return both + _V[parity[0]]

    return sign


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
