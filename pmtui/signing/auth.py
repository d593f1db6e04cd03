"""Request authentication: the owner's signature (level 1), the API key's HMAC (level 2), and sign-in.

Level 1 proves control of the wallet, to create or fetch an API key. Level 2 is HMAC-SHA256 over time,
method, path without query, and body of every request; the hash is keyed once and copied for each.
Creating a relayer key needs a sign-in to the metadata host with the owner's key (EIP-4361); its steps,
texts and the unusual bearer token are described in docs/wire.md#signing-in (September 2026).
"""

import hmac
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Never, final

import msgspec
from typing_extensions import override

from pmtui.domain.ids import Address, ApiKey
from pmtui.signing.contracts import POLYGON_CHAIN_ID
from pmtui.signing.eip712 import (
    AddressError,
    address_word,
    checksum_address,
    domain_separator,
    keccak256,
    text_hash,
    type_hash,
    typed_digest,
    uint_word,
)
from pmtui.signing.secret import Secret, SecretError
from pmtui.signing.signer import Signer, recover_address

_AUTH_NAME = "ClobAuthDomain"
_AUTH_VERSION = "1"
_AUTH_TYPE_HASH = type_hash(
    "ClobAuth(address address,string timestamp,uint256 nonce,string message)"
)
_MESSAGE_HASH = text_hash("This message attests that I control the given wallet")


def auth_digest(address: str, timestamp: str, nonce: int, *, chain_id: int) -> bytes:
    """Return the digest that the owner signs.

    Args:
        address: of the owner.
        timestamp: Unix seconds, as the text that is sent.
        nonce: selects one of the owner's API keys.
        chain_id: of the venue's chain.

    Raises:
        AddressError: the address is invalid.
        OverflowError: the nonce is negative or too large.
    """
    struct_hash = keccak256(
        _AUTH_TYPE_HASH
        + address_word(address)
        + text_hash(timestamp)
        + uint_word(nonce)
        + _MESSAGE_HASH
    )
    return typed_digest(domain_separator(_AUTH_NAME, _AUTH_VERSION, chain_id=chain_id), struct_hash)


def auth_headers(
    signer: Signer, *, timestamp_s: int, nonce: int = 0, chain_id: int = POLYGON_CHAIN_ID
) -> dict[str, str]:
    """Return the headers of a level-1 request; `timestamp_s` is the venue's time in seconds."""
    timestamp = str(timestamp_s)
    digest = auth_digest(signer.address, timestamp, nonce, chain_id=chain_id)
    return {
        "POLY_ADDRESS": signer.address,
        "POLY_SIGNATURE": "0x" + signer.sign_digest(digest).hex(),
        "POLY_TIMESTAMP": timestamp,
        "POLY_NONCE": str(nonce),
    }


def verify_auth(headers: Mapping[str, str], *, chain_id: int = POLYGON_CHAIN_ID) -> Address | None:
    """Return the owner that level-1 headers prove, or None if they are invalid.

    Args:
        headers: a mapping that handles the case of header names.
        chain_id: the chain that the caller must have signed for.
    """
    address = headers.get("POLY_ADDRESS", "")
    nonce = headers.get("POLY_NONCE", "0")
    if not (nonce.isascii() and nonce.isdigit() and len(nonce) <= 77):
        return None
    try:
        claimed = checksum_address(address_word(address)[12:])
        signature = bytes.fromhex(headers.get("POLY_SIGNATURE", "").removeprefix("0x"))
        timestamp = headers.get("POLY_TIMESTAMP", "")
        digest = auth_digest(address, timestamp, int(nonce), chain_id=chain_id)
    except (AddressError, ValueError, OverflowError):
        return None
    return claimed if recover_address(digest, signature) == claimed else None


class CredentialsError(ValueError):
    """A credential not in the venue's format; the message does not contain it."""


@dataclass(frozen=True, slots=True)
class ApiCredentials:
    """An owner's credentials from the venue: a public key, a secret and a passphrase."""

    key: ApiKey
    secret: Secret
    """URL-safe base64 text."""
    passphrase: Secret


