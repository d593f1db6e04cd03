"""The paper profile: its venue, its account with play money, and how other commands access both.

The paper venue of a running terminal is used if there is one; else a temporary one is started, as the
terminal would, and other commands use it meanwhile.

The child's standard input is a pipe from us. When we exit, however that happens, the pipe closes and
the child exits too; nothing is left behind to clean up. The key is worthless outside the local venue,
so it is in a separate file that only the user can read; keys for real money are in keystores with a
passphrase.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pmtui.cli.keys.unlocking import NOT_A_KEY, PAPER_KEY_FILE, read_private_key
from pmtui.cli.service.starting import end_idle_service
from pmtui.cli.session_process import IN_USE, is_session_running, session_lock
from pmtui.clients.clob import ClobClient
from pmtui.clients.http.client import HttpHost
from pmtui.config.endpoints import LIVE, Endpoints
from pmtui.config.paths import Paths, open_to_append, private_dir, replace_file, why_untrusted
from pmtui.config.settings import Settings
from pmtui.config.terminal_settings import KEY_VARIABLE
from pmtui.config.toml_file import ConfigError
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.link.local_socket import socket_path_of
from pmtui.reads.trading_routes import ROUTES
from pmtui.service.clock import SystemClock
from pmtui.signing.keystore import create_key
from pmtui.signing.secret import Secret
from pmtui.sim.admin_token import operator_headers

VENUE_WAIT_S = 10.0
"""Seconds to wait for a venue that another process is starting or stopping."""
RETRY_S = 0.2
ANSWER_WITHIN_S = 2.0
"""Seconds for a venue on the same machine to reply."""
VENUE_SILENT = "a terminal or another command uses this profile, and its venue does not answer"
BOOT_DEADLINE_S = 30.0
END_DEADLINE_S = 5.0
STARTING_CASH = "10000"
NEW_ACCOUNT = "move the file away, and the next terminal makes a new paper account"


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Why the venue could not be queried, in one line."""

    text: str


@asynccontextmanager
async def profile_endpoints(
    settings: Settings, state: Path
) -> AsyncIterator[Endpoints | Unreachable]:
    """Yield the addresses of a profile's hosts; its paper venue runs inside the context."""
    if not settings.is_paper:
        yield settings.endpoints(LIVE)
        return
    async with AsyncExitStack() as stack:
        yield await _paper_endpoints(settings, state, stack)


async def _paper_endpoints(
    settings: Settings, state: Path, stack: AsyncExitStack
) -> Endpoints | Unreachable:
    """Return the running venue, or start one until the stack is closed; others may use it too."""
    folder = state / settings.profile
    ends_at = asyncio.get_running_loop().time() + VENUE_WAIT_S
    while (running := await running_endpoints(settings, state)) is None:
        try:
            stack.enter_context(session_lock(folder))
            break
        except ConfigError as error:
            if not is_session_running(folder):
                return Unreachable(str(error))
        # The holder of the lock may be starting its venue, or stopping.
        if asyncio.get_running_loop().time() > ends_at:
            return Unreachable(VENUE_SILENT)
        await asyncio.sleep(RETRY_S)
    if running is not None:
        return running
    urls = await stack.enter_async_context(
        running_venue(venue_command(folder / "venue"), state / "venue.log")
    )
    if isinstance(urls, VenueProblem):
        return Unreachable(urls.text)
    with suppress(OSError):
        stack.enter_context(publish_urls(urls, folder / "venue.json"))
    return settings.endpoints(urls)


async def has_lasting_hosts(settings: Settings, state: Path) -> bool:
    """Whether a profile's hosts outlive the command: a paper venue may not."""
    return not settings.is_paper or await running_endpoints(settings, state) is not None


async def running_endpoints(settings: Settings, state: Path) -> Endpoints | None:
    """Return the addresses of a running terminal's venue that replies."""
    try:
        published = (state / settings.profile / "venue.json").read_bytes()
        urls = msgspec.json.decode(published, type=VenueUrls)
    except (OSError, msgspec.MsgspecError):
        return None
    endpoints = settings.endpoints(urls)
    host = HttpHost(endpoints.clob)
    try:
        async with asyncio.timeout(ANSWER_WITHIN_S):
            server_time = await ClobClient(host, ROUTES[settings.dialect]).server_time()
    except TimeoutError:
        # A suspended venue accepts the connection and sends nothing.
        return None
    finally:
        await host.aclose()
    return None if isinstance(server_time, Failure) else endpoints


@dataclass(frozen=True, slots=True)
class VenueUrls(Endpoints):
    """The first line that a venue prints: the addresses of its hosts."""

    admin: str


@dataclass(frozen=True, slots=True)
class VenueProblem:
    """The venue did not start."""

    text: str


def venue_command(state_dir: Path) -> list[str]:
    """Return the command that starts the venue: on any free port, ending with its standard input.

    Modules in the current directory are not imported (`-P`).
    """
    return [
        sys.executable,
        "-P",
        "-m",
        "pmtui",
        "sim",
        "--port",
        "0",
        "--state",
        str(state_dir),
        "--exit-with-stdin",
    ]


@asynccontextmanager
async def running_venue(
    command: list[str], error_log: Path, *, on_end: Callable[[], None] = lambda: None
) -> AsyncIterator[VenueUrls | VenueProblem]:
    """Start a venue, yield its addresses, and stop it afterwards.

    Args:
        command: the command to run.
        error_log: file for its error output.
        on_end: called if it ends by itself after it was running.
    """
    try:
        process = await _spawn(command, error_log)
    except OSError as error:
        # A full disk, or the user's process limit.
        yield VenueProblem(f"the local venue cannot be started: {error.strerror or error}")
        return
    watching: asyncio.Task[None] | None = None
    try:
        answer = await _read_urls(process, error_log)
        if isinstance(answer, VenueUrls):
            watching = asyncio.create_task(_watch(process, on_end))
        yield answer
    finally:
        if watching is not None:
            watching.cancel()
        await _end(process)


