"""What the running service knows, for an agent's reads: books, searches, and the account's own figures.

A look at the service is short. The connection is closed as soon as the look is over, so that a tool server is no terminal that keeps a
service alive. Nothing that is asked here sends a search to the venue in the trader's place.

A book is the service's own, whatever it is worth: a stale one is told as `stale` with its age. What the service
does not have, and everything where none runs, is asked of the hosts.

The service knows more than the hosts: orders whose fate is unknown, and fills before every host lists them. It is
asked where it has the whole list and the venue confirmed it within a minute; else the hosts are, and what the
service knew last is told where they do not answer, with its age.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from pmtui import __version__
from pmtui.agent.answers import FoundHit, to_found
from pmtui.agent.port import Answered, ReadPort, Refusal, Refused
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import ConditionId, MarketId, TokenId
from pmtui.domain.markets.directory import HitKind, SearchHit, market_hit
from pmtui.domain.markets.market import MOST_STREAMED_ROWS, MarketTerms
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill
from pmtui.link.messages import (
    PROTOCOL,
    Hello,
    LinkError,
    Peek,
    View,
    Watch,
    Welcome,
    pack,
    read_to_terminal,
)
from pmtui.reads.answers import Book, BookLevel, TokenMarket, Word
from pmtui.reads.read import Read, Values
from pmtui.reads.registry import READS
from pmtui.service.account.fills import RECENT
from pmtui.service.codec import CodecError, decode, encode
from pmtui.service.topics import (
    AccountTopic,
    BookTopic,
    FillsTopic,
    RowQuotesTopic,
    SearchTopic,
    StatusTopic,
    Topic,
)
from pmtui.service.views import (
    AccountView,
    FillsView,
    Load,
    MarketRow,
    OwnList,
    RowBooksView,
    SearchView,
    StatusView,
)

BOOK_S = 2.0
"""Seconds in which a book may become good; after them it is told as it is."""
ROWS_S = 1.5
"""The same for the books of a search's hits."""
GREETING_S = 2.0
_NOT_LOADED = frozenset({BookState.LOADING, BookState.NO_BOOK})
_Seen = TypeVar("_Seen", BookView, SearchView, RowBooksView, AccountView, FillsView, StatusView)
SERVICE = "running service"
HOSTS_S = 3.0
"""Seconds that hosts may take to add to what the service has told already."""
MOST_KNOWN = 500
"""Tokens whose markets are remembered."""
_NO_MARKET = Refused(Refusal.UNAVAILABLE, "an answer without a market")
MOST_AGE = timedelta(seconds=60)
"""The service asks six times as often."""


class OwnViews(NamedTuple):
    """What the service knows of its account."""

    account: AccountView
    fills: FillsView
    address: str
    """The wallet that trades; empty where none does."""


class ServiceReader:
    """One connection, for one question after another."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def book(self, token: TokenId) -> BookView | None:
        """Return a token's book as the service has it, good or not; None where it has none in time.

        Args:
            token: whose book; the service streams it for as long as this looks.
        """
        newest: BookView | None = None
        try:
            async with asyncio.timeout(BOOK_S):
                async for view in self._views(Watch(encode(BookTopic(token))), BookView):
                    if view.token_id != token:
                        continue
                    if view.state is BookState.NO_BOOK:
                        return None
                    if _has_book(view):
                        newest = view
                        if view.state.is_good:
                            break
        except TimeoutError:
            pass
        return newest

    async def markets(self, text: str) -> tuple[MarketRow, ...]:
        """Return the markets of the service's index that match some words, the best first."""
        try:
            async with asyncio.timeout(GREETING_S):
                peek = Peek(encode(SearchTopic(text)))
                async for view in self._views(peek, SearchView):
                    if view.text == text:
                        return view.rows
        except TimeoutError:
            pass
        return ()

    async def own(self) -> OwnViews | None:
        """Return what the service knows of its account; None where it tells nothing in time."""
        account = await self._peek(AccountTopic(), AccountView)
        fills = await self._peek(FillsTopic(), FillsView)
        status = await self._peek(StatusTopic(), StatusView)
        if account is None or fills is None or status is None:
            return None
        return OwnViews(account, fills, status.address)

    async def _peek(self, topic: Topic, kind: type[_Seen]) -> _Seen | None:
        try:
            async with asyncio.timeout(GREETING_S):
                async for view in self._views(Peek(encode(topic)), kind):
                    return view
        except TimeoutError:
            pass
        return None

    async def row_books(self, tokens: Sequence[TokenId]) -> dict[TokenId, BookView]:
        """Return the books of some tokens, as good as they become in time.

        Args:
            tokens: those that matter most first; only so many are streamed as for a screen.
        """
        wanted = tuple(tokens[:MOST_STREAMED_ROWS])
        newest: dict[TokenId, BookView] = {}
        if not wanted:
            return newest
        watch = Watch(encode(RowQuotesTopic(wanted)))
        try:
            async with asyncio.timeout(ROWS_S):
                async for view in self._views(watch, RowBooksView):
                    # After the first one each view holds what has changed.
                    newest.update((book.token_id, book) for book in view.books if _has_book(book))
                    if all(t in newest and newest[t].state.is_good for t in wanted):
                        break
        except TimeoutError:
            pass
        return newest

    async def _views(self, asked: Watch | Peek, kind: type[_Seen]) -> AsyncIterator[_Seen]:
        """Yield the views of a topic until the service has no more to say."""
        try:
            self._writer.write(pack(asked))
            while (message := await read_to_terminal(self._reader)) is not None:
                if isinstance(message, View) and message.topic == asked.topic:
                    view = decode(message.view, kind)
                    if isinstance(view, kind):
                        yield view
        except (LinkError, CodecError, OSError):
            return


