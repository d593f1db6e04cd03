"""Accounts of the venue: API credentials, their owners, and the owners' wallets.

An owner (EOA) has up to five addresses that can pay for orders; the venue records them all when the
owner creates a first key. Money arrives only through deposits, never with a key.
"""

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from hmac import compare_digest
from uuid import uuid4

from typing_extensions import override

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, ApiKey
from pmtui.signing.auth import ApiCredentials, RequestSigner
from pmtui.signing.contracts import POLYGON
from pmtui.signing.secret import Secret
from pmtui.signing.wallet import OwnerWallets, derive_wallets


@dataclass(frozen=True, slots=True)
class Credentials:
    """The venue's credentials for one (owner, nonce)."""

    api_key: ApiKey
    secret: str
    """URL-safe base64."""
    passphrase: str
    eoa: Address
    nonce: int
    created_ms: int = 0

    @override
    def __repr__(self) -> str:
        """Show the key, never the secret or passphrase."""
        return f"Credentials({self.api_key}, {self.eoa}, {self.nonce})"


class Accounts:
    """All credentials, and all addresses of owners with credentials."""

    def __init__(self) -> None:
        self._by_key: dict[ApiKey, Credentials] = {}
        self._by_nonce: dict[tuple[Address, int], Credentials] = {}
        self._signers: dict[ApiKey, RequestSigner] = {}
        self._owners: dict[Address, Address] = {}
        self._deployed: set[Address] = set()

    def create(self, eoa: Address, nonce: int, *, now_ms: int) -> Credentials | None:
        """Return new credentials, or None if this owner has some for this nonce.

        They are valid only after `add`, so that the caller can store them first.
        """
        if (eoa, nonce) in self._by_nonce:
            return None
        return Credentials(
            api_key=ApiKey(str(uuid4())),
            secret=urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            passphrase=secrets.token_hex(32),
            eoa=eoa,
            nonce=nonce,
            created_ms=now_ms,
        )

    def add(self, credentials: Credentials) -> None:
        """Accept credentials from now on."""
        self._by_key[credentials.api_key] = credentials
        self._by_nonce[credentials.eoa, credentials.nonce] = credentials
        self.learn(credentials.eoa)

    def remove(self, api_key: ApiKey) -> None:
        """Delete credentials; the owner may then create new ones for the same nonce."""
        credentials = self._by_key.pop(api_key)
        self._signers.pop(api_key, None)
        del self._by_nonce[credentials.eoa, credentials.nonce]

    def derive(self, eoa: Address, nonce: int) -> Credentials | None:
        """Return the existing credentials for an owner and nonce."""
        return self._by_nonce.get((eoa, nonce))

    def by_key(self, api_key: str) -> Credentials | None:
        """Return the credentials of an API key."""
        return self._by_key.get(ApiKey(api_key))

    def keys_of(self, eoa: Address) -> list[ApiKey]:
        """Return the API keys of an owner, oldest first."""
        return [key for key, credentials in self._by_key.items() if credentials.eoa == eoa]

    def check(self, api_key: str, secret: str, passphrase: str) -> Credentials | None:
        """Return the credentials if all three parts are right."""
        known = self.by_key(api_key)
        if known is None:
            return None
        is_right = compare_digest(known.secret.encode(), secret.encode()) & compare_digest(
            known.passphrase.encode(), passphrase.encode()
        )
        return known if is_right else None

    def signer(self, credentials: Credentials) -> RequestSigner:
        """Return the prepared HMAC of some credentials."""
        signer = self._signers.get(credentials.api_key)
        if signer is None:
            signer = RequestSigner(
                ApiCredentials(
                    credentials.api_key,
                    Secret.from_text(credentials.secret),
                    Secret.from_text(credentials.passphrase),
                )
            )
            self._signers[credentials.api_key] = signer
        return signer

    def learn(self, eoa: Address) -> None:
        """Record which addresses belong to an owner."""
        if eoa not in self._owners:
            wallets = derive_wallets(eoa, POLYGON.wallets)
            for address in addresses_of(wallets):
                self._owners[address] = eoa

    def owner_of(self, address: str) -> Address | None:
        """Return the owner of an address, in checksummed form."""
        return self._owners.get(Address(address))

    def wallets_of(self, eoa: Address) -> tuple[Address, ...]:
        """Return the five addresses of an owner, its own first."""
        return addresses_of(derive_wallets(eoa, POLYGON.wallets))

    def deploy(self, wallets: Iterable[Address]) -> None:
        """Record that contract code exists at these addresses."""
        self._deployed.update(wallets)

    def is_deployed(self, address: str) -> bool:
        """Return whether a wallet is deployed: the venue deploys it with its first deposit."""
        return address in self._deployed

    def wallet_for(self, eoa: Address, kind: SignatureType) -> Address:
        """Return the address that pays for orders of a signature type.

        An owner's deposit wallet has the older form if that one is deployed, else the newer.
        """
        wallets = derive_wallets(eoa, POLYGON.wallets)
        return wallets.paying(kind, has_older=self.is_deployed(wallets.deposit_uups))


def addresses_of(wallets: OwnerWallets) -> tuple[Address, ...]:
    """Return the five addresses of an owner, its own first."""
    return (
        wallets.owner,
        wallets.proxy,
        wallets.safe,
        wallets.deposit_uups,
        wallets.deposit_beacon,
    )
