from typing import Any

import pytest

from pmtui.domain.account.keys import SignatureType
from pmtui.signing.eip712 import AddressError
from pmtui.signing.wallet import DepositForm, deposit_form, derive_wallets

OWNER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
BEACON_WORD = "0x0000000000000000000000007a18edfe055488a3128f01f563e5b479d92ffc3a"


def test_every_wallet_of_an_owner_is_recognised_in_any_case() -> None:
    wallets = derive_wallets(OWNER)
    expected = {
        wallets.owner: SignatureType.EOA,
        wallets.proxy: SignatureType.PROXY,
        wallets.safe: SignatureType.SAFE,
        wallets.deposit_uups: SignatureType.DEPOSIT_WALLET,
        wallets.deposit_beacon: SignatureType.DEPOSIT_WALLET,
    }
    for address, kind in expected.items():
        assert wallets.signature_type(address) is kind
        assert wallets.signature_type(address.lower()) is kind


def test_a_wallet_of_somebody_else_is_not_recognised() -> None:
    theirs = derive_wallets("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
    assert derive_wallets(OWNER).signature_type(theirs.safe) is None


def test_a_live_wallet_has_its_known_address() -> None:
    wallets = derive_wallets("0x33e4aD5A1367fbf7004c637F628A5b78c44Fa76C")
    assert wallets.deposit(DepositForm.UUPS) == "0x21999a074344610057c9b2B362332388a44502D4"
    assert wallets.deposit(DepositForm.BEACON) == wallets.deposit_beacon


@pytest.mark.parametrize(
    ("beacon", "code", "form"),
    [
        (None, "0x", DepositForm.UUPS),
        ("0x", "0x", DepositForm.UUPS),
        ("0x" + "0" * 64, "0x", DepositForm.UUPS),
        (BEACON_WORD, "0x363d3d37", DepositForm.UUPS),
        (BEACON_WORD, "0x", DepositForm.BEACON),
        (BEACON_WORD, "0x0", DepositForm.BEACON),
    ],
)
def test_the_chain_decides_which_form_an_owner_has(
    beacon: str | None, code: str, form: DepositForm
) -> None:
    assert deposit_form(beacon, code) is form


def test_an_owner_that_is_no_address_has_no_wallets() -> None:
    with pytest.raises(AddressError):
        derive_wallets("0x12")


def test_the_published_wallets_come_out(clob: dict[str, Any]) -> None:
    row = clob["wallets"][0]
    wallets = derive_wallets(row["owner"].lower())
    assert wallets.owner == row["owner"]
    assert (wallets.proxy, wallets.safe) == (row["proxy"], row["safe"])


def test_each_signature_type_has_its_paying_address() -> None:
    wallets = derive_wallets(OWNER)
    paying = {kind: wallets.paying(kind, has_older=False) for kind in SignatureType}
    assert list(paying.values()) == [
        wallets.owner, wallets.proxy, wallets.safe, wallets.deposit_beacon,
    ]  # fmt: skip
    older = wallets.paying(SignatureType.DEPOSIT_WALLET, has_older=True)
    assert older == wallets.deposit_uups