@final
class RequestSigner:
    """Signs requests with one set of credentials."""

    __slots__ = ("_mac", "_passphrase", "key")

    key: ApiKey

    def __init__(self, credentials: ApiCredentials) -> None:
        """Key the hash once; each request copies its state.

        Raises:
            CredentialsError: the secret is not URL-safe base64, or empty.
        """
        self.key = credentials.key
        self._passphrase = credentials.passphrase
        self._mac = hmac.new(_decode_secret(credentials.secret), digestmod=sha256)

    def signature(self, timestamp: str, method: str, path: str, body: bytes = b"") -> str:
        """Return the signature of a request.

        Args:
            timestamp: Unix seconds, as the text that is sent.
            method: signed as given: upper case on the wire.
            path: starting with the slash, without host and query.
            body: the exact bytes that are sent.
        """
        mac = self._mac.copy()
        mac.update(f"{timestamp}{method}{path}".encode())
        mac.update(body)
        return urlsafe_b64encode(mac.digest()).decode()

    def headers(
        self, address: Address, *, timestamp_s: int, method: str, path: str, body: bytes = b""
    ) -> dict[str, str]:
        """Return the headers of a request from the owner at `address`."""
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
        """Return the headers of a request authenticated by a builder, as the relayer expects them."""
        timestamp = str(timestamp_s)
        return {
            "POLY_BUILDER_API_KEY": self.key,
            "POLY_BUILDER_TIMESTAMP": timestamp,
            "POLY_BUILDER_PASSPHRASE": self._passphrase.reveal_text(),
            "POLY_BUILDER_SIGNATURE": self.signature(timestamp, method, path, body),
        }

    def verify(self, headers: Mapping[str, str], *, method: str, path: str, body: bytes) -> bool:
        """Return whether headers contain these credentials and the signature of this request.

        The caller looks up the credentials by the API key, and compares the address itself.
        """
        timestamp = headers.get("POLY_TIMESTAMP", "")
        expected = self.signature(timestamp, method, path, body)
        given = headers.get("POLY_SIGNATURE", "").encode()
        passphrase = Secret.from_text(headers.get("POLY_PASSPHRASE", ""))
        return (
            headers.get("POLY_API_KEY") == self.key
            and passphrase == self._passphrase
            and hmac.compare_digest(given, expected.encode())
        )

    @override
    def __repr__(self) -> str:
        return f"RequestSigner({self.key})"

    @override
    def __reduce_ex__(self, protocol: object) -> Never:
        raise SecretError("a key is neither copied nor stored")


def relayer_headers(api_key: str, address: Address) -> dict[str, str]:
    """Return the headers for a relayer key, which is static and valid only for its own address."""
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


DOMAIN = "polymarket.com"
URI = "https://polymarket.com"
STATEMENT = "Welcome to Polymarket! Sign to connect."
_SEPARATOR = ":::"
_LONGEST_TOKEN = 8_192


class SignIn(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The fields of a sign-in, in the order in which they are sent."""

    domain: str
    address: Address
    statement: str
    uri: str
    version: str
    chain_id: int
    nonce: str
    issued_at: str
    """ISO 8601 with milliseconds and Z."""
    expiration_time: str | None = None

    @property
    def message(self) -> str:
        """The text that the owner signs."""
        lines = [
            f"{self.domain} wants you to sign in with your Ethereum account:",
            self.address,
            "",
            self.statement,
            "",
            f"URI: {self.uri}",
            f"Version: {self.version}",
            f"Chain ID: {self.chain_id}",
            f"Nonce: {self.nonce}",
            f"Issued At: {self.issued_at}",
        ]
        if self.expiration_time is not None:
            lines.append(f"Expiration Time: {self.expiration_time}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A signed sign-in."""

    fields: SignIn
    signature: bytes

    @property
    def fields_json(self) -> str:
        """The fields as JSON, as sent."""
        return msgspec.json.encode(self.fields).decode()

    @property
    def authorization(self) -> str:
        """The header of the request that opens the session."""
        token = f"{self.fields_json}{_SEPARATOR}0x{self.signature.hex()}"
        return f"Bearer {b64encode(token.encode()).decode()}"


def plan_sign_in(
    owner: Address, *, nonce: str, issued_at: str, expiration_time: str | None
) -> SignIn:
    """Return the fields to sign for signing in as an owner.

    Args:
        owner: whose key signs.
        nonce: from the host, valid once.
        issued_at: ISO 8601 with milliseconds and Z.
        expiration_time: in the same format; None omits it.
    """
    return SignIn(
        domain=DOMAIN,
        address=owner,
        statement=STATEMENT,
        uri=URI,
        version="1",
        chain_id=POLYGON_CHAIN_ID,
        nonce=nonce,
        issued_at=issued_at,
        expiration_time=expiration_time,
    )


def sign_planned(signer: Signer, fields: SignIn) -> SignedIn:
    """Sign in with exactly the fields that were shown."""
    return SignedIn(fields, signer.sign_digest(personal_digest(fields.message)))


def personal_digest(text: str) -> bytes:
    """Return the digest that is signed for a human-readable text (EIP-191)."""
    raw = text.encode()
    return keccak256(b"\x19Ethereum Signed Message:\n" + str(len(raw)).encode() + raw)


def verify_sign_in(authorization: str) -> SignIn | None:
    """Return the sign-in that a bearer token proves; None if it is invalid.

    The caller must check nonce, domain, chain and times: they are only claims.
    """
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or len(token) > _LONGEST_TOKEN:
        return None
    try:
        text = b64decode(token, validate=True).decode()
        claims, _, signature = text.rpartition(_SEPARATOR)
        fields = msgspec.json.decode(claims, type=SignIn)
        raw = bytes.fromhex(signature.removeprefix("0x"))
    except (ValueError, msgspec.DecodeError):
        return None
    signed_by = recover_address(personal_digest(fields.message), raw)
    return fields if signed_by == fields.address else None
