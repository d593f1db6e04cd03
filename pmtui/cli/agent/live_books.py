"""Books and search results from the running service, for an agent's reads; the hosts answer the rest.

A book is the service's own, good or not: a stale one is marked `stale`, with its age. Data that the service
lacks is read from the hosts, and so is everything if no service runs.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pmtui.agent.answers import FoundHit, to_found
from pmtui.agent.port import Answered, ReadPort, Refusal, Refused
from pmtui.cli.agent.service_reader import ServiceReader, open_service_reader
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
"""Seconds for the hosts to add to the service's answer."""
MOST_KNOWN = 500
"""Tokens whose market facts are cached."""
_NO_MARKET = Refused(Refusal.UNAVAILABLE, "an answer without a market")


@dataclass(frozen=True, slots=True)
class _MarketFacts:
    """Facts about its market that a book states and the service's view lacks."""

    condition_id: ConditionId | None = None
    min_order_size: Micros | None = None
    neg_risk: bool | None = None


class LiveBooks:
    """Implements the agent's port: books and searches from the service, everything else from the hosts."""

    def __init__(self, hosts: ReadPort, socket_path: Path) -> None:
        """Read from a service and from hosts.

        Args:
            hosts: answer what the service cannot.
            socket_path: of the profile's service, whether it runs or not.
        """
        self._hosts = hosts
        self._socket_path = socket_path
        self._facts: OrderedDict[TokenId, _MarketFacts] = OrderedDict()

    def now(self) -> datetime:
        """Return the current time."""
        return self._hosts.now()

    async def ask(self, read: Read, values: Values, *, limit: int | None) -> Answered | Refused:
        """Return the result of a read, from the service if possible."""
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
            found = await self._book_and_facts(service, token)
        if found is None:
            return None
        view, facts = found
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
    ) -> tuple[BookView, _MarketFacts] | None:
        """Return both; None if the service has no book, at once if the venue has no such token."""
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
        return None if view is None else (view, facts or _MarketFacts())

    async def _facts_of(self, token: TokenId) -> _MarketFacts | None:
        """Return the facts of a token's market; None if the venue knows no such token."""
        known = self._facts.get(token)
        if known is not None:
            return known
        try:
            async with asyncio.timeout(HOSTS_S):
                facts = await self._ask_facts(token)
        except TimeoutError:
            return _MarketFacts()
        if isinstance(facts, Refused):
            # The next book requests them again.
            return None if facts.reason is Refusal.UNKNOWN else _MarketFacts()
        self._facts[token] = facts
        if len(self._facts) > MOST_KNOWN:
            self._facts.popitem(last=False)
        return facts

    async def _ask_facts(self, token: TokenId) -> _MarketFacts | Refused:
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
        return _MarketFacts(market.condition_id, terms.min_order_size, terms.neg_risk)

    async def _search(
        self, read: Read, values: Values, limit: int | None
    ) -> Answered | Refused | None:
        async with open_service_reader(self._socket_path) as service:
            if service is None:
                return None
            rows, listed = await asyncio.gather(
                service.markets(values.text("query")), self._ask_in_time(read, values, limit)
            )
            others = () if isinstance(listed, Refused) else listed.items
            hits = merge_hits(rows, [hit for hit in others if isinstance(hit, SearchHit)])
            if not hits and isinstance(listed, Refused):
                # The host's refusal explains why nothing was found; it is not asked twice.
                return listed
            kept = hits if limit is None else hits[:limit]
            books = await service.row_books(_live_tokens(kept))
        source = SERVICE if isinstance(listed, Refused) else f"{SERVICE}, {listed.source}"
        is_whole = len(kept) == len(hits) and isinstance(listed, Answered) and listed.is_whole
        skipped = listed.skipped if isinstance(listed, Answered) else 0
        found = tuple(_found(hit, rows, books) for hit in kept)
        problem = listed.text if isinstance(listed, Refused) else ""
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
    """Return the service's markets, each after its event, followed by those that only the hosts found."""
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


def _live_tokens(hits: Sequence[SearchHit]) -> list[TokenId]:
    """Return the first outcomes of the open markets: only their prices can be live."""
    return [hit.token_ids[0] for hit in hits if hit.token_ids and not hit.closed]


def _found(
    hit: SearchHit, rows: Sequence[MarketRow], books: Mapping[TokenId, BookView]
) -> FoundHit:
    book = books.get(hit.token_ids[0]) if hit.token_ids else None
    times = {row.market.market_id: row.as_of for row in rows}
    listed_at = times.get(MarketId(hit.identifier)) if hit.kind is HitKind.MARKET else None
    return to_found(hit, book=book, listed_at=listed_at)
