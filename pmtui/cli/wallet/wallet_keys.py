"""The keys of the relayer and of builders on the disk: files of the user's alone in the profile's directory.

A relayer key submits batches for its owner and signs none of them; a builder's key does the same for any
owner. Neither can move anything without the owner's signature, so they lie there unencrypted, and nobody
but their owner can read them.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from pmtui.config.paths import replace_file, why_untrusted
from pmtui.domain.account.onboarding import shorten_key_id
from pmtui.domain.ids import Address, ApiKey
from pmtui.signing.auth import ApiCredentials
from pmtui.signing.secret import Secret

R = TypeVar("R", bound=msgspec.Struct)

RELAYER_KEY_FILE = "relayer-key.json"
BUILDER_KEY_FILE = "builder-key.json"
LONGEST_KEY = 200


class _RelayerRow(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    address: Address


class _BuilderRow(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    secret: str
    passphrase: str


@dataclass(frozen=True, slots=True)
class RelayerCredential:
    """A relayer key and whom it submits for."""

    key: Secret
    address: Address

    @property
    def shown(self) -> str:
        """Its first digits."""
        return shorten_key_id(self.key.reveal_text())


def why_no_key(text: str) -> str:
    """Say why a text cannot be a relayer key, "" where it can; it is not repeated."""
    is_word = text.isascii() and text.isprintable() and " " not in text
    if is_word and 0 < len(text) <= LONGEST_KEY:
        return ""
    return "that is no relayer key: it is one word of letters, digits and hyphens"


class WalletKeyFiles:
    """Both keys of a profile. Without a directory they last as long as the session."""

    def __init__(self, state_dir: Path | None) -> None:
        self._state_dir = state_dir
        self._relayer: RelayerCredential | None = None
        self._builder: ApiCredentials | None = None
        self.problem = ""
        """Why a file is not used; empty where none is refused."""

    def relayer_key(self, owner: Address) -> RelayerCredential | None:
        """Return the key of an owner: what was kept last, also by another program meanwhile."""
        row = self._read(RELAYER_KEY_FILE, _RelayerRow)
        if row is not None:
            self._relayer = RelayerCredential(Secret.from_text(row.key), row.address)
        known = self._relayer
        return known if known is not None and known.address == owner else None

    def keep_relayer_key(self, key: str, owner: Address) -> RelayerCredential:
        """Keep a key.

        Raises:
            OSError: the file cannot be written.
            ValueError: it is no key.
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
        """Keep a builder's key: its secret is told only once.

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
