"""What a venue says of an account, for an export: asked once, after which everything is closed.

The paper venue of a running terminal is used where there is one; else one is started for the
moment, as the terminal would.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

import msgspec

from pmtui.cli.account.paying_wallet import find_paying_wallet
from pmtui.cli.paper import VenueProblem, VenueUrls, running_venue, venue_command
from pmtui.cli.session_lock import session_lock
from pmtui.clients.account import Account, AccountClient, create_or_derive
from pmtui.clients.analytics import AnalyticsClient
from pmtui.clients.clob import ClobClient
from pmtui.clients.http.client import HttpHost
from pmtui.clients.http.rate_gate import RateGate
from pmtui.clients.http.rate_tables import RELAYER_LIMITS, analytics_limits, clob_limits
from pmtui.clients.http.server_clock import ServerClock
from pmtui.clients.relayer import RelayerClient
from pmtui.clients.routes_clob import ROUTES
from pmtui.config.endpoints import LIVE, Endpoints
from pmtui.config.settings import Settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.position import Activity, Position
from pmtui.domain.answers import Failure, Listing, Window, first_window, next_window
from pmtui.domain.formats import count
from pmtui.domain.ids import Address, OrderId, TradeId
from pmtui.domain.orders.order import Fill
from pmtui.service.clock import SystemClock
from pmtui.service.ports import AccountHost
from pmtui.signing.contracts import POLYGON_CHAIN_ID
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets

T = TypeVar("T")

MAX_ROWS = 10_000
"""As far as the host lets one count (docs/wire.md#analytics-host)."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Why the venue could not be asked, in one line."""

    text: str


class VenueReader:
    """Reads one account from the hosts of a profile."""

    def __init__(self, endpoints: Endpoints, settings: Settings) -> None:
        self._settings = settings
        self._routes = ROUTES[settings.dialect]
        self._clob = HttpHost(endpoints.clob, gate=RateGate(clob_limits(self._routes)))
        self._data = HttpHost(endpoints.data, gate=RateGate(analytics_limits(settings.dialect)))
        self._relay = HttpHost(endpoints.relayer, gate=RateGate(RELAYER_LIMITS))
        self._analytics = AnalyticsClient(
            self._data, settings.dialect, observe_skips=self._note_skips, max_rows=MAX_ROWS
        )
        self.left_out: list[str] = []
        """What lists lack, in words; an export that is not whole must say so."""

    async def wallet(self, owner: Address) -> Address | Unreachable:
        """Return the wallet that pays for an owner's orders in this profile."""
        wallet = await find_paying_wallet(
            RelayerClient(self._relay), derive_wallets(owner), self._settings.signature_type
        )
        return _or_unreachable(wallet)

    async def positions(self, wallet: Address) -> tuple[Position, ...] | Unreachable:
        """Return what a wallet holds."""
        return _items(await self._analytics.positions(wallet))

    async def activity(self, wallet: Address) -> tuple[Activity, ...] | Unreachable:
        """Return a wallet's public history, newest first."""
        return _items(await self._analytics.activity(wallet))

    async def fills(self, secret: Secret) -> tuple[Fill, ...] | Unreachable:
        """Return the fills of a key's account."""
        signer = Signer(secret)
        wallet = await self.wallet(signer.address)
        if isinstance(wallet, Unreachable):
            return wallet
        trading = ClobClient(self._clob, self._routes)
        clock = ServerClock(SystemClock().now, trading.server_time)
        _ = await clock.measure()
        credentials = await create_or_derive(
            self._clob, self._routes, signer=signer, clock=clock, chain_id=POLYGON_CHAIN_ID
        )
        if isinstance(credentials, Failure):
            return Unreachable(str(credentials))
        account = Account(signer.address, wallet, self._settings.signature_type, credentials)
        client = AccountClient(self._clob, self._routes, account=account, clock=clock)
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
        for host in (self._clob, self._data, self._relay):
            await host.aclose()


@asynccontextmanager
async def venue_reader(settings: Settings, state: Path) -> AsyncIterator[VenueReader | Unreachable]:
    """Open the way to a profile's venue, which for paper may have to be started."""
    async with _endpoints(settings, state) as endpoints:
        if isinstance(endpoints, Unreachable):
            yield endpoints
            return
        reader = VenueReader(endpoints, settings)
        try:
            yield reader
        finally:
            await reader.close()


@asynccontextmanager
async def _endpoints(settings: Settings, state: Path) -> AsyncIterator[Endpoints | Unreachable]:
    if not settings.is_paper:
        yield settings.endpoints(LIVE)
        return
    running = await _running(settings, state)
    if running is not None:
        yield running
        return
    folder = state / settings.profile
    try:
        with session_lock(folder):
            async with running_venue(venue_command(folder / "venue"), state / "venue.log") as urls:
                if isinstance(urls, VenueProblem):
                    yield Unreachable(urls.text)
                else:
                    yield settings.endpoints(urls)
    except ConfigError:
        yield Unreachable("a terminal runs this profile, and its venue does not answer")


async def _running(settings: Settings, state: Path) -> Endpoints | None:
    """Return the addresses of a running terminal's venue that answers."""
    try:
        published = (state / settings.profile / "venue.json").read_bytes()
        urls = msgspec.json.decode(published, type=VenueUrls)
    except (OSError, msgspec.MsgspecError):
        return None
    endpoints = settings.endpoints(urls)
    host = HttpHost(endpoints.clob)
    told = await ClobClient(host, ROUTES[settings.dialect]).server_time()
    await host.aclose()
    return None if isinstance(told, Failure) else endpoints


async def read_all_fills(client: AccountHost, now: datetime) -> Listing[Fill] | Failure:
    """Read an account's whole history, in stretches of time where it is long for one list."""
    fills = await client.fills()
    if isinstance(fills, Failure) or fills.is_whole:
        return fills
    found: dict[tuple[TradeId, OrderId], Fill] = {}
    skipped, is_whole = 0, True
    # Ours may be behind the clock that dates trades.
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
    # What it lacks was noted where it was read.
    return Unreachable(str(answer)) if isinstance(answer, Failure) else answer.items


def _or_unreachable(answer: T | Failure) -> T | Unreachable:
    return Unreachable(str(answer)) if isinstance(answer, Failure) else answer
