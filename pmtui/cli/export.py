"""`pmtui export`: orders, fills, positions and activity of a profile, as CSV, JSON or JSON lines.

The venue is queried once, after which everything is closed.

Standard output carries only data. The command can run beside a terminal and changes no state.
"""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from pmtui.cli.get.account import find_owner, open_account
from pmtui.cli.hosts import find_paying_wallet
from pmtui.cli.keys.unlocking import (
    PAPER_KEY_FILE,
    find_session_key,
    keystore_path,
)
from pmtui.cli.output import warn
from pmtui.cli.tables import (
    ExportedFill,
    Format,
    Table,
    activity_table,
    fills_table,
    orders_table,
    positions_table,
    print_table,
)
from pmtui.cli.usage import UNAVAILABLE, SecretiveParser, refuse
from pmtui.cli.venue.paper import Unreachable, load_paper_key, profile_endpoints
from pmtui.clients.analytics import AnalyticsClient
from pmtui.clients.reads.hosts import make_read_hosts
from pmtui.clients.relayer import RelayerClient
from pmtui.config.endpoints import Endpoints
from pmtui.config.paths import locate
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.position import Activity, Position
from pmtui.domain.answers import Failure, Listing, Window, first_window, next_window
from pmtui.domain.formats import count
from pmtui.domain.ids import Address, ConditionId, OrderId, TradeId
from pmtui.domain.orders.life import merge_fill
from pmtui.domain.orders.order import Fill
from pmtui.service.clock import SystemClock
from pmtui.service.journal.journal_rows import (
    JournaledFill,
    JournalProblem,
    read_fills,
    read_lives,
    read_titles,
)
from pmtui.service.ports import AccountHost
from pmtui.signing.eip712 import AddressError, address_bytes, checksum_address
from pmtui.signing.secret import Secret
from pmtui.signing.wallet import derive_wallets

MAX_ROWS = 10_000
"""The largest offset that the host accepts (docs/wire.md#analytics-host)."""
T = TypeVar("T")
_PROG = "pmtui export"


class VenueReader:
    """Reads one account from the hosts of a profile."""

    def __init__(self, endpoints: Endpoints, settings: Settings) -> None:
        self._settings = settings
        self._hosts = make_read_hosts(endpoints, settings.dialect)
        self._analytics = AnalyticsClient(
            self._hosts.analytics, settings.dialect,
            observe_skips=self._note_skips, max_rows=MAX_ROWS,
        )  # fmt: skip
        self.left_out: list[str] = []
        """What is missing in lists, in words; an incomplete export must say so."""

    async def wallet(self, owner: Address) -> Address | Unreachable:
        """Return the wallet that pays for an owner's orders in this profile."""
        wallet = await find_paying_wallet(
            RelayerClient(self._hosts.relayer), derive_wallets(owner), self._settings.signature_type
        )
        return _or_unreachable(wallet)

    async def positions(self, wallet: Address) -> tuple[Position, ...] | Unreachable:
        """Return a wallet's positions."""
        return _items(await self._analytics.positions(wallet))

    async def activity(self, wallet: Address) -> tuple[Activity, ...] | Unreachable:
        """Return a wallet's public history, newest first."""
        return _items(await self._analytics.activity(wallet))

    async def fills(self, secret: Secret) -> tuple[Fill, ...] | Unreachable:
        """Return the fills of a key's account."""
        client = await open_account(self._hosts, secret, self._settings)
        if isinstance(client, Failure):
            return Unreachable(str(client))
        fills = await read_all_fills(client, SystemClock().now())
        if isinstance(fills, Failure):
            return Unreachable(str(fills))
        if fills.skipped:
            self.left_out.append(f"left out: {count(fills.skipped, 'fill')} that cannot be read")
        if not fills.is_whole:
            self.left_out.append("left out: some fills of minutes with too many of them")
        return fills.items

    def _note_skips(self, route: str, reasons: tuple[str, ...]) -> None:
        self.left_out.extend(f"left out: {reason} ({route})" for reason in reasons)

    async def close(self) -> None:
        """Close every connection."""
        await self._hosts.close()


@asynccontextmanager
async def venue_reader(settings: Settings, state: Path) -> AsyncIterator[VenueReader | Unreachable]:
    """Connect to a profile's venue; for paper it may have to be started."""
    async with profile_endpoints(settings, state) as endpoints:
        if isinstance(endpoints, Unreachable):
            yield endpoints
            return
        reader = VenueReader(endpoints, settings)
        try:
            yield reader
        finally:
            await reader.close()


