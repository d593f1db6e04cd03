"""The key of a session, found before the terminal is taken over: the prompt is an ordinary one.

Three tries at a prompt, one from a file descriptor; an empty passphrase means to look only. A process
that holds a key leaves no core file and lets no other program read its memory.
"""

from dataclasses import dataclass
from pathlib import Path

from pmtui.cli.keys.key_checks import (
    CLEARTEXT,
    cleartext_addresses,
    keystore_path,
    read_private_key,
    why_not_this_owner,
    why_refused,
)
from pmtui.cli.keys.key_variable import (
    PAPER_IGNORES_KEY,
    forbid_dumps,
    forget_key_variable,
)
from pmtui.cli.keys.passphrase import NoSecret, ask_secret, read_secret
from pmtui.cli.output import warn
from pmtui.cli.session_lock import IN_USE, is_session_running
from pmtui.config.paths import why_untrusted
from pmtui.config.settings import Settings
from pmtui.config.terminal_settings import KEY_VARIABLE
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.keys import KeyKind
from pmtui.signing.keystore import (
    KeystoreProblem,
    decrypt_keystore,
    keystore_address,
    remove_unfinished,
)
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer

TRIES = 3
MAX_KEYSTORE_BYTES = 65_536
LOOK_ONLY = "viewing only, no trading"
BESIDE = f"another terminal trades on this profile: {LOOK_ONLY}"


@dataclass(frozen=True, slots=True)
class SessionKey:
    """What a session trades with. The paper account finds its own key by itself."""

    secret: Secret | None = None
    reason: str = ""
    """Why there is none, in the words of the screen."""
    kind: KeyKind = KeyKind.NONE
    """Where it comes from; the paper account's is found later."""
    remedy: str = ""
    """The command that adds what is missing."""
    locked: str = ""
    """The owner of a keystore whose passphrase nobody was asked for."""


def find_session_key(
    settings: Settings,
    state: Path,
    *,
    passphrase_fd: int | None,
    empty_means: str = f"opens READ-ONLY: {LOOK_ONLY}",
    is_for_session: bool = False,
    may_ask: bool = True,
) -> SessionKey:
    """Find the key of a session; the private key leaves the environment on the way.

    Args:
        settings: of the profile.
        state: the state directory of all profiles.
        passphrase_fd: where the passphrase comes from; None to ask at the terminal.
        empty_means: what an empty passphrase leads to, for the prompt.
        is_for_session: whether a terminal will run with it, which only one may on a profile.
        may_ask: whether anybody is there to be asked; else a keystore stays locked.

    Raises:
        ConfigError: no key can be had of what there is, or it must not be used here.
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
    """Open the keystore of a profile whose service runs already; returns why it stays locked."""
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
    """Take a private key for a profile whose service runs already; returns why it is refused."""
    secret = read_private_key(given)
    if isinstance(secret, str):
        return secret
    return _why_not(secret, settings, state) or SessionKey(secret, kind=KeyKind.ENVIRONMENT)


def _why_not(secret: Secret, settings: Settings, state: Path) -> str:
    """Say why a key must not be used on a profile; empty where it may."""
    forbid_dumps()
    if exposed := cleartext_addresses(settings):
        return f"{' and '.join(exposed)}: {CLEARTEXT}"
    journal = state / settings.profile / "journal.sqlite"
    return why_refused(secret, settings, state) or why_not_this_owner(
        journal, Signer(secret).address
    )


def _open_read_only(settings: Settings, path: Path, passphrase_fd: int | None) -> SessionKey:
    """Look only, beside the terminal that trades; whoever brought a key wanted more than that."""
    if settings.private_key is not None or passphrase_fd is not None:
        raise ConfigError(str(path.parent), IN_USE)
    warn(f"pmtui: {BESIDE}")
    return SessionKey(None, BESIDE)


def read_keystore(path: Path) -> str | KeystoreProblem:
    """Return a keystore's text; what is no text or far too long is no keystore.

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
        secret = read_private_key(Secret.from_text(settings.private_key.get_secret_value()))
        if isinstance(secret, str):
            raise ConfigError(KEY_VARIABLE, secret)
        return SessionKey(secret, kind=KeyKind.ENVIRONMENT)
    if not path.exists():
        making = f"pmtui account new --profile {settings.profile}"
        return SessionKey(None, f"no key: {LOOK_ONLY}", remedy=making)
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
