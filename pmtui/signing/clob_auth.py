"""Level-1 authentication: the owner attests control of the wallet to make or fetch an API key."""

from collections.abc import Mapping

from pmtui.domain.ids import Address
from pmtui.signing.addresses import AddressError, address_word, checksum_address
from pmtui.signing.contracts import POLYGON_CHAIN_ID
from pmtui.signing.keccak import keccak256
from pmtui.signing.signer import Signer, recover_address
from pmtui.signing.typed_data import (
    domain_separator,
    text_hash,
    type_hash,
    typed_digest,
    uint_word,
)

_NAME = "ClobAuthDomain"
_VERSION = "1"
_TYPE_HASH = type_hash("ClobAuth(address address,string timestamp,uint256 nonce,string message)")
_MESSAGE_HASH = text_hash("This message attests that I control the given wallet")


def auth_digest(address: str, timestamp: str, nonce: int, *, chain_id: int) -> bytes:
    """Return the digest the owner signs.

    Args:
        address: of the owner.
        timestamp: unix seconds as the text that travels.
        nonce: which of the owner's API keys.
        chain_id: of the service's chain.

    Raises:
        AddressError: no address.
        OverflowError: a negative or oversized nonce.
    """
    struct_hash = keccak256(
        _TYPE_HASH + address_word(address) + text_hash(timestamp) + uint_word(nonce) + _MESSAGE_HASH
    )
    return typed_digest(domain_separator(_NAME, _VERSION, chain_id=chain_id), struct_hash)


def auth_headers(
    signer: Signer, *, timestamp_s: int, nonce: int = 0, chain_id: int = POLYGON_CHAIN_ID
) -> dict[str, str]:
    """Return the headers of a level-1 request; `timestamp_s` is the service's time in seconds."""
    timestamp = str(timestamp_s)
    digest = auth_digest(signer.address, timestamp, nonce, chain_id=chain_id)
    return {
        "POLY_ADDRESS": signer.address,
        "POLY_SIGNATURE": "0x" + signer.sign_digest(digest).hex(),
        "POLY_TIMESTAMP": timestamp,
        "POLY_NONCE": str(nonce),
    }


def verify_auth(headers: Mapping[str, str], *, chain_id: int = POLYGON_CHAIN_ID) -> Address | None:
    """Return the owner that level-1 headers prove, or None where they prove nothing.

    Args:
        headers: by any spelling of case the mapping understands.
        chain_id: of the chain the caller must have signed for.
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
