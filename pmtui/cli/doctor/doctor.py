"""`pmtui doctor`: checks everything a session needs, in parallel, and prints a remedy for each problem."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from pmtui.cli.doctor.findings import (
    Deadline,
    Finding,
    State,
    Subject,
    has_problem,
    to_json,
    to_lines,
    within,
)
from pmtui.cli.doctor.host_checks import check_clock, check_host, check_place, host_questions
from pmtui.cli.doctor.profile_checks import (
    SERVICE_WITHIN_S,
    check_folder,
    check_journal,
    check_key,
    check_obstacle,
    check_session,
    check_settings,
    check_variables,
    check_wallet,
)
from pmtui.cli.doctor.stream_checks import DEADLINE_S as BOOK_DEADLINE_S
from pmtui.cli.doctor.stream_checks import HOLD_S, OPEN_S, check_book, check_login, find_login_key
from pmtui.cli.doctor.terminal_checks import check_terminal
from pmtui.cli.keys.secret_input import NoSecret, forget_key_variable, read_secret
from pmtui.cli.output import show
from pmtui.cli.session_process import is_session_running
from pmtui.cli.usage import SecretiveParser, refuse
from pmtui.cli.venue.paper import Unreachable, profile_endpoints
from pmtui.clients.http.client import HttpHost
from pmtui.clients.relayer import RelayerClient
from pmtui.config.endpoints import Endpoints
from pmtui.config.paths import locate
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.ids import Address
from pmtui.link.local_socket import socket_path_of
from pmtui.service.clock import SystemClock
from pmtui.signing.secret import Secret

HOST_DEADLINE_S = 15.0
"""Time for two requests with a retry each, on a connection that replies within seconds."""
LOCAL_DEADLINE_S = 30.0
SERVICE_DEADLINE_S = SERVICE_WITHIN_S + 2.0
PROBLEMS = 1
_NETWORK = "check the network, a firewall or a proxy in between"

Check = tuple[Deadline, Awaitable[tuple[Finding, ...]]]


def run(arguments: Sequence[str]) -> int:
    """Run every check; return 0 if everything will work, 1 if something will not."""
    options = _parser().read(arguments)
    paths = locate()
    try:
        settings = load_settings({"profile": options.profile})
    except ConfigError as error:
        return refuse(str(error), prog="pmtui doctor")
    forget_key_variable()
    passphrase: Secret | None = None
    if options.passphrase_fd is not None:
        given = read_secret(options.passphrase_fd)
        if isinstance(given, NoSecret):
            return refuse(given.text, prog="pmtui doctor")
        passphrase = given
    try:
        findings = asyncio.run(diagnose(settings, paths.state, passphrase))
    except KeyboardInterrupt:
        return refuse("given up", prog="pmtui doctor", code=PROBLEMS)
    if options.json:
        show(to_json(settings.profile, findings))
    else:
        show(*to_lines(settings.profile, findings))
    return PROBLEMS if has_problem(findings) else 0


async def diagnose(
    settings: Settings, state: Path, passphrase: Secret | None
) -> tuple[Finding, ...]:
    """Run every check of a profile, concurrently if possible.

    Args:
        settings: of the profile.
        state: the state directory of all profiles.
        passphrase: of the keystore, to log in to the order stream; None leaves it closed.
    """
    folder = state / settings.profile
    # First, and alone: nothing else may write to the terminal or read from it meanwhile.
    findings = (*await check_terminal(), *check_variables(os.environ))
    if obstacle := check_obstacle(folder):
        # Nothing of a profile can be read or created there: all other findings would say the same.
        return (*findings, *check_settings(settings, locate()), *obstacle)
    owner, about_key = check_key(settings, state)
    # Before a temporary venue is started, which takes the session lock.
    is_locked = is_session_running(folder)
    socket_path = socket_path_of(locate().runtime, settings.profile)
    local = [
        _local("settings", lambda: check_settings(settings, locate())),
        _local("disk", lambda: check_folder(folder)),
        _local("journal", lambda: check_journal(folder / "journal.sqlite")),
        (
            Deadline(Subject.PROFILE, "service", SERVICE_DEADLINE_S, "pmtui stop, or end it"),
            check_session(folder, socket_path, is_locked=is_locked),
        ),
    ]
    remote = diagnose_hosts(settings, state, owner, passphrase=passphrase)
    found = await asyncio.gather(*(within(*check) for check in local), remote)
    return (*findings, *about_key, *(finding for group in found for finding in group))


async def diagnose_hosts(
    settings: Settings, state: Path, owner: Address | None, *, passphrase: Secret | None
) -> tuple[Finding, ...]:
    """Run the checks that query hosts; the paper venue is started if none runs."""
    async with profile_endpoints(settings, state) as endpoints:
        if isinstance(endpoints, Unreachable):
            remedy = f"see {state / 'venue.log'}"
            return (Finding(Subject.HOSTS, "paper venue", State.PROBLEM, endpoints.text, remedy),)
        checks = _host_checks(settings, endpoints, owner)
        key = partial(find_login_key, settings, state, passphrase)
        login = check_login(settings.dialect, endpoints, SystemClock(), find_key=key)
        seconds = HOST_DEADLINE_S + OPEN_S + HOLD_S
        checks.append((Deadline(Subject.STREAMS, "orders", seconds, _NETWORK), login))
        found = await asyncio.gather(*(within(*check) for check in checks))
    return tuple(finding for group in found for finding in group)


def _host_checks(settings: Settings, endpoints: Endpoints, owner: Address | None) -> list[Check]:
    dialect, clock = settings.dialect, SystemClock()
    now = clock.now()
    checks: list[Check] = [
        (
            Deadline(Subject.HOSTS, question.kind, HOST_DEADLINE_S, _NETWORK),
            check_host(question, dialect, now),
        )
        for question in host_questions(endpoints, dialect, clock)
    ]
    checks += [
        (
            Deadline(Subject.HOSTS, "clock", HOST_DEADLINE_S, _NETWORK),
            check_clock(endpoints.clob, dialect, clock),
        ),
        (
            Deadline(Subject.HOSTS, "place", HOST_DEADLINE_S, _NETWORK),
            check_place(endpoints.geoblock),
        ),
        (
            Deadline(Subject.ACCOUNT, "wallet", HOST_DEADLINE_S, _NETWORK),
            _wallet(settings, endpoints, owner),
        ),
        (
            Deadline(Subject.STREAMS, "book", HOST_DEADLINE_S + BOOK_DEADLINE_S, _NETWORK),
            check_book(endpoints, dialect, clock),
        ),
    ]
    return checks


async def _wallet(
    settings: Settings, endpoints: Endpoints, owner: Address | None
) -> tuple[Finding, ...]:
    host = HttpHost(endpoints.relayer)
    try:
        return await check_wallet(owner, RelayerClient(host), settings.signature_type)
    finally:
        await host.aclose()


def _local(name: str, check: Callable[[], tuple[Finding, ...]]) -> Check:
    return Deadline(Subject.PROFILE, name, LOCAL_DEADLINE_S), asyncio.to_thread(check)


def _parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog="pmtui doctor",
        description="Look at everything a session needs, and say what to do about what will not "
        "work: terminal, settings, journal, disk, key and wallet, every host, the clock, the "
        "place, and a live book checked by its hash. Nothing is changed and no secret is shown.",
        epilog="Exit code: 0 when all will work, 1 when something will not, 2 for wrong usage or "
        "configuration.",
    )
    parser.add_profile()
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    parser.add_descriptor(
        "--passphrase-fd",
        "open the keystore with the passphrase on a line of file descriptor N, to log in to your "
        "order stream",
    )
    return parser
