"""Ethereum addresses as text and as bytes, with the checksum that is carried by their case."""

import re
from functools import lru_cache

from pmtui.domain.ids import Address
from pmtui.signing.keccak import keccak256

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)
_BYTES32 = re.compile(r"0x[0-9a-fA-F]{64}", re.ASCII)


class AddressError(ValueError):
    """A text that is no address, or whose case contradicts its checksum."""


class HexError(ValueError):
    """A text that is not 0x and 64 hexadecimal digits."""


@lru_cache(maxsize=4096)
def checksum_address(raw: bytes) -> Address:
    """Write 20 bytes as a checksummed address (EIP-55)."""
    digits = raw.hex()
    marks = keccak256(digits.encode()).hex()
    cased = (d.upper() if int(m, 16) >= 8 else d for d, m in zip(digits, marks, strict=False))
    return Address("0x" + "".join(cased))


@lru_cache(maxsize=4096)
def address_bytes(text: str) -> bytes:
    """Read the 20 bytes of an address in any case.

    Raises:
        AddressError: not 0x and 40 hexadecimal digits.
    """
    if _ADDRESS.fullmatch(text) is None:
        raise AddressError(f"not an address: {text[:60]!r}")
    return bytes.fromhex(text[2:])


def parse_address(text: str) -> Address:
    """Read an address that somebody typed, and write it checksummed.

    Raises:
        AddressError: no address, or mixed case that does not match the checksum.
    """
    address = checksum_address(address_bytes(text))
    if text[2:] not in (address[2:], text[2:].lower(), text[2:].upper()):
        raise AddressError(f"the case of this address does not match its checksum: {text!r}")
    return address


@lru_cache(maxsize=4096)
def bytes32(text: str) -> bytes:
    """Read 0x and 64 hexadecimal digits.

    Raises:
        HexError: anything else.
    """
    if _BYTES32.fullmatch(text) is None:
        raise HexError(f"not 32 bytes in hexadecimal: {text[:80]!r}")
    return bytes.fromhex(text[2:])


@lru_cache(maxsize=4096)
def address_word(text: str) -> bytes:
    """Return an address as one 32-byte word, as hashes and calls take it.

    Raises:
        AddressError: not an address.
    """
    return bytes(12) + address_bytes(text)
