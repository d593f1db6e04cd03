"""Keys of the relayer and of builders lie in files of the user's alone, and are good for one owner."""

from pathlib import Path

import pytest

from pmtui.cli.account.wallet_access import BUILDER_KEY_FILE, RELAYER_KEY_FILE, WalletKeyFiles
from pmtui.domain.ids import Address, ApiKey
from pmtui.signing.auth import ApiCredentials
from pmtui.signing.secret import Secret

OWNER = Address("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
OTHER = Address("0xBc0fF067b7740Eff76C1ca93c875Ba6B890d6B50")
KEY = "01a2074e-696a-7d13-97da-827926e34e95"


def test_a_relayer_key_is_found_again_by_its_owner_only(tmp_path: Path) -> None:
    kept = WalletKeyFiles(tmp_path).keep_relayer_key(KEY, OWNER)
    assert KEY not in kept.shown
    files = WalletKeyFiles(tmp_path)
    found = files.relayer_key(OWNER)
    assert found is not None
    assert found.key.reveal_text() == KEY
    assert KEY not in repr(found)
    assert files.relayer_key(OTHER) is None
    assert (tmp_path / RELAYER_KEY_FILE).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("key", ["", "two words", "é", "x" * 500, "line\n"])
def test_what_is_no_key_is_not_kept(tmp_path: Path, key: str) -> None:
    with pytest.raises(ValueError, match="no relayer key"):
        WalletKeyFiles(tmp_path).keep_relayer_key(key, OWNER)
    assert not (tmp_path / RELAYER_KEY_FILE).exists()


def test_a_builder_key_is_found_again(tmp_path: Path) -> None:
    made = ApiCredentials(ApiKey(KEY), Secret.from_text("c2VjcmV0"), Secret.from_text("pass"))
    WalletKeyFiles(tmp_path).keep_builder_key(made)
    assert WalletKeyFiles(tmp_path).builder_key() == made
    assert (tmp_path / BUILDER_KEY_FILE).stat().st_mode & 0o077 == 0


def test_without_a_directory_a_key_lasts_as_long_as_the_session() -> None:
    files = WalletKeyFiles(None)
    files.keep_relayer_key(KEY, OWNER)
    assert files.relayer_key(OWNER) is not None
    assert WalletKeyFiles(None).relayer_key(OWNER) is None


@pytest.mark.parametrize("text", ["", "[]", '{"key": 5}'])
def test_a_damaged_file_is_no_key_and_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / RELAYER_KEY_FILE).write_text(text)
    files = WalletKeyFiles(tmp_path)
    assert files.relayer_key(OWNER) is None
    assert files.problem


def test_a_file_that_others_could_have_written_is_not_read(tmp_path: Path) -> None:
    WalletKeyFiles(tmp_path).keep_relayer_key(KEY, OWNER)
    (tmp_path / RELAYER_KEY_FILE).chmod(0o666)
    assert WalletKeyFiles(tmp_path).relayer_key(OWNER) is None
