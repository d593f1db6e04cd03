"""Where a profile's keystore lies, and which keys the profile refuses.

Paper and live share neither a directory, nor a journal, nor a key. A journal that waits for orders of
another account is not taken up: the session would ask the venue for them in vain and conclude that they
never were.
"""

import ipaddress
import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from pmtui.config.endpoints import LIVE
from pmtui.config.paths import KEYSTORE_FILE
from pmtui.config.settings import Settings
from pmtui.domain.formats import count
from pmtui.domain.ids import Address
from pmtui.signing.keystore import is_public_key
from pmtui.signing.secret import Secret
from pmtui.signing.signer import KeyFormatError, Signer
from pmtui.signing.wallet import derive_wallets

PAPER_KEY_FILE = "paper.key"
CLEARTEXT = (
    "nothing encrypts what is sent there, so a key is not used; give https:// and wss:// addresses, "
    "or set allow_cleartext = true"
)
NOT_A_KEY = "that is no private key: it has 64 hexadecimal digits, with or without 0x in front"


def keystore_path(state: Path, profile: str) -> Path:
    """Return where the keystore of a profile lies, or would.

    Args:
        state: the state directory of all profiles.
        profile: its name.
    """
    return state / profile / KEYSTORE_FILE


def read_private_key(text: Secret) -> Secret | str:
    """Return the key that was written as hexadecimal digits, or why it is none."""
    try:
        secret = Secret.from_hex(text.reveal_text())
    except ValueError:
        return NOT_A_KEY
    if len(secret.reveal()) != 32:
        return NOT_A_KEY
    try:
        Signer(secret)
    except KeyFormatError as error:
        return f"that is no private key: {error}"
    return secret


def why_refused(secret: Secret, settings: Settings, state: Path) -> str:
    """Say why a profile must not use a key; nothing where it may.

    Args:
        secret: a private key.
        settings: of a profile that is not paper.
        state: the state directory of all profiles.
    """
    address = Signer(secret).address
    for profile, paper in paper_addresses(state).items():
        if paper == address:
            return f"{address} is the key of the paper account {profile}; paper and live share none"
    if is_public_key(secret) and not _is_local(settings):
        return f"{address} is a published development key: whatever it owns, anybody can take"
    return ""


def paper_addresses(state: Path) -> dict[str, Address]:
    """Return the addresses of the paper accounts there are, by profile; unreadable ones left out."""
    found: dict[str, Address] = {}
    for path in sorted(state.glob(f"*/{PAPER_KEY_FILE}")):
        try:
            found[path.parent.name] = Signer(Secret.from_hex(path.read_text("ascii"))).address
        except (OSError, ValueError):
            continue
    return found


def cleartext_addresses(settings: Settings) -> tuple[str, ...]:
    """Return the addresses of other machines that a profile would send to unencrypted.

    None where the trader allows that.
    """
    if settings.allow_cleartext:
        return ()
    addresses = asdict(settings.endpoints(LIVE)).values()
    # Ports of one host are named once each.
    return tuple(
        dict.fromkeys(
            f"{parts.scheme}://{parts.netloc}"
            for parts in map(urlsplit, addresses)
            if parts.scheme in ("http", "ws") and not _is_this_machine(parts.hostname or "")
        )
    )


def _is_local(settings: Settings) -> bool:
    """Whether orders go to this machine alone: a local venue takes any key."""
    return _is_this_machine(urlsplit(settings.endpoints(LIVE).clob).hostname or "")


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Fields(msgspec.Struct):
    maker: str


class _Body(msgspec.Struct):
    order: _Fields


def open_order_makers(journal: Path) -> tuple[str, ...]:
    """Return who pays for each order without a known end; nothing where there is no journal.

    A journal that cannot be read here is reported by the session, which refuses to trade with it.
    """
    if not journal.exists():
        return ()
    try:
        with closing(sqlite3.connect(f"{journal.absolute().as_uri()}?mode=ro", uri=True)) as file:
            rows = file.execute("SELECT body FROM orders WHERE state IS NULL").fetchall()
            return tuple(msgspec.json.decode(body, type=_Body).order.maker for (body,) in rows)
    except (sqlite3.Error, OSError, msgspec.MsgspecError):
        return ()


def why_not_this_owner(journal: Path, owner: Address) -> str:
    """Say why a key must not take this journal up; nothing where it may."""
    wallets = derive_wallets(owner)
    strangers = [
        maker for maker in open_order_makers(journal) if wallets.signature_type(maker) is None
    ]
    if not strangers:
        return ""
    orders = count(len(strangers), "order")
    return (
        f"{journal.parent}: its journal waits for {orders} of another account, {strangers[0]}; "
        f"open it with that key, or make a profile of its own for {owner}"
    )
