"""`pmtui account`: creates, shows and removes the keystore of a profile, and runs the steps of its wallet.

One account per profile, because a profile has one journal. The paper account is not stored here.
"""

import argparse
import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pmtui.cli.account.wallet_commands import EXIT_CODES, WALLET_ACTIONS, run_wallet
from pmtui.cli.keys.secret_input import (
    NoSecret,
    ask_new_passphrase,
    ask_secret,
    forbid_dumps,
    forget_key_variable,
    read_secret,
    weakness,
)
from pmtui.cli.keys.unlocking import (
    PAPER_KEY_FILE,
    TRIES,
    keystore_path,
    open_order_makers,
    read_key_variable,
    read_keystore,
    read_private_key,
    why_refused,
)
from pmtui.cli.output import ask, show, warn
from pmtui.cli.service.starting import end_idle_service
from pmtui.cli.session_process import session_lock
from pmtui.cli.usage import SecretiveParser, refuse
from pmtui.cli.venue.paper import load_paper_key
from pmtui.config.paths import OWNER_ONLY, locate, private_dir
from pmtui.config.settings import Settings, load_settings
from pmtui.config.terminal_settings import KEY_VARIABLE
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address
from pmtui.link.local_socket import socket_path_of
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
from pmtui.signing.wallet import derive_wallets

_EMPTY = "an empty passphrase protects nothing; nothing was stored"
_LAST = 4
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
PAPER_KEY_ITS_OWN = (
    "the paper account has a key of its own, which opens nothing outside the local venue; "
    "paper and live share no key. Name another profile, for example --profile live"
)
LOSING = (
    "Losing this file or its passphrase loses the account: nobody can restore either.\n"
    "Keep a copy of the file somewhere else, and the passphrase apart from it."
)
ACTIONS = ("new", "import", "show", "remove")
_PROG = "pmtui account"


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a command did nothing, in one line."""

    text: str


@dataclass(frozen=True, slots=True)
class _Opened:
    """A key with the passphrase that protects it."""

    secret: Secret
    passphrase: Secret


def new_account(
    settings: Settings, state: Path, *, passphrase_fd: int | None, work_factor: int | None
) -> str | Refused:
    """Create a key and store it; return the text to print.

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
    """Store an existing key of the trader's; return the text to print.

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
    # Before a passphrase is chosen for it.
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
        # Created by another program since the check.
        return _taken(path, settings)
    return format_new_account(settings, Signer(opened.secret).address, path, is_new=is_new)


def _taken(path: Path, settings: Settings) -> Refused:
    text = read_keystore(path)
    owner = None if isinstance(text, KeystoreProblem) else keystore_address(text)
    return Refused(format_second_account(path, owner, settings.profile))


def remove_account(settings: Settings, state: Path, *, is_sure: bool) -> str | Refused:
    """Delete a profile's keystore; return the text to print.

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


