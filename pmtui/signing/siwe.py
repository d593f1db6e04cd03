"""Signs in to the metadata host with the owner's key (EIP-4361): what a relayer key is minted with.

Steps, texts and the odd bearer are those of WIRE_METADATA §5.7 (September 2026).
"""

from base64 import b64decode, b64encode
from dataclasses import dataclass

import msgspec

from pmtui.domain.ids import Address
from pmtui.signing.contracts import POLYGON_CHAIN_ID
from pmtui.signing.keccak import keccak256
from pmtui.signing.signer import Signer, recover_address

DOMAIN = "polymarket.com"
URI = "https://polymarket.com"
STATEMENT = "Welcome to Polymarket! Sign to connect."
_SEPARATOR = ":::"
_LONGEST_TOKEN = 8_192


class SignIn(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The fields of a sign-in, in the order in which they travel."""

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
        """The fields as they travel."""
        return msgspec.json.encode(self.fields).decode()

    @property
    def authorization(self) -> str:
        """The header of the request that opens the session."""
        token = f"{self.fields_json}{_SEPARATOR}0x{self.signature.hex()}"
        return f"Bearer {b64encode(token.encode()).decode()}"


def sign_in(signer: Signer, *, nonce: str, issued_at: str, expiration_time: str | None) -> SignedIn:
    """Sign in as the owner.

    Args:
        signer: the owner's key.
        nonce: from the host, good once.
        issued_at: ISO 8601 with milliseconds and Z.
        expiration_time: the same; None leaves it out.
    """
    fields = SignIn(
        domain=DOMAIN,
        address=signer.address,
        statement=STATEMENT,
        uri=URI,
        version="1",
        chain_id=POLYGON_CHAIN_ID,
        nonce=nonce,
        issued_at=issued_at,
        expiration_time=expiration_time,
    )
    return SignedIn(fields, signer.sign_digest(personal_digest(fields.message)))


def personal_digest(text: str) -> bytes:
    """Return what is signed for a text that a person reads (EIP-191)."""
    raw = text.encode()
    return keccak256(b"\x19Ethereum Signed Message:\n" + str(len(raw)).encode() + raw)


def verify_sign_in(authorization: str) -> SignIn | None:
    """Return the sign-in that a bearer proves; None where it proves nothing.

    Who calls this checks nonce, domain, chain and times: they are claims of the caller.
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
