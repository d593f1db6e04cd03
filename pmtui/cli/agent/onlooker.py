"""A short look at the running service: its books, its index of markets and its account, over a connection that only looks on.

The connection is closed as soon as the look is over, so that a tool server is no terminal that keeps a
service alive. Nothing that is asked here sends a search to the venue in the trader's place.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from pmtui import __version__
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import MOST_STREAMED_ROWS
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
    MarketRow,
    RowBooksView,
    SearchView,
    StatusView,
)

BOOK_S = 2.0
"""Seconds in which a book may become good; after them it is told as it is."""
ROWS_S = 1.5
"""The same for the books of a search's hits."""
GREETING_S = 2.0
_UNTOLD = frozenset({BookState.LOADING, BookState.NO_BOOK})
_Seen = TypeVar("_Seen", BookView, SearchView, RowBooksView, AccountView, FillsView, StatusView)


class OwnViews(NamedTuple):
    """What the service knows of its account."""

    account: AccountView
    fills: FillsView
    address: str
    """The wallet that trades; empty where none does."""


class Onlooker:
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
                    if _is_told(view):
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
                    newest.update((book.token_id, book) for book in view.books if _is_told(book))
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


def _is_told(book: BookView) -> bool:
    return book.as_of is not None and book.state not in _UNTOLD


@asynccontextmanager
async def attach(place: Path) -> AsyncIterator[Onlooker | None]:
    """Connect to the service of a profile; None where none runs, or none of this version.

    Args:
        place: where it listens.
    """
    try:
        reader, writer = await asyncio.open_unix_connection(place)
    except OSError:
        yield None
        return
    try:
        yield Onlooker(reader, writer) if await _is_welcome(reader, writer) else None
    finally:
        writer.close()


async def _is_welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    try:
        async with asyncio.timeout(GREETING_S):
            writer.write(pack(Hello(PROTOCOL, __version__, may_trade=False)))
            return isinstance(await read_to_terminal(reader), Welcome)
    except (TimeoutError, LinkError, OSError):
        return False
