"""`pmtui agent stdio` and `pmtui agent http`: read-only tools for programs, with or without a profile.

Standard output carries only the protocol. Account reads are refused unless `--account` is given, which opens
the account as other commands do, and no tool can place, cancel or sign anything.
"""

import argparse
import asyncio
import hmac
import json
import os
import signal
import socket
import stat
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from pmtui import __version__
from pmtui.agent.port import Answered, Refusal, Refused
from pmtui.agent.stdio import serve_lines
from pmtui.agent.tools import Toolbox, plain_text
from pmtui.cli.agent.live_books import LiveBooks
from pmtui.cli.agent.own_figures import OwnFigures
from pmtui.cli.get.account import NoAccount, find_relayer_headers, find_secret, open_account
from pmtui.cli.keys.secret_input import NoSecret, read_secret
from pmtui.cli.output import discard_output, show, write_line
from pmtui.cli.usage import UNAVAILABLE, SecretiveParser, refuse
from pmtui.cli.venue.paper import Unreachable, profile_endpoints
from pmtui.clients.account import AccountClient
from pmtui.clients.reads.asking import Extent, ask
from pmtui.clients.reads.hosts import ReadHosts, make_read_hosts
from pmtui.config.paths import locate
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.answers import Failure, FailureKind
from pmtui.link.local_socket import socket_path_of
from pmtui.reads.read import Needs, Read, Values
from pmtui.reads.registry import READS
from pmtui.service.clock import SystemClock
from pmtui.signing.secret import Secret

_PROG = "pmtui agent"
_CHUNK = 65_536
SHORTEST_TOKEN = 16
"""Characters; a shorter token could be guessed by a program that can send requests."""
_REASONS = {
    FailureKind.NOT_FOUND: Refusal.UNKNOWN,
    FailureKind.CANCELLED: Refusal.UNCONFIGURED,
}


@dataclass(frozen=True, slots=True)
class Offer:
    """What a server offers, and the hosts that it uses."""

    settings: Settings
    state: Path
    further: tuple[Read, ...]
    secret: Secret | None
    """Key of the account whose data may be read."""


def run(arguments: Sequence[str]) -> int:
    """Run the command; return the exit code."""
    parser = _parser()
    options = parser.read(arguments)
    try:
        offer = _offer(parser, options)
        if isinstance(offer, NoAccount):
            return refuse(offer.text, prog=_PROG)
        if options.way == "stdio":
            return asyncio.run(_serve_stdio(offer))
        return _run_http(parser, options, offer)
    except ConfigError as error:
        return refuse(str(error), prog=_PROG)
    except KeyboardInterrupt:
        return 0


def _offer(parser: SecretiveParser, options: argparse.Namespace) -> Offer | NoAccount:
    names = [name for part in options.tools or () for name in part.split(",") if name]
    unknown = [name for name in names if name not in READS]
    if unknown:
        parser.refuse("--tools takes names that `pmtui get` lists")
    further = tuple(READS[name] for name in dict.fromkeys(names))
    if options.way == "stdio" and (options.port or options.token_fd is not None):
        parser.refuse("--port and --token-fd belong to `http`")
    if not options.account and any(read.needs is not Needs.NOTHING for read in further):
        parser.refuse("reads of the account's own figures need --account")
    settings, state = load_settings({"profile": options.profile}), locate().state
    secret: Secret | None = None
    if options.account:
        found = find_secret(settings, state, options.passphrase_fd)
        if isinstance(found, NoAccount):
            return found
        secret = found
    return Offer(settings, state, further, secret)


@asynccontextmanager
async def _toolbox(offer: Offer) -> AsyncIterator[tuple[Toolbox, bool]]:
    """Yield the tools on the profile's hosts, and whether there are any hosts.

    Without hosts the tools are listed and refuse to run.
    """
    async with profile_endpoints(offer.settings, offer.state) as endpoints:
        hosts: ReadHosts | None = None
        why_none = endpoints.text if isinstance(endpoints, Unreachable) else ""
        if not isinstance(endpoints, Unreachable):
            hosts = _with_account(make_read_hosts(endpoints, offer.settings.dialect), offer)
        reads = HostReads(hosts, why_none=why_none, has_account=offer.secret is not None)
        socket_path = socket_path_of(locate().runtime, offer.settings.profile)
        live = LiveBooks(reads, socket_path)
        try:
            toolbox = Toolbox(
                live if offer.secret is None else OwnFigures(live, socket_path),
                version=__version__,
                further=offer.further,
                has_account=offer.secret is not None,
            )
            yield toolbox, hosts is not None
        finally:
            if hosts is not None:
                await hosts.close()


def _with_account(hosts: ReadHosts, offer: Offer) -> ReadHosts:
    secret = offer.secret
    if secret is None:
        return hosts
    opened: list[AccountClient] = []

    async def open_once() -> AccountClient | Failure:
        if not opened:
            account = await open_account(hosts, secret, offer.settings)
            if isinstance(account, Failure):
                return account
            opened.append(account)
        return opened[0]

    headers = find_relayer_headers(offer.settings, offer.state)
    return replace(hosts, open_account=open_once, relayer_headers=headers)


