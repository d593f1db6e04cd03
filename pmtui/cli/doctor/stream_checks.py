"""Checks both streams: a book against the venue's hash, and a login with the key.

API credentials are fetched but never created, so nothing changes at the venue; none are shown or
stored.
"""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pmtui.cli.doctor.findings import Figure, Finding, State, Subject
from pmtui.cli.keys.unlocking import (
    PAPER_KEY_FILE,
    keystore_path,
    open_keystore,
    read_key_variable,
    why_refused,
)
from pmtui.cli.venue.paper import load_paper_key
from pmtui.clients.account import create_or_derive
from pmtui.clients.clob import ClobClient
from pmtui.clients.clob_requests import ServerClock
from pmtui.clients.gamma import GammaClient
from pmtui.clients.http.client import HttpHost
from pmtui.clients.streams.channels import MarketChannel, UserChannel
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.config.settings import Settings
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.market_events import (
    BookSnapshot,
    MarketEvent,
    PriceChanges,
    TickSizeChanged,
    TradePrinted,
)
from pmtui.domain.books.verification import Agreement, BookCheck
from pmtui.domain.health import Link, LinkState
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Market, MarketSort
from pmtui.domain.money import MoneyError
from pmtui.reads.trading_routes import ROUTES
from pmtui.service.clock import Clock
from pmtui.signing.auth import ApiCredentials
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.wire.orders import Owner

DEADLINE_S = 10.0
"""Seconds for a busy book to arrive and be verified."""
_ORDERS = "orders can be sent all the same; the ladder says what its book is worth"
OPEN_S = 8.0
"""Seconds within which the stream has to open."""
HOLD_S = 2.0
"""Seconds for which it has to stay open: a host closes a connection with an unknown key without a
message."""
_NONE_YET = frozenset({FailureKind.NOT_FOUND, FailureKind.REFUSED})


@dataclass(frozen=True, slots=True)
class BusyMarket:
    """The market whose book is checked."""

    token_id: TokenId
    title: str


async def find_busy_market(url: str, dialect: Dialect, clock: Clock) -> BusyMarket | Failure | None:
    """Return the market with the highest volume today; None if none is open."""
    host = HttpHost(url)
    try:
        page = await GammaClient(host, dialect, now=clock.now).list_events(
            sort=MarketSort.VOLUME_24H, tag_slug="", include_closed=False, cursor=None
        )
    finally:
        await host.aclose()
    if isinstance(page, Failure):
        return page
    open_markets = (m for event in page.items for m in event.markets if m.is_tradable)
    best: Market | None = max(open_markets, key=lambda m: m.volume_24h or 0, default=None)
    return None if best is None else BusyMarket(best.token_ids[0], best.distinct_name)


class BookWatch:
    """One token's book from the stream, until it is verified."""

    def __init__(self, token_id: TokenId, clock: Clock) -> None:
        self._book = OrderBook(token_id)
        self._check = BookCheck()
        self._clock = clock
        self._started_s = clock.monotonic()
        self.is_verified = asyncio.Event()
        self.opened_ms: int | None = None
        self.book_ms: int | None = None
        self.verified_ms: int | None = None
        self.reason = ""

    def on_link(self, link: Link) -> None:
        """Record the connection's state."""
        if link.state is LinkState.OPEN and self.opened_ms is None:
            self.opened_ms = self._elapsed_ms()
        if link.reason:
            self.reason = link.reason

    def on_event(self, event: MarketEvent) -> None:
        """Apply an event, and compare the book with the announced hash."""
        token = self._book.token_id
        try:
            if isinstance(event, BookSnapshot) and event.token_id == token:
                self._book.apply_snapshot(event)
                self.book_ms = self.book_ms or self._elapsed_ms()
            elif isinstance(event, PriceChanges) and self._book.has_levels:
                for change in event.changes:
                    if change.asset_id == token:
                        self._book.apply_change(change, event.timestamp)
            elif isinstance(event, TradePrinted) and event.condition_id == self._book.condition_id:
                self._book.apply_trade_price(event.price, of=event.token_id)
            elif isinstance(event, TickSizeChanged) and event.token_id == token:
                self._book.apply_tick_size(event.new_tick_size)
        except MoneyError as error:
            self.reason = f"a book that cannot be read: {error}"
            return
        now_ms = round(self._clock.monotonic() * 1_000)
        if self._check.check(self._book, now_ms=now_ms) is Agreement.MATCH:
            self.verified_ms = self.verified_ms or self._elapsed_ms()
            self.is_verified.set()

    def _elapsed_ms(self) -> int:
        return round((self._clock.monotonic() - self._started_s) * 1_000)


async def check_book(
    endpoints: Endpoints, dialect: Dialect, clock: Clock, *, deadline_s: float = DEADLINE_S
) -> tuple[Finding, ...]:
    """Subscribe to the busiest market until its book is verified by hash."""
    found = await find_busy_market(endpoints.gamma, dialect, clock)
    if isinstance(found, Failure):
        text = f"no market to listen to: {found.text}"
        return (Finding(Subject.STREAMS, "book", State.SKIPPED, text),)
    if found is None:
        return (Finding(Subject.STREAMS, "book", State.SKIPPED, "no market is open"),)
    watch = BookWatch(found.token_id, clock)
    channel = MarketChannel(
        endpoints.ws_market,
        random=random.Random(),  # noqa: S311 - spreads reconnects, keeps no secret
    )
    channel.watch(frozenset((found.token_id,)))
    listening = asyncio.create_task(channel.run(on_event=watch.on_event, on_link=watch.on_link))
    try:
        async with asyncio.timeout(deadline_s):
            await watch.is_verified.wait()
    except TimeoutError:
        pass
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
    return (_book_finding(found, watch, deadline_s),)