def show_account(settings: Settings, state: Path) -> str:
    """Return the addresses and the file of a profile's account.

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
        return "The paper account is made when it is first used; it needs nothing of yours."
    address = Signer(load_paper_key(folder)).address
    return (
        f"The paper account of the profile {settings.profile}:\n\n"
        f"{format_addresses(address, settings.signature_type)}\n\n"
        f"Its key is {state / settings.profile / PAPER_KEY_FILE}, unencrypted: it opens nothing "
        "outside the local venue.\nNever send it real money."
    )


def _show_variable(settings: Settings) -> str:
    assert settings.private_key is not None
    secret = read_key_variable(settings.private_key)
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
        signature_type: the kind of wallet that pays.
        is_new: whether the key was just created, so that it has no wallet of an older form.
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
    """Return the text about a new or imported account; for a new one, with the address to fund."""
    kind = settings.signature_type
    fund = f"Fund this address and no other: {_payer(owner, kind)}\n\n" if is_new else ""
    return (
        f"The account of the profile {settings.profile}:\n\n"
        f"{format_addresses(owner, kind, is_new=is_new)}\n\n{fund}"
        f"Its keystore is {path}\n{LOSING}"
    )


def _payer(owner: Address, signature_type: SignatureType) -> Address:
    """Return the address that pays for the orders of a new key."""
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
    """Return the reason why a profile takes no second account, and how to have one."""
    return (
        f"{profile} has an account already, {owner or 'unreadable'}, in {path}; "
        f"`pmtui account remove --profile {profile}` takes it away, and a second account is a "
        'profile of its own: [profiles.second] with like = "live" in config.toml'
    )


def run(arguments: Sequence[str], *, work_factor: int | None = None) -> int:
    """Run the command; return the exit code.

    Args:
        arguments: the words after `pmtui account`.
        work_factor: of new keystores; None for the key library's own, which takes a second by
            design.
    """
    action = next((word for word in arguments if word in WALLET_ACTIONS), "")
    if action and _names_action(arguments, action):
        words = list(arguments)
        words.remove(action)
        return run_wallet(action, words)
    parser = _parser()
    options = parser.read(arguments)
    _check(parser, options)
    try:
        settings = load_settings({"profile": options.profile})
    except ConfigError as error:
        return refuse(str(error), prog=_PROG)
    if settings.is_paper and options.action != "show":
        return refuse(f"{settings.profile}: {PAPER_KEY_ITS_OWN}", prog=_PROG)
    forget_key_variable()
    forbid_dumps()
    try:
        text = _act(options, settings, locate().state, work_factor)
    except KeyboardInterrupt:
        return refuse("cancelled; nothing was changed", prog=_PROG)
    except ConfigError as error:
        return refuse(str(error), prog=_PROG)
    except OSError as error:
        return refuse(f"{error.filename or ''}: {error.strerror}".removeprefix(": "), prog=_PROG)
    if isinstance(text, Refused):
        return refuse(text.text, prog=_PROG)
    show(*text.split("\n"))
    return 0


def _names_action(arguments: Sequence[str], action: str) -> bool:
    """Whether a word is the action, and not an option's value or a word of another action."""
    before = list(arguments)[: list(arguments).index(action)]
    values = [word for word in before if not word.startswith("--")]
    options = [word for word in before if word.startswith("--") and "=" not in word]
    return len(values) <= len(options)


def _act(
    options: argparse.Namespace, settings: Settings, state: Path, work_factor: int | None
) -> str | Refused:
    match options.action:
        case "new":
            return new_account(
                settings, state, passphrase_fd=options.passphrase_fd, work_factor=work_factor
            )
        case "import":
            return import_account(
                settings,
                state,
                key_fd=options.key_fd,
                keystore=options.keystore,
                passphrase_fd=options.passphrase_fd,
                work_factor=work_factor,
            )
        case "remove":
            end_idle_service(
                state / settings.profile, socket_path_of(locate().runtime, settings.profile)
            )
            return remove_account(settings, state, is_sure=options.yes)
        case _:
            return show_account(settings, state)


def _check(parser: SecretiveParser, options: argparse.Namespace) -> None:
    if options.action != "import" and (options.key_fd is not None or options.keystore is not None):
        parser.refuse("--key-fd and --keystore belong to `import`")
    if options.action not in ("new", "import") and options.passphrase_fd is not None:
        parser.refuse("--passphrase-fd belongs to `new` and `import`")
    if options.action != "remove" and options.yes:
        parser.refuse("--yes belongs to `remove`")
    if options.key_fd is not None and options.keystore is not None:
        parser.refuse("--key-fd or --keystore, not both")


def _action(text: str) -> str:
    if text not in ACTIONS:
        raise argparse.ArgumentTypeError(f"one of {', '.join((*ACTIONS, *WALLET_ACTIONS))}")
    return text


def _parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog=_PROG,
        description="The account of a profile: an encrypted Ethereum keystore (version 3). "
        "A key or a passphrase is typed at a prompt, without echo, or read from a file descriptor.",
        epilog="new: create a key. import: take a key you have. show: addresses and file, without "
        "passphrase. remove: delete the keystore; asks. The wallet: "
        f"{', '.join(WALLET_ACTIONS)}; `pmtui account ACTION --help`. {EXIT_CODES}",
    )
    parser.add_argument(
        "action",
        type=_action,
        metavar="ACTION",
        help="new, import, show, remove, or one of the wallet",
    )
    parser.add_profile("whose account; `paper` has a key of its own, made by itself")
    parser.add_descriptor("--passphrase-fd", "read the passphrase from a line of file descriptor N")
    parser.add_descriptor(
        "--key-fd",
        "import: read the private key from a line of file descriptor N; with the same N for "
        "both, the key is the first line",
    )
    parser.add_argument(
        "--keystore",
        type=Path,
        metavar="FILE",
        help="import: from another keystore file, which is kept as it is",
    )
    parser.add_argument("--yes", action="store_true", help="remove: do not ask")
    return parser
