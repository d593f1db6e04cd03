"""A market's book as text, kept current level by level, so that a hash costs little more than SHA-1.

The engine's book is already at its final state when events arrive; the hash of a change is that of
the book right after it. So each watched market has a ladder of its own, fed by the changes.
"""

import hashlib
from bisect import bisect_left
from functools import lru_cache

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, complement, format_micros
from pmtui.sim.clob.books import last_price_text
from pmtui.sim.engine.events import LevelChanged
from pmtui.sim.engine.terms import BookView, MarketView

price_text = lru_cache(maxsize=4_096)(format_micros)
"""Prices lie on a grid, so there are few of them."""


class HalfBook:
    """One side of the first token's book, which is the other side of the second token's.

    Levels are kept with the best last, which is the order of the wire for both tokens.
    """

    __slots__ = ("_joined", "_keys", "_rows", "_sign")

    def __init__(self, *, is_bid: bool) -> None:
        self._sign = 1 if is_bid else -1
        self._keys: list[int] = []
        self._rows: tuple[list[str], list[str]] = ([], [])
        self._joined: list[str | None] = [None, None]

    def put(self, price: Micros, size: Micros) -> None:
        """Give a level of the first token's book a new size; 0 removes it."""
        key = price * self._sign
        index = bisect_left(self._keys, key)
        is_there = index < len(self._keys) and self._keys[index] == key
        self._joined = [None, None]
        if not size:
            if is_there:
                del self._keys[index], self._rows[0][index], self._rows[1][index]
            return
        text = format_micros(size)
        mine = f'{{"price":"{price_text(price)}","size":"{text}"}}'
        other = f'{{"price":"{price_text(complement(price))}","size":"{text}"}}'
        if is_there:
            self._rows[0][index], self._rows[1][index] = mine, other
        else:
            self._keys.insert(index, key)
            self._rows[0].insert(index, mine)
            self._rows[1].insert(index, other)

    def text(self, token_index: int) -> str:
        """Return the levels in prices of one token, as inside a JSON array."""
        joined = self._joined[token_index]
        if joined is None:
            joined = self._joined[token_index] = ",".join(self._rows[token_index])
        return joined


class MarketLadder:
    """Both tokens' books of one market, as the service writes and hashes them."""

    def __init__(self, market: MarketView, book: BookView) -> None:
        """Start from the engine's book.

        Args:
            market: terms and last trade.
            book: of the market's first token.
        """
        self.condition_id = market.spec.condition_id
        self.tokens = market.spec.tokens
        self.last_price = last_price_text(market.last_trade_price)
        self._min_size = format_micros(market.spec.min_size)
        self._neg_risk = "true" if market.spec.neg_risk else "false"
        self._bids, self._asks = HalfBook(is_bid=True), HalfBook(is_bid=False)
        for level in book.bids:
            self._bids.put(level.price, level.size)
        for level in book.asks:
            self._asks.put(level.price, level.size)
        self.changed_ms = book.changed_ms
        self._tail = ""
        self.tick_text = ""
        self.change_tick(market.tick_size)

    def apply(self, change: LevelChanged) -> None:
        """Take over a change of a level."""
        is_first = change.token_id == self.tokens[0]
        price = change.price if is_first else complement(change.price)
        is_bid = (change.side is Side.BUY) == is_first
        (self._bids if is_bid else self._asks).put(price, change.size)
        self.changed_ms = change.at_ms

    def trade_at(self, price: Micros) -> None:
        """Take over the price of a trade."""
        self.last_price = last_price_text(price)
        self._write_tail()

    def change_tick(self, tick_size: Micros) -> None:
        """Take over a new price grid."""
        self.tick_text = format_micros(tick_size)
        self._write_tail()

    def _write_tail(self) -> None:
        self._tail = (
            f'],"min_order_size":"{self._min_size}","tick_size":"{self.tick_text}",'
            f'"neg_risk":{self._neg_risk},"last_trade_price":"{self.last_price}"}}'
        )

    def _sides(self, token_index: int) -> tuple[str, str]:
        bids, asks = self._bids, self._asks
        own, other = (bids, asks) if token_index == 0 else (asks, bids)
        return own.text(token_index), other.text(token_index)

    def hash(self, token_index: int, timestamp_ms: int) -> str:
        """Return the hash of one token's book at a moment (canonical form: `book_json`)."""
        bids, asks = self._sides(token_index)
        canonical = (
            f'{{"market":"{self.condition_id}","asset_id":"{self.tokens[token_index]}",'
            f'"timestamp":"{timestamp_ms}","hash":"","bids":[{bids}],"asks":[{asks}{self._tail}'
        )
        # The service's own choice of hash; it guards against loss, not against people.
        return hashlib.sha1(canonical.encode(), usedforsecurity=False).hexdigest()

    def hashes(self, timestamp_ms: int) -> tuple[str, str]:
        """Return the hashes of both tokens' books at a moment."""
        return self.hash(0, timestamp_ms), self.hash(1, timestamp_ms)

    def book_frame(self, token_index: int, *, with_last_price: bool) -> str:
        """Return one token's `book` event, stamped with the time of the book's last change."""
        bids, asks = self._sides(token_index)
        last = f',"last_trade_price":"{self.last_price}"' if with_last_price else ""
        return (
            f'{{"market":"{self.condition_id}","asset_id":"{self.tokens[token_index]}",'
            f'"timestamp":"{self.changed_ms}","hash":"{self.hash(token_index, self.changed_ms)}",'
            f'"bids":[{bids}],"asks":[{asks}],"tick_size":"{self.tick_text}",'
            f'"event_type":"book"{last}}}'
        )

    def index_of(self, token_id: TokenId) -> int:
        """Return which of the two tokens this is."""
        return self.tokens.index(token_id)
