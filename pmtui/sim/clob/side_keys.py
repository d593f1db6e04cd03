"""Keys beside the API keys of an owner: builder keys, and keys that may only read.

A builder key is a triple like any other. The 32 bytes that orders name as their `builder` are, on
this venue, the hash of such a key (`builder_code`): neither source says how the service draws them.
"""

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from hmac import compare_digest
from uuid import uuid4

import msgspec
from typing_extensions import override

from pmtui.domain.ids import Address, ApiKey
from pmtui.signing.auth import ApiCredentials, RequestSigner
from pmtui.signing.secret import Secret
from pmtui.sim.accounts.auth import WINDOW_S
from pmtui.sim.venue import Venue

KIND = "side key"


class KeyKind(Enum):
    """What a key is for."""

    BUILDER = "builder"
    READ_ONLY = "read only"


@dataclass(slots=True)
class SideKey:
    """One key and whose it is."""

    key: str
    kind: KeyKind
    eoa: Address
    created_ms: int
    secret: str = field(default="", repr=False)
    passphrase: str = field(default="", repr=False)
    revoked_ms: int | None = None

    @property
    def builder_code(self) -> str:
        """The bytes32 by which orders are attributed to this key's owner."""
        return f"0x{sha256(self.key.encode()).hexdigest()}"

    @override
    def __repr__(self) -> str:
        """Name the key, never what proves it."""
        return f"SideKey({self.kind.value}, {self.eoa})"


_decode = msgspec.json.Decoder(SideKey).decode


class SideKeys:
    """Every such key, revoked ones too: a builder's trades outlive the key."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        kept = sorted((_decode(row) for _, row in venue.notes(KIND)), key=lambda k: k.created_ms)
        self._keys = {key.key: key for key in kept}
        self._codes = {key.builder_code: key for key in kept if key.kind is KeyKind.BUILDER}

    def mint(self, eoa: Address, kind: KeyKind) -> SideKey:
        """Make a key."""
        key = SideKey(str(uuid4()), kind, eoa, self._venue.clock.now_ms())
        if kind is KeyKind.BUILDER:
            key.secret = urlsafe_b64encode(secrets.token_bytes(32)).decode()
            key.passphrase = secrets.token_hex(32)
            self._codes[key.builder_code] = key
        self._keep(key)
        return key

    def of(self, eoa: Address, kind: KeyKind) -> list[SideKey]:
        """Return an owner's keys, oldest first."""
        return [key for key in self._keys.values() if key.eoa == eoa and key.kind is kind]

    def find(self, key: str, kind: KeyKind) -> SideKey | None:
        """Return a key that is good."""
        found = self._keys.get(key)
        return found if found and found.kind is kind and found.revoked_ms is None else None

    def by_code(self, builder_code: str) -> SideKey | None:
        """Return the builder key, good or not, that a builder code was made from."""
        return self._codes.get(builder_code.lower())

    def verify(
        self, key: SideKey, headers: Mapping[str, str], *, method: str, path: str, body: bytes
    ) -> bool:
        """Return whether a request to the relayer is signed with a builder key."""
        timestamp = headers.get("POLY_BUILDER_TIMESTAMP", "")
        if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
            return False
        if abs(int(timestamp) * 1_000 - self._venue.clock.now_ms()) > WINDOW_S * 1_000:
            return False
        signer = RequestSigner(
            ApiCredentials(
                ApiKey(key.key), Secret.from_text(key.secret), Secret.from_text(key.passphrase)
            )
        )
        expected = signer.builder_headers(
            timestamp_s=int(timestamp), method=method, path=path, body=body
        )
        return all(
            compare_digest(headers.get(name, "").encode(), value.encode())
            for name, value in expected.items()
        )

    def revoke(self, key: SideKey) -> None:
        """Make a key useless for good."""
        key.revoked_ms = self._venue.clock.now_ms()
        self._keep(key)

    def _keep(self, key: SideKey) -> None:
        self._venue.write_notes(KIND, {key.key: msgspec.json.encode(key)})
        self._keys[key.key] = key
