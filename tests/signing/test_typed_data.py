import pytest

from pmtui.signing.eip712 import AddressError, domain_separator, text_hash, type_hash, uint_word
from pmtui.signing.orders import NESTED_TYPE, ORDER_TYPE


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
