"""Where a key comes from, for which wallet it signs, and the keys that submit.

The only secret among these is `PastedKey`, which never shows what it holds.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType

from pmtui.domain.ids import ApiKey


class KeyKind(StrEnum):
    """Where the key of a session comes from."""

    NONE = "none"
    PAPER = "paper"
    """Drawn for the local venue, and good for nothing else."""
    KEYSTORE = "keystore"
    ENVIRONMENT = "environment"


class SignatureType(StrEnum):
    """Who signs for which kind of wallet; `number` is what travels."""

    EOA = "eoa"
    PROXY = "proxy"
    SAFE = "safe"
    DEPOSIT_WALLET = "deposit-wallet"

    @property
    def number(self) -> int:
        """The value of the `signatureType` field, 0 to 3."""
        return list(SignatureType).index(self)


_ALIASES = {
    "eoa": SignatureType.EOA,
    "proxy": SignatureType.PROXY,
    "safe": SignatureType.SAFE,
    "gnosis-safe": SignatureType.SAFE,
    "deposit": SignatureType.DEPOSIT_WALLET,
    "deposit-wallet": SignatureType.DEPOSIT_WALLET,
    "poly-1271": SignatureType.DEPOSIT_WALLET,
}


@dataclass(frozen=True, slots=True)
class PastedKey:
    """A relayer key as the trader gave it, on its way to where it is kept."""

    text: str = field(repr=False)


class SignatureTypeError(ValueError):
    """A text that names no signature type."""


def parse_signature_type(text: str) -> SignatureType:
    """Read a signature type by its number, its name, or another name that programs give it.

    Raises:
        SignatureTypeError: it is none.
    """
    word = text.strip().lower().replace("_", "-")
    if word in ("0", "1", "2", "3"):
        return list(SignatureType)[int(word)]
    found = _ALIASES.get(word)
    if found is None:
        raise SignatureTypeError(f"not a signature type: {', '.join(_ALIASES)}, or 0 to 3")
    return found


class RelayerAuth(StrEnum):
    """By what the relayer knows who submits."""

    KEY = "key"
    """The owner's relayer key."""
    BUILDER = "builder"
    """A builder's key and its HMAC, as before there were relayer keys."""


BuilderCode = NewType("BuilderCode", str)
"""0x and 64 hex digits: whom an order credits, and who may charge a fee for it."""
NO_BUILDER = BuilderCode("0x" + "00" * 32)
"""Nobody is credited."""


@dataclass(frozen=True, slots=True)
class BuilderKey:
    """A builder's key; many answers tell its name and nothing else."""

    key: ApiKey
    created_at: datetime | None = None
    revoked_at: datetime | None = None
    code: BuilderCode | None = None
    """What orders name to credit this builder, where the host tells it."""

    @property
    def is_revoked(self) -> bool:
        """Whether it is of no use any more."""
        return self.revoked_at is not None


@dataclass(frozen=True, slots=True)
class BuilderFees:
    """What a builder charges on top of the platform's fee, in hundredths of a percent."""

    maker_bps: int
    taker_bps: int


class BuilderCodeError(ValueError):
    """A text that is no builder code."""


def parse_builder_code(text: str) -> BuilderCode:
    """Read a builder code; an empty text credits nobody.

    Raises:
        BuilderCodeError: not 0x and 64 hex digits.
    """
    if not text:
        return NO_BUILDER
    digits = text.removeprefix("0x")
    is_hex = digits.isascii() and all(char in "0123456789abcdef" for char in digits.lower())
    if len(text) != 66 or len(digits) != 64 or not is_hex:
        raise BuilderCodeError(f"not 0x and 64 hex digits: {text[:80]!r}")
    return BuilderCode(text.lower())
