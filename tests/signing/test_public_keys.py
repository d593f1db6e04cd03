import pytest
from eth_account import Account

from pmtui.signing.keystore import PUBLISHED, is_public_key
from pmtui.signing.secret import Secret
from tests.sim.kit import KEYS

MNEMONIC = "test test test test test test test test test test test junk"


def test_the_published_addresses_are_those_of_the_mnemonic() -> None:
    Account.enable_unaudited_hdwallet_features()
    derived = {
        Account.from_mnemonic(MNEMONIC, account_path=f"m/44'/60'/0'/0/{number}").address
        for number in range(20)
    }
    assert derived == PUBLISHED


@pytest.mark.parametrize("text", [*KEYS, f"{1:064x}", f"{2**64 - 1:064x}"])
def test_a_key_that_others_have_is_known(text: str) -> None:
    assert is_public_key(Secret.from_hex(text))


def test_any_other_key_is_not() -> None:
    assert not is_public_key(Secret(b"\x01" * 32))
    assert not is_public_key(Secret.from_hex(f"{2**64:064x}"))
