"""The trader's address book: addresses with names of the trader's own.

Checksums are not checked here: that takes a hash function that the standard library lacks.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pmtui.domain.ids import Address

MOST_CONTACTS = 500
LONGEST_NAME = 40
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)
_ZERO = "0x" + "0" * 40


@dataclass(frozen=True, slots=True)
class Contact:
    """An address and its name."""

    address: Address
    name: str


@dataclass(frozen=True, slots=True)
class AddressBook:
    """Every contact, sorted by name."""

    contacts: tuple[Contact, ...] = ()
    problem: str = ""
    """Why it could not be read or saved."""

    def find(self, text: str) -> Contact | None:
        """Return the contact with this address or name, ignoring case."""
        wanted = text.strip().lower()
        return next(
            (c for c in self.contacts if wanted and wanted in (c.address.lower(), c.name.lower())),
            None,
        )

    def with_contact(self, contact: Contact) -> "AddressBook":
        """Return the book with this contact added, replacing one of the same address."""
        others = (c for c in self.contacts if c.address.lower() != contact.address.lower())
        return replace(self, contacts=_sorted((*others, contact)))

    def without(self, address: Address) -> "AddressBook":
        """Return the book without the contact of an address."""
        kept = tuple(c for c in self.contacts if c.address.lower() != address.lower())
        return replace(self, contacts=kept)

    def why_not_named(self, contact: Contact) -> str:
        """Return why a contact cannot have its name, or "" if it can."""
        name = contact.name.strip()
        if not name:
            return "Enter a name"
        if len(name) > LONGEST_NAME or not name.isprintable():
            return f"A name has {LONGEST_NAME} letters at most"
        if _ADDRESS.fullmatch(name):
            return "A name must not look like an address"
        taken = self.find(name)
        if taken is not None and taken.address.lower() != contact.address.lower():
            return f"{name} is the name of {taken.address}"
        is_new = self.find(contact.address) is None
        return "The address book is full" if is_new and len(self.contacts) >= MOST_CONTACTS else ""


def why_no_address(text: str) -> str:
    """Return why a text is not an address that can be sent to, or "" if it is."""
    bare = text.strip()
    if not bare:
        return "Enter an address"
    if _ADDRESS.fullmatch(bare) is None:
        return "An address is 0x and 40 hexadecimal digits"
    return "The zero address cannot be used" if bare == _ZERO else ""


def is_same_address(first: str, second: str) -> bool:
    """Whether two texts are the same address; case is only a checksum."""
    return first.strip().lower() == second.strip().lower()


def _sorted(contacts: Iterable[Contact]) -> tuple[Contact, ...]:
    return tuple(sorted(contacts, key=lambda c: (c.name.lower(), c.address.lower())))
