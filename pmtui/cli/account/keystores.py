"""Making a profile's keystore, from a new key, a typed one or another keystore, and removing it."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from pmtui.cli.account.show import format_new_account, format_second_account
from pmtui.cli.keys.key_checks import (
    keystore_path,
    open_order_makers,
    read_private_key,
    why_refused,
)
from pmtui.cli.keys.passphrase import (
    NoSecret,
    ask_new_passphrase,
    ask_secret,
    read_secret,
    weakness,
)
from pmtui.cli.keys.unlocking import TRIES, read_keystore
from pmtui.cli.output import ask, warn
from pmtui.cli.session_lock import session_lock
from pmtui.config.paths import OWNER_ONLY, private_dir
from pmtui.config.settings import Settings
from pmtui.config.toml_file import ConfigError
from pmtui.signing.keystore import (
    KeystoreProblem,
    create_key,
    decrypt_keystore,
    encrypt_keystore,
    keystore_address,
    write_keystore,
)
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer

_EMPTY = "an empty passphrase protects nothing; nothing was stored"
_LAST = 4


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a command did nothing, in one line."""

    text: str


@dataclass(frozen=True, slots=True)
class _Opened:
    """A key with the passphrase it is kept under."""

    secret: Secret
    passphrase: Secret


def new_account(
    settings: Settings, state: Path, *, passphrase_fd: int | None, work_factor: int | None
) -> str | Refused:
    """Draw a key and keep it; returns what to say.

    Raises:
        OSError: the state directory cannot be written.
    """
    path = keystore_path(state, settings.profile)
    if path.exists():
        return _taken(path, settings)
    passphrase = _new_passphrase(passphrase_fd)
    if isinstance(passphrase, Refused):
        return passphrase
    opened = _Opened(create_key(os.urandom), passphrase)
    return _keep(opened, path, settings, work_factor, is_new=True)


def import_account(
    settings: Settings,
    state: Path,
    *,
    key_fd: int | None,
    keystore: Path | None,
    passphrase_fd: int | None,
    work_factor: int | None,
) -> str | Refused:
    """Keep a key that the trader has already; returns what to say.

    Raises:
        OSError: the state directory cannot be written, or the other keystore cannot be read.
    """
    path = keystore_path(state, settings.profile)
    if path.exists():
        return _taken(path, settings)
    if keystore is not None:
        opened = _from_keystore(keystore, passphrase_fd)
    else:
        opened = _from_key(settings, state, key_fd=key_fd, passphrase_fd=passphrase_fd)
    if isinstance(opened, Refused):
        return opened
    if reason := why_refused(opened.secret, settings, state):
        return Refused(reason)
    return _keep(opened, path, settings, work_factor)


def _from_key(
    settings: Settings, state: Path, *, key_fd: int | None, passphrase_fd: int | None
) -> _Opened | Refused:
    typed = (
        ask_secret("Private key, 64 hexadecimal digits: ")
        if key_fd is None
        else read_secret(key_fd)
    )
    if isinstance(typed, NoSecret):
        return Refused(f"no private key: {typed.text}")
    secret = read_private_key(typed)
    if isinstance(secret, str):
        return Refused(secret)
    # Before a passphrase is thought up for it.
    if reason := why_refused(secret, settings, state):
        return Refused(reason)
    passphrase = _new_passphrase(passphrase_fd)
    return passphrase if isinstance(passphrase, Refused) else _Opened(secret, passphrase)


def _from_keystore(file: Path, passphrase_fd: int | None) -> _Opened | Refused:
    text = read_keystore(file)
    if isinstance(text, KeystoreProblem):
        return Refused(f"{file}: {text.value}")
    for left in reversed(range(TRIES)):
        passphrase = (
            ask_secret(f"Passphrase of {file.name}: ")
            if passphrase_fd is None
            else read_secret(passphrase_fd)
        )
        if isinstance(passphrase, NoSecret):
            return Refused(f"no passphrase: {passphrase.text}")
        if not passphrase.reveal():
            return Refused(_EMPTY)
        secret = decrypt_keystore(text, passphrase)
        if isinstance(secret, Secret):
            return _Opened(secret, passphrase)
        if secret is not KeystoreProblem.DOES_NOT_OPEN or passphrase_fd is not None or not left:
            return Refused(f"{file}: {secret.value}")
        warn(f"{secret.value}; {left} more")
    raise AssertionError("the last try returns")


def _new_passphrase(passphrase_fd: int | None) -> Secret | Refused:
    passphrase = ask_new_passphrase() if passphrase_fd is None else read_secret(passphrase_fd)
    if isinstance(passphrase, NoSecret):
        return Refused(f"no passphrase: {passphrase.text}; nothing was stored")
    if not passphrase.reveal():
        return Refused(_EMPTY)
    return passphrase


def _keep(
    opened: _Opened,
    path: Path,
    settings: Settings,
    work_factor: int | None,
    *,
    is_new: bool = False,
) -> str | Refused:
    if problem := weakness(opened.passphrase):
        warn(f"The passphrase is {problem}.")
    private_dir(path.parent)
    path.parent.chmod(OWNER_ONLY)
    text = encrypt_keystore(opened.secret, opened.passphrase, work_factor=work_factor)
    try:
        write_keystore(path, text)
    except FileExistsError:
        # Made by somebody else since we looked.
        return _taken(path, settings)
    return format_new_account(settings, Signer(opened.secret).address, path, is_new=is_new)


def _taken(path: Path, settings: Settings) -> Refused:
    text = read_keystore(path)
    owner = None if isinstance(text, KeystoreProblem) else keystore_address(text)
    return Refused(format_second_account(path, owner, settings.profile))


def remove_account(settings: Settings, state: Path, *, is_sure: bool) -> str | Refused:
    """Delete a profile's keystore; returns what to say.

    Args:
        settings: of the profile.
        state: the state directory of all profiles.
        is_sure: whether to go ahead without asking.

    Raises:
        OSError: the keystore cannot be read or deleted.
    """
    path = keystore_path(state, settings.profile)
    if not path.exists():
        return Refused(f"the profile {settings.profile} has no keystore; nothing to remove")
    try:
        with session_lock(path.parent):
            return _remove(path, settings, is_sure=is_sure)
    except ConfigError as error:
        return Refused(str(error))


def _remove(path: Path, settings: Settings, *, is_sure: bool) -> str | Refused:
    text = read_keystore(path)
    owner = None if isinstance(text, KeystoreProblem) else keystore_address(text)
    name = owner or "a keystore without an address"
    warn(
        f"This deletes {path}, the key of {name}.",
        "Without a copy of the file and its passphrase the account and all it holds are lost.",
    )
    if count := len(open_order_makers(path.with_name("journal.sqlite"))):
        orders = "1 order" if count == 1 else f"{count} orders"
        warn(
            f"The journal has {orders} open or unknown: they stay at the venue as they are, and "
            "without the key they can be neither looked for nor cancelled from here."
        )
    if not is_sure:
        wanted = owner[-_LAST:] if owner is not None else "remove"
        what = f"the last {_LAST} characters of the address" if owner is not None else "`remove`"
        if not sys.stdin.isatty():
            return Refused("there is no terminal to ask at; --yes removes without asking")
        if ask(f"Type {what} to go on:").casefold() != wanted.casefold():
            return Refused("that does not match; nothing was removed")
    path.unlink()
    return f"The keystore of {name} is removed. The journal of {settings.profile} stays."
