"""`pmtui`: a terminal on the service of its profile, which is started if none runs.

The service starts, or builds the first views, while the screens are being loaded: the first picture
waits for neither.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from pmtui.cli.keys.secret_input import forget_key_variable
from pmtui.cli.output import warn, why_no_full_screen
from pmtui.cli.service.starting import ServiceStarter
from pmtui.cli.session_process import CRASHED, run_logged, start_log
from pmtui.cli.usage import refuse, terminal_parser
from pmtui.config.paths import JOURNAL_FILE, is_file_name, locate
from pmtui.config.terminal_settings import USUAL_PROFILE, find_profile_name
from pmtui.config.toml_file import ConfigError
from pmtui.config.workplace import (
    EVENT_PLACE,
    MARKET_PLACE,
    MARKETS_PLACE,
    WORKPLACE_FILE,
    KeptList,
    Memory,
)
from pmtui.domain.ids import ConditionId, EventId
from pmtui.link.connection import open_line
from pmtui.service.topics import EventTopic, MarketListTopic, MarketTopic, Topic


def run(arguments: Sequence[str]) -> int:
    """Run `pmtui attach`; return the exit code."""
    parser = terminal_parser("pmtui attach", "Open a terminal on the service of a profile.")
    options = parser.read(arguments)
    if reason := why_no_full_screen():
        return refuse(reason, prog=parser.prog)
    return open_attached(options.profile, options.passphrase_fd)


def open_attached(profile: str | None, passphrase_fd: int | None, *, is_fresh: bool = False) -> int:
    """Run a terminal on the service to its end; return the exit code.

    Args:
        profile: the profile that the command line names, if it names one.
        passphrase_fd: file descriptor of the keystore's passphrase; None to ask for it.
        is_fresh: whether to start a new paper account with a bare key.
    """
    starter: ServiceStarter | None = None
    try:
        paths = locate()
        name = find_profile_name(profile, paths.config_file)
        log = start_log(name if is_file_name(name) else USUAL_PROFILE, paths)
        is_first_run = is_fresh or not (paths.state / name / JOURNAL_FILE).exists()
        starter = ServiceStarter(paths, name, stated=profile)
        starter.find_or_start(is_fresh=is_fresh)
        starter.unlock(passphrase_fd)
        # The service has the key if it started with it; nothing here needs it.
        forget_key_variable()
        # The service builds the first views while the screens are being loaded.
        opened = open_line(starter.socket_path, first_topics(paths.state / WORKPLACE_FILE, name))
        # Importing Textual and all screens takes half a second: the service starts and reads the
        # settings meanwhile.
        from pmtui.cli.attached_terminal import AttachedTerminal  # noqa: PLC0415
        from pmtui.cli.terminal import exit_despite_stuck_output  # noqa: PLC0415
        from pmtui.cli.terminal_app import load_appearance, read_keys  # noqa: PLC0415

        settings = starter.settings()
        appearance = load_appearance(settings, paths, read_keys(settings, paths))
        terminal = AttachedTerminal(
            settings, appearance, starter, is_first_run=is_first_run, opened=opened
        )
        code = asyncio.run(run_logged(terminal.run()))
    except ConfigError as error:
        if starter is not None:
            starter.take_back()
        return refuse(str(error))
    exit_despite_stuck_output(code)
    if code == CRASHED:
        warn(f"pmtui: stopped by a bug; details in {log}")
    return code


def first_topics(workplace: Path, profile: str) -> tuple[Topic, ...]:
    """Return the topics of the first screen, as far as the stored layout determines them."""
    memory = Memory(workplace, profile=profile)
    place = memory.place
    if place.item and place.screen == MARKET_PLACE:
        return (MarketTopic(ConditionId(place.item)),)
    if place.item and place.screen == EVENT_PLACE:
        return (EventTopic(EventId(place.item)),)
    is_list = place.screen in ("", MARKETS_PLACE)
    return (MarketListTopic(),) if is_list and memory.now.listing == KeptList() else ()
