"""EIP-712: type hashes, domain separators (computed once each) and the digest that is signed."""

from functools import lru_cache

from pmtui.signing.addresses import address_word
from pmtui.signing.keccak import keccak256

_DOMAIN_TYPE = "EIP712Domain(string name,string version,uint256 chainId)"
_CONTRACT_DOMAIN_TYPE = (
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)


def type_hash(type_string: str) -> bytes:
    """Hash the description of a struct type."""
    return keccak256(type_string.encode())


def text_hash(text: str) -> bytes:
    """Hash a member of type `string`."""
    return keccak256(text.encode())


def uint_word(number: int) -> bytes:
    """Return an unsigned integer as one 32-byte word.

    Raises:
        OverflowError: negative, or more than 256 bits.
    """
    return number.to_bytes(32, "big")


@lru_cache(maxsize=64)
def domain_separator(
    name: str, version: str, *, chain_id: int, verifying_contract: str | None = None
) -> bytes:
    """Return the hash that ties a signature to one application on one chain.

    Args:
        name: of the application, as its contract states it.
        version: of the same.
        chain_id: of the chain the contract is on.
        verifying_contract: address of the contract; None where the domain has no such member.

    Raises:
        AddressError: the contract is not an address.
    """
    head = text_hash(name) + text_hash(version) + uint_word(chain_id)
    if verifying_contract is None:
        return keccak256(type_hash(_DOMAIN_TYPE) + head)
    return keccak256(type_hash(_CONTRACT_DOMAIN_TYPE) + head + address_word(verifying_contract))


def typed_digest(separator: bytes, struct_hash: bytes) -> bytes:
    """Return the 32 bytes that are signed for a struct in a domain."""
    return keccak256(b"\x19\x01" + separator + struct_hash)