def _has_book(book: BookView) -> bool:
    return book.as_of is not None and book.state not in _NOT_LOADED


@asynccontextmanager
async def open_service_reader(socket_path: Path) -> AsyncIterator[ServiceReader | None]:
    """Connect to the service of a profile; None where none runs, or none of this version."""
    try:
        reader, writer = await asyncio.open_unix_connection(socket_path)
    except OSError:
        yield None
        return
    try:
        yield ServiceReader(reader, writer) if await _is_welcome(reader, writer) else None
    finally:
        writer.close()


async def _is_welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    try:
        async with asyncio.timeout(GREETING_S):
            writer.write(pack(Hello(PROTOCOL, __version__, may_trade=False)))
            return isinstance(await read_to_terminal(reader), Welcome)
    except (TimeoutError, LinkError, OSError):
        return False


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a book says of its market and a live view does not."""

    condition_id: ConditionId | None = None
    min_order_size: Micros | None = None
    neg_risk: bool | None = None


class LiveBooks:
    """Fulfils the agent's port: books and searches from the service, all else from the hosts."""

    def __init__(self, hosts: ReadPort, socket_path: Path) -> None:
        """Take whom to ask.

        Args:
            hosts: for everything that the service does not give.
            socket_path: where the service of the profile listens, if it runs.
        """
        self._hosts = hosts
        self._socket_path = socket_path
        self._facts: OrderedDict[TokenId, _Facts] = OrderedDict()

    def now(self) -> datetime:
        """Return the time."""
        return self._hosts.now()

    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        """Answer a read; see the port."""
        answer: Answered | Refused | None = None
        if read.name == "book":
            answer = await self._live_book(TokenId(values.text("token_id")))
        elif read.name == "search" and set(values.by_name) <= {"query", "limit"}:
            answer = await self._search(read, values, limit)
        return answer or await self._hosts.ask(read, values, limit=limit)

    async def _live_book(self, token: TokenId) -> Answered | None:
        async with open_service_reader(self._socket_path) as service:
            if service is None:
                return None
            told = await self._book_and_facts(service, token)
        if told is None:
            return None
        view, facts = told
        book = Book(
            token_id=token,
            condition_id=facts.condition_id,
            at=view.as_of,
            worth=Word(view.state.value),
            tick_size=view.tick_size,
            min_order_size=facts.min_order_size,
            neg_risk=facts.neg_risk,
            last_trade_price=view.own_last_price,
            hash=Word(""),
            bids=tuple(BookLevel(level.price, level.size) for level in view.bids),
            asks=tuple(BookLevel(level.price, level.size) for level in view.asks),
        )
        return Answered((book,), self.now(), SERVICE)

    async def _book_and_facts(
        self, service: ServiceReader, token: TokenId
    ) -> tuple[BookView, _Facts] | None:
        """Return both; None where the service has no book, at once where the venue has no such token."""
        reading = asyncio.create_task(service.book(token))
        asking = asyncio.create_task(self._facts_of(token))
        try:
            _ = await asyncio.wait((reading, asking), return_when=asyncio.FIRST_COMPLETED)
            if asking.done() and asking.result() is None:
                return None
            view, facts = await asyncio.gather(reading, asking)
        finally:
            for task in (reading, asking):
                task.cancel()
            await asyncio.gather(reading, asking, return_exceptions=True)
        return None if view is None else (view, facts or _Facts())

    async def _facts_of(self, token: TokenId) -> _Facts | None:
        """Return what is known of a token; None where the venue knows no such token."""
        known = self._facts.get(token)
        if known is not None:
            return known
        try:
            async with asyncio.timeout(HOSTS_S):
                facts = await self._ask_facts(token)
        except TimeoutError:
            return _Facts()
        if isinstance(facts, Refused):
            # Asked for again with the next book.
            return None if facts.reason is Refusal.UNKNOWN else _Facts()
        self._facts[token] = facts
        if len(self._facts) > MOST_KNOWN:
            self._facts.popitem(last=False)
        return facts

    async def _ask_facts(self, token: TokenId) -> _Facts | Refused:
        named = Values({"token_id": (token,)})
        answer = await self._hosts.ask(READS["market-of-token"], named, limit=None)
        if isinstance(answer, Refused):
            return answer
        market = next((item for item in answer.items if isinstance(item, TokenMarket)), None)
        if market is None:
            return _NO_MARKET
        named = Values({"condition_id": (market.condition_id,)})
        answer = await self._hosts.ask(READS["market-terms"], named, limit=None)
        items = answer.items if isinstance(answer, Answered) else ()
        terms = next((item for item in items if isinstance(item, MarketTerms)), None)
        if terms is None:
            return _NO_MARKET
        return _Facts(market.condition_id, terms.min_order_size, terms.neg_risk)

    async def _search(
        self, read: Read, values: Values, limit: int | None
    ) -> Answered | Refused | None:
        async with open_service_reader(self._socket_path) as service:
            if service is None:
                return None
            rows, told = await asyncio.gather(
                service.markets(values.text("query")), self._ask_in_time(read, values, limit)
            )
            others = () if isinstance(told, Refused) else told.items
            hits = merge_hits(rows, [hit for hit in others if isinstance(hit, SearchHit)])
            if not hits and isinstance(told, Refused):
                # The host's own refusal says why nothing was found; it is not asked twice.
                return told
            kept = hits if limit is None else hits[:limit]
            books = await service.row_books(_streamed(kept))
        source = SERVICE if isinstance(told, Refused) else f"{SERVICE}, {told.source}"
        is_whole = len(kept) == len(hits) and isinstance(told, Answered) and told.is_whole
        skipped = told.skipped if isinstance(told, Answered) else 0
        found = tuple(_found(hit, rows, books) for hit in kept)
        problem = told.text if isinstance(told, Refused) else ""
        return Answered(found, self.now(), source, is_whole, skipped, problem)

    async def _ask_in_time(
        self, read: Read, values: Values, limit: int | None
    ) -> Answered | Refused:
        try:
            async with asyncio.timeout(HOSTS_S):
                return await self._hosts.ask(read, values, limit=limit)
        except TimeoutError:
            text = f"the {read.host.value} gives no answer within {HOSTS_S:g} s"
            return Refused(Refusal.UNAVAILABLE, text)


