import hashlib
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account

from pmtui.signing.eip712 import keccak256
from pmtui.signing.keystore import (
    PUBLISHED,
    KeystoreProblem,
    create_key,
    decrypt_keystore,
    encrypt_keystore,
    is_public_key,
    keystore_address,
    write_keystore,
)
from pmtui.signing.secret import Secret
from pmtui.signing.signer import KeyFormatError, Signer
from tests.sim.kit import KEYS

KEY = Secret(b"\x01" * 32)
PASSPHRASE = Secret.from_text("a long passphrase, é")


@pytest.fixture(scope="module")
def keystore() -> str:
    return encrypt_keystore(KEY, PASSPHRASE, work_factor=2)


def test_a_key_comes_back_with_its_passphrase(keystore: str) -> None:
    assert decrypt_keystore(keystore, PASSPHRASE) == KEY
    assert KEY.reveal().hex() not in keystore


def test_another_passphrase_does_not_open_it(keystore: str) -> None:
    problem = decrypt_keystore(keystore, Secret.from_text("guess"))
    assert problem is KeystoreProblem.DOES_NOT_OPEN


def test_a_keystore_is_listed_by_its_address_unopened(keystore: str) -> None:
    assert keystore_address(keystore) == Signer(KEY).address


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 4}', '{"version": 3}', '{"version": 3, "crypto": 1}']
)
def test_a_foreign_file_is_not_a_keystore(text: str) -> None:
    assert decrypt_keystore(text, PASSPHRASE) is KeystoreProblem.NOT_A_KEYSTORE
    assert keystore_address(text) is None


def _without_kdf(keystore: dict[str, Any]) -> None:
    keystore["crypto"]["kdf"] = "rot13"


def _without_mac(keystore: dict[str, Any]) -> None:
    del keystore["crypto"]["mac"]


@pytest.mark.parametrize("damage", [_without_kdf, _without_mac])
def test_a_damaged_file_is_not_a_keystore(
    keystore: str, damage: Callable[[dict[str, Any]], None]
) -> None:
    document = json.loads(keystore)
    damage(document)
    problem = decrypt_keystore(json.dumps(document), PASSPHRASE)
    assert problem is KeystoreProblem.NOT_A_KEYSTORE


def test_a_keystore_of_another_address_is_refused(keystore: str) -> None:
    document = json.loads(keystore)
    document["address"] = "11" * 20
    problem = decrypt_keystore(json.dumps(document), PASSPHRASE)
    assert problem is KeystoreProblem.BAD_KEY


@pytest.mark.parametrize("address", ["nonsense", None])
def test_a_keystore_need_not_state_an_address(keystore: str, address: str | None) -> None:
    document = json.loads(keystore)
    document["address"] = address
    assert keystore_address(json.dumps(document)) is None
    assert decrypt_keystore(json.dumps(document), PASSPHRASE) == KEY


def test_a_keystore_that_holds_no_usable_key_is_refused() -> None:
    derived = hashlib.pbkdf2_hmac("sha256", b"x", b"salt", 1, 32)
    ciphertext = bytes(31)
    kdf_params = {"c": 1, "dklen": 32, "prf": "hmac-sha256", "salt": b"salt".hex()}
    crypto = {
        "cipher": "aes-128-ctr",
        "cipherparams": {"iv": "00" * 16},
        "ciphertext": ciphertext.hex(),
        "kdf": "pbkdf2",
        "kdfparams": kdf_params,
        "mac": keccak256(derived[16:32] + ciphertext).hex(),
    }
    document = {"version": 3, "crypto": crypto}
    problem = decrypt_keystore(json.dumps(document), Secret.from_text("x"))
    assert problem is KeystoreProblem.BAD_KEY


def test_what_is_no_key_is_not_stored() -> None:
    with pytest.raises(KeyFormatError):
        encrypt_keystore(Secret(bytes(32)), PASSPHRASE, work_factor=2)


def test_a_keystore_file_is_private_and_never_replaced(tmp_path: Path, keystore: str) -> None:
    path = tmp_path / "key.json"
    write_keystore(path, keystore)
    assert path.read_text() == keystore
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        write_keystore(path, "another")
    assert path.read_text() == keystore
    assert [file.name for file in tmp_path.iterdir()] == ["key.json"]


