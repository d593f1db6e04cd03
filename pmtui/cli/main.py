"""The command line: which command, which profile, and what the exit code says.

0 is fine, 2 is wrong usage or configuration (one line), 70 is a bug (details in the log file).
"""

import argparse
import sys
from collections.abc import Sequence

from pmtui import __version__

USAGE_ERROR = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run pmtui; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["sim"]:
        from pmtui.cli import sim  # noqa: PLC0415 - each command loads what it needs

        return sim.run(arguments[1:])
    if arguments[:1] == ["export"]:
        from pmtui.cli import export  # noqa: PLC0415

        return export.run(arguments[1:])
    asked = _parser().parse_args(arguments)
    return _open_terminal(asked.profile)


def _open_terminal(profile: str | None) -> int:
    from pmtui.config.errors import ConfigError  # noqa: PLC0415
    from pmtui.config.settings import load_settings  # noqa: PLC0415

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _refuse("this needs a terminal; `pmtui sim` does not")
    try:
        settings = load_settings({"profile": profile})
    except ConfigError as error:
        return _refuse(str(error))
    from pmtui.cli.compose import CRASHED, keymap_of, run_terminal  # noqa: PLC0415

    keymap, problems = keymap_of(settings)
    if problems:
        return _refuse(problems[0])
    try:
        code = run_terminal(settings, keymap)
    except ConfigError as error:
        return _refuse(str(error))
    if code == CRASHED:
        from pmtui.config.paths import locate  # noqa: PLC0415

        log = locate().state / "pmtui.log"
        print(f"pmtui: stopped by a bug; what is known of it is in {log}", file=sys.stderr)
    return code


def _refuse(text: str) -> int:
    print(f"pmtui: {text}", file=sys.stderr)
    return USAGE_ERROR


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pmtui",
        description="A full-screen terminal for trading prediction markets by hand.",
        epilog="`pmtui sim --help` and `pmtui export --help` tell of those two alone.",
    )
    parser.add_argument("--version", action="version", version=f"pmtui {__version__}")
    parser.add_argument(
        "--profile",
        help="paper (the default: a local venue with play money), live, or one of your own",
    )
    parser.add_argument(
        "command",
        nargs="?",
        choices=["sim", "export"],
        help="sim: run the local venue in the foreground; export: print what the journal knows",
    )
    return parser
