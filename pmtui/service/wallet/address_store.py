"""The address book on the disk, in the profile's own directory: replaced whole, never half.

What cannot be read stays where it is, and nothing is written over it.
"""

from pathlib import Path

import msgspec

from pmtui.config.paths import private_dir, replace_file
from pmtui.domain.account.address_book import AddressBook, Contact
from pmtui.domain.ids import Address

FILE = "addresses.json"


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    address: str
    name: str


def read_addresses(state_dir: Path) -> AddressBook:
    """Return the address book; one with a problem where the file cannot be read."""
    path = state_dir / FILE
    try:
        rows = msgspec.json.decode(path.read_bytes(), type=tuple[_Row, ...])
    except FileNotFoundError:
        return AddressBook()
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        return AddressBook(problem=f"{FILE} cannot be read and is left as it is ({error})")
    book = AddressBook()
    for row in rows:
        book = book.with_contact(Contact(Address(row.address), row.name))
    return book


def write_addresses(state_dir: Path, book: AddressBook) -> str:
    """Replace the file; returns why that failed, "" if it did not."""
    if book.problem:
        return book.problem
    rows = [_Row(c.address, c.name) for c in book.contacts]
    try:
        private_dir(state_dir)
        replace_file(state_dir / FILE, msgspec.json.encode(rows), is_synced=True)
    except OSError as error:
        return f"{FILE} cannot be written ({error.strerror or error})"
    return ""
