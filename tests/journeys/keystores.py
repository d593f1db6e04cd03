"""Puts a key where a profile looks for it, in a keystore that opens at once."""

from pathlib import Path

from pmtui.cli.keys.unlocking import keystore_path
from pmtui.signing.keystore import encrypt_keystore
from pmtui.signing.secret import Secret


def store_key(home: Path, profile: str, key: str, passphrase: str) -> None:
    """Keep a key for a profile: what the program itself writes takes a second to open, on purpose.

    Args:
        home: the `PMTUI_HOME` of the programs that will open it.
        profile: whose key it is.
        key: hexadecimal digits.
        passphrase: what opens it.
    """
    path = keystore_path(home / "state", profile)
    path.parent.mkdir(parents=True, mode=0o700)
    secret, words = Secret.from_hex(key), Secret.from_text(passphrase)
    path.write_text(encrypt_keystore(secret, words, work_factor=2))
    path.chmod(0o600)