async def _spawn(command: list[str], error_log: Path) -> asyncio.subprocess.Process:
    private_dir(error_log.parent)
    with os.fdopen(open_to_append(error_log), "ab") as errors:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            env=_without_keys(os.environ),
            # A session of its own: a ctrl+c or hang-up meant for the terminal must not stop the
            # venue first.
            start_new_session=True,
        )


@contextmanager
def publish_urls(urls: VenueUrls, path: Path) -> Iterator[None]:
    """Publish the addresses of the running venue in a file."""
    replace_file(path, msgspec.json.encode(urls))
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


async def _watch(process: asyncio.subprocess.Process, on_end: Callable[[], None]) -> None:
    await process.wait()
    on_end()


def _without_keys(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without private keys, which the venue does not need."""
    return {name: value for name, value in environ.items() if name.upper() != KEY_VARIABLE}


async def _read_urls(
    process: asyncio.subprocess.Process, error_log: Path
) -> VenueUrls | VenueProblem:
    if process.stdout is None:
        return VenueProblem("the local venue has no output")
    try:
        async with asyncio.timeout(BOOT_DEADLINE_S):
            line = await process.stdout.readline()
    except TimeoutError:
        return VenueProblem(f"the local venue did not start within {BOOT_DEADLINE_S:.0f} s")
    try:
        return msgspec.json.decode(line, type=VenueUrls)
    except msgspec.MsgspecError:
        return VenueProblem(f"the local venue did not start: {_last_line(error_log)}")


def _last_line(error_log: Path) -> str:
    """Return the venue's own message, the last line of its log when it refuses to start."""
    lines = error_log.read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[-1] if lines else f"it said nothing in {error_log}"


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    for force in (process.terminate, process.kill):
        try:
            async with asyncio.timeout(END_DEADLINE_S):
                await process.wait()
                return
        except TimeoutError:
            with suppress(ProcessLookupError):
                force()
    await process.wait()


PRACTICE_MARK = "practice"
"""This file exists while a paper account takes every onboarding step by hand."""
PERMIT_MARK = "practice-account"
"""This file exists once the trader has permitted the account to be opened."""


def is_practice_account(state_dir: Path) -> bool:
    """Whether a paper account takes every step by hand."""
    return (state_dir / PRACTICE_MARK).exists()


def begin_practice(state_dir: Path, stamp: str) -> Path | None:
    """Start a paper account with a bare key; return where the previous account was moved.

    The whole directory moves: an account, its journal and its venue belong together.

    Raises:
        OSError: it cannot be moved or written.
    """
    aside = state_dir.with_name(f"{state_dir.name}.before-{stamp}") if state_dir.exists() else None
    if aside is not None:
        _ = state_dir.rename(aside)
    replace_file(private_dir(state_dir) / PRACTICE_MARK, b"")
    return aside


class _Ledger(msgspec.Struct):
    lines: list[msgspec.Raw] = []


def load_paper_key(state_dir: Path) -> Secret:
    """Return the paper key; create and store one the first time.

    Raises:
        OSError: the state directory cannot be written.
        ConfigError: the file contains no key, cannot be read, or others could have written it.
    """
    path = state_dir / PAPER_KEY_FILE
    if path.exists():
        if reason := why_untrusted(path):
            raise ConfigError(str(path), f"refused: {reason}")
        return _read_key(path)
    secret = create_key(os.urandom)
    # Atomically: a crash leaves no partial key.
    replace_file(path, secret.reveal().hex().encode())
    return secret


def _read_key(path: Path) -> Secret:
    try:
        found = read_private_key(Secret.from_text(path.read_text(encoding="ascii").strip()))
    except OSError as error:
        raise ConfigError(str(path), error.strerror or "cannot be read") from None
    except UnicodeDecodeError:
        found = NOT_A_KEY
    if isinstance(found, str):
        raise ConfigError(str(path), f"{found}; {NEW_ACCOUNT}")
    return found


async def fund_once(admin: HttpHost, wallet: Address, *, token: str) -> Failure | None:
    """Fund a wallet with its starting cash, unless it was funded before."""
    headers = operator_headers(token)
    answer = await admin.read(f"/ledger/{wallet}", route="/ledger/{address}", headers=headers)
    if isinstance(answer, Failure):
        if answer.kind is not FailureKind.NOT_FOUND:
            return answer
    elif msgspec.json.decode(answer, type=_Ledger).lines:
        return None
    body = msgspec.json.encode({"address": wallet, "amount": STARTING_CASH})
    funded = await admin.send("POST", "/fund", body=body, headers=headers)
    return funded if isinstance(funded, Failure) else None


def start_fresh_account(settings: Settings, paths: Paths) -> tuple[str, ...]:
    """Move the paper account aside, and start one that takes every step by hand.

    Return the lines to show the trader.

    Raises:
        ConfigError: it is not a paper profile, a terminal is running on it, or its directory cannot
            be moved.
    """
    if not settings.is_paper:
        raise ConfigError("--fresh", "only a paper profile begins anew, with play money")
    state = paths.state / settings.profile
    end_idle_service(state, socket_path_of(paths.runtime, settings.profile))
    if is_session_running(state):
        raise ConfigError(str(state), IN_USE)
    stamp = SystemClock().now().strftime("%Y%m%dT%H%M%S")
    try:
        aside = begin_practice(state, stamp)
    except OSError as error:
        raise ConfigError(str(state), error.strerror or str(error)) from None
    return () if aside is None else (f"pmtui: the paper account of before is kept in {aside}",)
