"""The session's access to its deposit wallet, and the files of the relayer and builder keys.

A relayer key submits batches for its owner but signs none of them; a builder's key does the same for any
owner. Neither can move anything without the owner's signature, so they are stored unencrypted, readable
only by their owner.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

import msgspec

from pmtui.clients.account import KeysClient
from pmtui.clients.http.client import HttpHost
from pmtui.clients.relayer import NO_KEY, RelayerClient, SignInSession, begin_sign_in
from pmtui.config.paths import replace_file, why_untrusted
from pmtui.domain.account.keys import (
    NO_BUILDER,
    BuilderCode,
    BuilderKey,
    PastedKey,
    RelayerAuth,
)
from pmtui.domain.account.onboarding import shorten_key_id
from pmtui.domain.account.wallet_transactions import RelayerTransaction, TransactionId
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address, ApiKey
from pmtui.signing.auth import (
    ApiCredentials,
    CredentialsError,
    RequestSigner,
    SignIn,
    plan_sign_in,
    relayer_headers,
    sign_planned,
)
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer

R = TypeVar("R", bound=msgspec.Struct)

RELAYER_KEY_FILE = "relayer-key.json"
BUILDER_KEY_FILE = "builder-key.json"
LONGEST_KEY = 200
SESSION = timedelta(days=7)
"""How long a sign-in is valid, as the official library states it."""


class _RelayerRow(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    address: Address


class _BuilderRow(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    secret: str
    passphrase: str


@dataclass(frozen=True, slots=True)
class RelayerCredential:
    """A relayer key and its owner."""

    key: Secret
    address: Address

    @property
    def shown(self) -> str:
        """Its first digits."""
        return shorten_key_id(self.key.reveal_text())


def why_no_key(text: str) -> str:
    """Return why a text cannot be a relayer key, without repeating it, or "" if it can."""
    is_word = text.isascii() and text.isprintable() and " " not in text
    if is_word and 0 < len(text) <= LONGEST_KEY:
        return ""
    return "that is no relayer key: it is one word of letters, digits and hyphens"


class WalletKeyFiles:
    """Both keys of a profile. Without a directory they last only for the session."""

    def __init__(self, state_dir: Path | None) -> None:
        self._state_dir = state_dir
        self._relayer: RelayerCredential | None = None
        self._builder: ApiCredentials | None = None
        self.problem = ""
        """Why a file is not used; empty if none is refused."""

    def relayer_key(self, owner: Address) -> RelayerCredential | None:
        """Return the key of an owner as last stored, by this or another program."""
        row = self._read(RELAYER_KEY_FILE, _RelayerRow)
        if row is not None:
            self._relayer = RelayerCredential(Secret.from_text(row.key), row.address)
        known = self._relayer
        return known if known is not None and known.address == owner else None

    def keep_relayer_key(self, key: str, owner: Address) -> RelayerCredential:
        """Store a key.

        Raises:
            OSError: the file cannot be written.
            ValueError: the text is not a key.
        """
        if problem := why_no_key(key):
            raise ValueError(problem)
        self._relayer = RelayerCredential(Secret.from_text(key), owner)
        self._write(RELAYER_KEY_FILE, _RelayerRow(key, owner))
        return self._relayer

    def builder_key(self) -> ApiCredentials | None:
        """Return the builder's key."""
        row = self._read(BUILDER_KEY_FILE, _BuilderRow)
        if row is not None:
            self._builder = ApiCredentials(
                ApiKey(row.key), Secret.from_text(row.secret), Secret.from_text(row.passphrase)
            )
        return self._builder

    def keep_builder_key(self, made: ApiCredentials) -> None:
        """Store a builder's key: the venue shows its secret only once.

        Raises:
            OSError: the file cannot be written.
        """
        self._builder = made
        row = _BuilderRow(made.key, made.secret.reveal_text(), made.passphrase.reveal_text())
        self._write(BUILDER_KEY_FILE, row)

    def _read(self, name: str, kind: type[R]) -> R | None:
        path = None if self._state_dir is None else self._state_dir / name
        if path is None or not path.exists():
            return None
        if reason := why_untrusted(path):
            self.problem = f"{path}: refused: {reason}"
            return None
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except (OSError, msgspec.MsgspecError):
            self.problem = f"{path}: cannot be read"
            return None

    def _write(self, name: str, row: msgspec.Struct) -> None:
        if self._state_dir is not None:
            replace_file(self._state_dir / name, msgspec.json.encode(row), is_synced=True)