def _book_finding(found: BusyMarket, watch: BookWatch, deadline_s: float) -> Finding:
    figures: dict[str, Figure] = {
        "token_id": found.token_id,
        "opened_ms": watch.opened_ms,
        "book_ms": watch.book_ms,
        "verified_ms": watch.verified_ms,
    }
    within = f"within {deadline_s:.0f} s"
    if watch.verified_ms is not None:
        text = f"verified by its hash after {watch.verified_ms} ms: {found.title}"
        return Finding(Subject.STREAMS, "book", State.OK, text, "", figures)
    if watch.opened_ms is None:
        text = f"no connection {within}: {watch.reason or 'no answer'}"
        remedy = "check that a proxy or firewall lets WebSocket connections through"
    elif watch.book_ms is None:
        text = f"connected, but no book came {within}: {found.title}"
        remedy = f"see whether the venue reports an outage; {_ORDERS}"
    else:
        text = f"a book came, but never equalled its hash {within}: {found.title}"
        remedy = f"report it with the output of `pmtui record`; {_ORDERS}"
    return Finding(Subject.STREAMS, "book", State.PROBLEM, text, remedy, figures)


@dataclass(frozen=True, slots=True)
class NoKey:
    """Why there is no key to log in with."""

    text: str
    remedy: str = ""
    """How to provide a key; empty if none was requested."""


async def check_login(
    dialect: Dialect, endpoints: Endpoints, clock: Clock, *, find_key: Callable[[], Secret | NoKey]
) -> tuple[Finding, ...]:
    """Log in to the order stream; skipped if no key is available."""
    secret = await asyncio.to_thread(find_key)
    if isinstance(secret, NoKey):
        state = State.PROBLEM if secret.remedy else State.SKIPPED
        return (_finding(state, secret.text, secret.remedy),)
    host = HttpHost(endpoints.clob)
    routes = ROUTES[dialect]
    server_clock = ServerClock(clock.now, ClobClient(host, routes).server_time)
    try:
        _ = await server_clock.measure()
        credentials = await create_or_derive(
            host,
            routes,
            signer=Signer(secret),
            clock=server_clock,
            may_create=False,
        )
    finally:
        await host.aclose()
    if isinstance(credentials, Failure):
        if credentials.kind in _NONE_YET:
            text = "the key has no API credentials yet; they are made when the profile opens"
            return (_finding(State.SKIPPED, text),)
        text = f"the key could not sign in: {credentials}"
        return (_finding(State.PROBLEM, text, "see the trading host and the clock above"),)
    owner = Owner(credentials.key, frozenset({Signer(secret).address}))
    return (await _hold(endpoints.ws_user, credentials, owner),)


def find_login_key(settings: Settings, state: Path, passphrase: Secret | None) -> Secret | NoKey:
    """Return the existing key of a profile, or why there is none.

    Args:
        settings: of the profile.
        state: the state directory of all profiles.
        passphrase: of its keystore; None leaves it closed.
    """
    if settings.is_paper:
        folder = state / settings.profile
        if not (folder / PAPER_KEY_FILE).exists():
            return NoKey("the paper account is made when it is first used")
        try:
            return load_paper_key(folder)
        except (OSError, ValueError):
            return NoKey("the paper key cannot be read: see the account above")
    if settings.private_key is not None:
        read = read_key_variable(settings.private_key)
        if isinstance(read, str) or why_refused(read, settings, state):
            return NoKey("the key is not used here: see the account above")
        return read
    if not keystore_path(state, settings.profile).exists():
        return NoKey("there is no key to log in with")
    return _open(settings, state, passphrase)


def _open(settings: Settings, state: Path, passphrase: Secret | None) -> Secret | NoKey:
    if passphrase is None:
        return NoKey(
            "the keystore is not opened without its passphrase: --passphrase-fd N takes it; pmtui "
            "status says how the service's stream stands"
        )
    opened = open_keystore(settings, state, passphrase)
    if isinstance(opened, str) or opened.secret is None:
        reason = opened if isinstance(opened, str) else opened.reason
        return NoKey(f"the keystore stays closed: {reason}", "give the passphrase that opens it")
    return opened.secret


async def _hold(url: str, credentials: ApiCredentials, owner: Owner) -> Finding:
    opened, fell = asyncio.Event(), asyncio.Event()
    reasons: list[str] = []

    def on_link(link: Link) -> None:
        if link.state is LinkState.OPEN:
            opened.set()
        elif link.state is LinkState.DOWN:
            reasons.append(link.reason)
            fell.set()

    channel = UserChannel(
        url,
        credentials,
        owner,
        random=random.Random(),  # noqa: S311 - spreads reconnects, keeps no secret
    )
    listening = asyncio.create_task(channel.run(on_event=lambda _: None, on_link=on_link))
    try:
        async with asyncio.timeout(OPEN_S):
            await opened.wait()
        async with asyncio.timeout(HOLD_S):
            await fell.wait()
    except TimeoutError:
        pass
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
    reason = reasons[0] if reasons else "no answer"
    if not opened.is_set():
        remedy = "check that a proxy or firewall lets WebSocket connections through"
        return _finding(State.PROBLEM, f"no connection: {reason}", remedy)
    if fell.is_set():
        remedy = (
            "own fills are polled meanwhile; make new API credentials if it stays: pmtui account"
        )
        return _finding(State.PROBLEM, f"the venue closed it after the login: {reason}", remedy)
    return _finding(State.OK, f"logged in, and open for {HOLD_S:.0f} s")


def _finding(state: State, text: str, remedy: str = "") -> Finding:
    return Finding(Subject.STREAMS, "orders", state, text, remedy)
