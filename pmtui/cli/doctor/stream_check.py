"""The market stream, tried in earnest: a book that comes, and equals the venue's own hash of it."""

import asyncio
import random
from dataclasses import dataclass

from pmtui.cli.doctor.findings import Figure, Finding, State, Subject
from pmtui.clients.gamma import GammaClient
from pmtui.clients.http.client import HttpHost
from pmtui.clients.streams.channels import MarketChannel
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.domain.answers import Failure
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
from pmtui.service.ports import Clock

DEADLINE_S = 10.0
"""For a busy book to come and to be verified."""
_ORDERS = "orders can be sent all the same; the ladder says what its book is worth"


@dataclass(frozen=True, slots=True)
class BusyMarket:
    """The market whose book is tried."""

    token_id: TokenId
    title: str


async def find_busy_market(url: str, dialect: Dialect, clock: Clock) -> BusyMarket | Failure | None:
    """Return the market with the most trade today; None where none is open.

    Args:
        url: of the metadata host.
        dialect: how it is spoken to.
        clock: our own time.
    """
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
    """One token's book as the stream tells it, until it is verified."""

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
        """Note how the connection stands."""
        if link.state is LinkState.OPEN and self.opened_ms is None:
            self.opened_ms = self._elapsed_ms()
        if link.reason:
            self.reason = link.reason

    def on_event(self, event: MarketEvent) -> None:
        """Apply an event, and compare the book with what the venue announced."""
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
    """Listen to the busiest market until its book is verified by hash."""
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