def merge_hits(rows: Sequence[MarketRow], listed: Sequence[SearchHit]) -> tuple[SearchHit, ...]:
    """Return the service's markets, each after its event, and then what only the hosts found."""
    by_key = {(hit.kind, hit.identifier): hit for hit in listed}
    merged: dict[tuple[HitKind, str], SearchHit] = {}
    for row in rows:
        market = market_hit(row.market)
        if row.event_id is not None:
            key = (HitKind.EVENT, str(row.event_id))
            event = SearchHit(HitKind.EVENT, row.event_title, row.market.event_slug, row.event_id)
            merged.setdefault(key, by_key.get(key, event))
        merged.setdefault((HitKind.MARKET, market.identifier), market)
    for key, hit in by_key.items():
        merged.setdefault(key, hit)
    return tuple(merged.values())


def _streamed(hits: Sequence[SearchHit]) -> list[TokenId]:
    """Return the first outcomes of open markets: those whose prices can be live."""
    return [hit.token_ids[0] for hit in hits if hit.token_ids and not hit.closed]


def _found(
    hit: SearchHit, rows: Sequence[MarketRow], books: Mapping[TokenId, BookView]
) -> FoundHit:
    book = books.get(hit.token_ids[0]) if hit.token_ids else None
    times = {row.market.market_id: row.as_of for row in rows}
    listed_at = times.get(MarketId(hit.identifier)) if hit.kind is HitKind.MARKET else None
    return to_found(hit, book=book, listed_at=listed_at)


