"""`pmtui account`: the keystore of a profile, and its wallet.

One account for a profile, because a profile is one journal. The paper account is not kept here.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from pmtui.cli.account.keystores import Refused, import_account, new_account, remove_account
from pmtui.cli.account.show import PAPER_KEY_ITS_OWN, show_account
from pmtui.cli.account.wallet_arguments import EXIT_CODES, WALLET_ACTIONS
from pmtui.cli.account.wallet_commands import run_wallet
from pmtui.cli.keys.key_variable import forbid_dumps, forget_key_variable
from pmtui.cli.output import show
from pmtui.cli.service.starting import end_idle_service
from pmtui.cli.usage import SecretiveParser, descriptor, refuse
from pmtui.config.paths import locate
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.link.local_socket import socket_path

ACTIONS = ("new", "import", "show", "remove")
_PROG = "pmtui account"


def run(arguments: Sequence[str], *, work_factor: int | None = None) -> int:
    """Run the command; returns the exit code.

    Args:
        arguments: what follows `pmtui account`.
        work_factor: of new keystores; None for the key library's own, a second on purpose.
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
    """Whether a word is the action, and not the value of an option or a word of another action."""
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
                state / settings.profile, socket_path(locate().runtime, settings.profile)
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
    parser.add_argument("--profile", help="whose account; not paper, which has a key of its own")
    parser.add_argument(
        "--passphrase-fd",
        type=descriptor,
        metavar="N",
        help="read the passphrase from a line of file descriptor N",
    )
    parser.add_argument(
        "--key-fd",
        type=descriptor,
        metavar="N",
        help="import: read the private key from a line of file descriptor N; with the same N for "
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
