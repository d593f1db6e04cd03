"""`pmtui agent stdio` and `pmtui agent http`: read-only tools for programs, on a profile's hosts.

Standard output carries the protocol only. Reads of the account's own figures are refused unless `--account`
is given, which opens the account as other commands do, and none can place, cancel or sign anything.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pmtui import __version__
from pmtui.agent.stdio import serve_lines
from pmtui.agent.tools import Toolbox
from pmtui.cli.agent.host_reads import HostReads
from pmtui.cli.get.account import NoAccount, find_secret, open_account
from pmtui.cli.output import write_line
from pmtui.cli.usage import SecretiveParser, descriptor, refuse
from pmtui.cli.venue_access import Unreachable, profile_endpoints
from pmtui.clients.account import AccountClient
from pmtui.clients.reads.hosts import ReadHosts, make_read_hosts
from pmtui.config.paths import locate
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.answers import Failure
from pmtui.reads.read import Needs, Read
from pmtui.reads.registry import READS
from pmtui.signing.secret import Secret

_PROG = "pmtui agent"
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Offer:
    """What a server offers, and on whose hosts."""

    settings: Settings
    state: Path
    further: tuple[Read, ...]
    secret: Secret | None
    """Of the account whose own figures may be read."""


def run(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    parser = _parser()
    options = parser.read(arguments)
    try:
        offer = _offer(parser, options)
        if isinstance(offer, NoAccount):
            return refuse(offer.text, prog=_PROG)
        return asyncio.run(_serve_stdio(offer))
    except ConfigError as error:
        return refuse(str(error), prog=_PROG)
    except (KeyboardInterrupt, BrokenPipeError):
        return 0


def _offer(parser: SecretiveParser, options: argparse.Namespace) -> Offer | NoAccount:
    names = [name for part in options.tools or () for name in part.split(",") if name]
    unknown = [name for name in names if name not in READS]
    if unknown:
        parser.refuse("--tools takes names that `pmtui get` lists")
    further = tuple(READS[name] for name in dict.fromkeys(names))
    if not options.account and any(read.needs is Needs.KEY for read in further):
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
async def _toolbox(offer: Offer) -> AsyncIterator[Toolbox]:
    """Lay out the tools on the profile's hosts; without hosts they are listed and refuse to run."""
    async with profile_endpoints(offer.settings, offer.state) as endpoints:
        hosts: ReadHosts | None = None
        why_none = endpoints.text if isinstance(endpoints, Unreachable) else ""
        if not isinstance(endpoints, Unreachable):
            hosts = _with_account(make_read_hosts(endpoints, offer.settings.dialect), offer)
        reads = HostReads(hosts, why_none=why_none, has_account=offer.secret is not None)
        try:
            yield Toolbox(
                reads,
                version=__version__,
                further=offer.further,
                has_account=offer.secret is not None,
            )
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

    return replace(hosts, open_account=open_once)


async def _serve_stdio(offer: Offer) -> int:
    async with _toolbox(offer) as toolbox:
        await serve_lines(toolbox, _input(), write_line, version=__version__)
    return 0


async def _input() -> AsyncIterator[bytes]:
    """Yield standard input as it comes: from a pipe or a terminal without a thread that cannot end."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    try:
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    except (ValueError, OSError):
        # A file, which is always ready.
        while chunk := os.read(sys.stdin.fileno(), _CHUNK):
            yield chunk
        return
    while chunk := await reader.read(_CHUNK):
        yield chunk


def _parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog=_PROG,
        description="Serve read-only tools to a program; none can place, cancel or sign anything.",
        epilog="Five tools are always there; `pmtui help agent` says what they answer.",
    )
    parser.add_argument("way", choices=["stdio"], metavar="WAY", help="stdio")
    parser.add_argument("--profile", help="whose hosts are read; paper without it")
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
    parser.add_argument(
        "--passphrase-fd",
        type=descriptor,
        metavar="N",
        help="read the keystore's passphrase from file descriptor N",
    )
    return parser
