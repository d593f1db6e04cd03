"""The command line: which command, which profile, and what the exit code says.

0 is fine, 2 is wrong usage or configuration (one line), 70 is a bug (details in the log file).
"""

import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pmtui.cli.output import is_at_terminal, show_crash, warn

if TYPE_CHECKING:
    from pmtui.cli.keys.session_key import SessionKey
    from pmtui.cli.usage import SecretiveParser
    from pmtui.config.settings import Settings


def main(argv: Sequence[str] | None = None) -> int:
    """Run pmtui; returns the exit code."""
    # Whatever is written from here on is the user's alone.
    os.umask(0o077)
    if argv is None:
        sys.excepthook = show_crash
    arguments = list(sys.argv[1:] if argv is None else argv)
    profile, rest = _leading_profile(arguments)
    if rest and rest[0] in COMMANDS:
        return COMMANDS[rest[0]]([*profile, *rest[1:]])
    if not arguments:
        # What reads a command line is not loaded for none.
        return _open_terminal(None, None)
    asked = _parser().read(arguments)
    return _open_terminal(asked.profile, asked.passphrase_fd)


def _leading_profile(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Split off a profile that is named before the command, as it may be."""
    if arguments[:1] == ["--profile"]:
        return arguments[:2], arguments[2:]
    count = 1 if arguments and arguments[0].startswith("--profile=") else 0
    return arguments[:count], arguments[count:]


# Each command loads what it needs.
def _sim(arguments: Sequence[str]) -> int:
    from pmtui.cli import sim  # noqa: PLC0415

    return sim.run(arguments)


def _export(arguments: Sequence[str]) -> int:
    from pmtui.cli.export import export  # noqa: PLC0415

    return export.run(arguments)


def _account(arguments: Sequence[str]) -> int:
    from pmtui.cli.account import account  # noqa: PLC0415

    return account.run(arguments)


def _kill(arguments: Sequence[str]) -> int:
    from pmtui.cli import kill  # noqa: PLC0415

    return kill.run_kill(arguments)


def _release(arguments: Sequence[str]) -> int:
    from pmtui.cli import kill  # noqa: PLC0415

    return kill.run_release(arguments)


def _help(arguments: Sequence[str]) -> int:
    from pmtui.cli import help as manual  # noqa: PLC0415

    return manual.run(arguments)


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "sim": _sim,
    "export": _export,
    "account": _account,
    "kill": _kill,
    "release": _release,
    "help": _help,
}
_COMMAND_HELP = (
    "sim: run the local venue in the foreground; export: orders, fills, positions and activity as data; "
    "account: create, import, show or remove the key of a profile; "
    "kill: cancel all orders and lock trading; release: unlock trading; "
    "help: the manual, by topic"
)


def _open_terminal(profile: str | None, passphrase_fd: int | None) -> int:
    # What is thrown away on the way to the first picture can wait for it; `compose` collects it there.
    gc.disable()
    if not is_at_terminal():
        return _refuse("this needs a terminal; `pmtui sim` does not")
    from pmtui.cli.lean_code import import_lean  # noqa: PLC0415
    from pmtui.cli.lean_imports import leave_out  # noqa: PLC0415

    leave_out()
    import_lean()
    from pmtui.config.settings_ahead import SettingsAhead  # noqa: PLC0415

    ahead = SettingsAhead({"profile": profile})
    from pmtui.cli.compose import CRASHED, keymap_of, run_terminal  # noqa: PLC0415
    from pmtui.config.errors import ConfigError  # noqa: PLC0415

    try:
        settings = ahead.settings()
    except ConfigError as error:
        return _refuse(str(error))
    keymap, problems = keymap_of(settings)
    if problems:
        return _refuse(problems[0])
    try:
        code = run_terminal(settings, keymap, _key(settings, passphrase_fd))
    except ConfigError as error:
        return _refuse(str(error))
    if code == CRASHED:
        from pmtui.config.paths import locate  # noqa: PLC0415

        log = locate().state / "pmtui.log"
        warn(f"pmtui: stopped by a bug; details in {log}")
    return code


def _refuse(text: str) -> int:
    from pmtui.cli.usage import refuse  # noqa: PLC0415

    return refuse(text)


def _key(settings: "Settings", passphrase_fd: int | None) -> "SessionKey":
    from pmtui.cli.keys.session_key import SessionKey  # noqa: PLC0415 - loaded by now

    if settings.is_paper and settings.private_key is None:
        # The common case loads nothing that signs before the first picture.
        return SessionKey()
    from pmtui.cli.keys.unlocking import find_session_key  # noqa: PLC0415
    from pmtui.config.paths import locate  # noqa: PLC0415

    return find_session_key(
        settings, locate().state, passphrase_fd=passphrase_fd, is_for_session=True
    )


def _parser() -> "SecretiveParser":
    from pmtui import __version__  # noqa: PLC0415
    from pmtui.cli.usage import SecretiveParser, descriptor  # noqa: PLC0415

    parser = SecretiveParser(
        prog="pmtui",
        description="A full-screen terminal for trading prediction markets by hand.",
        epilog="`pmtui COMMAND --help` explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"pmtui {__version__}")
    parser.add_argument(
        "--profile",
        help="paper (the default: a local venue with play money), live, or one of your own",
    )
    parser.add_argument(
        "--passphrase-fd",
        type=descriptor,
        metavar="N",
        help="read the keystore's passphrase from a line of file descriptor N, not from a prompt",
    )
    parser.add_argument("command", nargs="?", type=_command, metavar="COMMAND", help=_COMMAND_HELP)
    return parser


def _command(text: str) -> str:
    # Commands that are understood never come this far: they stand first, or after the profile.
    import argparse  # noqa: PLC0415 - loaded by now

    known = "goes in front" if text in COMMANDS else f"is one of {', '.join(COMMANDS)}"
    raise argparse.ArgumentTypeError(f"a command {known}")