def test_a_keystore_that_cannot_be_written_whole_is_not_there(
    tmp_path: Path, keystore: str
) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_keystore(tmp_path / "key.json", keystore + "\ud800")
    assert list(tmp_path.iterdir()) == []


def test_the_key_library_itself_opens_the_file(tmp_path: Path, keystore: str) -> None:
    path = tmp_path / "key.json"
    write_keystore(path, keystore)
    opened = Account.decrypt(json.loads(path.read_text()), PASSPHRASE.reveal_text())
    assert bytes(opened) == KEY.reveal()


def test_a_new_key_is_drawn_until_it_is_one() -> None:
    draws = iter([bytes(32), b"\xff" * 32, b"\x07" * 32])
    sizes: list[int] = []

    def random_bytes(size: int) -> bytes:
        sizes.append(size)
        return next(draws)

    assert create_key(random_bytes).reveal() == b"\x07" * 32
    assert sizes == [32, 32, 32]


SCRYPT = {"n": 262_144, "r": 8, "p": 1, "dklen": 32, "salt": "00" * 16}


@pytest.mark.parametrize(
    ("kdf", "params"),
    [
        ("scrypt", SCRYPT | {"n": 1 << 40}),
        ("scrypt", SCRYPT | {"n": 10**4000}),
        ("scrypt", SCRYPT | {"r": 1 << 20}),
        ("scrypt", SCRYPT | {"p": 1 << 24}),
        ("scrypt", SCRYPT | {"p": 1_000}),
        ("scrypt", SCRYPT | {"dklen": 1 << 30}),
        ("pbkdf2", {"c": 1 << 40, "dklen": 32, "prf": "hmac-sha256", "salt": "00" * 16}),
    ],
)
def test_a_keystore_that_asks_for_the_whole_machine_is_refused(
    keystore: str, kdf: str, params: dict[str, object]
) -> None:
    document = json.loads(keystore)
    document["crypto"] |= {"kdf": kdf, "kdfparams": params}
    problem = decrypt_keystore(json.dumps(document), PASSPHRASE)
    assert problem is KeystoreProblem.TOO_COSTLY


@pytest.mark.parametrize("value", [None, "8", 1.5, True, 0, -8])
def test_a_cost_that_is_no_number_is_no_keystore(keystore: str, value: object) -> None:
    document = json.loads(keystore)
    document["crypto"]["kdfparams"]["r"] = value
    problem = decrypt_keystore(json.dumps(document), PASSPHRASE)
    assert problem is KeystoreProblem.NOT_A_KEYSTORE


def test_names_with_capitals_open_too(keystore: str) -> None:
    document = json.loads(keystore)
    document["Crypto"] = document.pop("crypto")
    assert decrypt_keystore(json.dumps(document), PASSPHRASE) == KEY


@pytest.mark.parametrize("depth", [50, 500, 990, 3_000, 100_000])
def test_a_deeply_nested_file_is_no_keystore(depth: int, keystore: str) -> None:
    nested = "[" * depth + "]" * depth
    document = keystore.strip().removesuffix("}")
    for text in (
        nested,
        f'{document}, "more": {nested}}}',
        f'{{"version": 3, "crypto": {nested}}}',
    ):
        keystore_address(text)
        opened = decrypt_keystore(text, PASSPHRASE)
        assert isinstance(opened, Secret | KeystoreProblem)


def test_a_number_of_thousands_of_digits_is_no_keystore() -> None:
    text = f'{{"version": 3, "id": {"9" * 5_000}}}'
    assert decrypt_keystore(text, PASSPHRASE) is KeystoreProblem.NOT_A_KEYSTORE


def test_what_a_killed_program_left_is_removed_by_the_next(tmp_path: Path, keystore: str) -> None:
    (tmp_path / ".key.json.abc123").write_text("half")
    (tmp_path / ".other").write_text("not ours")
    write_keystore(tmp_path / "key.json", keystore)
    assert {file.name for file in tmp_path.iterdir()} == {"key.json", ".other"}


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
