"""Addresses by the names that a trader gave them.

Checksums are not checked here: that takes a hash that the standard library does not have.
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
    """Every contact, by name."""

    contacts: tuple[Contact, ...] = ()
    problem: str = ""
    """Why it was not read or is not kept."""

    def find(self, text: str) -> Contact | None:
        """Return the contact of this address or name, in any case."""
        wanted = text.strip().lower()
        return next(
            (c for c in self.contacts if wanted and wanted in (c.address.lower(), c.name.lower())),
            None,
        )

    def with_contact(self, contact: Contact) -> "AddressBook":
        """Return the book with this contact in place of one of the same address."""
        others = (c for c in self.contacts if c.address.lower() != contact.address.lower())
        return replace(self, contacts=_sorted((*others, contact)))

    def without(self, address: Address) -> "AddressBook":
        """Return the book without a contact."""
        kept = tuple(c for c in self.contacts if c.address.lower() != address.lower())
        return replace(self, contacts=kept)

    def why_not_named(self, contact: Contact) -> str:
        """Say why a contact cannot have its name, "" where it can."""
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
    """Say what keeps a text from being an address that can be sent to, "" for nothing."""
    bare = text.strip()
    if not bare:
        return "Enter an address"
    if _ADDRESS.fullmatch(bare) is None:
        return "An address is 0x and 40 hexadecimal digits"
    return "The zero address cannot be used" if bare == _ZERO else ""


def is_same_address(first: str, second: str) -> bool:
    """Whether two texts are one address; case is only a checksum."""
    return first.strip().lower() == second.strip().lower()


def _sorted(contacts: Iterable[Contact]) -> tuple[Contact, ...]:
    return tuple(sorted(contacts, key=lambda c: (c.name.lower(), c.address.lower())))
