"""The command line: which command, which profile, and what the exit code says.

0 is fine, 2 is wrong usage or configuration (one line), 70 is a bug (details in the log file).
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from pmtui import __version__
from pmtui.cli.manual.command_words import command_lines
from pmtui.cli.output import show_crash, why_no_full_screen
from pmtui.cli.usage import SecretiveParser, descriptor, refuse


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
    options = _parser().read(arguments)
    return _open_terminal(
        options.profile, options.passphrase_fd, is_fresh=options.fresh,
        is_standalone=options.standalone,
    )  # fmt: skip


def _leading_profile(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Split off a profile that is named before the command, as it may be."""
    if arguments[:1] == ["--profile"]:
        return arguments[:2], arguments[2:]
    count = 1 if arguments and arguments[0].startswith("--profile=") else 0
    return arguments[:count], arguments[count:]


def _open_terminal(
    profile: str | None, passphrase_fd: int | None, *, is_fresh: bool, is_standalone: bool
) -> int:
    if reason := why_no_full_screen():
        return refuse(reason)
    if not is_standalone:
        from pmtui.cli import attach  # noqa: PLC0415 - the settings' library

        return attach.open_attached(profile, passphrase_fd, is_fresh=is_fresh)
    # httpx does without its optional command line, which loads click, pygments and rich's progress bars.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    from pmtui.cli import compose  # noqa: PLC0415 - Textual and all screens: 0.7 s

    return compose.open_standalone(profile, passphrase_fd, is_fresh=is_fresh)


def _attach(arguments: Sequence[str]) -> int:
    options = _terminal_parser("pmtui attach", "Open a terminal on the service of a profile.").read(
        arguments
    )
    if reason := why_no_full_screen():
        return refuse(reason, prog="pmtui attach")
    from pmtui.cli import attach  # noqa: PLC0415 - the settings' library

    return attach.open_attached(options.profile, options.passphrase_fd)


def _serve(arguments: Sequence[str]) -> int:
    # httpx does without its optional command line, as above.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    from pmtui.cli.service import serve  # noqa: PLC0415 - the clients and the service

    return serve.run(arguments)


def _status(arguments: Sequence[str]) -> int:
    from pmtui.cli.service import standing  # noqa: PLC0415 - the settings' library

    return standing.run_status(arguments)


def _stop(arguments: Sequence[str]) -> int:
    from pmtui.cli.service import standing  # noqa: PLC0415 - as above

    return standing.run_stop(arguments)


def _sim(arguments: Sequence[str]) -> int:
    from pmtui.cli.venue import sim  # noqa: PLC0415 - the local venue, a quarter of the program

    return sim.run(arguments)


def _export(arguments: Sequence[str]) -> int:
    from pmtui.cli.export import export  # noqa: PLC0415 - the HTTP clients

    return export.run(arguments)


def _account(arguments: Sequence[str]) -> int:
    from pmtui.cli.account import account  # noqa: PLC0415 - the signing libraries

    return account.run(arguments)


def _get(arguments: Sequence[str]) -> int:
    from pmtui.cli.get import get  # noqa: PLC0415 - the HTTP clients

    return get.run(arguments)


def _agent(arguments: Sequence[str]) -> int:
    from pmtui.cli.agent import agent  # noqa: PLC0415 - as above

    return agent.run(arguments)


def _kill(arguments: Sequence[str]) -> int:
    from pmtui.cli.service import kill  # noqa: PLC0415 - SQLite and the settings' library

    return kill.run_kill(arguments)


def _release(arguments: Sequence[str]) -> int:
    from pmtui.cli.service import kill  # noqa: PLC0415 - as above

    return kill.run_release(arguments)


def _doctor(arguments: Sequence[str]) -> int:
    from pmtui.cli.doctor import doctor  # noqa: PLC0415 - the HTTP clients and the themes

    return doctor.run(arguments)


def _record(arguments: Sequence[str]) -> int:
    from pmtui.cli.record import record  # noqa: PLC0415 - the HTTP and stream clients

    return record.run(arguments)


def _replay(arguments: Sequence[str]) -> int:
    from pmtui.cli.replay import replay  # noqa: PLC0415 - Textual, all screens and the local venue

    return replay.run(arguments)


def _help(arguments: Sequence[str]) -> int:
    from pmtui.cli.manual import help as manual  # noqa: PLC0415

    return manual.run(arguments)


def _completion(arguments: Sequence[str]) -> int:
    from pmtui.cli.manual import completion  # noqa: PLC0415

    return completion.run(arguments)


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "attach": _attach,
    "serve": _serve,
    "status": _status,
    "stop": _stop,
    "sim": _sim,
    "export": _export,
    "account": _account,
    "get": _get,
    "agent": _agent,
    "kill": _kill,
    "release": _release,
    "doctor": _doctor,
    "record": _record,
    "replay": _replay,
    "help": _help,
    "completion": _completion,
}


def _parser() -> SecretiveParser:
    parser = _terminal_parser(
        "pmtui",
        "A full-screen terminal for trading prediction markets by hand.",
        epilog=f"commands:\n{command_lines()}\n\n`pmtui COMMAND --help` explains a command, "
        "`pmtui help` shows the manual.",
        is_laid_out=True,
    )
    parser.add_argument("-V", "--version", action="version", version=f"pmtui {__version__}")
    parser.add_argument(
        "--standalone",
        action="store_true",
        help="keep everything in one process: nothing goes on when the terminal is closed",
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="paper: begin anew with a bare key, to practise every step; the account of before is kept",
    )
    parser.add_argument(
        "command",
        nargs="?",
        type=_command,
        metavar="COMMAND",
        help="one of those below; without one, the terminal opens",
    )
    return parser


def _terminal_parser(
    prog: str, description: str, *, epilog: str | None = None, is_laid_out: bool = False
) -> SecretiveParser:
    parser = SecretiveParser(
        prog=prog, description=description, epilog=epilog, is_laid_out=is_laid_out
    )
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
    return parser


def _command(text: str) -> str:
    # Commands that are understood never come this far: they stand first, or after the profile.
    known = "goes in front" if text in COMMANDS else f"is one of {', '.join(COMMANDS)}"
    raise argparse.ArgumentTypeError(f"a command {known}")
