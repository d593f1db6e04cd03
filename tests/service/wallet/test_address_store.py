from pathlib import Path

from pmtui.domain.account.address_book import AddressBook, Contact
from pmtui.domain.ids import Address
from pmtui.service.wallet.address_book import FILE, read_addresses, write_addresses

BOOK = (
    AddressBook()
    .with_contact(Contact(Address("0x" + "1a" * 20), "Vault"))
    .with_contact(Contact(Address("0x" + "2b" * 20), "Cousin"))
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert read_addresses(tmp_path) == AddressBook()
    assert write_addresses(tmp_path / "new", BOOK) == ""
    assert read_addresses(tmp_path / "new") == BOOK
    assert (tmp_path / "new" / FILE).stat().st_mode & 0o077 == 0


def test_a_file_that_cannot_be_read_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b'[{"address": 7}]')
    book = read_addresses(tmp_path)
    assert book.contacts == ()
    assert book.problem
    assert write_addresses(tmp_path, book.with_contact(BOOK.contacts[0])) == book.problem
    assert (tmp_path / FILE).read_bytes() == b'[{"address": 7}]'


def test_a_directory_that_cannot_be_written_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert "cannot be written" in write_addresses(tmp_path / "file", BOOK)
