"""One token's book as the service writes it, and the hash over that text.

Source of the canonical form: docs/wire.md#books, checked there against recorded production books.
"""

import hashlib

import msgspec

from pmtui.domain.money import Micros, format_micros
from pmtui.sim.engine.terms import BookView, Level, MarketView


class BookRow(msgspec.Struct, frozen=True):
    """Price and size of one level, decimals as text."""

    price: str
    size: str


class BookDocument(msgspec.Struct):
    """A book; the order of the fields is part of what is hashed."""

    market: str
    asset_id: str
    timestamp: str
    """Unix milliseconds of the last change."""
    hash: str
    bids: tuple[BookRow, ...]
    """Ascending: the best is last."""
    asks: tuple[BookRow, ...]
    """Descending: the best is last."""
    min_order_size: str
    tick_size: str
    neg_risk: bool
    last_trade_price: str
    """Three decimals at least; empty where the market never traded."""


_encoder = msgspec.json.Encoder()


def book_document(
    book: BookView, market: MarketView, *, timestamp_ms: int | None = None
) -> BookDocument:
    """Write a book with its hash.

    Args:
        book: of one of the market's tokens.
        market: its market, for everything around the levels.
        timestamp_ms: None takes the time of the last change, as the service does.
    """
    document = BookDocument(
        market=market.spec.condition_id,
        asset_id=book.token_id,
        timestamp=str(book.changed_ms if timestamp_ms is None else timestamp_ms),
        hash="",
        bids=_rows(book.bids),
        asks=_rows(book.asks),
        min_order_size=format_micros(market.spec.min_size),
        tick_size=format_micros(market.tick_size),
        neg_risk=market.spec.neg_risk,
        last_trade_price=last_price_text(market.last_trade_price),
    )
    document.hash = book_hash(document)
    return document


def book_hash(document: BookDocument) -> str:
    """Return the SHA-1 of the canonical text; whatever hash the document carries is left out."""
    carried, document.hash = document.hash, ""
    canonical = _encoder.encode(document)
    document.hash = carried
    # The service's own choice of hash; it guards against loss, not against people.
    return hashlib.sha1(canonical, usedforsecurity=False).hexdigest()


def last_price_text(price: Micros | None) -> str:
    """Write a last trade price: always three decimals, more where the tick has more."""
    return "" if price is None else format_micros(price, min_decimals=3)


def _rows(levels: tuple[Level, ...]) -> tuple[BookRow, ...]:
    return tuple(BookRow(format_micros(level.price), format_micros(level.size)) for level in levels)
