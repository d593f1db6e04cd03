"""Answers that combine several reads: search results, and a snapshot of a token's market."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from pmtui.agent.port import Answered, ReadPort, Refused
from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.directory import HitKind, SearchHit
from pmtui.domain.markets.market import Market, Side
from pmtui.domain.money import Micros
from pmtui.reads.answers import Book, BookLevel, LastTradePrice, Word
from pmtui.reads.read import Values
from pmtui.reads.registry import READS

LISTED = Word("listed")
"""The prices come from the metadata host's list, which lags."""
FURTHER_S = 3.0
"""Seconds to wait for the last trade and the market once the book is there."""


@dataclass(frozen=True, slots=True)
class FoundHit:
    """One search result; fields that its kind does not have are empty. Texts are untrusted."""

    kind: HitKind
    title: str
    slug: str
    identifier: str
    """Id of an event, a market or a tag, or the wallet address of a profile."""
    event_slug: str
    condition_id: ConditionId | None
    token_ids: tuple[TokenId, ...]
    closed: bool | None
    best_bid: Micros | None
    """Best bid of the first outcome; the best ask below is of the same outcome."""
    best_ask: Micros | None
    worth: Word | None
    """`listed`, or the running service's verdict on the market's live book; None without prices."""
    at: datetime | None
    """Time of the service's last book update, or of the list, if the service has it."""
    volume_24h: Micros | None
    end_at: datetime | None


def to_found(
    hit: SearchHit, *, book: BookView | None = None, listed_at: datetime | None = None
) -> FoundHit:
    """Return a search result with the prices of its market's live book, if there is one.

    Args:
        hit: as returned by the venue's search or by the service's own.
        book: of the first outcome, as the running service has it.
        listed_at: time of the list that the hit's own prices come from, if known.
    """
    has_prices = book is not None and book.as_of is not None and book.state not in _WITHOUT_PRICES
    live = book if has_prices else None
    has_prices = hit.best_bid is not None or hit.best_ask is not None
    return FoundHit(
        kind=hit.kind,
        title=hit.title,
        slug=hit.slug,
        identifier=hit.identifier,
        event_slug=hit.event_slug,
        condition_id=hit.condition_id,
        token_ids=hit.token_ids,
        closed=hit.closed,
        best_bid=live.best_bid if live else hit.best_bid,
        best_ask=live.best_ask if live else hit.best_ask,
        worth=Word(live.state.value) if live else LISTED if has_prices else None,
        at=live.as_of if live else listed_at if has_prices else None,
        volume_24h=hit.volume_24h,
        end_at=hit.end_at,
    )


_WITHOUT_PRICES = frozenset({BookState.LOADING, BookState.NO_BOOK})


@dataclass(frozen=True, slots=True)
class MarketSnapshot:
    """Top of book, last trade and terms of one token."""

    token_id: TokenId
    condition_id: ConditionId | None
    question: str
    outcome: str
    best_bid: Micros | None
    best_bid_size: Micros | None
    best_ask: Micros | None
    best_ask_size: Micros | None
    midpoint: Micros | None
    spread: Micros | None
    last_trade_price: Micros | None
    last_trade_side: Side | None
    tick_size: Micros | None
    min_order_size: Micros | None
    neg_risk: bool | None
    worth: Word
    """State of the book; see `Book.worth`."""
    book_at: datetime | None
    """Time of the book's last change."""
    book_age_s: int | None
    """Seconds since the book's last change."""
    volume_24h: Micros | None
    end_at: datetime | None
    closed: bool | None


async def take_snapshot(port: ReadPort, values: Values) -> Answered | Refused:
    """Request a token's book, last trade and market at once; only the book is required."""
    named = Values({"token_id": values.texts("token_id")})
    asking = [
        asyncio.create_task(port.ask(READS[name], named, limit=None))
        for name in ("last-trade", "market-by-token")
    ]
    try:
        book = await port.ask(READS["book"], named, limit=None)
        if isinstance(book, Refused):
            return book
        # A book is returned even if its host does not answer: it may come from the running service.
        _ = await asyncio.wait(asking, timeout=FURTHER_S)
        trade, market = (task.result() if task.done() else None for task in asking)
    finally:
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
    found = next((item for item in book.items if isinstance(item, Book)), None)
    if found is None:
        raise ValueError("a book that is none")
    snapshot = _combine(found, _last_of(trade), _market_of(market), port.now())
    return Answered((snapshot,), book.as_of, book.source)


def _combine(
    book: Book, trade: LastTradePrice | None, market: Market | None, now: datetime
) -> MarketSnapshot:
    bid, ask = _first(book.bids), _first(book.asks)
    labels = [o.label for o in market.outcomes if o.token_id == book.token_id] if market else []
    return MarketSnapshot(
        token_id=book.token_id,
        condition_id=book.condition_id,
        question=market.question if market else "",
        outcome=labels[0] if labels else "",
        best_bid=bid.price if bid else None,
        best_bid_size=bid.size if bid else None,
        best_ask=ask.price if ask else None,
        best_ask_size=ask.size if ask else None,
        midpoint=Micros((bid.price + ask.price) // 2) if bid and ask else None,
        spread=Micros(ask.price - bid.price) if bid and ask else None,
        last_trade_price=trade.price if trade and trade.side else book.last_trade_price,
        last_trade_side=trade.side if trade else None,
        tick_size=book.tick_size,
        min_order_size=book.min_order_size,
        neg_risk=book.neg_risk,
        worth=book.worth,
        book_at=book.at,
        book_age_s=None if book.at is None else max(0, int((now - book.at).total_seconds())),
        volume_24h=market.volume_24h if market else None,
        end_at=market.end_at if market else None,
        closed=market.closed if market else None,
    )


def _first(levels: tuple[BookLevel, ...]) -> BookLevel | None:
    return levels[0] if levels else None


def _last_of(answer: Answered | Refused | None) -> LastTradePrice | None:
    items = answer.items if isinstance(answer, Answered) else ()
    return next((item for item in items if isinstance(item, LastTradePrice)), None)


def _market_of(answer: Answered | Refused | None) -> Market | None:
    items = answer.items if isinstance(answer, Answered) else ()
    return next((item for item in items if isinstance(item, Market)), None)