class _KnownRows(NamedTuple):
    rows: Sequence[object]
    lists: tuple[OwnList, ...]
    """Those that must be known wholly for the rows to be all there are."""


class OwnFigures:
    """Fulfils the agent's port: figures of the account from the service, all else from another port."""

    def __init__(self, inner: ReadPort, socket_path: Path) -> None:
        """Take whom to ask.

        Args:
            inner: for everything that the service does not give.
            socket_path: where the service of the profile listens, if it runs.
        """
        self._inner = inner
        self._socket_path = socket_path

    def now(self) -> datetime:
        """Return the time."""
        return self._inner.now()

    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        """Answer a read; see the port."""
        known = await self._of_service(read, values, limit) if read.name in OWN_READS else None
        if known is not None and self.now() - known.as_of <= MOST_AGE:
            return known
        answer = await self._inner.ask(read, values, limit=limit)
        is_silent = isinstance(answer, Refused) and answer.reason is Refusal.UNAVAILABLE
        return known if known is not None and is_silent else answer

    async def _of_service(self, read: Read, values: Values, limit: int | None) -> Answered | None:
        async with open_service_reader(self._socket_path) as service:
            views = None if service is None else await service.own()
        if views is None or views.account.load is not Load.READY or views.account.as_of is None:
            return None
        told = OWN_READS[read.name](views, values)
        if told is None or any(views.account.missing_in(each) for each in told.lists):
            return None
        kept = tuple(told.rows if limit is None else told.rows[:limit])
        return Answered(kept, views.account.as_of, SERVICE, len(kept) == len(told.rows))


def _open_orders(views: OwnViews, values: Values) -> _KnownRows:
    condition, token = values.text("condition_id").lower(), values.text("token_id")
    rows = [
        order
        for order in views.account.open_orders
        if condition in ("", order.condition_id.lower()) and token in ("", order.token_id)
    ]
    return _KnownRows(rows, (OwnList.ORDERS,))


def _order(views: OwnViews, values: Values) -> _KnownRows | None:
    """Find one order; one that ended long ago is left to the host."""
    wanted = values.text("order_id").lower()
    known = (*views.account.open_orders, *views.account.recent)
    found = next((order for order in known if order.order_id.lower() == wanted), None)
    return None if found is None else _KnownRows((found,), ())


def _fills(views: OwnViews, values: Values) -> _KnownRows | None:
    """Return the fills of a span that the service has surely read; earlier ones are left to the host."""
    condition, token = values.text("condition_id").lower(), values.text("token_id")
    after, before = values.moment("after"), values.moment("before")
    if after is None or views.account.as_of is None or after < views.account.as_of - RECENT:
        return None

    def is_wanted(fill: Fill) -> bool:
        return (
            condition in ("", fill.condition_id.lower())
            and token in ("", fill.token_id)
            and fill.matched_at >= after
            and (before is None or fill.matched_at <= before)
        )

    rows = [fill for fill in views.fills.fills if is_wanted(fill)]
    return _KnownRows(rows, (OwnList.FILLS,))


def _positions(views: OwnViews, values: Values) -> _KnownRows | None:
    """Return the account's own positions; those of another wallet are left to the host."""
    wallet = values.text("wallet").lower()
    is_ours = bool(views.address) and wallet == views.address.lower()
    if not is_ours or not {"wallet", "user", "limit"} >= values.by_name.keys():
        return None
    return _KnownRows(views.account.positions, (OwnList.POSITIONS, OwnList.FILLS))


OWN_READS: Mapping[str, Callable[[OwnViews, Values], _KnownRows | None]] = MappingProxyType(
    {"open-orders": _open_orders, "order": _order, "fills": _fills, "positions": _positions}
)
"""Reads that the service can answer. Of a balance it keeps no approvals, so that is the host's."""