async def read_all_fills(client: AccountHost, now: datetime) -> Listing[Fill] | Failure:
    """Read an account's whole history, in time windows if it is too long for one list."""
    fills = await client.fills()
    if isinstance(fills, Failure) or fills.is_whole:
        return fills
    found: dict[tuple[TradeId, OrderId], Fill] = {}
    skipped, is_whole = 0, True
    # Our clock may be behind the one that dates trades.
    window: Window | None = first_window(now + timedelta(days=1))
    while window is not None:
        part = await client.fills(after=window.after, before=window.before)
        if isinstance(part, Failure):
            return part
        if part.is_whole or window.is_narrowest:
            found.update({(fill.trade_id, fill.order_id): fill for fill in part.items})
            skipped += part.skipped
            is_whole &= part.is_whole
        window = next_window(window, is_whole=part.is_whole)
    ordered = sorted(found.values(), key=lambda fill: fill.matched_at, reverse=True)
    return Listing(tuple(ordered), skipped, is_whole)


def _items(answer: Listing[T] | Failure) -> tuple[T, ...] | Unreachable:
    # Missing rows were recorded when they were read.
    return Unreachable(str(answer)) if isinstance(answer, Failure) else answer.items


def _or_unreachable(answer: T | Failure) -> T | Unreachable:
    return Unreachable(str(answer)) if isinstance(answer, Failure) else answer


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """The account to export, and the sources that may be used."""

    settings: Settings
    state: Path
    """The state directory of all profiles."""
    warn: Callable[[str], None]
    """Called with what is missing from the data, and why."""
    wallet: Address | None = None
    """A wallet other than the profile's."""
    passphrase_fd: int | None = None
    is_offline: bool = False

    @property
    def journal(self) -> Path:
        """The profile's journal, existing or not."""
        return self.state / self.settings.profile / "journal.sqlite"


async def read_positions(request: ExportRequest) -> Table | Unreachable:
    """Return a wallet's current positions.

    Raises:
        ConfigError: there is no account and no wallet was given.
    """
    now = SystemClock().now()
    held = await _read_venue(request, lambda reader, wallet: reader.positions(wallet))
    return held if isinstance(held, Unreachable) else positions_table(held, as_of=now)


async def read_activity(request: ExportRequest) -> Table | Unreachable:
    """Return the public history of a wallet, newest first.

    Raises:
        ConfigError: there is no account and no wallet was given.
    """
    lines = await _read_venue(request, lambda reader, wallet: reader.activity(wallet))
    return lines if isinstance(lines, Unreachable) else activity_table(lines)


def read_own_fills(request: ExportRequest) -> Table | JournalProblem:
    """Return fills from the journal and, if it can be queried, from the venue; oldest first.

    Raises:
        ConfigError: the keystore does not open.
    """
    journaled = read_fills(request.journal)
    titles = read_titles(request.journal)
    if isinstance(journaled, JournalProblem):
        return journaled
    if isinstance(titles, JournalProblem):
        return titles
    venue_fills: tuple[Fill, ...] | Unreachable = ()
    if not request.is_offline:
        secret = _secret(request)
        if isinstance(secret, Secret):
            venue_fills = asyncio.run(_fills_of(request, secret))
        elif secret:
            venue_fills = Unreachable(secret)
    if isinstance(venue_fills, Unreachable):
        request.warn(f"from the journal alone: {venue_fills.text}")
        venue_fills = ()
    return fills_table(merge_fills(journaled, venue_fills, titles))


def merge_fills(
    journaled: Iterable[JournaledFill],
    venue_fills: Iterable[Fill],
    titles: Mapping[ConditionId, str],
) -> list[ExportedFill]:
    """Merge the journal's and the venue's data on each fill, oldest first.

    Args:
        journaled: fills of orders placed from here.
        venue_fills: fills of the account according to the venue.
        titles: of markets, for fills of orders placed elsewhere.
    """
    merged = {
        (each.fill.trade_id, each.fill.order_id): ExportedFill(each.fill, each.title, "journal")
        for each in journaled
    }
    for fill in venue_fills:
        key = (fill.trade_id, fill.order_id)
        known = merged.get(key)
        if known is None:
            merged[key] = ExportedFill(fill, titles.get(fill.condition_id, ""), "venue")
        else:
            merged[key] = ExportedFill(merge_fill(known.fill, fill), known.title, "both")
    return sorted(
        merged.values(), key=lambda e: (e.fill.matched_at, e.fill.trade_id, e.fill.order_id)
    )


async def _read_venue(
    request: ExportRequest,
    question: Callable[[VenueReader, Address], Awaitable[tuple[T, ...] | Unreachable]],
) -> tuple[T, ...] | Unreachable:
    """Query the given wallet, or else the profile's own."""
    owner = None if request.wallet is not None else _owner(request)
    if owner is None and request.wallet is None:
        # A paper account that was never created has nothing, and is not created by a query.
        return ()
    async with venue_reader(request.settings, request.state) as reader:
        if isinstance(reader, Unreachable):
            return reader
        wallet = request.wallet
        if wallet is None and owner is not None:
            found = await reader.wallet(owner)
            if isinstance(found, Unreachable):
                return found
            wallet = found
        assert wallet is not None
        answer = await question(reader, wallet)
        for line in reader.left_out:
            request.warn(line)
        return answer


