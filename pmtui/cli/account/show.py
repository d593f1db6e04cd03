"""What a profile's account is, without opening it."""

import stat
from pathlib import Path

from pmtui.cli.account.words import LOSING, say_addresses
from pmtui.cli.keys.live_key import PAPER_KEY_FILE, keystore_path, paper_addresses, read_private_key
from pmtui.cli.keys.unlocking import read_keystore
from pmtui.cli.paper import KEY_VARIABLE
from pmtui.config.settings import Settings
from pmtui.signing.keystore import KeystoreProblem, keystore_address
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def show_account(settings: Settings, state: Path) -> str:
    """Return addresses and file of a profile's account.

    Raises:
        OSError: the keystore cannot be read.
    """
    if settings.is_paper:
        return _show_paper(settings, state)
    parts = [] if settings.private_key is None else [_show_variable(settings)]
    path = keystore_path(state, settings.profile)
    if path.exists():
        parts.append(_show_keystore(settings, path))
    if not parts:
        name = settings.profile
        parts.append(
            f"The profile {name} has no account: it opens READ-ONLY.\n"
            f"`pmtui account new --profile {name}` makes one, `import` takes a key you have."
        )
    return "\n\n".join(parts)


def _show_paper(settings: Settings, state: Path) -> str:
    address = paper_addresses(state).get(settings.profile)
    if address is None:
        return "The paper account is made when the terminal first opens; it needs nothing of yours."
    return (
        f"The paper account of the profile {settings.profile}:\n\n"
        f"{say_addresses(address, settings.signature_type)}\n\n"
        f"Its key is {state / settings.profile / PAPER_KEY_FILE}, unencrypted: it opens nothing "
        "outside the local venue.\nNever send it real money."
    )


def _show_variable(settings: Settings) -> str:
    assert settings.private_key is not None
    secret = read_private_key(Secret.from_text(settings.private_key.get_secret_value()))
    if isinstance(secret, str):
        return f"{KEY_VARIABLE} goes before a keystore, and is not usable: {secret}"
    return (
        f"The account of the profile {settings.profile} is that of {KEY_VARIABLE}, which goes "
        f"before a keystore:\n\n{say_addresses(Signer(secret).address, settings.signature_type)}"
    )


def _show_keystore(settings: Settings, path: Path) -> str:
    text = read_keystore(path)
    if isinstance(text, KeystoreProblem):
        return f"{path}: {text.value}"
    owner = keystore_address(text)
    addresses = (
        "  it does not say its address"
        if owner is None
        else say_addresses(owner, settings.signature_type)
    )
    lines = [
        f"The account of the profile {settings.profile}:\n\n{addresses}\n\nIts keystore is {path}"
    ]
    if mode := stat.S_IMODE(path.stat().st_mode) & _OTHERS:
        lines.append(f"Others may read or write it ({mode:03o}): chmod 600 {path}")
    return "\n".join([*lines, LOSING])
