"""What the account commands say: addresses, files, and what is lost with them."""

from pathlib import Path

from pmtui.config.settings import Settings
from pmtui.domain.account.signature_type import SignatureType
from pmtui.domain.ids import Address
from pmtui.signing.wallet import derive_wallets

PAPER_KEY_ITS_OWN = (
    "the paper account has a key of its own, which opens nothing outside the local venue; "
    "paper and live share no key. Name another profile, for example --profile live"
)
LOSING = (
    "Losing this file or its passphrase loses the account: nobody can restore either.\n"
    "Keep a copy of the file somewhere else, and the passphrase apart from it."
)


def say_addresses(owner: Address, signature_type: SignatureType, *, is_new: bool = False) -> str:
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


def say_kept(settings: Settings, owner: Address, path: Path, *, is_new: bool = False) -> str:
    """Say what a new or imported account is and where it lies; a new one, which address to fund."""
    kind = settings.signature_type
    fund = f"Fund this address and no other: {_payer(owner, kind)}\n\n" if is_new else ""
    return (
        f"The account of the profile {settings.profile}:\n\n"
        f"{say_addresses(owner, kind, is_new=is_new)}\n\n{fund}"
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


def say_second_account(path: Path, owner: Address | None, profile: str) -> str:
    """Say why there is no second account in a profile, and how to have one."""
    return (
        f"{profile} has an account already, {owner or 'unreadable'}, in {path}; "
        f"`pmtui account remove --profile {profile}` takes it away, and a second account is a "
        'profile of its own: [profiles.second] with like = "live" in config.toml'
    )
