"""What the account commands show: addresses, files, and what is lost with them."""

import stat
from pathlib import Path

from pmtui.cli.keys.key_checks import (
    PAPER_KEY_FILE,
    keystore_path,
    read_private_key,
)
from pmtui.cli.keys.unlocking import read_keystore
from pmtui.cli.venue.paper import load_paper_key
from pmtui.config.settings import Settings
from pmtui.config.terminal_settings import KEY_VARIABLE
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address
from pmtui.signing.keystore import KeystoreProblem, keystore_address
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
PAPER_KEY_ITS_OWN = (
    "the paper account has a key of its own, which opens nothing outside the local venue; "
    "paper and live share no key. Name another profile, for example --profile live"
)
LOSING = (
    "Losing this file or its passphrase loses the account: nobody can restore either.\n"
    "Keep a copy of the file somewhere else, and the passphrase apart from it."
)


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
    folder = state / settings.profile
    if not (folder / PAPER_KEY_FILE).exists():
        return "The paper account is made when the terminal first opens; it needs nothing of yours."
    address = Signer(load_paper_key(folder)).address
    return (
        f"The paper account of the profile {settings.profile}:\n\n"
        f"{format_addresses(address, settings.signature_type)}\n\n"
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
        f"before a keystore:\n\n{format_addresses(Signer(secret).address, settings.signature_type)}"
    )


def _show_keystore(settings: Settings, path: Path) -> str:
    text = read_keystore(path)
    if isinstance(text, KeystoreProblem):
        return f"{path}: {text.value}"
    owner = keystore_address(text)
    addresses = (
        "  it does not say its address"
        if owner is None
        else format_addresses(owner, settings.signature_type)
    )
    lines = [
        f"The account of the profile {settings.profile}:\n\n{addresses}\n\nIts keystore is {path}"
    ]
    if mode := stat.S_IMODE(path.stat().st_mode) & _OTHERS:
        lines.append(f"Others may read or write it ({mode:03o}): chmod 600 {path}")
    return "\n".join([*lines, LOSING])


def format_addresses(owner: Address, signature_type: SignatureType, *, is_new: bool = False) -> str:
    """Return the addresses of a key as a table, the paying ones marked.

    Args:
        owner: the key's own address.
        signature_type: which kind of wallet pays.
        is_new: whether the key was drawn just now, so that no wallet of an older form is its own.
    """
    wallets = derive_wallets(owner)
    rows = [
        ("key", owner, SignatureType.EOA),
        ("deposit wallet", wallets.deposit_beacon, SignatureType.DEPOSIT_WALLET),
        ("  made before July 2026", wallets.deposit_uups, SignatureType.DEPOSIT_WALLET),
        ("proxy wallet", wallets.proxy, SignatureType.PROXY),
        ("safe", wallets.safe, SignatureType.SAFE),
    ]
    if is_new:
        rows = [row for row in rows if row[1] != wallets.deposit_uups]
    lines = [
        f"  {'*' if kind is signature_type else ' '} {label:<24} {address}"
        for label, address, kind in rows
    ]
    pays = "pays in this profile"
    if signature_type is SignatureType.DEPOSIT_WALLET and not is_new:
        pays += ": whichever of the two the venue knows"
    return "\n".join([*lines, f"  * {pays}"])


def format_new_account(
    settings: Settings, owner: Address, path: Path, *, is_new: bool = False
) -> str:
    """Say what a new or imported account is and where it lies; a new one, which address to fund."""
    kind = settings.signature_type
    fund = f"Fund this address and no other: {_payer(owner, kind)}\n\n" if is_new else ""
    return (
        f"The account of the profile {settings.profile}:\n\n"
        f"{format_addresses(owner, kind, is_new=is_new)}\n\n{fund}"
        f"Its keystore is {path}\n{LOSING}"
    )


def _payer(owner: Address, signature_type: SignatureType) -> Address:
    """Return the address that pays for the orders of a key drawn now."""
    wallets = derive_wallets(owner)
    match signature_type:
        case SignatureType.EOA:
            return owner
        case SignatureType.PROXY:
            return wallets.proxy
        case SignatureType.SAFE:
            return wallets.safe
        case SignatureType.DEPOSIT_WALLET:
            return wallets.deposit_beacon


def format_second_account(path: Path, owner: Address | None, profile: str) -> str:
    """Say why there is no second account in a profile, and how to have one."""
    return (
        f"{profile} has an account already, {owner or 'unreadable'}, in {path}; "
        f"`pmtui account remove --profile {profile}` takes it away, and a second account is a "
        'profile of its own: [profiles.second] with like = "live" in config.toml'
    )
