"""Level-2 authentication: HMAC-SHA256 over time, method, path and body of every request.

The path is signed without its query. The keyed inner and outer hash states are computed once and
copied, so that a request costs two short hashes.
"""

from base64 import urlsafe_b64decode
from binascii import b2a_base64
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from typing import Never, final

from typing_extensions import override

from pmtui.domain.ids import Address, ApiKey
from pmtui.signing.secret import Secret, SecretError

_BLOCK = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


class CredentialsError(ValueError):
    """A credential that is not what the service hands out; the message does not show it."""


@dataclass(frozen=True, slots=True)
class ApiCredentials:
    """What the service returns for an owner: a public key, a secret and a passphrase."""

    key: ApiKey
    secret: Secret
    """URL-safe base64 text."""
    passphrase: Secret


@final
class RequestSigner:
    """Signs requests with one set of credentials."""

    __slots__ = ("_inner", "_outer", "_passphrase", "key")

    key: ApiKey

    def __init__(self, credentials: ApiCredentials) -> None:
        """Prepare the keyed hash states.

        Raises:
            CredentialsError: the secret is not URL-safe base64, or empty.
        """
        self.key = credentials.key
        self._passphrase = credentials.passphrase
        secret = _decode_secret(credentials.secret)
        block = (sha256(secret).digest() if len(secret) > _BLOCK else secret).ljust(_BLOCK, b"\0")
        self._inner = sha256(block.translate(_INNER))
        self._outer = sha256(block.translate(_OUTER))

    def signature(self, timestamp: str, method: str, path: str, body: bytes = b"") -> str:
        """Return the signature of a request.

        Args:
            timestamp: unix seconds as the text that travels.
            method: signed as given: upper case on the wire.
            path: from the slash on, without host and query.
            body: the exact bytes that are sent.
        """
        inner = self._inner.copy()
        inner.update(f"{timestamp}{method}{path}".encode())
        inner.update(body)
        outer = self._outer.copy()
        outer.update(inner.digest())
        digits = b2a_base64(outer.digest(), newline=False).decode()
        return digits.replace("+", "-").replace("/", "_")

    def headers(
        self, address: Address, *, timestamp_s: int, method: str, path: str, body: bytes = b""
    ) -> dict[str, str]:
        """Return the headers of a request by the owner at `address`."""
        timestamp = str(timestamp_s)
        return {
            "POLY_ADDRESS": address,
            "POLY_SIGNATURE": self.signature(timestamp, method, path, body),
            "POLY_TIMESTAMP": timestamp,
            "POLY_API_KEY": self.key,
            "POLY_PASSPHRASE": self._passphrase.reveal_text(),
        }

    def builder_headers(
        self, *, timestamp_s: int, method: str, path: str, body: bytes = b""
    ) -> dict[str, str]:
        """Return the headers of a request that a builder authenticates, as the relayer reads them."""
        timestamp = str(timestamp_s)
        return {
            "POLY_BUILDER_API_KEY": self.key,
            "POLY_BUILDER_TIMESTAMP": timestamp,
            "POLY_BUILDER_PASSPHRASE": self._passphrase.reveal_text(),
            "POLY_BUILDER_SIGNATURE": self.signature(timestamp, method, path, body),
        }

    def verify(self, headers: Mapping[str, str], *, method: str, path: str, body: bytes) -> bool:
        """Return whether headers carry these credentials and the signature of this request.

        The caller has found the credentials by the API key and compares the address itself.
        """
        timestamp = headers.get("POLY_TIMESTAMP", "")
        expected = self.signature(timestamp, method, path, body)
        given = headers.get("POLY_SIGNATURE", "").encode()
        passphrase = Secret.from_text(headers.get("POLY_PASSPHRASE", ""))
        return (
            headers.get("POLY_API_KEY") == self.key
            and passphrase == self._passphrase
            and compare_digest(given, expected.encode())
        )

    @override
    def __repr__(self) -> str:
        return f"RequestSigner({self.key})"

    @override
    def __reduce_ex__(self, protocol: object) -> Never:
        raise SecretError("a key is neither copied nor stored")


def relayer_headers(api_key: str, address: Address) -> dict[str, str]:
    """Return the headers of a relayer key: it is static and good only for its own address."""
    return {"RELAYER_API_KEY": api_key, "RELAYER_API_KEY_ADDRESS": address}


def _decode_secret(secret: Secret) -> bytes:
    decoded = _read_base64(secret.reveal())
    if decoded is None:
        raise CredentialsError("the API secret is not URL-safe base64")
    if not decoded:
        raise CredentialsError("the API secret is empty")
    return decoded


def _read_base64(raw: bytes) -> bytes | None:
    try:
        return urlsafe_b64decode(raw + b"=" * (-len(raw) % 4))
    except ValueError:
        return None
