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
    domain_separator,
    keccak256,
    parse_address,
    text_hash,
    type_hash,
    uint_word,
)
from pmtui.signing.orders import NESTED_TYPE, ORDER_TYPE

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


EMPTY = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"


def test_the_hash_of_nothing_is_the_published_one() -> None:
    assert keccak256(b"").hex() == EMPTY


def test_an_input_longer_than_a_block_is_hashed_whole() -> None:
    # Published with the reference implementation: 200 bytes of 0xA3.
    expected = "3a57666b048777f2c953dc4456f45a2588e1cb6f2da760122d530ac2ce607d4a"
    assert keccak256(b"\xa3" * 200).hex() == expected


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        (ORDER_TYPE, "bb86318a2138f5fa8ae32fbe8e659f8fcf13cc6ae4014a707893055433818589"),
        (NESTED_TYPE, "6ba028565cb324c2aa02bb714b9816d0bddd557a2f33bb36cf13272a4256bd42"),
        (
            "EIP712Domain(string name,string version,uint256 chainId)",
            "c2f8787176b8ac6bf7215b4adcc1e069bf4ab82d9ab1df05a57a91d425935b6e",
        ),
    ],
    ids=["order", "nested", "domain"],
)
def test_type_hashes_are_the_published_ones(text: str, digest: str) -> None:
    assert type_hash(text).hex() == digest


def test_text_hashes_are_the_published_ones() -> None:
    expected = "d682b529a17cda19aa275f3a050608f9e9401fadd1b0d233d81519972295828b"
    assert text_hash("DepositWallet").hex() == expected


@pytest.mark.parametrize(
    ("chain_id", "separator"),
    [
        (137, "cfc66be2a3b30464cb3b588324101f660c9a205fa76e8e5f83ee16a528e1c4cb"),
        (80002, "a1df8f4e3112eaee2448fbec9ab79f68278407e49d9cf52e3dd3d9692fcac9b6"),
    ],
)
def test_a_domain_without_a_contract_has_three_members(chain_id: int, separator: str) -> None:
    assert domain_separator("ClobAuthDomain", "1", chain_id=chain_id).hex() == separator


def test_a_separator_is_computed_once() -> None:
    first = domain_separator("ClobAuthDomain", "1", chain_id=137)
    assert domain_separator("ClobAuthDomain", "1", chain_id=137) is first


def test_a_contract_that_is_no_address_is_refused() -> None:
    with pytest.raises(AddressError):
        domain_separator("X", "1", chain_id=137, verifying_contract="0x12")


@pytest.mark.parametrize("number", [-1, 1 << 256])
def test_a_number_outside_256_bits_has_no_word(number: int) -> None:
    with pytest.raises(OverflowError):
        uint_word(number)
