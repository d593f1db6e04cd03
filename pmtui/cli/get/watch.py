"""`--watch`: follows books, trades and tick sizes, or own orders and fills, on the streams.

The account stream replays nothing: after every reconnection the host is asked what was missed.

Values from a book are written when they change, at most ten times a second; trades are written one by one.
After a reconnection whole books arrive again, and values that no book contains are requested.
"""

import asyncio
import errno
import os
import random
import stat
from collections.abc import Callable, Coroutine, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType

from pmtui.cli.output import warn
from pmtui.clients.account import AccountClient
from pmtui.clients.clob import ClobClient
from pmtui.clients.reads.asking import Extent, ask
from pmtui.clients.reads.hosts import ReadHosts
from pmtui.clients.reads.trading_reads import write_book
from pmtui.clients.streams.channels import MarketChannel, UserChannel
from pmtui.domain.account.analytics import PublicTrade
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.books.market_events import (
    BookSnapshot,
    MarketEvent,
    PriceChanges,
    TickSizeChanged,
    TradePrinted,
)
from pmtui.domain.health import Link, LinkState
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, MoneyError, parse_micros
from pmtui.domain.orders.order import Fill, Order, OrderChanged, UserEvent
from pmtui.reads import answers
from pmtui.reads.read import Read, Values
from pmtui.reads.registry import READS
from pmtui.service.clock import SystemClock
from pmtui.wire import fields

PERIOD_S = 0.1
"""Seconds between two writes of a book that changes all the time."""
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class Output:
    """Writes answers one by one until the limit is reached."""

    def __init__(self, write: Callable[[Sequence[object]], None], limit: int | None) -> None:
        """Prepare to write.

        Args:
            write: writes each answer.
            limit: number of answers after which to stop; None for no limit.
        """
        self._write = write
        self._left = limit
        self._last: dict[Hashable, object] = {}
        self.is_done = asyncio.Event()
        """Set when nothing more is wanted, or can be written."""
        self.problem: OSError | None = None
        """Why nothing more can be written, such as a closed pipe."""
        if limit == 0:
            self.is_done.set()

    def write(self, answer: object) -> None:
        """Write an answer."""
        if self.is_done.is_set():
            return
        try:
            self._write((answer,))
        except OSError as error:
            self.problem = error
            self.is_done.set()
            return
        if self._left is not None:
            self._left -= 1
            if self._left == 0:
                self.is_done.set()

    def write_change(self, key: Hashable, answer: object) -> None:
        """Write an answer unless it equals the last one with the same key."""
        if self._last.get(key) != answer:
            self._last[key] = answer
            self.write(answer)

    @contextmanager
    def ending_with_reader(self, number: int) -> Iterator[None]:
        """Stop as soon as a pipe's reader is gone, not only at the next answer.

        Args:
            number: file descriptor of the output; anything but a pipe is ignored.
        """
        loop = asyncio.get_running_loop()
        if not stat.S_ISFIFO(os.fstat(number).st_mode):
            yield
            return

        def end() -> None:
            _ = loop.remove_reader(number)
            self.problem = BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
            self.is_done.set()

        # Nothing can be read from this end: it becomes ready once the other one is closed.
        loop.add_reader(number, end)
        try:
            yield
        finally:
            _ = loop.remove_reader(number)

    @property
    def written(self) -> Mapping[Hashable, object]:
        """The last answer written for each key."""
        return MappingProxyType(self._last)


class LinkNotes:
    """Reports once on standard error that a stream is down, until it is up again."""

    def __init__(self) -> None:
        self._is_down = False

    def note(self, link: Link) -> None:
        """Handle the state of the stream."""
        if link.state is LinkState.DOWN and not self._is_down:
            warn(f"pmtui get: the stream is down: {link.reason}")
        if link.state in (LinkState.DOWN, LinkState.OPEN):
            self._is_down = link.state is LinkState.DOWN


