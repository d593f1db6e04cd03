"""The ladder: a fixed price axis and what rests, trades and is ours at each of its prices.

Pure. Prices never move; quantities do. A grouped row never looks better than it is: bids fall to
the row below, asks rise to the row above, and each row is a price an order may carry. Everything
on it comes from one view of one book.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.ladder_axis import Axis
from pmtui.domain.books.ladder_marks import (
    NO_MARKS,
    LadderMarks,
    PlacedMarks,
    StopMark,
    place_marks,
)
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.order import Order, OrderStatus, Volume

_ZERO = Micros(0)


class Zone(Enum):
    """Where a price lies against the best two."""

    BID = auto()
    SPREAD = auto()
    ASK = auto()
    NONE = auto()
    """Beyond the touch of a side that has no orders."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One row of the ladder."""

    price: Micros
    zone: Zone
    bid_size: Micros = _ZERO
    ask_size: Micros = _ZERO
    own_bid: Micros = _ZERO
    own_ask: Micros = _ZERO
    has_unknown: bool = False
    """Some of what is ours here may not rest: its order has not been answered."""
    is_scoring: bool = False
    """Some of what is ours here earns rewards, by the venue's own word."""
    ahead: Micros | None = None
    """Estimate of what fills before the first of our orders here; never more than is displayed."""
    ahead_of_last: Micros | None = None
    """The same before the last of them; None where that is no other."""
    depth: Micros = _ZERO
    """All size from the best price of the row's side to this row; 0 on rows without size."""
    traded: Micros = _ZERO
    """Shares traded here since the book is heard."""
    is_last_trade: bool = False
    is_in_band: bool = False
    """Near enough to the middle to earn rewards."""
    is_entry: bool = False
    """The row nearest to the average price paid."""
    is_break_even: bool = False
    """The worst row at which closing loses nothing, fees included."""
    stops: tuple[StopMark, ...] = ()
    """Stops and targets at this price."""
    profit: Micros | None = None
    """What closing everything at this price would bring, net of fees; None with nothing held."""


class Shown(NamedTuple):
    """What a row tells; a row must not count as changed for a number that nobody sees."""

    depth: bool = True
    traded: bool = True
    profit: bool = True
    ahead: bool = True


EVERYTHING = Shown()


@dataclass(slots=True)
class OwnRow:
    """Own orders that share a row."""

    bid: int = 0
    ask: int = 0
    has_unknown: bool = False
    is_scoring: bool = False
    ahead: int | None = None
    ahead_of_last: int | None = None


_NOTHING = OwnRow()


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """One book on an axis. Made by `build_ladder`; rows are put together when they are looked at."""

    axis: Axis
    touch: tuple[Micros | None, Micros | None]
    """Best bid and best ask themselves; grouping does not move them."""
    best_bid: int | None
    """Row of the highest bid."""
    best_ask: int | None
    last: int | None
    """Row of the last trade."""
    middle: int
    """The row to centre on."""
    bids: Mapping[int, int]
    """Size by row."""
    asks: Mapping[int, int]
    own: Mapping[int, OwnRow]
    traded: Mapping[int, int]
    depths: Mapping[int, int]
    placed: PlacedMarks
    shown: Shown = EVERYTHING
    _rungs: dict[int, Rung] = field(default_factory=dict)

    def rung(self, index: int) -> Rung:
        """Return a row, empty or not."""
        found = self._rungs.get(index)
        if found is None:
            found = self._rungs[index] = self._make(index, self.shown)
        return found

    def index_of(self, price: Micros) -> int:
        """Return the row that a price lies on: where a level at it would be counted.

        A price that the grid no longer has, or one inside the spread, lies on the nearest row.
        """
        bid, ask = self.touch
        if self.axis.group > self.axis.tick:
            if bid is not None and price <= bid:
                return self.axis.index_below(price)
            if ask is not None and price >= ask:
                return self.axis.index_above(price)
        return self.axis.nearest(price)

    def rung_at(self, price: Micros, shown: Shown = EVERYTHING) -> Rung:
        """Return the row that a price lies on, told for exactly this price."""
        return self._make(self.index_of(price), shown, price)

    def sizes(self) -> list[int]:
        """Return the larger size of every row that has one, in no order."""
        return [max(size, self.asks.get(index, 0)) for index, size in self.bids.items()] + [
            size for index, size in self.asks.items() if index not in self.bids
        ]

    def zone(self, index: int) -> Zone:
        """Return where a row lies. On a crossed book the bids win."""
        if self.best_bid is not None and index <= self.best_bid:
            return Zone.BID
        if self.best_ask is not None and index >= self.best_ask:
            return Zone.ASK
        return Zone.NONE if self.best_bid is None or self.best_ask is None else Zone.SPREAD

    def side_at(self, price: Micros) -> Side:
        """Return what `enter` does at a price.

        It takes what others have on the row: sells to bids, buys from asks. Where nobody else
        rests, the order joins its own side: what is ours there already, else it buys below the
        best ask and sells above it.
        """
        index = self.index_of(price)
        own, (bid, ask) = self.own.get(index, _NOTHING), self.touch
        if self.bids.get(index, 0) > own.bid and bid is not None and price <= bid:
            return Side.SELL
        if self.asks.get(index, 0) > own.ask:
            return Side.BUY
        if own.bid or own.ask:
            return Side.BUY if own.bid else Side.SELL
        return Side.SELL if ask is not None and price > ask else Side.BUY

    def _make(self, index: int, shown: Shown, at: Micros | None = None) -> Rung:
        price, placed = self.axis.price_at(index) if at is None else at, self.placed
        own = self.own.get(index, _NOTHING)
        bid, ask = self.bids.get(index, 0), self.asks.get(index, 0)
        # The estimate may be of a moment before this book: no two numbers contradict.
        ahead, last = _ahead_within(own, bid, ask) if shown.ahead else (None, None)
        return Rung(
            price=price,
            zone=self.zone(index),
            bid_size=Micros(bid),
            ask_size=Micros(ask),
            own_bid=Micros(own.bid),
            own_ask=Micros(own.ask),
            has_unknown=own.has_unknown,
            is_scoring=own.is_scoring,
            ahead=ahead,
            ahead_of_last=last,
            depth=Micros(self.depths.get(index, 0)) if shown.depth else _ZERO,
            traded=Micros(self.traded.get(index, 0)) if shown.traded else _ZERO,
            is_last_trade=index == self.last,
            is_in_band=placed.band is not None and placed.band.holds(price),
            is_entry=index in placed.entries,
            is_break_even=index in placed.evens,
            stops=placed.stops.get(index, ()),
            profit=placed.marks.profit_at(price) if shown.profit else None,
        )


