"""The trader's own names for addresses: read once, written whole at every change."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from pmtui.domain.account.address_book import AddressBook, Contact, why_no_address
from pmtui.domain.ids import Address
from pmtui.service.kernel import Kernel
from pmtui.service.topics import AddressBookTopic
from pmtui.service.wallet.address_store import read_addresses, write_addresses

MISTYPED = "Not an address, or one with a mistyped letter"


class AddressBookKeeper:
    """Keeps names between sessions; without a directory, for this session only."""

    def __init__(
        self,
        kernel: Kernel,
        state_dir: Path | None,
        *,
        to_address: Callable[[str], Address | None],
    ) -> None:
        """Build it; `restore` reads what earlier sessions kept.

        Args:
            kernel: of the service.
            state_dir: of the profile; None to keep nothing.
            to_address: returns an address in its checksummed spelling, None for one that is mistyped.
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
        """Read what earlier sessions kept."""
        if self._state_dir is not None:
            self._book = read_addresses(self._state_dir)

    async def name(self, address: str, name: str) -> str:
        """Name an address; returns why not, "" where it is kept."""
        known = self._to_address(address.strip())
        if known is None:
            return why_no_address(address) or MISTYPED
        contact = Contact(known, name.strip())
        if problem := self._book.why_not_named(contact):
            return problem
        return await self._keep(self._book.with_contact(contact))

    async def forget(self, address: Address) -> str:
        """Forget a name; returns why not."""
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