async def first_of(*coroutines: Coroutine[object, object, object]) -> None:
    """Run all until the first one ends, and cancel the others; its exception is raised."""
    tasks = [asyncio.ensure_future(each) for each in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            _ = task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """What to follow, and with which hosts."""

    hosts: ReadHosts
    """The hosts to query, with the stream's address."""
    read: Read
    values: Values
    """The checked values of its arguments."""
    output: Output


class AccountWatch:
    """Follows the orders or the fills of an account."""

    def __init__(self, request: WatchRequest) -> None:
        self._request = request
        self._is_new = asyncio.Event()
        self._has_asked = False
        self._failure: Failure | None = None
        self._forgotten: set[Hashable] = set()
        self._link = LinkNotes()

    async def run(self) -> Failure | None:
        """Follow until the limit is reached, or until cancelled; return why it cannot begin.

        A single order is followed until it can no longer fill.
        """
        account = await self._request.hosts.open_account()
        if isinstance(account, Failure):
            return account
        if self._request.read.name == "fills" and not self._request.values.text("after"):
            since = _replaced(self._request.values, {"after": _seconds(await self._now())})
            self._request = replace(self._request, values=since)
        channel = _channel(self._request.hosts, account)
        await first_of(
            channel.run(on_event=self._on_event, on_link=self._on_link),
            self._refetch_on_reconnect(),
            self._request.output.is_done.wait(),
        )
        return self._failure

    async def _now(self) -> datetime:
        """Return the venue's time; ours if it is unavailable."""
        answer = await ClobClient(
            self._request.hosts.trading, self._request.hosts.routes
        ).server_time()
        return SystemClock().now() if isinstance(answer, Failure) else answer

    def _on_link(self, link: Link) -> None:
        self._link.note(link)
        # Queried only once the stream is open, so that nothing is missed; but also if there is no
        # stream.
        if link.state is LinkState.OPEN or (link.state is LinkState.DOWN and not self._has_asked):
            self._is_new.set()

    async def _refetch_on_reconnect(self) -> None:
        while True:
            await self._is_new.wait()
            self._is_new.clear()
            failure = await self._fetch_missed()
            if failure is not None and not self._has_asked:
                self._failure = failure
                return
            self._has_asked = True
            if failure is not None:
                warn(f"pmtui get: {failure}")
                if failure.kind is FailureKind.NOT_FOUND:
                    # The one order that is followed ended while the stream was down.
                    return

    async def _fetch_missed(self) -> Failure | None:
        """Query the current state, and then orders that are no longer among the open ones."""
        listed: set[Hashable] = set()
        async for step in ask(
            self._request.hosts,
            self._request.read,
            self._request.values,
            extent=Extent(is_all=True),
        ):
            if isinstance(step, Failure):
                return step
            for item in step.items:
                if isinstance(item, Order):
                    listed.add(item.order_id)
                    self._write_order(item)
                elif isinstance(item, Fill):
                    self._write_missed(item)
        if self._request.read.name != "open-orders":
            return None
        skipped = listed | self._forgotten
        for key, last in list(self._request.output.written.items()):
            if isinstance(last, Order) and last.status.is_open and key not in skipped:
                failure = await self._ask_order(last)
                if failure is not None:
                    return failure
        return None

    async def _ask_order(self, last: Order) -> Failure | None:
        values = Values({"order_id": (last.order_id,)})
        async for step in ask(self._request.hosts, READS["order"], values, extent=Extent()):
            if isinstance(step, Failure) and step.kind is FailureKind.NOT_FOUND:
                # The host forgets ended orders, and does not say how they ended.
                self._forgotten.add(last.order_id)
                warn(f"pmtui get: order {last.order_id} ended while the stream was down")
                return None
            if isinstance(step, Failure):
                return step
            for item in step.items:
                if isinstance(item, Order):
                    self._write_order(item)
        return None

    def _on_event(self, event: UserEvent) -> None:
        if isinstance(event, OrderChanged):
            if self._request.read.name != "fills":
                self._write_order(event.order)
            return
        if self._request.read.name == "fills":
            for fill in event.fills:
                if self._is_wanted(fill):
                    self._request.output.write_change(_key(fill), fill)

    def _write_order(self, order: Order) -> None:
        wanted = self._request.values.text("order_id")
        if wanted and order.order_id.lower() != wanted.lower():
            return
        last = self._request.output.written.get(order.order_id)
        if isinstance(last, Order) and not last.status.is_open:
            # Ended orders stay ended: a reply may be older than the stream.
            return
        if self._is_wanted(order):
            self._request.output.write_change(order.order_id, order)
        if wanted and not order.status.is_open:
            self._request.output.is_done.set()

    def _write_missed(self, fill: Fill) -> None:
        """Write a fill that the host lists, unless the stream has sent a newer state of it."""
        known = self._request.output.written.get(_key(fill))
        if known is None or fill.status.is_final:
            self._request.output.write_change(_key(fill), fill)

    def _is_wanted(self, what: Order | Fill) -> bool:
        condition, token = (
            self._request.values.text("condition_id"),
            self._request.values.text("token_id"),
        )
        is_of_market = not condition or what.condition_id.lower() == condition.lower()
        return is_of_market and (not token or what.token_id == token)


def _channel(hosts: ReadHosts, account: AccountClient) -> UserChannel:
    return UserChannel(
        hosts.ws_user,
        account.requests.account.credentials,
        account.owner,
        random=random.Random(),  # noqa: S311 - spreads reconnects, keeps no secret
    )


def _key(fill: Fill) -> tuple[str, str]:
    return fill.trade_id, fill.order_id


def _replaced(values: Values, changed: Mapping[str, str]) -> Values:
    return Values({**values.by_name, **{name: (text,) for name, text in changed.items()}})


def _seconds(at: datetime) -> str:
    return str(int(at.timestamp()))


@dataclass
class _StreamedBook:
    """A book of the stream and the last answer written about it."""

    book: OrderBook
    timestamp: str = ""
    digest: str = ""
    neg_risk: bool | None = None
    min_order_size: Micros | None = None
    is_changed: bool = False


ToFields = Callable[[BookView, Values], tuple[object, ...]]
"""Returns a read's answer from a book."""


def _prices(view: BookView, values: Values) -> tuple[object, ...]:
    wanted = values.text("side")
    best = {Side.BUY: view.best_bid, Side.SELL: view.best_ask}
    return tuple(
        answers.BestPrice(view.token_id, side, price)
        for side, price in best.items()
        if wanted in ("", side.value)
    )


def _midpoint(view: BookView, _values: Values) -> tuple[object, ...]:
    return (answers.TokenPrice(view.token_id, view.midpoint),)


def _spread(view: BookView, _values: Values) -> tuple[object, ...]:
    return (answers.TokenSpread(view.token_id, view.spread),)


def _tick_size(view: BookView, _values: Values) -> tuple[object, ...]:
    tick = view.tick_size
    return () if tick is None else (answers.TokenTick(view.token_id, tick),)


_BOOKS = frozenset({"book", "books"})
_LAST_TRADES = frozenset({"last-trade", "last-trades"})
_REFETCHED = _LAST_TRADES | {"tick-size"}
"""Reads that a book does not answer, or not always: they are requested after every reconnection."""
_OF_A_BOOK: Mapping[str, ToFields] = MappingProxyType(
    {
        "price": _prices,
        "prices": _prices,
        "midpoint": _midpoint,
        "midpoints": _midpoint,
        "spread": _spread,
        "spreads": _spread,
        "tick-size": _tick_size,
    }
)


class MarketWatch:
    """Follows tokens and writes a read's answers about them."""

    def __init__(self, request: WatchRequest) -> None:
        self._request = request
        self._clob = ClobClient(request.hosts.trading, request.hosts.routes)
        self._books: dict[TokenId, _StreamedBook] = {}
        self._changed, self._is_new = asyncio.Event(), asyncio.Event()
        self._link = LinkNotes()

    async def run(self) -> Failure | None:
        """Follow until the limit is reached, or until cancelled; return why it cannot begin."""
        if self._request.output.is_done.is_set():
            return None
        failure = await (self._find_trades() if self._is_of_trades else self._find_books())
        if failure is not None:
            return failure
        channel = MarketChannel(
            self._request.hosts.ws_market,
            random=random.Random(),  # noqa: S311 - spreads reconnects, keeps no secret
        )
        channel.watch(frozenset(self._books), together=[tuple(self._books)])
        await first_of(
            channel.run(on_event=self._on_event, on_link=self._on_link),
            self._write_books(),
            self._refetch_on_reconnect(),
            self._request.output.is_done.wait(),
        )
        return None

    @property
    def _is_of_trades(self) -> bool:
        return self._request.read.name == "trades"

    async def _find_trades(self) -> Failure | None:
        for condition in self._request.values.texts("condition_id"):
            terms = await self._clob.market_terms(ConditionId(condition.lower()))
            if isinstance(terms, Failure):
                return terms
            self._books |= {token: _StreamedBook(OrderBook(token)) for token in terms.token_ids}
        return None

    async def _find_books(self) -> Failure | None:
        """Request the books once: the stream is silent about a token that the venue does not know."""
        tokens = tuple(map(TokenId, self._request.values.texts("token_id")))
        known = await self._clob.books(tokens)
        if isinstance(known, Failure):
            return known
        found = {snapshot.token_id: snapshot for snapshot in known}
        missing = [token for token in tokens if token not in found]
        if len(missing) == len(tokens):
            return Failure(FailureKind.NOT_FOUND, "POST /books", "no such book")
        if missing:
            warn(f"pmtui get: the host tells nothing about {', '.join(missing)}")
        for token, snapshot in found.items():
            followed = self._books[token] = _StreamedBook(OrderBook(token))
            followed.min_order_size = _least(snapshot)
        return None

    def _on_link(self, link: Link) -> None:
        self._link.note(link)
        if link.state is LinkState.OPEN:
            self._is_new.set()

    async def _refetch_on_reconnect(self) -> None:
        while True:
            await self._is_new.wait()
            self._is_new.clear()
            if self._request.read.name not in _REFETCHED:
                continue
            async for step in ask(
                self._request.hosts, self._request.read, self._request.values, extent=Extent()
            ):
                if isinstance(step, Failure):
                    warn(f"pmtui get: {step}")
                    break
                for item in step.items:
                    if isinstance(item, answers.LastTradePrice | answers.TokenTick):
                        self._request.output.write_change(item.token_id, item)

    def _on_event(self, event: MarketEvent) -> None:
        match event:
            case TradePrinted():
                self._on_trade(event)
            case BookSnapshot(token_id=token) if token in self._books:
                self._on_snapshot(self._books[token], event)
            case TickSizeChanged(token_id=token) if token in self._books:
                followed = self._books[token]
                followed.book.apply_tick_size(event.new_tick_size)
                self._note(followed, event.timestamp)
            case PriceChanges():
                self._on_changes(event)
            case _:
                return

    def _on_trade(self, event: TradePrinted) -> None:
        for followed in self._books.values():
            if followed.book.condition_id == event.condition_id:
                # The price is part of the next hash, of both tokens.
                followed.book.apply_trade_price(event.price, of=event.token_id)
        if event.token_id not in self._books:
            return
        if self._is_of_trades:
            if self._request.values.text("side") in ("", event.side.value):
                self._request.output.write(_trade(event))
        elif self._request.read.name in _LAST_TRADES:
            trade = answers.LastTradePrice(event.token_id, event.price, event.side)
            self._request.output.write_change(event.token_id, trade)

    def _on_snapshot(self, followed: _StreamedBook, snapshot: BookSnapshot) -> None:
        try:
            followed.book.apply_snapshot(snapshot)
        except MoneyError as error:
            warn(f"pmtui get: a book that cannot be read: {error}")
            return
        followed.digest = snapshot.hash
        followed.neg_risk = snapshot.neg_risk
        self._note(followed, snapshot.timestamp)

    def _on_changes(self, event: PriceChanges) -> None:
        for change in event.changes:
            followed = self._books.get(TokenId(change.asset_id))
            if followed is None or not followed.book.has_levels:
                continue
            try:
                followed.book.apply_change(change, event.timestamp)
            except MoneyError as error:
                warn(f"pmtui get: a change that cannot be read: {error}")
                continue
            followed.digest = change.hash
            self._note(followed, event.timestamp)

    def _note(self, followed: _StreamedBook, timestamp: str) -> None:
        followed.timestamp = timestamp
        followed.is_changed = True
        self._changed.set()

    async def _write_books(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            for token, followed in self._books.items():
                if followed.is_changed and followed.book.has_levels:
                    followed.is_changed = False
                    self._write_book(token, followed)
            await asyncio.sleep(PERIOD_S)

    def _write_book(self, token: TokenId, followed: _StreamedBook) -> None:
        if self._request.read.name in _BOOKS:
            self._request.output.write(_book(followed))
        elif self._request.read.name in _OF_A_BOOK:
            view = followed.book.view(_NEVER)
            for record in _OF_A_BOOK[self._request.read.name](view, self._request.values):
                side = record.side if isinstance(record, answers.BestPrice) else None
                self._request.output.write_change((token, side) if side else token, record)


def _least(snapshot: BookSnapshot) -> Micros | None:
    try:
        return parse_micros(snapshot.min_order_size) if snapshot.min_order_size else None
    except MoneyError:
        return None


def _book(followed: _StreamedBook) -> object:
    book = followed.book
    is_verified = book.matches(((followed.timestamp, followed.digest),))
    book.trust(BookState.VERIFIED if is_verified else BookState.LIVE)
    return write_book(
        book,
        timestamp=followed.timestamp,
        digest=followed.digest,
        neg_risk=followed.neg_risk,
        min_order_size=followed.min_order_size,
    )


def _trade(event: TradePrinted) -> PublicTrade:
    return PublicTrade(
        at=fields.to_moment(event.timestamp, "timestamp"),
        condition_id=event.condition_id,
        token_id=event.token_id,
        side=event.side.value,
        price=event.price,
        size=event.size,
        transaction_hash=event.transaction_hash,
    )
