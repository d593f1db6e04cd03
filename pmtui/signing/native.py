"""A native signature into buffers that are kept, because the library's way makes four of them anew.

Uses the library's own binding, which it does not promise to keep; where that has changed, the
promised way takes over, a microsecond slower. Both give the same bytes.
"""

from collections.abc import Callable
from threading import Lock

from coincurve import PrivateKey

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
