"""Resting sizes by price: both sides, the best of each at hand, the sorted rows remembered.

Sizes stay the texts that came; prices and sizes are read exactly and remembered, because the same
few come all day. The tables are plain dicts because looking up is all that happens to nearly every
message; what is not in them yet goes through the functions. Use the functions unless you have
measured. One `Levels` serves one token, or both tokens of a market.
"""

from typing import final

from pmtui.domain.books.book_view import Level
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

_REMEMBERED = 100_000
"""More texts than the grid and a day's sizes have; a full table starts again."""

PRICES: dict[str, Micros] = {}
SIZES: dict[str, Micros] = {}
MIRRORS: dict[str, str] = {}
"""Prices of one outcome, in the venue's spelling, by those of the other."""
KEPT_SIZES: dict[str, str] = {}
"""Sizes as a book keeps them: one object for all levels of a text, empty where nothing is left."""
SIDES = {"BUY": Side.BUY, "SELL": Side.SELL, "buy": Side.BUY, "sell": Side.SELL}
"""Some producers of the venue write lower case."""

_PRICE_TEXTS: dict[Micros, str] = {}


def read_price(text: str) -> Micros:
    """Read a price: between 0 and 1, both included, for an empty side is told so.

    Raises:
        MoneyError: it is none.
    """
    price = PRICES.get(text)
    if price is None:
        price = Micros(PRICE.check(parse_micros(text)))
        _make_room(PRICES)
        PRICES[text] = price
    return price


def mirror_text(text: str) -> str:
    """Return what the price of one outcome is for the other.

    Raises:
        MoneyError: it is no price.
    """
    mirror = MIRRORS.get(text)
    if mirror is None:
        mirror = price_text(complement(read_price(text)))
        _make_room(MIRRORS)
        MIRRORS[text] = mirror
    return mirror


def read_size(text: str) -> Micros:
    """Read a size.

    Raises:
        MoneyError: it is none, negative, or larger than any.
    """
    size = SIZES.get(text)
    if size is None:
        size = Micros(SIZE.check(parse_micros(text)))
        _make_room(SIZES)
        SIZES[text] = size
    return size


def kept_size(text: str) -> str:
    """Return a size as a book keeps it: the text that came, or nothing for a level that is gone.

    Raises:
        MoneyError: it is no size.
    """
    kept = KEPT_SIZES.get(text)
    if kept is None:
        kept = text if read_size(text) else ""
        _make_room(KEPT_SIZES)
        KEPT_SIZES[text] = kept
    return kept


def price_text(price: Micros) -> str:
    """Write the shortest text of a price, which is the one the venue hashes."""
    text = _PRICE_TEXTS.get(price)
    if text is None:
        _make_room(_PRICE_TEXTS)
        text = _PRICE_TEXTS[price] = format_micros(price)
    return text


def _make_room(table: dict[str, Micros] | dict[Micros, str] | dict[str, str]) -> None:
    if len(table) >= _REMEMBERED:
        table.clear()


Row = tuple[Micros, str]
Rows = tuple[Row, ...]
"""Prices and sizes, best first; the same object until that side changes."""

NO_BID = Micros(-1)
NO_ASK = Micros(ONE + 1)
"""Tops of empty sides, so that comparing with them needs no question; each mirrors the other."""
MOST_LEVELS = 20_000
"""Of one side: twice the prices of the finest tick. A host that invents prices gets no further."""
_TOO_MANY = f"more than {MOST_LEVELS} levels"
_ROWS_REMEMBERED = 60_000
"""More rows than five hundred books usually have; a full table starts again."""
_SHOWN: dict[Row, Level] = {}
_SHOWN_MIRRORED: dict[Row, Level] = {}


def show(rows: Rows) -> tuple[Level, ...]:
    """Return rows as everyone else sees them."""
    return tuple([_SHOWN.get(row) or _remember(_SHOWN, row, row[0]) for row in rows])


def show_mirrored(rows: Rows) -> tuple[Level, ...]:
    """Return rows of the market's other token as this token's."""
    known = _SHOWN_MIRRORED
    return tuple([known.get(row) or _remember(known, row, complement(row[0])) for row in rows])


def _remember(known: dict[Row, Level], row: Row, price: Micros) -> Level:
    if len(known) >= _ROWS_REMEMBERED:
        known.clear()
    level = known[row] = Level(price, read_size(row[1]))
    return level


@final
class Levels:
    """Bids and asks, changed one level at a time."""

    __slots__ = ("_ask_rows", "_asks", "_bid_rows", "_bids", "top_ask", "top_bid")

    def __init__(
        self, bids: dict[Micros, str] | None = None, asks: dict[Micros, str] | None = None
    ) -> None:
        """Take over two sides; sizes of zero are not among them."""
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
        """Set one level to its new size, or remove it; removing what is not there changes nothing.

        Args:
            side: BUY for a bid.
            price_text: as it came.
            size_text: as it came.

        Raises:
            MoneyError: no price or no size, or more levels than there are prices; nothing has changed.
        """
        try:
            # Nearly every text has come before; a new one pays for its reading.
            price = PRICES[price_text]
            size = KEPT_SIZES[size_text]
        except KeyError:
            price = read_price(price_text)
            size = kept_size(size_text)
        # Compared by hand below: max() and min() would take as long as all the rest.
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
        """Return what these are in terms of the market's other token: bids become asks."""
        return Levels(_complements(self._asks), _complements(self._bids))

    def is_mirror_of(self, other: "Levels") -> bool:
        """Whether these are the same levels in terms of the market's other token."""
        return (
            len(self._bids) == len(other._asks)
            and len(self._asks) == len(other._bids)
            and self._bids == _complements(other._asks)
            and self._asks == _complements(other._bids)
        )


def _complements(side: dict[Micros, str]) -> dict[Micros, str]:
    return {complement(price): size for price, size in side.items()}
