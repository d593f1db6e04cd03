"""Credentials and the addresses that belong to their owner."""

import pytest

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address
from pmtui.sim.accounts import Accounts, Credentials

OWNER = Address("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
BEACON = Address("0xBc0fF067b7740Eff76C1ca93c875Ba6B890d6B50")
UUPS = Address("0xdf8b9E8f9AB23f261F6e1B171B7454ae6E46Ba76")


@pytest.fixture
def accounts() -> Accounts:
    return Accounts()


def _added(accounts: Accounts) -> Credentials:
    made = accounts.create(OWNER, 0, now_ms=5)
    assert made is not None
    accounts.add(made)
    return made


def test_all_three_parts_of_a_credential_must_be_right(accounts: Accounts) -> None:
    made = _added(accounts)
    assert accounts.check(made.api_key, made.secret, made.passphrase) == made
    assert accounts.check(made.api_key, made.secret, "") is None
    assert accounts.check(made.api_key, "é", made.passphrase) is None
    assert accounts.check("", made.secret, made.passphrase) is None


def test_credentials_do_not_print_what_proves_them(accounts: Accounts) -> None:
    made = _added(accounts)
    assert made.secret not in repr(made)
    assert made.passphrase not in repr(made)
    assert made.api_key in repr(made)


def test_an_owner_is_known_by_every_address_once_it_has_had_a_key(accounts: Accounts) -> None:
    assert accounts.owner_of(BEACON) is None
    made = _added(accounts)
    for address in (OWNER, BEACON, UUPS):
        assert accounts.owner_of(address) == OWNER
    accounts.remove(made.api_key)
    assert accounts.owner_of(BEACON) == OWNER
    assert accounts.by_key(made.api_key) is None


def test_the_older_deposit_wallet_is_meant_where_it_is_deployed(accounts: Accounts) -> None:
    assert accounts.wallet_for(OWNER, SignatureType.DEPOSIT_WALLET) == BEACON
    accounts.deploy([UUPS])
    assert accounts.wallet_for(OWNER, SignatureType.DEPOSIT_WALLET) == UUPS
    assert accounts.wallet_for(OWNER, SignatureType.EOA) == OWNER
    assert len({accounts.wallet_for(OWNER, kind) for kind in SignatureType}) == 4


def test_secrets_are_long_and_never_the_same(accounts: Accounts) -> None:
    first, second = accounts.create(OWNER, 0, now_ms=0), accounts.create(OWNER, 0, now_ms=0)
    assert first is not None
    assert second is not None
    assert len(first.secret) == 44
    assert len({first.secret, second.secret, first.passphrase, second.passphrase}) == 4
    assert first.api_key != second.api_key
