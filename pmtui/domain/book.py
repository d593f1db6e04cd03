"""One token's order book, built from a snapshot and the absolute sizes that follow it.

Prices are integers, sizes stay the texts that came, because the venue's hash is taken over them.
Refuses nothing that was decoded: a change for a level it does not have is ignored, changes before
a snapshot or on a grid that is gone do not show.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import product
from typing import final

from pmtui.domain.book_hash import HashTerms, hash_of, levels_text, terms_of, trade_price_text
from pmtui.domain.book_texts import (
    KEPT_SIZES,
    PRICES,
    kept_size,
    price_text,
    read_price,
    read_size,
)
from pmtui.domain.book_view import BookState, BookView, Level
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.market_events import BookSnapshot, LevelChange, TextLevel
from pmtui.domain.money import ONE, Micros, MoneyError, format_micros, parse_micros

ANNOUNCED = 9
"""Hashes that are remembered: frames arrive up to seven too early (recordings of 2026)."""
_NO_BID = Micros(-1)
_NO_ASK = Micros(ONE + 1)
"""Tops of empty sides, so that comparing with them needs no question."""
_NO_PRICES = ("", "0", "1")
"""What a change says of the top of an empty side; no order can rest there."""


@final
class OrderBook:
    """Bids and asks of one token."""

    __slots__ = (
        "_ask_levels",
        "_asks",
        "_bid_levels",
        "_bids",
        "_last_price",
        "_last_texts",
        "_phase",
        "_price_texts",
        "_tick_size",
        "_top_ask",
        "_top_bid",
        "_trust",
        "_version",
        "_view",
        "announced",
        "condition_id",
        "terms",
        "token_id",
    )

    def __init__(self, token_id: TokenId, *, terms: HashTerms | None = None) -> None:
        """Start without levels.

        Args:
            token_id: whose book it is.
            terms: where they are known from the market's data; else the snapshots tell.
        """
        self.token_id = token_id
        self.condition_id = ConditionId("")
        self.terms = terms
        self.announced: deque[tuple[str, str]] = deque(maxlen=ANNOUNCED)
        """Moments, as sent, and the hashes the venue gave for its book after them; newest last."""
        self._version = 0
        self._bids: dict[Micros, str] = {}
        self._asks: dict[Micros, str] = {}
        self._price_texts: dict[Micros, str] = {}
        self._top_bid = _NO_BID
        self._top_ask = _NO_ASK
        # None marks a side that has changed since it was last looked at.
        self._bid_levels: tuple[Level, ...] | None = None
        self._ask_levels: tuple[Level, ...] | None = None
        self._last_texts: tuple[str, ...] = ("",)
        self._last_price: Micros | None = None
        self._tick_size: Micros | None = None
        self._phase: BookState | None = BookState.LOADING
        self._trust = BookState.LIVE
        self._view: BookView | None = None

    @property
    def best_bid(self) -> Micros | None:
        """Highest price somebody pays."""
        return self._top_bid if self._phase is None and self._top_bid >= 0 else None

    @property
    def best_ask(self) -> Micros | None:
        """Lowest price somebody asks."""
        return self._top_ask if self._phase is None and self._top_ask <= ONE else None

    @property
    def has_levels(self) -> bool:
        """Whether a snapshot has come that still holds, be it of an empty book."""
        return self._phase is None

    @property
    def is_crossed(self) -> bool:
        """Whether somebody would pay at least what somebody asks: then something was missed."""
        return self._phase is None and self._top_bid >= self._top_ask

    @property
    def state(self) -> BookState:
        """Whether the book may be traded from."""
        if self._phase is not None:
            return self._phase
        if self._trust is not BookState.STALE and self.is_crossed:
            return BookState.CROSSED
        return self._trust

    def trust(self, state: BookState) -> None:
        """Say how far the levels can be believed: LIVE, VERIFIED, STALE or LOSSY."""
        self._trust = state

    def mark_missing(self) -> None:
        """Note that the venue has no book for this token."""
        self._clear(BookState.NO_BOOK)

    def apply_snapshot(self, snapshot: BookSnapshot) -> None:
        """Put a whole book in the place of what was there.

        Raises:
            MoneyError: a level that is no price or size; the book is left as it was.
        """
        bids, asks = _read_levels(snapshot.bids), _read_levels(snapshot.asks)
        tick_size = parse_micros(snapshot.tick_size) if snapshot.tick_size else self._tick_size
        last = snapshot.last_trade_price
        last_price = read_price(last) if last else None
        self.condition_id = snapshot.condition_id
        self._bids, self._asks = bids, asks
        self._price_texts = _unusual_texts((*snapshot.bids, *snapshot.asks))
        self._top_bid, self._top_ask = max(bids, default=_NO_BID), min(asks, default=_NO_ASK)
        self._bid_levels = self._ask_levels = None
        self._tick_size = tick_size
        if last is not None:
            self._last_texts = (last,)
            self._last_price = last_price
        self._phase = None
        self._trust = BookState.LIVE
        self.announced.clear()
        if snapshot.hash:
            self.announced.append((snapshot.timestamp, snapshot.hash))
        self.terms = terms_of(snapshot, self.terms)

    def apply_change(self, change: LevelChange, timestamp: str = "") -> None:
        """Set one level to its new size, or remove it, and remember the hash that came with it.

        A change that cannot be read was meant for some level, so the book is LOSSY after it.

        Args:
            change: of this token.
            timestamp: of the message in milliseconds, as sent.
        """
        if change.hash:
            self.announced.append((timestamp, change.hash))
        try:
            # Nearly every text has come before; a new one pays for its reading.
            price = PRICES[change.price]
            size = KEPT_SIZES[change.size]
        except KeyError:
            try:
                price = read_price(change.price)
                size = kept_size(change.size)
            except MoneyError:
                self._trust = BookState.LOSSY
                return
        # Compared by hand below: max() and min() would take as long as all the rest.
        if change.side == "BUY":
            self._bid_levels = None
            if size:
                self._bids[price] = size
                if price > self._top_bid:  # noqa: PLR1730  see above
                    self._top_bid = price
            elif self._bids.pop(price, None) is not None and price == self._top_bid:
                self._top_bid = max(self._bids, default=_NO_BID)
        else:
            self._ask_levels = None
            if size:
                self._asks[price] = size
                if price < self._top_ask:  # noqa: PLR1730  see above
                    self._top_ask = price
            elif self._asks.pop(price, None) is not None and price == self._top_ask:
                self._top_ask = min(self._asks, default=_NO_ASK)

    def apply_trade_price(self, price: Micros) -> None:
        """Note the price of a public trade in this market; both tokens share it.

        The one before stays a candidate: a book's hash may already use the price of a trade whose
        event comes up to 90 ms later, or still the old one.
        """
        text = trade_price_text(price)
        if text != self._last_texts[0]:
            self._last_texts = (text, self._last_texts[0])
        if price != self._last_price:
            self._last_price = price
            self._bid_levels = None

    def apply_tick_size(self, tick_size: Micros) -> None:
        """Change the grid: levels of the old one are void until a snapshot comes."""
        self._clear(BookState.REGRIDDING)
        self._tick_size = tick_size
        if self.terms is not None:
            self.terms = replace(self.terms, tick_size=format_micros(tick_size))

    def agrees_with(self, change: LevelChange) -> bool:
        """Return whether our top is the one that a change says there is after it."""
        return _is_top(change.best_bid, self.best_bid) and _is_top(change.best_ask, self.best_ask)

    def state_hash(self, timestamp: str, last_trade_price: str) -> str | None:
        """Return the hash of the book as it is now; None while the terms are not all known.

        Args:
            timestamp: of the event whose hash is to be checked, in milliseconds, as sent.
            last_trade_price: three decimals, or empty.
        """
        if self.terms is None or self.terms.neg_risk is None:
            return None
        bids, asks = self._hashed_sides()
        return hash_of(
            self.condition_id,
            self.token_id,
            timestamp,
            bids=bids,
            asks=asks,
            terms=self.terms,
            last_trade_price=last_trade_price,
        )

    def matches(self, expected: Iterable[tuple[str, str]]) -> bool:
        """Return whether one of some (timestamp, hash) pairs is of the book as it is now.

        A match also settles what was open: the negative-risk flag where no snapshot carried it,
        and which of two trade prices is the last.
        """
        if self.terms is None or self._phase is not None:
            return False
        bids, asks = self._hashed_sides()
        by_time: dict[str, set[str]] = {}
        for timestamp, digest in expected:
            by_time.setdefault(timestamp, set()).add(digest)
        candidates = product(by_time.items(), self.terms.alternatives(), self._last_texts)
        for (timestamp, digests), terms, last in candidates:
            found = hash_of(
                self.condition_id,
                self.token_id,
                timestamp,
                bids=bids,
                asks=asks,
                terms=terms,
                last_trade_price=last,
            )
            if found in digests:
                self.terms = terms
                if last == self._last_texts[0]:
                    self._last_texts = (last,)
                return True
        return False

    def view(self, now: datetime) -> BookView:
        """Return the book as everyone else sees it; the same object until something changes.

        Args:
            now: becomes `as_of` of a view that tells something new.
        """
        view, state = self._view, self.state
        bids, asks = self._bid_levels, self._ask_levels
        if view is not None and bids is not None and asks is not None:
            if view.state is not state:
                self._view = view = replace(view, state=state)
            return view
        is_shown = self._phase is None
        if bids is None:
            held = sorted(self._bids.items(), reverse=True) if is_shown else ()
            bids = self._bid_levels = tuple([Level(p, read_size(s)) for p, s in held])
        if asks is None:
            held = sorted(self._asks.items()) if is_shown else ()
            asks = self._ask_levels = tuple([Level(p, read_size(s)) for p, s in held])
        self._version += 1
        self._view = BookView(
            self.token_id,
            state,
            bids=bids,
            asks=asks,
            tick_size=self._tick_size,
            last_trade_price=self._last_price,
            as_of=now if is_shown else None,
            version=self._version,
        )
        return self._view

    def _clear(self, phase: BookState) -> None:
        self._phase = phase
        self._bids, self._asks, self._price_texts = {}, {}, {}
        self._top_bid, self._top_ask = _NO_BID, _NO_ASK
        self._bid_levels = self._ask_levels = None

    def _hashed_sides(self) -> tuple[str, str]:
        unusual = self._price_texts
        bids = [
            (unusual.get(price) or price_text(price), size)
            for price, size in sorted(self._bids.items())
        ]
        asks = [
            (unusual.get(price) or price_text(price), size)
            for price, size in sorted(self._asks.items(), reverse=True)
        ]
        return levels_text(bids), levels_text(asks)


def _read_levels(levels: tuple[TextLevel, ...]) -> dict[Micros, str]:
    return {read_price(level.price): level.size for level in levels if read_size(level.size)}


def _unusual_texts(levels: tuple[TextLevel, ...]) -> dict[Micros, str]:
    pairs = ((read_price(level.price), level.price) for level in levels)
    return {price: text for price, text in pairs if text != price_text(price)}


def _is_top(said: str, ours: Micros | None) -> bool:
    if ours is None:
        return said in _NO_PRICES
    try:
        return not said or read_price(said) == ours
    except MoneyError:
        return False
