"""The command line: dispatches to a command and a profile, and returns the exit code.

0 is success, 2 is wrong usage or configuration (one line), 69 is an output that cannot be written, 70 is a
bug (details in the log file).
"""

import argparse
import gc
import os
import sys
from collections.abc import Sequence

from pmtui.cli.manual.commands import COMMANDS, command_lines
from pmtui.cli.output import open_closed_streams, show_crash, why_no_full_screen
from pmtui.cli.usage import (
    SecretiveParser,
    ShowVersion,
    output_code,
    refuse,
    split_profile,
    terminal_parser,
)
from pmtui.config.paths import why_no_home


def main(argv: Sequence[str] | None = None) -> int:
    """Run pmtui; return the exit code."""
    # All files written from here on are private to the user.
    os.umask(0o077)
    open_closed_streams()
    if argv is None:
        sys.excepthook = show_crash
    if reason := why_no_home():
        return refuse(reason)
    arguments = list(sys.argv[1:] if argv is None else argv)
    profile, rest = split_profile(arguments)
    # httpx works without its optional command line, which loads click, pygments and rich's progress
    # bars.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    if rest and rest[0] in COMMANDS:
        return _run(rest[0], [*profile, *rest[1:]])
    options = _parser().read(arguments)
    return _open_terminal(
        options.profile, options.passphrase_fd, is_fresh=options.fresh,
        is_standalone=options.standalone,
    )  # fmt: skip


def _open_terminal(
    profile: str | None, passphrase_fd: int | None, *, is_fresh: bool, is_standalone: bool
) -> int:
    if reason := why_no_full_screen():
        return refuse(reason)
    # Everything loaded stays: garbage collection would take a sixth of the time until the first
    # picture. The session collects once everything is loaded.
    gc.disable()
    if not is_standalone:
        from pmtui.cli import attach  # noqa: PLC0415 - asyncio: a tenth of a second

        return attach.open_attached(profile, passphrase_fd, is_fresh=is_fresh)
    from pmtui.cli import standalone  # noqa: PLC0415 - Textual and all screens: 0.7 s

    return standalone.open_standalone(profile, passphrase_fd, is_fresh=is_fresh)


def _run(name: str, arguments: Sequence[str]) -> int:
    code = COMMANDS[name].load()(arguments)
    return output_code(code, prog=f"pmtui {name}")


def _parser() -> SecretiveParser:
    parser = terminal_parser(
        "pmtui",
        "A full-screen terminal for trading prediction markets by hand.",
        epilog=f"commands:\n{command_lines()}\n\n`pmtui COMMAND --help` explains a command, "
        "`pmtui help` shows the manual.",
        is_laid_out=True,
    )
    parser.add_argument("-V", "--version", action=ShowVersion, nargs=0, help="show the version")
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


def _command(text: str) -> str:
    # Valid commands never get here: they come first, or after the profile.
    known = "goes in front" if text in COMMANDS else f"is one of {', '.join(COMMANDS)}"
    raise argparse.ArgumentTypeError(f"a command {known}")