def _run_http(parser: SecretiveParser, options: argparse.Namespace, offer: Offer) -> int:
    from pmtui.cli.agent.http_server import LOOPBACK, bind  # noqa: PLC0415 - an HTTP server

    token: Secret | None = None
    if options.token_fd is not None:
        found = read_secret(options.token_fd)
        if isinstance(found, NoSecret) or len(found.reveal()) < SHORTEST_TOKEN:
            parser.refuse(f"--token-fd takes a line of at least {SHORTEST_TOKEN} characters")
        token = found
    try:
        listening = bind(options.port)
    except OSError as error:
        text = f"{LOOPBACK}:{options.port}: {error.strerror}"
        return refuse(text, prog=_PROG, code=UNAVAILABLE)
    with listening:
        return asyncio.run(_serve_http(offer, token, listening))


async def _serve_http(offer: Offer, token: Secret | None, listening: socket.socket) -> int:
    from pmtui.agent.http_app import Diagnosis, make_app  # noqa: PLC0415 - as above
    from pmtui.cli.agent.http_server import LOOPBACK, serve  # noqa: PLC0415 - as above

    def accepts(text: str) -> bool:
        return token is not None and hmac.compare_digest(text.encode(), token.reveal())

    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    port: int = listening.getsockname()[1]
    address = json.dumps({"url": f"http://{LOOPBACK}:{port}"})
    async with _toolbox(offer) as (toolbox, is_configured):
        diagnosis = Diagnosis(
            __version__,
            offer.settings.profile,
            offer.settings.dialect.value,
            is_configured,
            offer.secret is not None,
            tuple(toolbox.tools),
        )
        accepts_token = accepts if token is not None else None
        app = make_app(toolbox, diagnosis, port=port, accepts_token=accepts_token)
        await serve(app, listening, report_ready=lambda: show(address), stop=stop)
    return 0


async def _serve_stdio(offer: Offer) -> int:
    problems: list[str] = []

    def write(line: bytes) -> None:
        try:
            write_line(line)
        except BrokenPipeError:
            # The client is gone: its end of our input will close.
            discard_output()
        except OSError as error:
            problems.append(error.strerror or str(error))
            discard_output()

    async with _toolbox(offer) as (toolbox, _):
        await serve_lines(toolbox, _input(), write, version=__version__)
    if problems:
        return refuse(f"standard output: {problems[0]}", prog=_PROG, code=UNAVAILABLE)
    return 0


async def _input() -> AsyncIterator[bytes]:
    """Yield standard input as it arrives: from a pipe or a terminal, without a thread that cannot end."""
    source = sys.stdin.fileno()
    mode = os.fstat(source).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(source)):
        # A file or a device such as /dev/null, which is always ready.
        while chunk := os.read(source, _CHUNK):
            yield chunk
        return
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    while chunk := await reader.read(_CHUNK):
        yield chunk


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) < 65_536):
        raise argparse.ArgumentTypeError("takes a number between 0 and 65535")
    return int(text)


def _parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog=_PROG,
        description="Serve read-only tools to a program; none can place, cancel or sign anything.",
        epilog="Five tools are always there; `pmtui help agent` says what they answer.",
    )
    parser.add_argument(
        "way",
        choices=["stdio", "http"],
        metavar="WAY",
        help="stdio: lines for a client that starts this; http: an OpenAPI service on loopback",
    )
    parser.add_argument(
        "--port", type=_port, default=0, metavar="N", help="of http; 0 (default) takes any"
    )
    parser.add_descriptor(
        "--token-fd", "of http: ask for the bearer token that is a line of file descriptor N"
    )
    parser.add_profile("whose hosts are read; paper without it")
    parser.add_argument(
        "--tools",
        action="append",
        metavar="NAMES",
        help="further reads, by the names that `pmtui get` lists, with commas between them",
    )
    parser.add_argument(
        "--account",
        action="store_true",
        help="open the account: its own figures may be read, where --tools names such reads",
    )
    parser.add_descriptor(
        "--passphrase-fd", "read the keystore's passphrase from file descriptor N"
    )
    return parser


class HostReads:
    """Implements the agent's port with the hosts."""

    def __init__(self, hosts: ReadHosts | None, *, why_none: str = "", has_account: bool = False):
        """Read from these hosts.

        Args:
            hosts: of the profile; None if there are none.
            why_none: the reason for None, in one line.
            has_account: whether account reads are allowed.
        """
        self._hosts = hosts
        self._why_none = why_none
        self._has_account = has_account
        self._clock = SystemClock()

    def now(self) -> datetime:
        """Return the current time."""
        return self._clock.now()

    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        """Query the hosts; see the port."""
        if self._hosts is None:
            return Refused(Refusal.UNCONFIGURED, f"execution not configured: {self._why_none}")
        if read.needs is not Needs.NOTHING and not self._has_account:
            return Refused(Refusal.UNCONFIGURED, "execution not configured: start with --account")
        items: list[object] = []
        skipped, is_cut = 0, False
        # One row more than wanted shows whether there are more.
        extent = Extent() if limit is None else Extent(limit + 1)
        async for step in ask(self._hosts, read, values, extent=extent):
            if isinstance(step, Failure):
                reason = _REASONS.get(step.kind, Refusal.UNAVAILABLE)
                return Refused(reason, plain_text(str(step)))
            items.extend(step.items)
            skipped += step.skipped
            is_cut |= step.is_cut
        is_whole = not is_cut and (limit is None or len(items) <= limit)
        kept = tuple(items if limit is None else items[:limit])
        return Answered(kept, self.now(), read.host.value, is_whole, skipped)
