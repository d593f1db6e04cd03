"""Finds the key of a session, refuses unsuitable ones, and unlocks it at an ordinary prompt.

Paper and live share neither a directory, nor a journal, nor a key. A journal with open orders of
another account is not used: the session would search the venue for them in vain and conclude that they
never existed.

Three tries at a prompt, one from a file descriptor; an empty passphrase means read-only. A process with
a key leaves no core file and lets no other program read its memory.
"""

import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from pydantic import SecretStr

from pmtui.cli.keys.secret_input import (
    PAPER_IGNORES_KEY,
    NoSecret,
    ask_secret,
    forbid_dumps,
    forget_key_variable,
    read_secret,
)
from pmtui.cli.output import warn
from pmtui.cli.session_process import IN_USE, InUseError, is_session_running
from pmtui.config.endpoints import LIVE, is_loopback
from pmtui.config.paths import KEYSTORE_FILE, why_untrusted
from pmtui.config.settings import Settings
from pmtui.config.terminal_settings import KEY_VARIABLE
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.keys import KeyKind
from pmtui.domain.formats import count
from pmtui.domain.ids import Address
from pmtui.signing.keystore import (
    KeystoreProblem,
    decrypt_keystore,
    is_public_key,
    keystore_address,
    remove_unfinished,
)
from pmtui.signing.secret import Secret
from pmtui.signing.signer import KeyFormatError, Signer
from pmtui.signing.wallet import derive_wallets

PAPER_KEY_FILE = "paper.key"
CLEARTEXT = (
    "nothing encrypts what is sent there, so a key is not used; give https:// and wss:// addresses, "
    "or set allow_cleartext = true"
)
NOT_A_KEY = "that is no private key: it has 64 hexadecimal digits, with or without 0x in front"
TRIES = 3
MAX_KEYSTORE_BYTES = 65_536
LOOK_ONLY = "viewing only, no trading"
BESIDE = f"another terminal trades on this profile: {LOOK_ONLY}"


def keystore_path(state: Path, profile: str) -> Path:
    """Return the path of a profile's keystore, existing or not."""
    return state / profile / KEYSTORE_FILE


def read_private_key(text: Secret) -> Secret | str:
    """Return the key given as hexadecimal digits, or why it is invalid."""
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


def read_key_variable(text: SecretStr) -> Secret | str:
    """Return the key that the environment holds, or why it is invalid."""
    return read_private_key(Secret.from_text(text.get_secret_value()))


def why_refused(secret: Secret, settings: Settings, state: Path) -> str:
    """Return why a profile must not use a key, or "" if it may."""
    address = Signer(secret).address
    for profile, paper in paper_addresses(state).items():
        if paper == address:
            return f"{address} is the key of the paper account {profile}; paper and live share none"
    if is_public_key(secret) and not _is_local(settings):
        return f"{address} is a published development key: whatever it owns, anybody can take"
    return ""


def paper_addresses(state: Path) -> dict[str, Address]:
    """Return the addresses of existing paper accounts, by profile; unreadable ones are left out."""
    found: dict[str, Address] = {}
    for path in sorted(state.glob(f"*/{PAPER_KEY_FILE}")):
        try:
            found[path.parent.name] = Signer(Secret.from_hex(path.read_text("ascii"))).address
        except (OSError, ValueError):
            continue
    return found


def cleartext_addresses(settings: Settings) -> tuple[str, ...]:
    """Return the addresses of other machines that a profile would send to unencrypted.

    Empty if the trader allows that.
    """
    if settings.allow_cleartext:
        return ()
    addresses = asdict(settings.endpoints(LIVE)).values()
    # Each port of a host is listed once.
    return tuple(
        dict.fromkeys(
            f"{parts.scheme}://{parts.netloc}"
            for parts in map(urlsplit, addresses)
            if parts.scheme in ("http", "ws") and not is_loopback(parts.hostname or "")
        )
    )


def _is_local(settings: Settings) -> bool:
    """Whether orders go to this machine only: a local venue accepts any key."""
    return is_loopback(urlsplit(settings.endpoints(LIVE).clob).hostname or "")


class _Fields(msgspec.Struct):
    maker: str


class _Body(msgspec.Struct):
    order: _Fields


def open_order_makers(journal: Path) -> tuple[str, ...]:
    """Return the maker of each order without a known end; empty if there is no journal.

    An unreadable journal is reported by the session, which refuses to trade with it.
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
    """Return why a key must not be used with this journal, or "" if it may."""
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


@dataclass(frozen=True, slots=True)
class SessionKey:
    """The key of a session. The paper account finds its own."""

    secret: Secret | None = None
    reason: str = ""
    """Why there is none, in the words of the screen."""
    kind: KeyKind = KeyKind.NONE
    """Its source; the paper account's key is found later."""
    remedy: str = ""
    """The command that adds what is missing."""
    other_remedy: str = ""
    """The command that takes a key of the trader's instead, if there is none yet."""
    locked: str = ""
    """Owner of a keystore whose passphrase was not requested."""