async def _fills_of(request: ExportRequest, secret: Secret) -> tuple[Fill, ...] | Unreachable:
    async with venue_reader(request.settings, request.state) as reader:
        if isinstance(reader, Unreachable):
            return reader
        fills = await reader.fills(secret)
        for line in reader.left_out:
            request.warn(line)
        return fills


def _owner(request: ExportRequest) -> Address | None:
    """Return the address of the profile's key; None if a paper account was never made."""
    owner = find_owner(request.settings, request.state)
    if owner is None and not request.settings.is_paper:
        raise ConfigError(
            request.settings.profile, "it has no account; name a wallet with --wallet"
        )
    return owner


def _secret(request: ExportRequest) -> Secret | str:
    """Return the key that opens the account at the venue, or why there is none; "" without an account."""
    settings = request.settings
    folder = request.state / settings.profile
    if settings.is_paper:
        return load_paper_key(folder) if (folder / PAPER_KEY_FILE).exists() else ""
    has_keystore = keystore_path(request.state, settings.profile).exists()
    if settings.private_key is None:
        if not has_keystore:
            return "the venue was not asked: the profile has no account"
        if request.passphrase_fd is None and not sys.stdin.isatty():
            return "the venue was not asked: that takes the passphrase, from --passphrase-fd"
    found = find_session_key(
        settings,
        request.state,
        passphrase_fd=request.passphrase_fd,
        empty_means="exports the journal alone",
    )
    return found.secret or "the venue was not asked: the keystore stayed locked"


class Kind(StrEnum):
    """The kinds of data that can be exported."""

    ORDERS = "orders"
    FILLS = "fills"
    POSITIONS = "positions"
    ACTIVITY = "activity"


def run(arguments: Sequence[str]) -> int:
    """Run the command; return the exit code."""
    parser = _parser()
    options = parser.read(arguments)
    kind = Kind(options.kind)
    if options.wallet is not None and kind not in (Kind.POSITIONS, Kind.ACTIVITY):
        parser.refuse("--wallet belongs to `positions` and `activity`")
    if kind is not Kind.FILLS and (options.offline or options.passphrase_fd is not None):
        parser.refuse("--offline and --passphrase-fd belong to `fills`")
    try:
        settings = load_settings({"profile": options.profile})
        request = ExportRequest(
            settings,
            locate().state,
            _warn,
            wallet=options.wallet,
            passphrase_fd=options.passphrase_fd,
            is_offline=options.offline,
        )
        table = _read(kind, request)
    except ConfigError as error:
        return refuse(str(error), prog=_PROG)
    except KeyboardInterrupt:
        return refuse("given up", prog=_PROG)
    if isinstance(table, JournalProblem):
        return refuse(f"the journal cannot be read: {table.text}", prog=_PROG)
    if isinstance(table, Unreachable):
        return refuse(table.text, prog=_PROG, code=UNAVAILABLE)
    return print_table(table, Format(options.format))


def _read(kind: Kind, request: ExportRequest) -> Table | JournalProblem | Unreachable:
    match kind:
        case Kind.ORDERS:
            lives = read_lives(request.journal)
            return lives if isinstance(lives, JournalProblem) else orders_table(lives)
        case Kind.FILLS:
            return read_own_fills(request)
        case Kind.POSITIONS:
            return asyncio.run(read_positions(request))
        case Kind.ACTIVITY:
            return asyncio.run(read_activity(request))


def _warn(text: str) -> None:
    warn(f"{_PROG}: {text}")


def _kind(text: str) -> str:
    if text not in list(Kind):
        raise argparse.ArgumentTypeError(f"one of {', '.join(Kind)}")
    return text


def _format(text: str) -> str:
    if text not in list(Format):
        raise argparse.ArgumentTypeError(f"takes one of {', '.join(Format)}")
    return text


def _wallet(text: str) -> Address:
    try:
        return checksum_address(address_bytes(text))
    except AddressError:
        raise argparse.ArgumentTypeError("takes an address: 0x and 40 hexadecimal digits") from None


def _parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog=_PROG,
        description="Print what journal and venue know of a profile's account: times in UTC, "
        "prices, sizes and cash as exact decimals.",
        epilog="orders: each with its whole life, from the journal. fills: from the journal, and "
        "from the venue where it answers. positions, activity: from the analytics host, by the "
        f"profile's wallet. Exit code {UNAVAILABLE} where a host that is needed does not answer.",
    )
    parser.add_argument("kind", type=_kind, metavar="KIND", help=", ".join(Kind))
    parser.add_argument(
        "--format", type=_format, default=Format.CSV.value, metavar="FORMAT",
        help=f"{', '.join(Format)}; default {Format.CSV}",
    )  # fmt: skip
    parser.add_profile()
    parser.add_argument(
        "--wallet", type=_wallet, metavar="ADDRESS", help="positions, activity: of another wallet"
    )
    parser.add_argument(
        "--offline", action="store_true", help="fills: from the journal alone, asking nobody"
    )
    parser.add_descriptor(
        "--passphrase-fd", "fills: read the keystore's passphrase from a line of file descriptor N"
    )
    return parser
