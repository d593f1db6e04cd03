"""One token's order book, built from a snapshot and the absolute level sizes that follow it.

Prices are integers; sizes stay the texts received, because the venue's hash is taken over them. Both are
parsed exactly and cached, because the same few recur all day: the caches are plain dicts because a lookup is
all that nearly every message needs. Use the functions beside them unless you have measured.

Removing a level that the book does not have is ignored; changes before a snapshot, or between a tick change
and the next snapshot, are not shown.

The two books of one market share their levels for as long as every change is announced for both: a bid of one
outcome is an ask of the other, and the venue announces each change of its one book twice. Callers never
notice: books share levels only while they are exact mirrors, and split before a change that would affect only
one of them. Each still has its own hashes.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import product
from typing import TypeVar, final

from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.books.market_events import BookSnapshot, LevelChange, PriceChanges, TextLevel
from pmtui.domain.books.verification import (
    ANNOUNCED,
    HashTerms,
    hash_of,
    levels_text,
    terms_of,
    trade_price_text,
)
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import (
    ONE,
    PRICE,
    SIZE,
    Micros,
    MoneyError,
    complement,
    format_micros,
    parse_micros,
)

K = TypeVar("K")
V = TypeVar("V")
_REMEMBERED = 10_000
"""Entries per cache: more texts than the grid has prices, as many rows as a hundred books have. Sizes are
unbounded, so a full cache is cleared."""

PRICES: dict[str, Micros] = {}
SIZES: dict[str, Micros] = {}
MIRRORS: dict[str, str] = {}
"""Price texts of one outcome, keyed by those of the other, in the venue's spelling."""
KEPT_SIZES: dict[str, str] = {}
"""Size texts as a book stores them: one shared object per text, empty for zero."""
SIDES = {"BUY": Side.BUY, "SELL": Side.SELL, "buy": Side.BUY, "sell": Side.SELL}
"""Some of the venue's producers write lower case."""

_PRICE_TEXTS: dict[Micros, str] = {}


def read_price(text: str) -> Micros:
    """Parse a price from 0 to 1, both included, because the venue uses them for an empty side.

    Raises:
        MoneyError: the text is not a price.
    """
    price = PRICES.get(text)
    if price is None:
        price = _keep(PRICES, text, Micros(PRICE.check(parse_micros(text))))
    return price


def mirror_text(text: str) -> str:
    """Return the price text for the other outcome.

    Raises:
        MoneyError: the text is not a price.
    """
    mirror = MIRRORS.get(text)
    if mirror is None:
        mirror = _keep(MIRRORS, text, price_text(complement(read_price(text))))
    return mirror


def read_size(text: str) -> Micros:
    """Parse a size.

    Raises:
        MoneyError: the text is not a size, or is negative or too large.
    """
    size = SIZES.get(text)
    if size is None:
        size = _keep(SIZES, text, Micros(SIZE.check(parse_micros(text))))
    return size


def kept_size(text: str) -> str:
    """Return a size text as a book stores it: the text received, or empty for a removed level.

    Raises:
        MoneyError: the text is not a size.
    """
    kept = KEPT_SIZES.get(text)
    if kept is None:
        kept = _keep(KEPT_SIZES, text, text if read_size(text) else "")
    return kept


def price_text(price: Micros) -> str:
    """Return the shortest text of a price, which is the one the venue hashes."""
    text = _PRICE_TEXTS.get(price)
    if text is None:
        text = _keep(_PRICE_TEXTS, price, format_micros(price))
    return text


def _keep(table: dict[K, V], key: K, value: V) -> V:
    if len(table) >= _REMEMBERED:
        table.clear()
    table[key] = value
    return value


Row = tuple[Micros, str]
Rows = tuple[Row, ...]
"""Prices and sizes, best first; the object is replaced when that side changes."""

NO_BID = Micros(-1)
NO_ASK = Micros(ONE + 1)
"""Best prices of empty sides, so that comparisons need no special case; each mirrors the other."""
MOST_LEVELS = 20_000
"""Levels on one side: twice the prices of the finest tick. A host that invents prices cannot
exceed it."""
_TOO_MANY = f"more than {MOST_LEVELS} levels"
_SHOWN: dict[Row, Level] = {}
_SHOWN_MIRRORED: dict[Row, Level] = {}