def build_ladder(
    book: BookView,
    axis: Axis,
    *,
    orders: Iterable[Order] = (),
    volume: Volume = (),
    marks: LadderMarks = NO_MARKS,
    shown: Shown = EVERYTHING,
) -> Ladder:
    """Place a book, own orders and traded volume of one token on an axis. Every level lands on a row.

    Without depth a row depends on its own level alone, so that fewer rows change.
    """
    bids: dict[int, int] = defaultdict(int)
    asks: dict[int, int] = defaultdict(int)
    for level in book.bids:
        bids[axis.index_below(level.price)] += level.size
    for level in book.asks:
        asks[axis.index_above(level.price)] += level.size
    traded: dict[int, int] = defaultdict(int)
    for price, size in volume:
        traded[axis.nearest(price)] += size
    last_price = book.own_last_price
    last = None if last_price is None else axis.nearest(last_price)
    return Ladder(
        axis=axis,
        touch=(book.best_bid, book.best_ask),
        best_bid=max(bids, default=None),
        best_ask=min(asks, default=None),
        last=last,
        middle=_middle(axis, book, last=last),
        bids=bids,
        asks=asks,
        own=_own_rows(axis, orders, marks),
        traded=traded,
        depths=_depths(bids, asks),
        placed=place_marks(marks, book, axis),
        shown=shown,
    )


def orders_at(ladder: Ladder, price: Micros, orders: Iterable[Order]) -> tuple[Order, ...]:
    """Return the orders that the row of a price shows."""
    axis, index = ladder.axis, ladder.index_of(price)
    return tuple(order for order in orders if row_of(axis, order.price, order.side) == index)


def stops_at(ladder: Ladder, price: Micros) -> tuple[StopMark, ...]:
    """Return the stops and targets that the row of a price shows."""
    return ladder.placed.stops.get(ladder.index_of(price), ())


def row_of(axis: Axis, price: Micros, side: Side) -> int:
    """Return the row that shows an own order."""
    return axis.index_below(price) if side is Side.BUY else axis.index_above(price)


def _own_rows(axis: Axis, orders: Iterable[Order], marks: LadderMarks) -> dict[int, OwnRow]:
    rows: dict[int, OwnRow] = defaultdict(OwnRow)
    ahead_of = dict(marks.ahead)
    for order in orders:
        row = rows[row_of(axis, order.price, order.side)]
        if order.side is Side.BUY:
            row.bid += order.remaining_size
        else:
            row.ask += order.remaining_size
        row.has_unknown |= order.status is OrderStatus.UNKNOWN
        row.is_scoring |= order.order_id in marks.scoring
        ahead = ahead_of.get(order.order_id)
        if ahead is not None:
            row.ahead = ahead if row.ahead is None else min(row.ahead, ahead)
            row.ahead_of_last = max(row.ahead_of_last or 0, ahead)
    return rows


def _ahead_within(own: OwnRow, bid: int, ask: int) -> tuple[Micros | None, Micros | None]:
    """Return what is ahead of the first and of the last, where that is another number."""
    if own.ahead is None or own.ahead_of_last is None:
        return None, None
    most = bid if own.bid else ask
    ahead = Micros(min(own.ahead, most))
    last = Micros(min(own.ahead_of_last, max(bid, ask) if own.bid and own.ask else most))
    return ahead, last if last != ahead else None


def _depths(bids: dict[int, int], asks: dict[int, int]) -> dict[int, int]:
    depths: dict[int, int] = {}
    for rows, is_down in ((asks, False), (bids, True)):
        total = 0
        for index in sorted(rows, reverse=is_down):
            total += rows[index]
            depths[index] = total
    return depths


def _middle(axis: Axis, book: BookView, *, last: int | None) -> int:
    if book.midpoint is not None:
        return axis.index_below(book.midpoint)
    if book.best_bid is not None:
        return axis.index_below(book.best_bid)
    if book.best_ask is not None:
        return axis.index_above(book.best_ask)
    return last if last is not None else axis.nearest(Micros(ONE // 2))
