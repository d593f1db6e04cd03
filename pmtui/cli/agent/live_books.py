"""Books and searches of the running service for the agent's reads, where one runs.

A book is the service's own, whatever it is worth: a stale one is told as `stale` with its age. What the service
does not have, and everything where none runs, is asked of the hosts.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pmtui.agent.answers import FoundHit, to_found
from pmtui.agent.port import Answered, ReadPort, Refusal, Refused
from pmtui.cli.agent.onlooker import Onlooker, attach
from pmtui.domain.books.book_view import BookView
from pmtui.domain.ids import ConditionId, MarketId, TokenId
from pmtui.domain.markets.directory import HitKind, SearchHit, market_hit
from pmtui.domain.markets.market import MarketTerms
from pmtui.domain.money import Micros
from pmtui.reads.answers import Book, BookLevel, TokenMarket, Word
from pmtui.reads.read import Read, Values
from pmtui.reads.registry import READS
from pmtui.service.views import MarketRow

SERVICE = "running service"
HOSTS_S = 3.0
"""Seconds that hosts may take to add to what the service has told already."""
MOST_KNOWN = 500
"""Tokens whose markets are remembered."""


_NOTHING_TOLD = Refused(Refusal.UNAVAILABLE, "an answer without a market")


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a book says of its market and a live view does not."""

    condition_id: ConditionId | None = None
    min_order_size: Micros | None = None
    neg_risk: bool | None = None


class LiveBooks:
    """Fulfils the agent's port: books and searches from the service, all else from the hosts."""

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
        answer: Answered | Refused | None = None
        if read.name == "book":
            answer = await self._live_book(TokenId(values.text("token_id")))
        elif read.name == "search" and set(values.by_name) <= {"query", "limit"}:
            answer = await self._search(read, values, limit)
        return answer or await self._hosts.ask(read, values, limit=limit)

    async def _live_book(self, token: TokenId) -> Answered | None:
        async with attach(self._place) as onlooker:
            if onlooker is None:
                return None
            told = await self._book_and_facts(onlooker, token)
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
        self, onlooker: Onlooker, token: TokenId
    ) -> tuple[BookView, _Facts] | None:
        """Return both; None where the service has no book, at once where the venue has no such token."""
        reading = asyncio.create_task(onlooker.book(token))
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
            return _NOTHING_TOLD
        named = Values({"condition_id": (market.condition_id,)})
        answer = await self._hosts.ask(READS["market-terms"], named, limit=None)
        items = answer.items if isinstance(answer, Answered) else ()
        terms = next((item for item in items if isinstance(item, MarketTerms)), None)
        if terms is None:
            return _NOTHING_TOLD
        return _Facts(market.condition_id, terms.min_order_size, terms.neg_risk)

    async def _search(
        self, read: Read, values: Values, limit: int | None
    ) -> Answered | Refused | None:
        async with attach(self._place) as onlooker:
            if onlooker is None:
                return None
            rows, told = await asyncio.gather(
                onlooker.markets(values.text("query")), self._ask_in_time(read, values, limit)
            )
            others = () if isinstance(told, Refused) else told.items
            hits = merge_hits(rows, [hit for hit in others if isinstance(hit, SearchHit)])
            if not hits and isinstance(told, Refused):
                # The host's own refusal says why nothing was found; it is not asked twice.
                return told
            kept = hits if limit is None else hits[:limit]
            books = await onlooker.row_books(_streamed(kept))
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
    """Return the service's markets, each after its event, and then what only the hosts found.

    Args:
        rows: of the service's index.
        listed: what the metadata host found.
    """
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