def show(rows: Rows) -> tuple[Level, ...]:
    """Return rows as public `Level` values."""
    return tuple([_SHOWN.get(row) or _remember(_SHOWN, row, row[0]) for row in rows])


def show_mirrored(rows: Rows) -> tuple[Level, ...]:
    """Return the other token's rows as public levels of this token."""
    known = _SHOWN_MIRRORED
    return tuple([known.get(row) or _remember(known, row, complement(row[0])) for row in rows])


def _remember(known: dict[Row, Level], row: Row, price: Micros) -> Level:
    return _keep(known, row, Level(price, read_size(row[1])))


@final
class Levels:
    """Bids and asks, changed one level at a time."""

    __slots__ = ("_ask_rows", "_asks", "_bid_rows", "_bids", "top_ask", "top_bid")

    def __init__(
        self, bids: dict[Micros, str] | None = None, asks: dict[Micros, str] | None = None
    ) -> None:
        """Start from two sides without zero sizes."""
        self._bids = {} if bids is None else bids
        self._asks = {} if asks is None else asks
        self.top_bid = max(self._bids, default=NO_BID)
        self.top_ask = min(self._asks, default=NO_ASK)
        self._bid_rows: Rows | None = None
        self._ask_rows: Rows | None = None

    @property
    def bid_rows(self) -> Rows:
        """Bids, highest first."""
        rows = self._bid_rows
        if rows is None:
            rows = self._bid_rows = tuple(sorted(self._bids.items(), reverse=True))
        return rows

    @property
    def ask_rows(self) -> Rows:
        """Asks, lowest first."""
        rows = self._ask_rows
        if rows is None:
            rows = self._ask_rows = tuple(sorted(self._asks.items()))
        return rows

    def put(self, side: str, price_text: str, size_text: str) -> None:
        """Set one level to its new size, or remove it; removing a missing level changes nothing.

        Args:
            side: BUY for a bid.
            price_text: as received.
            size_text: as received.

        Raises:
            MoneyError: the price or size is invalid, or there are more levels than prices; nothing has
                changed.
        """
        try:
            # Nearly every text was seen before; only a new one is parsed.
            price = PRICES[price_text]
            size = KEPT_SIZES[size_text]
        except KeyError:
            price = read_price(price_text)
            size = kept_size(size_text)
        # Compared by hand: max() and min() would take as long as everything else here.
        if side == "BUY":
            self._bid_rows = None
            if size:
                if len(self._bids) >= MOST_LEVELS and price not in self._bids:
                    raise MoneyError(_TOO_MANY)
                self._bids[price] = size
                if price > self.top_bid:  # noqa: PLR1730  see above
                    self.top_bid = price
            elif self._bids.pop(price, None) is not None and price == self.top_bid:
                self.top_bid = max(self._bids, default=NO_BID)
        else:
            self._ask_rows = None
            if size:
                if len(self._asks) >= MOST_LEVELS and price not in self._asks:
                    raise MoneyError(_TOO_MANY)
                self._asks[price] = size
                if price < self.top_ask:  # noqa: PLR1730  see above
                    self.top_ask = price
            elif self._asks.pop(price, None) is not None and price == self.top_ask:
                self.top_ask = min(self._asks, default=NO_ASK)

    def mirrored(self) -> "Levels":
        """Return the levels in terms of the market's other token: bids become asks."""
        return Levels(_complements(self._asks), _complements(self._bids))

    def is_mirror_of(self, other: "Levels") -> bool:
        """Whether the levels equal others given in terms of the market's other token."""
        return (
            len(self._bids) == len(other._asks)
            and len(self._asks) == len(other._bids)
            and self._bids == _complements(other._asks)
            and self._asks == _complements(other._bids)
        )


def _complements(side: dict[Micros, str]) -> dict[Micros, str]:
    return {complement(price): size for price, size in side.items()}


_NO_ROWS: Rows = ()