@dataclass(frozen=True, slots=True)
class WalletOptions:
    """The wallet options of a profile."""

    state_dir: Path | None = None
    """The directory for keys; None keeps them for the session only."""
    auth: RelayerAuth = RelayerAuth.KEY
    builder_code: BuilderCode = NO_BUILDER
    is_practice: bool = False
    """Whether a paper account takes every step by hand."""
    permit_file: Path | None = None
    """In practice mode the account is opened once this file exists; None opens it at once."""

    @property
    def is_account_held(self) -> bool:
        """Whether the account waits for the trader."""
        return self.permit_file is not None and not self.permit_file.exists()


class SessionRelayer:
    """The relayer as used by the owner, with the key that is on disk now."""

    def __init__(
        self,
        relayer: RelayerClient,
        files: WalletKeyFiles,
        *,
        owner: Address,
        auth: RelayerAuth,
        timestamp_s: Callable[[], int],
    ) -> None:
        """Submit transactions as one owner.

        Args:
            relayer: the host.
            files: the keys on disk.
            owner: the wallet's owner.
            auth: how the relayer identifies who submits.
            timestamp_s: returns the venue's time in seconds.
        """
        self._files = files
        self._owner = owner
        self._auth = auth
        self._timestamp_s = timestamp_s
        self._relayer = relayer.for_caller(self._headers)

    @property
    def shown(self) -> str:
        """The first digits of the key that submits; empty if there is none."""
        if self._auth is RelayerAuth.BUILDER:
            builder = self._files.builder_key()
            return "" if builder is None else f"builder {builder.key[:8]}…"
        key = self._files.relayer_key(self._owner)
        return "" if key is None else key.shown

    async def nonce(self, owner: Address) -> int | Failure:
        """Return the nonce for the next batch of an owner's deposit wallet."""
        return await self._relayer.nonce(owner)

    async def transaction(
        self, transaction_id: TransactionId
    ) -> RelayerTransaction | Failure | None:
        """Return one transaction; None if the relayer knows none with this id."""
        return await self._relayer.transaction(transaction_id)

    async def submit(self, body: bytes) -> RelayerTransaction | Failure:
        """Submit a deployment or a signed batch, exactly once."""
        return await self._relayer.submit(body) if self.shown else _no_key("POST /submit")

    async def transactions(self) -> tuple[RelayerTransaction, ...] | Failure:
        """Return the owner's recent transactions."""
        return await self._relayer.transactions() if self.shown else _no_key("GET /transactions")

    def _headers(self, method: str, path: str, body: bytes) -> Mapping[str, str]:
        if self._auth is RelayerAuth.BUILDER:
            builder = self._files.builder_key()
            if builder is None:
                return {}
            try:
                return RequestSigner(builder).builder_headers(
                    timestamp_s=self._timestamp_s(), method=method, path=path, body=body
                )
            except CredentialsError:
                return {}
        key = self._files.relayer_key(self._owner)
        return {} if key is None else relayer_headers(key.key.reveal_text(), key.address)


