"""Taking a keystore away: what is lost is said first, and typed as a confirmation."""

import sys
from pathlib import Path

from pmtui.cli.account.keep import Refused
from pmtui.cli.journal_owner import open_order_makers
from pmtui.cli.keys.live_key import keystore_path
from pmtui.cli.keys.unlocking import read_keystore
from pmtui.cli.output import ask, warn
from pmtui.cli.session_lock import session_lock
from pmtui.config.errors import ConfigError
from pmtui.config.settings import Settings
from pmtui.signing.keystore import KeystoreProblem, keystore_address

_LAST = 4


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