@final
class OrderBook:
    """Order book of one token."""

    __slots__ = (
        "_announced",
        "_ask_levels",
        "_bid_levels",
        "_is_mirrored",
        "_last_price",
        "_last_texts",
        "_levels",
        "_mirror",
        "_own_last",
        "_phase",
        "_price_texts",
        "_read_rows",
        "_tick_size",
        "_trust",
        "_version",
        "_view",
        "condition_id",
        "terms",
        "token_id",
    )

    def __init__(self, token_id: TokenId, *, terms: HashTerms | None = None) -> None:
        """Start without levels.

        Args:
            token_id: the token.
            terms: if known from the market's data; else the snapshots contain them.
        """
        self.token_id = token_id
        self.condition_id = ConditionId("")
        self.terms = terms
        self._announced: deque[tuple[str, str]] = deque(maxlen=ANNOUNCED)
        self._version = 0
        self._levels = Levels()
        self._is_mirrored = False
        """Whether the levels are stored in terms of the market's other token."""
        self._mirror: MirroredBooks | None = None
        self._price_texts: dict[Micros, str] = {}
        # The rows that a view was built from: a side with different rows has changed since.
        self._read_rows = (_NO_ROWS, _NO_ROWS)
        self._bid_levels: tuple[Level, ...] = ()
        self._ask_levels: tuple[Level, ...] = ()
        self._last_texts: tuple[str, ...] = ("",)
        self._last_price: Micros | None = None
        self._own_last: Micros | None = None
        self._tick_size: Micros | None = None
        self._phase: BookState | None = BookState.LOADING
        self._trust = BookState.LIVE
        self._view: BookView | None = None

    @property
    def best_bid(self) -> Micros | None:
        """The highest price that is bid."""
        levels = self._levels
        top = complement(levels.top_ask) if self._is_mirrored else levels.top_bid
        return top if self._phase is None and top > NO_BID else None

    @property
    def best_ask(self) -> Micros | None:
        """The lowest price that is asked."""
        levels = self._levels
        top = complement(levels.top_bid) if self._is_mirrored else levels.top_ask
        return top if self._phase is None and top < NO_ASK else None

    @property
    def has_levels(self) -> bool:
        """Whether a valid snapshot has arrived, even of an empty book."""
        return self._phase is None

    @property
    def is_crossed(self) -> bool:
        """Whether the best bid is at or above the best ask: then a message was missed."""
        return self._phase is None and self._levels.top_bid >= self._levels.top_ask

    @property
    def announced(self) -> deque[tuple[str, str]]:
        """Timestamps, as sent, with the hashes that the venue announced for them; newest last."""
        if self._mirror is not None:
            self._mirror.announce()
        return self._announced

    @property
    def state(self) -> BookState:
        """Whether the book may be used for trading."""
        if self._phase is not None:
            return self._phase
        is_old = self._trust in (BookState.STALE, BookState.OVERDUE)
        if not is_old and self.is_crossed:
            return BookState.CROSSED
        return self._trust

    def trust(self, state: BookState) -> None:
        """Set how far the levels can be trusted: LIVE, VERIFIED, STALE, OVERDUE or LOSSY."""
        self._trust = state

    def mark_missing(self) -> None:
        """Note that the venue has no book for this token."""
        self._clear(BookState.NO_BOOK)

    def mark_overdue(self) -> None:
        """Note that its snapshot is overdue."""
        if self._phase is None:
            self._trust = BookState.OVERDUE
        elif self._phase is BookState.LOADING:
            self._clear(BookState.OVERDUE)

    def apply_snapshot(self, snapshot: BookSnapshot) -> None:
        """Replace the whole book.

        Raises:
            MoneyError: a level has an invalid price or size; the book is unchanged.
        """
        bids, asks = _read_levels(snapshot.bids), _read_levels(snapshot.asks)
        tick_size = parse_micros(snapshot.tick_size) if snapshot.tick_size else self._tick_size
        last = snapshot.last_trade_price
        last_price = read_price(last) if last else None
        self._replace_levels(Levels(bids, asks))
        self.condition_id = snapshot.condition_id
        self._price_texts = _unusual_texts((*snapshot.bids, *snapshot.asks))
        self._tick_size = tick_size
        if last is not None:
            self._last_texts = (last,)
            if last_price != self._last_price:
                self._last_price, self._own_last = last_price, None
        self._phase = None
        self._trust = BookState.LIVE
        self._announced.clear()
        self.announce(snapshot.timestamp, snapshot.hash)
        self.terms = terms_of(snapshot, self.terms)

    def apply_change(self, change: LevelChange, timestamp: str = "") -> None:
        """Set one level to its new size, or remove it, and record the hash that came with it.

        An unreadable change was meant for some level, so the book is LOSSY after it.

        Args:
            change: for this token.
            timestamp: of the message in milliseconds, as sent.
        """
        if self._mirror is not None:
            self._mirror.split()
        self.announce(timestamp, change.hash)
        try:
            self._levels.put(change.side, change.price, change.size)
        except MoneyError:
            self._trust = BookState.LOSSY

    def announce(self, timestamp: str, digest: str) -> None:
        """Record the hash that the venue announced after a change; ignore an empty one."""
        if digest:
            self._announced.append((timestamp, digest))

    def apply_trade_price(self, price: Micros, *, of: TokenId | None = None) -> None:
        """Record the price of a public trade in this market; both tokens share it.

        The previous price stays a candidate: a book's hash may already use the price of a trade
        whose event arrives up to 90 ms later, or still the old one.
        """
        text = trade_price_text(price)
        if text != self._last_texts[0]:
            self._last_texts = (text, self._last_texts[0])
        own = None if of is None else price if of == self.token_id else complement(price)
        if (price, own) != (self._last_price, self._own_last):
            self._last_price, self._own_last = price, own
            self._view = None

    def apply_own_last_price(self, price: Micros) -> None:
        """Record the price of the newest known trade, in terms of this token.

        A snapshot contains one price for both tokens, without saying whose it is.
        """
        if price != self._own_last and self._last_price in (price, complement(price)):
            self._own_last = price
            self._view = None

    @property
    def tick_size(self) -> Micros | None:
        """The tick size, if it is known."""
        return self._tick_size

    def apply_tick_size(self, tick_size: Micros) -> None:
        """Change the tick size: the old levels are void until a snapshot arrives."""
        self._clear(BookState.TICK_CHANGED)
        self._tick_size = tick_size
        if self.terms is not None:
            self.terms = replace(self.terms, tick_size=format_micros(tick_size))

    def is_mirror_of(self, other: "OrderBook") -> bool:
        """Whether the other token's book holds exactly the same levels, and neither is shared yet."""
        return (
            self._mirror is None
            and other._mirror is None
            and self.has_levels
            and other.has_levels
            and not (self._price_texts or other._price_texts)
            and self._levels.is_mirror_of(other._levels)
        )

    def attach(self, mirror: "MirroredBooks") -> Levels:
        """Return the levels, which the caller keeps up to date from now on."""
        self._mirror = mirror
        return self._levels

    def attach_mirrored(self, levels: Levels, mirror: "MirroredBooks") -> None:
        """Use levels that equal ours, given in terms of the market's other token."""
        self._levels, self._is_mirrored, self._mirror = levels, True, mirror

    def take_levels(self, levels: Levels) -> None:
        """Use levels in this token's terms that nothing else shares."""
        self._levels, self._is_mirrored, self._mirror = levels, False, None

    def state_hash(self, timestamp: str, last_trade_price: str) -> str | None:
        """Return the hash of the current book; None while some of its terms are unknown.

        Args:
            timestamp: of the event whose hash is to be checked, in milliseconds, as sent.
            last_trade_price: three decimals, or empty.
        """
        if self.terms is None or self.terms.neg_risk is None:
            return None
        bids, asks = self.written_sides()
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
        """Return whether one of some (timestamp, hash) pairs matches the current book.

        A match also settles what was unknown: the negative-risk flag if no snapshot contained it,
        and which of two trade prices is the last.
        """
        if self.terms is None or self._phase is not None:
            return False
        bids, asks = self.written_sides()
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
        """Return an immutable view of the book; the same object until something changes.

        Args:
            now: becomes `as_of` of a view with new contents.
        """
        view, state, rows = self._view, self.state, self._rows()
        is_same_bids, is_same_asks = (
            mine is read for mine, read in zip(rows, self._read_rows, strict=True)
        )
        if view is not None and is_same_bids and is_same_asks:
            if view.state is not state:
                self._view = view = replace(view, state=state)
            return view
        self._read_rows = rows
        shown = show_mirrored if self._is_mirrored else show
        if not is_same_bids:
            self._bid_levels = shown(rows[0])
        if not is_same_asks:
            self._ask_levels = shown(rows[1])
        self._version += 1
        self._view = BookView(
            self.token_id,
            state,
            bids=self._bid_levels,
            asks=self._ask_levels,
            tick_size=self._tick_size,
            last_trade_price=self._last_price,
            own_last=self._own_last,
            as_of=now if self._phase is None else None,
            version=self._version,
        )
        return self._view

    def _clear(self, phase: BookState) -> None:
        self._replace_levels(Levels())
        self._phase = phase
        self._price_texts = {}

    def _replace_levels(self, levels: Levels) -> None:
        if self._mirror is not None:
            self._mirror.split()
        self.take_levels(levels)
        self._view = None

    def _rows(self) -> tuple[Rows, Rows]:
        """Return bids and asks, best first; shared ones still with the other token's prices."""
        if self._phase is not None:
            return _NO_ROWS, _NO_ROWS
        bids, asks = self._levels.bid_rows, self._levels.ask_rows
        return (asks, bids) if self._is_mirrored else (bids, asks)

    @property
    def last_trade_text(self) -> str:
        """The last trade price as it is hashed; empty if no trade is known."""
        return self._last_texts[0]

    def written_sides(self) -> tuple[str, str]:
        """Return bids and asks as they are hashed: JSON levels, the best last on both sides."""
        bids, asks = self._rows()
        return self._hashed(bids), self._hashed(asks)

    def _hashed(self, rows: Rows) -> str:
        """Return one side as it is hashed: best last."""
        if self._is_mirrored:
            return levels_text([(price_text(complement(p)), s) for p, s in reversed(rows)])
        unusual = self._price_texts
        return levels_text([(unusual.get(p) or price_text(p), s) for p, s in reversed(rows)])