class _Minting:
    """A relayer key about to be created."""

    def __init__(
        self, minter: "KeyMinter", session: SignInSession, fields: SignIn, signer: Signer
    ) -> None:
        self._minter = minter
        self._session = session
        self._fields = fields
        self._signer = signer

    @property
    def message(self) -> str:
        """The exact text that is signed."""
        return self._fields.message

    async def finish(self) -> str | Failure:
        """Sign the text, sign in and create the key; it is stored on disk."""
        signed = sign_planned(self._signer, self._fields)
        made = await self._session.mint(self._minter.relayer, signed.authorization)
        if isinstance(made, Failure):
            return made
        if made.address.lower() != self._signer.address.lower():
            return _refused("the key is another owner's, and is not used")
        try:
            return self._minter.files.keep_relayer_key(made.api_key, self._signer.address).shown
        except (OSError, ValueError) as error:
            return _refused(f"the key was made and could not be kept: {error}")

    async def close(self) -> None:
        """Discard it."""
        await self._session.close()


class KeyMinter:
    """Creates relayer keys of one owner, and shows the existing one."""

    def __init__(
        self,
        metadata: HttpHost,
        relayer: RelayerClient,
        files: WalletKeyFiles,
        *,
        signer: Signer,
        now: Callable[[], datetime],
        shown: Callable[[], str],
    ) -> None:
        self._metadata = metadata
        self.relayer = relayer
        self.files = files
        self._signer = signer
        self._now = now
        self._shown = shown

    @property
    def shown(self) -> str:
        """The first digits of the key; empty if there is none."""
        return self._shown()

    async def begin_minting(self) -> _Minting | Failure:
        """Request what has to be signed to create a key."""
        session = await begin_sign_in(self._metadata)
        if isinstance(session, Failure):
            return session
        now = self._now()
        fields = plan_sign_in(
            self._signer.address,
            nonce=session.nonce,
            issued_at=_stamp(now),
            expiration_time=_stamp(now + SESSION),
        )
        return _Minting(self, session, fields, self._signer)

    async def take(self, key: PastedKey) -> str | Failure:
        """Check the trader's key at the relayer, and store it; return its first digits."""
        text = key.text.strip()
        if problem := why_no_key(text):
            return _refused(problem)
        owner = self._signer.address
        caller = self.relayer.for_caller(lambda *_: relayer_headers(text, owner))
        listed = await caller.transactions()
        if isinstance(listed, Failure) and listed.kind is FailureKind.REFUSED:
            return _refused(f"not kept: the relayer refuses this key ({listed.text})")
        try:
            return self.files.keep_relayer_key(text, owner).shown
        except OSError as error:
            return _refused(f"it cannot be kept: {error.strerror or error}")

    async def make_ready(self) -> None:
        """Create a key if there is none, without asking: only for play money."""
        if self.shown:
            return
        minting = await self.begin_minting()
        if not isinstance(minting, Failure):
            _ = await minting.finish()


class BuilderKeys:
    """Builder's keys of one account; the secret of a new one is stored on disk and nowhere else."""

    def __init__(self, client: KeysClient, files: WalletKeyFiles) -> None:
        self._client = client
        self._files = files

    async def create(self) -> BuilderKey | Failure:
        """Create a builder's key."""
        made = await self._client.create_builder_key()
        if isinstance(made, Failure):
            return made
        try:
            self._files.keep_builder_key(made.credentials)
        except OSError as error:
            return _refused(f"the key was made and could not be kept: {error}")
        return made.key

    async def keys(self) -> tuple[BuilderKey, ...] | Failure:
        """Return the builder's keys."""
        return await self._client.builder_keys()

    async def revoke(self, key: ApiKey) -> Failure | None:
        """Revoke a builder's key."""
        known = self._files.builder_key()
        try:
            return await self._client.revoke_builder_key(
                key, credentials=known if known is not None and known.key == key else None
            )
        except CredentialsError as error:
            return _refused(str(error))


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _no_key(route: str) -> Failure:
    return Failure(FailureKind.REFUSED, route, NO_KEY)


def _refused(text: str) -> Failure:
    return Failure(FailureKind.REFUSED, "POST /relayer/api/auth", text)
