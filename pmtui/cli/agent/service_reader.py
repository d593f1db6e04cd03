"""A short connection to the running service, for an agent's reads.

The connection is closed as soon as the reads are done, so that a tool server, unlike a terminal, does not keep
a service alive. Nothing here makes the service send a search to the venue.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from pmtui import __version__
from pmtui.cli.service.shell_client import connecting
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
"""Seconds for a book to become good; then it is returned in any state."""
ROWS_S = 1.5
"""The same for the books of search results."""
GREETING_S = 2.0
_NOT_LOADED = frozenset({BookState.LOADING, BookState.NO_BOOK})
_Seen = TypeVar("_Seen", BookView, SearchView, RowBooksView, AccountView, FillsView, StatusView)


class OwnViews(NamedTuple):
    """The account's views, as the service has them."""

    account: AccountView
    fills: FillsView
    address: str
    """The trading wallet; empty if there is none."""


class ServiceReader:
    """One connection to the service, for one read after another."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def book(self, token: TokenId) -> BookView | None:
        """Return a token's book as the service has it, good or not; None if it has none in time.

        The service streams the book while this call waits.
        """
        newest: BookView | None = None
        watch = Watch(encode(BookTopic(token)))
        async for view in self._views(watch, BookView, within_s=BOOK_S):
            if view.token_id != token:
                continue
            if view.state is BookState.NO_BOOK:
                return None
            if _has_book(view):
                newest = view
                if view.state.is_good:
                    break
        return newest

    async def markets(self, text: str) -> tuple[MarketRow, ...]:
        """Return the markets in the service's index that match the words, the best first."""
        peek = Peek(encode(SearchTopic(text)))
        async for view in self._views(peek, SearchView, within_s=GREETING_S):
            if view.text == text:
                return view.rows
        return ()

    async def own(self) -> OwnViews | None:
        """Return the account's views; None if the service does not send all of them in time."""
        account = await self._peek(AccountTopic(), AccountView)
        fills = await self._peek(FillsTopic(), FillsView)
        status = await self._peek(StatusTopic(), StatusView)
        if account is None or fills is None or status is None:
            return None
        return OwnViews(account, fills, status.address)

    async def row_books(self, tokens: Sequence[TokenId]) -> dict[TokenId, BookView]:
        """Return the books of some tokens in the best state reached in time.

        Args:
            tokens: the most important first; the service streams as many as for a screen of rows.
        """
        wanted = tuple(tokens[:MOST_STREAMED_ROWS])
        newest: dict[TokenId, BookView] = {}
        if not wanted:
            return newest
        watch = Watch(encode(RowQuotesTopic(wanted)))
        async for view in self._views(watch, RowBooksView, within_s=ROWS_S):
            # After the first one, each view contains only changes.
            newest.update((book.token_id, book) for book in view.books if _has_book(book))
            if all(token in newest and newest[token].state.is_good for token in wanted):
                break
        return newest

    async def _peek(self, topic: Topic, kind: type[_Seen]) -> _Seen | None:
        async for view in self._views(Peek(encode(topic)), kind, within_s=GREETING_S):
            return view
        return None

    async def _views(
        self, asked: Watch | Peek, kind: type[_Seen], *, within_s: float
    ) -> AsyncIterator[_Seen]:
        """Yield the views of a topic until the time is up or the connection ends."""
        ends_at = asyncio.get_running_loop().time() + within_s
        try:
            self._writer.write(pack(asked))
            while True:
                async with asyncio.timeout_at(ends_at):
                    message = await read_to_terminal(self._reader)
                if message is None:
                    return
                if isinstance(message, View) and message.topic == asked.topic:
                    view = decode(message.view, kind)
                    if isinstance(view, kind):
                        yield view
        except (TimeoutError, LinkError, CodecError, OSError):
            return


def _has_book(view: BookView) -> bool:
    return view.as_of is not None and view.state not in _NOT_LOADED


@asynccontextmanager
async def open_service_reader(socket_path: Path) -> AsyncIterator[ServiceReader | None]:
    """Connect to the service of a profile; yields None if none of this version runs."""
    async with AsyncExitStack() as stack:
        try:
            reader, writer = await stack.enter_async_context(connecting(socket_path))
        except OSError:
            yield None
            return
        yield ServiceReader(reader, writer) if await _is_welcome(reader, writer) else None


async def _is_welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    try:
        async with asyncio.timeout(GREETING_S):
            writer.write(pack(Hello(PROTOCOL, __version__, may_trade=False)))
            return isinstance(await read_to_terminal(reader), Welcome)
    except (TimeoutError, LinkError, OSError):
        return False
