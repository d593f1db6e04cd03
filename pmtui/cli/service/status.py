"""`pmtui status` and `pmtui stop`: the service of a profile from a shell.

Exit codes: 0 if a service runs, or was stopped; 1 if none runs, if it cannot use its journal, if it keeps
running, or if orders that were to be cancelled may still be working.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from pmtui.cli.output import show
from pmtui.cli.service.shell_client import (
    NoAnswer,
    count_open_orders,
    knows_open_orders,
    request_status,
    stop_service,
)
from pmtui.cli.session_process import is_session_running
from pmtui.cli.usage import SecretiveParser, refuse
from pmtui.config.paths import locate
from pmtui.config.settings import load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.formats import count
from pmtui.domain.orders.exit_policy import ExitPolicy
from pmtui.link.local_socket import socket_path_of
from pmtui.link.messages import Refused, ServiceStatus
from pmtui.service.clock import SystemClock

NONE_RUNS = 1
UNCONFIRMED = 1
_MEGABYTE = 1_000_000


class _Report(msgspec.Struct):
    """The output of `pmtui status --json`."""

    running: bool
    profile: str
    pid: int | None = None
    version: str | None = None
    mode: str | None = None
    locked: bool | None = None
    kill_lock: str | None = None
    since: datetime | None = None
    uptime_s: int | None = None
    terminals: int | None = None
    sources: dict[str, str] | None = None
    journal_problem: str | None = None
    open_orders: int | None = None
    """None also while it is unknown."""
    conditional_orders: int | None = None
    alerts: int | None = None
    memory_bytes: int | None = None


def run_status(arguments: Sequence[str]) -> int:
    """Print the status of a profile's service; return the exit code."""
    options = _status_parser().read(arguments)
    found = _find(options.profile)
    if isinstance(found, ConfigError):
        return refuse(str(found), prog="pmtui status")
    name, state, socket_path = found
    standing = request_status(socket_path)
    if isinstance(standing, Refused | NoAnswer):
        pid, words = _what_is_known(standing)
        if options.json:
            show(msgspec.json.encode(_Report(running=True, profile=name, pid=pid)).decode())
        return refuse(words, prog="pmtui status", code=NONE_RUNS)
    if standing is None:
        if options.json:
            show(msgspec.json.encode(_Report(running=False, profile=name)).decode())
        elif is_session_running(state / name):
            show(
                f"No service runs on profile {name}; a standalone terminal or another command uses it."
            )
        else:
            show(f"No service runs on profile {name}.")
        return NONE_RUNS
    up = SystemClock().now() - standing.since
    if options.json:
        show(msgspec.json.encode(_report(standing, up)).decode())
    else:
        show(*_lines(standing, up))
    return UNCONFIRMED if standing.journal_problem else 0


def run_stop(arguments: Sequence[str]) -> int:
    """Stop the service of a profile; return the exit code."""
    options = _stop_parser().read(arguments)
    found = _find(options.profile)
    if isinstance(found, ConfigError):
        return refuse(str(found), prog="pmtui stop")
    name, _, socket_path = found
    standing = request_status(socket_path)
    if standing is None:
        show(f"No service runs on profile {name}.")
        return NONE_RUNS
    if isinstance(standing, Refused | NoAnswer):
        _, reason = _what_is_known(standing)
        return refuse(reason, prog="pmtui stop", code=NONE_RUNS)
    goodbye = stop_service(socket_path, options.orders or "")
    if isinstance(goodbye, str):
        return refuse(f"it goes on: {goodbye}", prog="pmtui stop", code=NONE_RUNS)
    show(*goodbye.text.splitlines())
    return UNCONFIRMED if goodbye.are_orders_left else 0


def _what_is_known(standing: Refused | NoAnswer) -> tuple[int | None, str]:
    """Return the process of a service that gives no status, if known, and why it gives none."""
    match standing:
        case Refused(reason):
            return None, reason
        case NoAnswer(pid):
            return pid or None, standing.words


def _find(profile: str | None) -> tuple[str, Path, Path] | ConfigError:
    try:
        name = load_settings({"profile": profile}).profile
    except ConfigError as error:
        return error
    paths = locate()
    return name, paths.state, socket_path_of(paths.runtime, name)


def _report(standing: ServiceStatus, up: timedelta) -> _Report:
    return _Report(
        running=True, profile=standing.profile, pid=standing.pid, version=standing.version,
        mode=standing.mode, locked=bool(standing.locked), kill_lock=standing.kill_lock, since=standing.since,
        uptime_s=int(up.total_seconds()), terminals=standing.terminals, sources=standing.sources,
        journal_problem=standing.journal_problem,
        open_orders=standing.open_orders if knows_open_orders(standing) else None,
        conditional_orders=None if standing.journal_problem else standing.conditional_orders,
        alerts=standing.alerts, memory_bytes=standing.memory_bytes,
    )  # fmt: skip


def _lines(standing: ServiceStatus, up: timedelta) -> tuple[str, ...]:
    locked = "; the keystore is locked, `pmtui` asks for it" if standing.locked else ""
    uptime = timedelta(seconds=int(up.total_seconds()))
    memory = f"{standing.memory_bytes // _MEGABYTE} MB"
    watched = (
        count(standing.terminals, "terminal"),
        count_open_orders(standing),
        "active stops unknown"
        if standing.journal_problem
        else count(standing.conditional_orders, "active stop"),
        count(standing.alerts, "waiting alert"),
    )
    return (
        f"Profile {standing.profile}, {standing.mode}{locked}",
        f"Process {standing.pid}, pmtui {standing.version}, up {uptime}, {memory}",
        ", ".join(watched),
        *(
            [f"No orders can be sent: {standing.journal_problem}"]
            if standing.journal_problem
            else []
        ),
        *([f"{standing.kill_lock}; `pmtui release` unlocks it"] if standing.kill_lock else []),
        *(f"  {source}: {state}" for source, state in standing.sources.items()),
    )


def _status_parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog="pmtui status",
        description="Say how the service of a profile stands.",
        epilog="Exit code: 0 where one runs, 1 where none does or its journal cannot be used.",
    )
    parser.add_profile()
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    return parser


def _stop_parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog="pmtui stop",
        description="End the service of a profile.",
        epilog="Exit code: 0 where it has ended, 1 where none runs, it goes on, or orders that were "
        "to be cancelled may still be working.",
    )
    parser.add_profile()
    parser.add_argument(
        "--orders", choices=[each.value for each in ExitPolicy],
        help="what becomes of open orders; default: what on_quit says",
    )  # fmt: skip
    return parser
