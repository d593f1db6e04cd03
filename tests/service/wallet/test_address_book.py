"""Names of the address book: kept for the next session, and never a mistyped address."""

import random
from pathlib import Path

from pmtui.domain.account.address_book import AddressBook, Contact
from pmtui.domain.ids import Address
from pmtui.service.health import Health
from pmtui.service.hub import Hub
from pmtui.service.kernel import Kernel
from pmtui.service.log import Log
from pmtui.service.supervisor import Supervisor
from pmtui.service.wallet.address_book import (
    FILE,
    MISTYPED,
    WRONG_CHECKSUM,
    AddressBookKeeper,
    read_addresses,
    write_addresses,
)
from pmtui.signing.wallet_calls import WalletCalls
from tests.manual_clock import ManualClock

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


VAULT = Address("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")


def keeper(folder: Path | None) -> AddressBookKeeper:
    clock = ManualClock()
    hub = Hub(clock)
    log = Log(hub, clock)
    supervisor = Supervisor(clock, log, random.Random(1))
    kernel = Kernel(
        clock=clock, hub=hub, log=log, health=Health(hub, log, clock), supervisor=supervisor
    )
    book = AddressBookKeeper(kernel, folder, to_address=WalletCalls().to_address)
    book.restore()
    return book


async def test_a_name_is_there_in_the_next_session_until_it_is_forgotten(tmp_path: Path) -> None:
    first = keeper(tmp_path)
    assert await first.name(f" {VAULT.lower()} ", " Vault ") == ""
    assert first.view().contacts == (Contact(VAULT, "Vault"),)
    second = keeper(tmp_path)
    assert second.view().contacts == (Contact(VAULT, "Vault"),)
    assert await second.forget(VAULT) == ""
    assert keeper(tmp_path).view().contacts == ()


async def test_a_mistyped_address_and_a_taken_name_are_not_kept(tmp_path: Path) -> None:
    book = keeper(tmp_path)
    swapped = VAULT.replace("c79C8", "C79c8")
    assert await book.name(swapped, "Vault") == MISTYPED
    assert "hexadecimal" in await book.name("0x12", "Vault")
    assert await book.name(VAULT, "") != ""
    assert not (tmp_path / FILE).exists()


async def test_a_checksum_is_checked_by_itself() -> None:
    book = keeper(None)
    assert await book.check(f" {VAULT} ") == ""
    assert await book.check(VAULT.lower()) == ""
    assert await book.check(VAULT.replace("c79C8", "C79c8")) == WRONG_CHECKSUM
    assert "hexadecimal" in await book.check(VAULT[:-1])


async def test_what_cannot_be_written_is_not_taken_for_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    book = keeper(tmp_path / "file")
    assert "cannot" in await book.name(VAULT, "Vault")
    assert book.view().contacts == ()


async def test_without_a_directory_names_last_for_the_session() -> None:
    book = keeper(None)
    assert await book.name(VAULT, "Vault") == ""
    assert book.view().find("vault") == Contact(VAULT, "Vault")
