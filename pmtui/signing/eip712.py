"""Ethereum's hash, addresses, words and typed data (EIP-712): the basis of every signature here."""

import re
from functools import lru_cache

from sha3 import keccak_256

from pmtui.domain.ids import Address


def keccak256(data: bytes) -> bytes:
    """Hash bytes to 32 bytes with Keccak-256, which differs from standard SHA-3."""
    digest: bytes = keccak_256(data).digest()
    return digest


_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)
_BYTES32 = re.compile(r"0x[0-9a-fA-F]{64}", re.ASCII)


class AddressError(ValueError):
    """A text that is not an address, or whose case contradicts its checksum."""


class HexError(ValueError):
    """A text that is not 0x and 64 hexadecimal digits."""


@lru_cache(maxsize=4096)
def checksum_address(raw: bytes) -> Address:
    """Return 20 bytes as a checksummed address (EIP-55)."""
    digits = raw.hex()
    marks = keccak256(digits.encode()).hex()
    cased = (d.upper() if int(m, 16) >= 8 else d for d, m in zip(digits, marks, strict=False))
    return Address("0x" + "".join(cased))


@lru_cache(maxsize=4096)
def address_bytes(text: str) -> bytes:
    """Return the 20 bytes of an address in any case.

    Raises:
        AddressError: the text is not 0x and 40 hexadecimal digits.
    """
    if _ADDRESS.fullmatch(text) is None:
        raise AddressError(f"not an address: {text[:60]!r}")
    return bytes.fromhex(text[2:])


def parse_address(text: str) -> Address:
    """Return a typed address in its checksummed form.

    Raises:
        AddressError: the text is not an address, or has mixed case that does not match the
            checksum.
    """
    address = checksum_address(address_bytes(text))
    if text[2:] not in (address[2:], text[2:].lower(), text[2:].upper()):
        raise AddressError(f"the case of this address does not match its checksum: {text!r}")
    return address


@lru_cache(maxsize=4096)
def bytes32(text: str) -> bytes:
    """Return the bytes of 0x and 64 hexadecimal digits.

    Raises:
        HexError: the text is anything else.
    """
    if _BYTES32.fullmatch(text) is None:
        raise HexError(f"not 32 bytes in hexadecimal: {text[:80]!r}")
    return bytes.fromhex(text[2:])


@lru_cache(maxsize=4096)
def address_word(text: str) -> bytes:
    """Return an address as one 32-byte word, as used in hashes and calls.

    Raises:
        AddressError: the text is not an address.
    """
    return bytes(12) + address_bytes(text)


_DOMAIN_TYPE = "EIP712Domain(string name,string version,uint256 chainId)"
_CONTRACT_DOMAIN_TYPE = (
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)


def type_hash(type_string: str) -> bytes:
    """Hash the type string of a struct."""
    return keccak256(type_string.encode())


def text_hash(text: str) -> bytes:
    """Hash a member of type `string`."""
    return keccak256(text.encode())


def uint_word(number: int) -> bytes:
    """Return an unsigned integer as one 32-byte word.

    Raises:
        OverflowError: the number is negative, or has more than 256 bits.
    """
    return number.to_bytes(32, "big")


@lru_cache(maxsize=64)
def domain_separator(
    name: str, version: str, *, chain_id: int, verifying_contract: str | None = None
) -> bytes:
    """Return the hash that binds a signature to one application on one chain.

    Args:
        name: of the application, as its contract states it.
        version: of the application.
        chain_id: of the contract's chain.
        verifying_contract: address of the contract; None if the domain has no such field.

    Raises:
        AddressError: the contract is not an address.
    """
    head = text_hash(name) + text_hash(version) + uint_word(chain_id)
    if verifying_contract is None:
        return keccak256(type_hash(_DOMAIN_TYPE) + head)
    return keccak256(type_hash(_CONTRACT_DOMAIN_TYPE) + head + address_word(verifying_contract))


def typed_digest(separator: bytes, struct_hash: bytes) -> bytes:
    """Return the 32-byte digest that is signed for a struct in a domain."""
    return keccak256(b"\x19\x01" + separator + struct_hash)