def _read_levels(levels: tuple[TextLevel, ...]) -> dict[Micros, str]:
    return {read_price(level.price): level.size for level in levels if read_size(level.size)}


def _unusual_texts(levels: tuple[TextLevel, ...]) -> dict[Micros, str]:
    pairs = ((read_price(level.price), level.price) for level in levels)
    return {price: text for price, text in pairs if text != price_text(price)}


@final
class MirroredBooks:
    """Two books that share their levels until they `split`; they are not joined again."""

    __slots__ = ("_first", "_first_id", "_levels", "_recent", "_second", "_second_id")

    def __init__(self, first: OrderBook, second: OrderBook) -> None:
        """Share one set of levels between two books."""
        self._first, self._first_id = first, first.token_id
        self._second, self._second_id = second, second.token_id
        self._recent: deque[tuple[str, str, str]] = deque(maxlen=ANNOUNCED)
        """Timestamps with both hashes that the books have not received yet."""
        self._levels: Levels | None = first.attach(self)
        second.attach_mirrored(self._levels, self)

    def apply(self, event: PriceChanges) -> bool:
        """Apply changes that affect both books alike; return False, with nothing done, for others."""
        levels, changes = self._levels, event.changes
        if levels is None or len(changes) != 2:
            return False
        mine, other = changes
        if mine.asset_id != self._first_id:
            mine, other = other, mine
            if mine.asset_id != self._first_id:
                return False
        price, size = mine.price, mine.size
        try:
            if (
                other.price != (MIRRORS.get(price) or mirror_text(price))
                or other.size != size
                or other.side == mine.side
                or other.asset_id != self._second_id
            ):
                return False
            levels.put(mine.side, price, size)
        except MoneyError:
            return False
        # Not the event itself: storing thousands of those would cost more than applying them.
        self._recent.append((event.timestamp, mine.hash, other.hash))
        return True

    def announce(self) -> None:
        """Pass the hashes received since the last call to both books."""
        for timestamp, first_hash, second_hash in self._recent:
            self._first.announce(timestamp, first_hash)
            self._second.announce(timestamp, second_hash)
        self._recent.clear()

    def split(self) -> None:
        """Give each book levels of its own."""
        if self._levels is not None:
            self.announce()
            self._first.take_levels(self._levels)
            self._second.take_levels(self._levels.mirrored())
            self._levels = None
