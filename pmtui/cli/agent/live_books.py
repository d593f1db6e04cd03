"""Books of the running service for the agent's reads, where one runs and its book is good.

Each is asked for over a connection that only looks on and is closed at once, so that a tool server is no
terminal that keeps a service alive. Where there is no service, or its book is not there in time, or may not be
traded from, the hosts are asked as ever.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pmtui import __version__
from pmtui.agent.port import Answered, ReadPort, Refused
from pmtui.domain.books.book_view import BookView
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import MarketTerms
from pmtui.domain.money import Micros
from pmtui.link.messages import (
    PROTOCOL,
    Hello,
    LinkError,
    View,
    Watch,
    Welcome,
    pack,
    read_to_terminal,
)
from pmtui.reads.answers import Book, BookLevel, TokenMarket, Word
from pmtui.reads.arguments import Values
from pmtui.reads.read import Read
from pmtui.reads.registry import READS
from pmtui.service.codec import CodecError, decode, encode
from pmtui.service.topics import BookTopic

SERVICE = "running service"
WITHIN_S = 2.0
"""Seconds that a book may take before the hosts are asked instead."""
MOST_KNOWN = 500
"""Tokens whose markets are remembered."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a book says of its market and a live view does not."""

    condition_id: ConditionId
    min_order_size: Micros
    neg_risk: bool


class LiveBooks:
    """Fulfils the agent's port: books from the service, all else from the hosts."""

    def __init__(self, hosts: ReadPort, place: Path) -> None:
        """Take whom to ask.

        Args:
            hosts: for everything that the service does not give.
            place: where the service of the profile listens, if it runs.
        """
        self._hosts = hosts
        self._place = place
        self._facts: OrderedDict[TokenId, _Facts] = OrderedDict()

    def now(self) -> datetime:
        """Return the time."""
        return self._hosts.now()

    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        """Answer a read; see the port."""
        if read.name == "book":
            book = await self._live_book(TokenId(values.text("token_id")))
            if book is not None:
                return Answered((book,), self.now(), SERVICE)
        return await self._hosts.ask(read, values, limit=limit)

    async def _live_book(self, token: TokenId) -> Book | None:
        view = await look_at_book(self._place, token)
        facts = None if view is None else await self._market_of(token)
        if view is None or facts is None:
            return None
        return Book(
            token_id=token,
            condition_id=facts.condition_id,
            at=view.as_of,
            worth=Word(view.state.value),
            tick_size=view.tick_size,
            min_order_size=facts.min_order_size,
            neg_risk=facts.neg_risk,
            last_trade_price=view.last_trade_price,
            hash=Word(""),
            bids=tuple(BookLevel(level.price, level.size) for level in view.bids),
            asks=tuple(BookLevel(level.price, level.size) for level in view.asks),
        )

    async def _market_of(self, token: TokenId) -> _Facts | None:
        known = self._facts.get(token)
        if known is not None:
            return known
        market = await self._first("market-of-token", {"token_id": (token,)})
        if not isinstance(market, TokenMarket):
            return None
        terms = await self._first("market-terms", {"condition_id": (market.condition_id,)})
        if not isinstance(terms, MarketTerms):
            return None
        facts = _Facts(market.condition_id, terms.min_order_size, terms.neg_risk)
        self._facts[token] = facts
        if len(self._facts) > MOST_KNOWN:
            self._facts.popitem(last=False)
        return facts

    async def _first(self, name: str, given: dict[str, tuple[str, ...]]) -> object:
        answer = await self._hosts.ask(READS[name], Values(given), limit=None)
        items = answer.items if isinstance(answer, Answered) else ()
        return next(iter(items), None)


async def look_at_book(place: Path, token: TokenId) -> BookView | None:
    """Return a token's book as the service has it; None without a service or a good book in time.

    Args:
        place: where the service listens.
        token: whose book.
    """
    try:
        reader, writer = await asyncio.open_unix_connection(place)
    except OSError:
        return None
    try:
        async with asyncio.timeout(WITHIN_S):
            return await _wait_for_book(reader, writer, token)
    except (TimeoutError, LinkError, CodecError, OSError):
        return None
    finally:
        writer.close()


async def _wait_for_book(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: TokenId
) -> BookView | None:
    writer.write(pack(Hello(PROTOCOL, __version__, may_trade=False)))
    if not isinstance(await read_to_terminal(reader), Welcome):
        return None
    writer.write(pack(Watch(encode(BookTopic(token)))))
    while (message := await read_to_terminal(reader)) is not None:
        if not isinstance(message, View):
            continue
        view = decode(message.view, BookView)
        if isinstance(view, BookView) and view.token_id == token and view.state.is_good:
            return view
    return None
