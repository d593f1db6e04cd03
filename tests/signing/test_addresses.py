import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.signing.eip712 import (
    AddressError,
    HexError,
    address_bytes,
    address_word,
    bytes32,
    checksum_address,
    parse_address,
)

# The examples of EIP-55.
CHECKSUMMED = (
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
)


@pytest.mark.parametrize("address", CHECKSUMMED)
def test_published_checksums_come_out(address: str) -> None:
    assert checksum_address(address_bytes(address.lower())) == address
    for typed in (address, address.lower(), "0x" + address[2:].upper()):
        assert parse_address(typed) == address


def test_a_mistyped_letter_is_found_by_its_case() -> None:
    with pytest.raises(AddressError, match="checksum"):
        parse_address(CHECKSUMMED[0].replace("aA", "aa"))


@pytest.mark.parametrize("text", ["", "0x", "0x12", "5aAeb6" + "0" * 36, "0x" + "g" * 40])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(AddressError, match="not an address"):
        address_bytes(text)


@given(st.binary(min_size=20, max_size=20))
def test_every_address_comes_back(raw: bytes) -> None:
    text = parse_address(checksum_address(raw))
    assert address_bytes(text) == raw
    assert address_word(text) == bytes(12) + raw


@pytest.mark.parametrize("text", ["", "0x00", "0x" + " " * 64, "0x" + "0" * 65])
def test_what_is_not_32_bytes_is_refused(text: str) -> None:
    with pytest.raises(HexError):
        bytes32(text)
