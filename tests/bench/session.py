"""Made-up market data in the shape, and with the mix of sizes, of what is recorded of the venue.

Every message carries the true hashes of the two books it changes.
"""

import json
from random import Random
from typing import NamedTuple

from pmtui.domain.books.book import OrderBook
from pmtui.domain.books.market_events import BookSnapshot, LevelText, TextLevel
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import ONE, Micros, format_micros

FIRST_TIMESTAMP = "1790000000000"
TIMESTAMP = "1790000000123"


class Session(NamedTuple):
    """What a venue sends: first books, then changes to them; and its own books in the end."""

    snapshots: list[BookSnapshot]
    frames: list[bytes]
    books: dict[str, OrderBook]


def make_session(
    random: Random, *, markets: int, messages: int, first_share: float = 0.0
) -> Session:
    """Return a session with both tokens of some markets; every message changes both.

    Args:
        random: makes everything up.
        markets: how many.
        messages: how many, over all markets.
        first_share: of the messages that the first market has before the rest is shared evenly.
    """
    pairs = [
        (f"0x{random.getrandbits(256):064x}", *(str(random.getrandbits(256)) for _ in "yn"))
        for _ in range(markets)
    ]
    books = [
        BookSnapshot(
            TokenId(token),
            ConditionId(market),
            tuple(TextLevel(f"0.{cents:02d}".rstrip("0"), "100") for cents in range(1, 50)),
            tuple(TextLevel(f"0.{cents:02d}".rstrip("0"), "100") for cents in range(99, 50, -1)),
            timestamp=FIRST_TIMESTAMP,
            hash="",
            tick_size="0.01",
            neg_risk=False,
        )
        for market, *tokens in pairs
        for token in tokens
    ]
    venue = books_of(books)
    frames = []
    for _ in range(messages):
        is_first = random.random() < first_share
        frames.append(_frame(random, venue, *(pairs[0] if is_first else random.choice(pairs))))
    return Session(books, frames, venue)


def books_of(snapshots: list[BookSnapshot]) -> dict[str, OrderBook]:
    """Return books as they are before any change."""
    books: dict[str, OrderBook] = {}
    for snapshot in snapshots:
        books[snapshot.token_id] = OrderBook(snapshot.token_id)
        books[snapshot.token_id].apply_snapshot(snapshot)
    return books


def _frame(random: Random, venue: dict[str, OrderBook], market: str, yes: str, no: str) -> bytes:
    """Return a change of both books of a market, each with its true hash; either comes first."""
    tick, side, opposite = random.randint(1, 49), "BUY", "SELL"
    if random.random() < 0.5:
        tick, side, opposite = 100 - tick, opposite, side
    size = (
        "0"
        if random.random() < 0.1
        else f"{random.choice((5, 10, 25.5, 100, random.randint(1, 90_000) / 100)):g}"
    )
    entries = []
    told = [(yes, tick, side), (no, 100 - tick, opposite)]
    if random.random() < 0.5:
        told.reverse()
    for token, price, its_side in told:
        book, text = venue[token], f"{price / 100:g}"
        book.apply_change(LevelText(token, its_side, text, size))
        entries.append(
            {
                "asset_id": token,
                "price": text,
                "size": size,
                "side": its_side,
                "hash": book.state_hash(TIMESTAMP, ""),
                "best_bid": format_micros(book.best_bid or Micros(0)),
                "best_ask": format_micros(book.best_ask or ONE),
            }
        )
    message = {
        "market": market,
        "price_changes": entries,
        "timestamp": TIMESTAMP,
        "event_type": "price_change",
    }
    return json.dumps(message, separators=(",", ":")).encode()
