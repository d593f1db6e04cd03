"""The trader's address book: read once, rewritten completely at every change."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec

from pmtui.config.paths import private_dir, replace_file
from pmtui.domain.account.address_book import AddressBook, Contact, why_no_address
from pmtui.domain.ids import Address
from pmtui.service.kernel import Kernel
from pmtui.service.topics import AddressBookTopic

MISTYPED = "Not an address, or one with a mistyped letter"
WRONG_CHECKSUM = "A letter of this address is mistyped: its checksum does not match"


class AddressBookKeeper:
    """Keeps names between sessions; without a directory, for this session only."""

    def __init__(
        self,
        kernel: Kernel,
        state_dir: Path | None,
        *,
        to_address: Callable[[str], Address | None],
    ) -> None:
        """Create the address book; `restore` reads the names of earlier sessions.

        Args:
            kernel: of the service.
            state_dir: of the profile; None to save nothing.
            to_address: returns an address in its checksummed form, None if it is mistyped.
        """
        self._kernel = kernel
        self._state_dir = state_dir
        self._to_address = to_address
        self._book = AddressBook()
        self._writing = asyncio.Lock()

    def view(self) -> AddressBook:
        """Return every name."""
        return self._book

    def restore(self) -> None:
        """Read the names saved by earlier sessions."""
        if self._state_dir is not None:
            self._book = read_addresses(self._state_dir)

    async def check(self, address: str) -> str:
        """Check an address and its checksum; return what is wrong, or "" if it is valid."""
        bare = address.strip()
        return why_no_address(bare) or ("" if self._to_address(bare) else WRONG_CHECKSUM)

    async def name(self, address: str, name: str) -> str:
        """Name an address; return why not, or "" on success."""
        known = self._to_address(address.strip())
        if known is None:
            return why_no_address(address) or MISTYPED
        contact = Contact(known, name.strip())
        if problem := self._book.why_not_named(contact):
            return problem
        return await self._keep(self._book.with_contact(contact))

    async def forget(self, address: Address) -> str:
        """Remove a name; return why not, or "" on success."""
        return await self._keep(self._book.without(address))

    async def _keep(self, book: AddressBook) -> str:
        async with self._writing:
            if self._state_dir is not None:
                problem = await asyncio.to_thread(write_addresses, self._state_dir, book)
                if problem:
                    return problem
            self._book = book
        self._kernel.mark(AddressBookTopic())
        return ""


FILE = "addresses.json"


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    address: str
    name: str


def read_addresses(state_dir: Path) -> AddressBook:
    """Return the address book; it has a problem if the file cannot be read."""
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
    """Replace the file; return why that failed, or "" on success."""
    if book.problem:
        return book.problem
    rows = [_Row(c.address, c.name) for c in book.contacts]
    try:
        private_dir(state_dir)
        replace_file(state_dir / FILE, msgspec.json.encode(rows), is_synced=True)
    except OSError as error:
        return f"{FILE} cannot be written ({error.strerror or error})"
    return ""
