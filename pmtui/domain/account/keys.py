"""Where a key comes from, which wallet it signs for, and the keys used to submit transactions.

The only secret among these is `PastedKey`, which never shows what it holds.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType

from pmtui.domain.ids import ApiKey


class KeyKind(StrEnum):
    """The source of a session's key."""

    NONE = "none"
    PAPER = "paper"
    """Generated for the local venue, and worthless anywhere else."""
    KEYSTORE = "keystore"
    ENVIRONMENT = "environment"


class SignatureType(StrEnum):
    """The kind of wallet that a signature is for; `number` is sent to the venue."""

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
    """A relayer key as the trader entered it, until it is stored."""

    text: str = field(repr=False)


class SignatureTypeError(ValueError):
    """A text that is not the name of a signature type."""


def parse_signature_type(text: str) -> SignatureType:
    """Parse a signature type by its number, its name, or a name that other programs use.

    Raises:
        SignatureTypeError: the text is none of these.
    """
    word = text.strip().lower().replace("_", "-")
    if word in ("0", "1", "2", "3"):
        return list(SignatureType)[int(word)]
    found = _ALIASES.get(word)
    if found is None:
        raise SignatureTypeError(f"not a signature type: {', '.join(_ALIASES)}, or 0 to 3")
    return found


class RelayerAuth(StrEnum):
    """How the relayer identifies who submits."""

    KEY = "key"
    """The owner's relayer key."""
    BUILDER = "builder"
    """A builder's key and its HMAC, used before relayer keys existed."""


BuilderCode = NewType("BuilderCode", str)
"""0x and 64 hex digits: identifies the builder that an order credits, who may charge a fee."""
NO_BUILDER = BuilderCode("0x" + "00" * 32)
"""No builder is credited."""


@dataclass(frozen=True, slots=True)
class BuilderKey:
    """A builder's key; many replies contain only its name."""

    key: ApiKey
    created_at: datetime | None = None
    revoked_at: datetime | None = None
    code: BuilderCode | None = None
    """The code that orders use to credit this builder, if the host returns it."""

    @property
    def is_revoked(self) -> bool:
        """Whether it can no longer be used."""
        return self.revoked_at is not None


@dataclass(frozen=True, slots=True)
class BuilderFees:
    """The fees that a builder adds to the platform's fee, in basis points."""

    maker_bps: int
    taker_bps: int


class BuilderCodeError(ValueError):
    """A text that is not a builder code."""


def parse_builder_code(text: str) -> BuilderCode:
    """Parse a builder code; an empty text credits nobody.

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
