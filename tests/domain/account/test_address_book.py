import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.address_book import (
    LONGEST_NAME,
    MOST_CONTACTS,
    AddressBook,
    Contact,
    is_same_address,
    why_no_address,
)
from pmtui.domain.ids import Address

ONE = Address("0x" + "1a" * 20)
TWO = Address("0x" + "2b" * 20)

addresses = st.binary(min_size=20, max_size=20).map(lambda raw: Address("0x" + raw.hex()))


def test_a_contact_is_found_by_name_and_by_address_in_any_case() -> None:
    contact = Contact(ONE, "Cold Vault")
    book = AddressBook().with_contact(contact)
    assert book.find(" cold vault ") == contact
    assert book.find(ONE.upper()) == contact
    assert book.find("cold") is None
    assert book.find("") is None


def test_contacts_stand_by_name_and_one_is_forgotten_by_address() -> None:
    book = AddressBook().with_contact(Contact(TWO, "b")).with_contact(Contact(ONE, "A"))
    assert [c.name for c in book.contacts] == ["A", "b"]
    assert book.without(Address(ONE.upper())).contacts == (Contact(TWO, "b"),)


@pytest.mark.parametrize(
    ("name", "is_taken"),
    [("Vault", True), ("vault", True), ("", True), (" ", True), ("x" * (LONGEST_NAME + 1), True),
     ("a\tb", True), (TWO, True), ("Other", False)],
)  # fmt: skip
def test_a_name_is_one_address_and_readable(name: str, is_taken: bool) -> None:
    book = AddressBook().with_contact(Contact(ONE, "Vault"))
    assert bool(book.why_not_named(Contact(TWO, name))) is is_taken


def test_an_address_may_keep_or_change_its_name() -> None:
    book = AddressBook().with_contact(Contact(ONE, "Vault"))
    assert not book.why_not_named(Contact(ONE, "Vault"))
    assert not book.why_not_named(Contact(ONE, "Safe"))


def test_a_full_book_takes_no_new_contact() -> None:
    full = AddressBook(
        tuple(Contact(Address(f"0x{n:040x}"), f"n{n}") for n in range(1, MOST_CONTACTS + 1))
    )
    assert full.why_not_named(Contact(ONE, "Vault"))
    assert not full.why_not_named(Contact(Address(f"0x{7:040x}"), "Vault"))


@pytest.mark.parametrize("text", ["", "0x12", "1a" * 20, "0x" + "1g" * 20, "0x" + "0" * 40])
def test_what_is_no_address_says_why(text: str) -> None:
    assert why_no_address(text)


@given(addresses)
def test_every_other_address_is_fine_and_is_itself_in_any_case(address: Address) -> None:
    if int(address, 16):
        assert not why_no_address(f" {address} ")
        assert not why_no_address("0x" + address[2:].upper())
    assert is_same_address(address, f" 0x{address[2:].upper()}")


@given(st.lists(addresses, max_size=6))
def test_each_address_is_there_once(found: list[Address]) -> None:
    book = AddressBook()
    for address in found:
        book = book.with_contact(Contact(address, "x")).with_contact(Contact(address, address[2:8]))
    assert {c.address for c in book.contacts} == set(found)
    assert len(book.contacts) == len(set(found))