def find_session_key(
    settings: Settings,
    state: Path,
    *,
    passphrase_fd: int | None,
    empty_means: str = f"opens READ-ONLY: {LOOK_ONLY}",
    is_for_session: bool = False,
    may_ask: bool = True,
) -> SessionKey:
    """Find the key of a session, and remove the private key from the environment.

    Args:
        settings: of the profile.
        state: the state directory of all profiles.
        passphrase_fd: file descriptor of the passphrase; None to ask at the terminal.
        empty_means: the meaning of an empty passphrase, for the prompt.
        is_for_session: whether it is for a terminal, of which a profile allows only one.
        may_ask: whether a user can be asked; if not, a keystore stays locked.

    Raises:
        ConfigError: no key is available, or it must not be used here.
    """
    forget_key_variable()
    if settings.is_paper:
        if settings.private_key is not None:
            warn(f"pmtui: {PAPER_IGNORES_KEY}")
        return SessionKey(None)
    path = keystore_path(state, settings.profile)
    if is_for_session and is_session_running(path.parent):
        return _open_read_only(settings, path, passphrase_fd)
    remove_unfinished(path)
    if not may_ask and passphrase_fd is None and settings.private_key is None and path.exists():
        text = read_keystore(path)
        owner = str(path) if isinstance(text, KeystoreProblem) else keystore_address(text) or path
        return SessionKey(None, f"keystore locked: {LOOK_ONLY}", locked=str(owner))
    found = _find(settings, path, passphrase_fd, empty_means)
    if found.secret is not None and (reason := _why_not(found.secret, settings, state)):
        raise ConfigError(settings.profile, reason)
    return found


def open_keystore(settings: Settings, state: Path, passphrase: Secret) -> SessionKey | str:
    """Open the keystore of a profile whose service is running; return why it stays locked."""
    path = keystore_path(state, settings.profile)
    try:
        text = read_keystore(path)
    except OSError as error:
        return f"{path}: {error.strerror or 'cannot be read'}"
    except ConfigError as error:
        return str(error)
    forbid_dumps()
    secret = text if isinstance(text, KeystoreProblem) else decrypt_keystore(text, passphrase)
    if isinstance(secret, KeystoreProblem):
        return secret.value
    return _why_not(secret, settings, state) or SessionKey(secret, kind=KeyKind.KEYSTORE)


def take_key(settings: Settings, state: Path, given: Secret) -> SessionKey | str:
    """Check a private key for a profile whose service is running; return why it is refused."""
    secret = read_private_key(given)
    if isinstance(secret, str):
        return secret
    return _why_not(secret, settings, state) or SessionKey(secret, kind=KeyKind.ENVIRONMENT)


def _why_not(secret: Secret, settings: Settings, state: Path) -> str:
    """Return why a key must not be used on a profile, or "" if it may."""
    forbid_dumps()
    if exposed := cleartext_addresses(settings):
        return f"{' and '.join(exposed)}: {CLEARTEXT}"
    journal = state / settings.profile / "journal.sqlite"
    return why_refused(secret, settings, state) or why_not_this_owner(
        journal, Signer(secret).address
    )


def _open_read_only(settings: Settings, path: Path, passphrase_fd: int | None) -> SessionKey:
    """Return a read-only session for use beside a trading terminal, unless a key was given."""
    if settings.private_key is not None or passphrase_fd is not None:
        raise InUseError(str(path.parent), IN_USE)
    warn(f"pmtui: {BESIDE}")
    return SessionKey(None, BESIDE)


def read_keystore(path: Path) -> str | KeystoreProblem:
    """Return a keystore's text; binary data or a far too long text is not a keystore.

    Raises:
        OSError: the file cannot be read.
        ConfigError: others could have written it.
    """
    with path.open("rb") as file:
        if reason := why_untrusted(path):
            raise ConfigError(str(path), f"refused: {reason}")
        raw = file.read(MAX_KEYSTORE_BYTES + 1)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return KeystoreProblem.NOT_A_KEYSTORE
    return text if len(raw) <= MAX_KEYSTORE_BYTES else KeystoreProblem.NOT_A_KEYSTORE


def _find(
    settings: Settings, path: Path, passphrase_fd: int | None, empty_means: str
) -> SessionKey:
    if settings.private_key is not None:
        secret = read_key_variable(settings.private_key)
        if isinstance(secret, str):
            raise ConfigError(KEY_VARIABLE, secret)
        return SessionKey(secret, kind=KeyKind.ENVIRONMENT)
    if not path.exists():
        making, taking = (
            f"pmtui account {each} --profile {settings.profile}" for each in ("new", "import")
        )
        return SessionKey(None, f"no key: {LOOK_ONLY}", remedy=making, other_remedy=taking)
    try:
        text = read_keystore(path)
    except OSError as error:
        raise ConfigError(str(path), error.strerror or "cannot be read") from None
    if isinstance(text, KeystoreProblem):
        raise ConfigError(str(path), text.value)
    forbid_dumps()
    if passphrase_fd is None:
        owner = keystore_address(text) or path
        warn(f"Account {owner}", f"An empty passphrase {empty_means}.")
    return _unlock(text, path, passphrase_fd, opening=f"pmtui --profile {settings.profile}")


def _unlock(text: str, path: Path, passphrase_fd: int | None, *, opening: str) -> SessionKey:
    for left in reversed(range(TRIES if passphrase_fd is None else 1)):
        passphrase = (
            ask_secret("Passphrase: ") if passphrase_fd is None else read_secret(passphrase_fd)
        )
        if isinstance(passphrase, NoSecret):
            raise ConfigError("passphrase", passphrase.text)
        if not passphrase.reveal():
            return SessionKey(None, f"keystore locked: {LOOK_ONLY}", remedy=opening)
        if passphrase_fd is None:
            warn("Unlocking the keystore …")
        secret = decrypt_keystore(text, passphrase)
        if isinstance(secret, Secret):
            return SessionKey(secret, kind=KeyKind.KEYSTORE)
        if secret is not KeystoreProblem.DOES_NOT_OPEN or not left:
            raise ConfigError(str(path), secret.value)
        warn(f"{secret.value}; {left} {'tries' if left > 1 else 'try'} left")
    raise AssertionError("the last try returns or raises")
