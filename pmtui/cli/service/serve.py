"""`pmtui serve`: reads the settings and runs the service of a profile.

A terminal that starts it waits for the settings, so they are sent before anything else is loaded.
"""

import os
from collections.abc import Sequence
from contextlib import suppress

from pmtui.cli.output import show
from pmtui.cli.usage import SecretiveParser, refuse
from pmtui.config.paths import locate
from pmtui.config.settings import load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.link.messages import Configured, pack

_PROG = "pmtui serve"


def run(arguments: Sequence[str]) -> int:
    """Run the service to its end; return the exit code."""
    options = _parser().read(arguments)
    words: tuple[str, ...] = ()
    try:
        settings = load_settings({"profile": options.profile})
        paths = locate()
        if options.fresh:
            from pmtui.cli.venue.paper import start_fresh_account  # noqa: PLC0415 - the signing libraries

            words = start_fresh_account(settings, paths)
            show(*words)
    except ConfigError as error:
        _report(options.settings_fd, Configured(place=error.place, problem=error.problem))
        return refuse(str(error), prog=_PROG)
    _report(options.settings_fd, Configured(settings.for_terminal(), words=words))
    # Importing the service with its clients takes half a second: a terminal has its settings by
    # now.
    from pmtui.cli.service.service_process import serve  # noqa: PLC0415

    try:
        return serve(
            settings, paths, passphrase_fd=options.passphrase_fd, is_detached=options.detached
        )
    except ConfigError as error:
        return refuse(str(error), prog=_PROG)


def _report(number: int | None, found: Configured) -> None:
    """Report the start to the terminal that waits at a file descriptor, if it still does."""
    if number is None:
        return
    with suppress(OSError), os.fdopen(number, "wb") as told:
        _ = told.write(pack(found))


def _parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog=_PROG,
        description="Run the service of a profile in the foreground, for terminals to attach to.",
        epilog="Without a passphrase it is READ-ONLY until an attached terminal unlocks it.",
    )
    parser.add_profile()
    parser.add_descriptor(
        "--passphrase-fd", "read the keystore's passphrase from a line of file descriptor N"
    )
    parser.add_argument(
        "--fresh", action="store_true",
        help="paper: begin anew with a bare key, as for the terminal",
    )  # fmt: skip
    parser.add_argument(
        "--detached", action="store_true",
        help="as a terminal starts it: say nothing, and end when nobody needs it",
    )  # fmt: skip
    parser.add_descriptor(
        "--settings-fd", "tell the terminal that starts it about its settings, at file descriptor N"
    )
    return parser
