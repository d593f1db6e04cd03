"""`pmtui kill` and `pmtui release`: the kill switch from another shell.

The running service locks order entry and cancels everything. If none replies, a file locks entry at
once: a running standalone terminal obeys it, and so does the next session. The process that cancels
reports its progress. The exit code shows what is certain: 0 only if it was confirmed that nothing
rests any more, 1 if entry is locked but that is unknown.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from pmtui.cli.output import ask, show
from pmtui.cli.service.shell_client import (
    LOCK_WITHIN_S,
    NoAnswer,
    activate_kill_switch,
    count_open_orders,
    release_kill_switch,
    request_status,
)
from pmtui.cli.session_process import is_session_running
from pmtui.cli.usage import SecretiveParser, refuse
from pmtui.config.paths import find_obstacle, is_file_name, locate
from pmtui.config.settings import load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.formats import count
from pmtui.link.local_socket import socket_path_of
from pmtui.link.messages import Refused, ServiceStatus
from pmtui.service.clock import SystemClock
from pmtui.service.safety.kill_lock import (
    KillAnswer,
    Killed,
    new_kill,
    read_answer,
    read_killed,
    remove_killed,
    write_killed,
)

UNCONFIRMED = 1
KILLED_BY = "`pmtui kill` in another shell"
PATIENCE_S = 15
POLL_PERIOD_S = 0.1
LOCK_REMAINS = (
    "Stops and targets are paused. Trading stays locked until `pmtui release`, or K in the terminal"
)


def run_kill(arguments: Sequence[str]) -> int:
    """Lock order entry and have everything cancelled; return the exit code."""
    options = _kill_parser().read(arguments)
    found = _find_profile(options.profile)
    if isinstance(found, ConfigError):
        return refuse(str(found), prog="pmtui kill")
    name, state_dir = found
    try:
        killed, problem = _lock(name, state_dir)
    except OSError as error:
        text = f"NOT locked: {state_dir} cannot be written ({error.strerror or error})"
        return refuse(text, prog="pmtui kill", code=UNCONFIRMED)
    show(f"Trading is locked on profile {name}.")
    if problem:
        show(f"The lock could not be written ({problem}): it ends with the service that runs now.")
    if not is_session_running(state_dir):
        show(
            "No terminal or service runs on it, so nothing was cancelled: what rests at the venue "
            f"still rests. The next session starts locked and cancels everything first. {LOCK_REMAINS}."
        )
        return UNCONFIRMED
    return _wait_for_terminal(name, state_dir, killed, patience_s=options.wait)


def run_release(arguments: Sequence[str]) -> int:
    """Release the kill lock; return the exit code."""
    options = _release_parser().read(arguments)
    found = _find_profile(options.profile)
    if isinstance(found, ConfigError):
        return refuse(str(found), prog="pmtui release")
    name, state_dir = found
    if (obstacle := find_obstacle(state_dir)) is not None:
        text = f"it stays locked: {obstacle} is not a directory"
        return refuse(text, prog="pmtui release", code=UNCONFIRMED)
    lock = _describe_lock(name, state_dir)
    if not lock:
        show(f"Trading is not locked on profile {name}.")
        return 0
    show(lock)
    if not options.yes and not _agrees():
        show("It stays locked. `--yes` unlocks without a question.")
        return UNCONFIRMED
    if problem := _release(name, state_dir):
        return refuse(f"it stays locked: {problem}", prog="pmtui release", code=UNCONFIRMED)
    if is_session_running(state_dir) and isinstance(_ask_service(name), NoAnswer):
        show(
            "The lock's file is gone, but the service that runs does not answer: trading is unlocked "
            "once it does, and orders that it had not cancelled stay working."
        )
        return UNCONFIRMED
    show("Trading is unlocked. Stops and targets stay paused until they are resumed (C).")
    return 0


def _describe_lock(name: str, state_dir: Path) -> str:
    """Return a sentence saying that order entry is locked and by whom, or "" if it is not."""
    killed = read_killed(state_dir)
    if killed is not None:
        since = f" since {killed.at}" if killed.at else ""
        return f"Trading is locked on profile {name}{since} by {killed.by}."
    # A service that could not write the file is locked all the same.
    standing = _ask_service(name)
    return (
        f"{standing.kill_lock}."
        if isinstance(standing, ServiceStatus) and standing.kill_lock
        else ""
    )


def _ask_service(name: str) -> ServiceStatus | Refused | NoAnswer | None:
    return request_status(socket_path_of(locate().runtime, name), within_s=LOCK_WITHIN_S)


def _lock(name: str, state_dir: Path) -> tuple[Killed, str]:
    """Lock order entry through the service, or by the file if none replies.

    Returns:
        The kill, and why its lock ends with the service, or "" if it is on disk.

    Raises:
        OSError: no service replies, and the file cannot be written.
    """
    is_thrown = activate_kill_switch(socket_path_of(locate().runtime, name), KILLED_BY) == ""
    killed = read_killed(state_dir)
    if is_thrown and killed is not None and killed.by == KILLED_BY:
        return killed, ""
    killed = new_kill(KILLED_BY, SystemClock().now())
    try:
        write_killed(state_dir, killed)
    except OSError as error:
        if not is_thrown:
            raise
        return killed, error.strerror or str(error)
    return killed, ""


def _release(name: str, state_dir: Path) -> str:
    """Unlock order entry through the service, or by the file if none replies; return why it stays locked."""
    problem = release_kill_switch(socket_path_of(locate().runtime, name), "pmtui release")
    if problem is not None:
        return problem
    try:
        remove_killed(state_dir)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _wait_for_terminal(name: str, state_dir: Path, killed: Killed, *, patience_s: int) -> int:
    """Wait for the report of the running terminal, with a timeout."""
    deadline = time.monotonic() + patience_s
    answer: KillAnswer | None = None
    while time.monotonic() < deadline:
        said = read_answer(state_dir)
        if said is not None and said.kill_id == killed.kill_id:
            answer = said
            if answer.is_done:
                show(f"Cancelled {count(answer.cancelled, 'order')}; none working. {LOCK_REMAINS}.")
                return 0
        if not is_session_running(state_dir):
            show(f"The session ended meanwhile. {_progress(answer)} {LOCK_REMAINS}.")
            return UNCONFIRMED
        time.sleep(POLL_PERIOD_S)
    show(f"{_progress(answer)} {_outlook(name, answer)} {LOCK_REMAINS}.")
    return UNCONFIRMED


def _progress(answer: KillAnswer | None) -> str:
    if answer is None:
        return "What was cancelled has not been reported."
    problem = f" ({answer.problem})" if answer.problem else ""
    return f"Cancelled {count(answer.cancelled, 'order')}; {answer.left} working or unconfirmed{problem}."


def _outlook(name: str, answer: KillAnswer | None) -> str:
    """Return a sentence on whether any process continues the cancels: one that hangs does not."""
    standing = _ask_service(name)
    if isinstance(standing, NoAnswer):
        return f"{standing.words[:1].upper()}{standing.words[1:]}."
    if isinstance(standing, ServiceStatus):
        return f"The service keeps trying: {count_open_orders(standing)}."
    if answer is None and standing is None:
        return "The terminal or command that runs the profile may be stopped, or hang."
    return "It keeps trying."


def _find_profile(name: str | None) -> tuple[str, Path] | ConfigError:
    """Return a profile and its state directory; a broken settings file prevents no kill by name."""
    state = locate().state
    try:
        chosen = load_settings({"profile": name}).profile
    except ConfigError as error:
        if name is None or not is_file_name(name) or not (state / name).is_dir():
            return error
        chosen = name
    return chosen, state / chosen


def _agrees() -> bool:
    return ask("Unlock trading? [y/N]").lower() in ("y", "yes")


def _kill_parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog="pmtui kill",
        description="Lock trading and have the running terminal cancel all orders.",
        epilog="Exit code: 0 when no order is working, 1 when that is not known, 2 for wrong "
        "usage. Trading is locked in the first two cases.",
    )
    parser.add_profile()
    parser.add_argument(
        "--wait", type=_seconds, default=PATIENCE_S, metavar="SECONDS",
        help=f"for the terminal's result, at most; default {PATIENCE_S}",
    )  # fmt: skip
    return parser


def _release_parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog="pmtui release",
        description="Unlock trading after the kill switch.",
    )
    parser.add_profile()
    parser.add_argument("--yes", action="store_true", help="do not ask")
    return parser


def _seconds(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 4):
        raise argparse.ArgumentTypeError("takes a number of seconds")
    return int(text)
