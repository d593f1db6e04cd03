"""The ladder: a fixed price axis and what rests, trades and is ours at each of its prices.

Pure. Prices never move; quantities do. A grouped row never looks better than it is: bids fall to
the row below, asks rise to the row above, and each row is a price an order may carry.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

from pmtui.domain.book_view import BookView
from pmtui.domain.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.domain.order import Order, OrderStatus, TradePrint

_MULTIPLES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
_WIDEST_GROUP = 100_000
_ZERO = Micros(0)


class Zone(Enum):
    """Where a price lies against the best two."""

    BID = auto()
    SPREAD = auto()
    ASK = auto()
    NONE = auto()
    """Beyond the touch of a side that has no orders."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Every row of a ladder, counted from below; row prices are valid order prices."""

    tick: Micros
    group: Micros
    """Distance of the rows: the tick or a multiple of it that divides a dollar."""

    @property
    def first(self) -> int:
        """Index of the lowest row."""
        return 1 if self.group == self.tick else 0

    @property
    def last(self) -> int:
        """Index of the highest row."""
        return ONE // self.group - (1 if self.group == self.tick else 0)

    def price_at(self, index: int) -> Micros:
        """Return the price of a row; grouped ends are the first and the last tick."""
        return Micros(min(max(index * self.group, self.tick), ONE - self.tick))

    def index_below(self, price: Micros) -> int:
        """Return the row a bid at this price belongs to."""
        return self._within(price // self.group)

    def index_above(self, price: Micros) -> int:
        """Return the row an ask at this price belongs to."""
        return self._within(-(-price // self.group))

    def nearest(self, price: Micros) -> int:
        """Return the row closest to a price; halfway goes up."""
        return self._within((2 * price + self.group) // (2 * self.group))

    def stepped(self, price: Micros, steps: int) -> Micros:
        """Return the row price so many rows above; a price between rows meets the next one."""
        index = self.index_below(price) if steps > 0 else self.index_above(price)
        return self.price_at(self._within(index + steps))

    def _within(self, index: int) -> int:
        return min(max(index, self.first), self.last)


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
    depth: Micros = _ZERO
    """All size from the best price of the row's side to this row; 0 on rows without size."""
    traded: Micros = _ZERO
    """Shares traded here, as far back as the tape goes."""
    is_last_trade: bool = False


@dataclass(frozen=True, slots=True)
class Ladder:
    """One book on an axis. Made by `build_ladder`."""

    axis: Axis
    best_bid: int | None
    """Row of the highest bid."""
    best_ask: int | None
    middle: int
    """The row to centre on."""
    touch: tuple[Micros | None, Micros | None]
    """Best bid and best ask themselves; grouping does not move them."""
    rungs: dict[int, Rung] = field(hash=False)
    """Rows that hold something."""

    def rung(self, index: int) -> Rung:
        """Return a row, empty or not."""
        found = self.rungs.get(index)
        return found or Rung(self.axis.price_at(index), self.zone(index))

    def zone(self, index: int) -> Zone:
        """Return where a row lies. On a crossed book the bids win."""
        if self.best_bid is not None and index <= self.best_bid:
            return Zone.BID
        if self.best_ask is not None and index >= self.best_ask:
            return Zone.ASK
        return Zone.NONE if self.best_bid is None or self.best_ask is None else Zone.SPREAD

    def side_at(self, price: Micros) -> Side:
        """Return what `enter` does at a price.

        It takes what rests on the row: sells to bids, buys from asks. Where nothing rests, the
        order joins its own side: it buys below the best ask and sells above it.
        """
        rung = self.rung(self.axis.nearest(price))
        bid, ask = self.touch
        if rung.bid_size and bid is not None and price <= bid:
            return Side.SELL
        is_beyond = ask is not None and price > ask
        return Side.SELL if is_beyond and not rung.ask_size else Side.BUY


def groupings(tick: Micros) -> tuple[Micros, ...]:
    """Return the row distances one can choose from, finest first."""
    sizes = (tick * times for times in _MULTIPLES)
    return tuple(
        Micros(size) for size in sizes if size == tick or (size <= _WIDEST_GROUP and not ONE % size)
    )


def build_ladder(
    book: BookView,
    axis: Axis,
    *,
    orders: Iterable[Order] = (),
    prints: Iterable[TradePrint] = (),
    with_depth: bool = True,
) -> Ladder:
    """Place a book, own orders and trades of one token on an axis. Every level lands on a row.

    Without depth a row depends on its own level alone, so that fewer rows change.
    """
    bids: dict[int, int] = defaultdict(int)
    asks: dict[int, int] = defaultdict(int)
    for level in book.bids:
        bids[axis.index_below(level.price)] += level.size
    for level in book.asks:
        asks[axis.index_above(level.price)] += level.size
    own_bids, own_asks, unknown = _own(axis, orders)
    traded: dict[int, int] = defaultdict(int)
    for each in prints:
        traded[axis.nearest(each.price)] += each.size
    last = None if book.last_trade_price is None else axis.nearest(book.last_trade_price)
    best_bid, best_ask = max(bids, default=None), min(asks, default=None)
    ladder = Ladder(
        axis=axis, best_bid=best_bid, best_ask=best_ask,
        middle=_middle(axis, book, last=last), touch=(book.best_bid, book.best_ask), rungs={},
    )  # fmt: skip
    depths = _depths(bids, asks) if with_depth else {}
    held = {*bids, *asks, *own_bids, *own_asks, *traded} | ({last} if last is not None else set())
    for index in held:
        ladder.rungs[index] = Rung(
            price=axis.price_at(index),
            zone=ladder.zone(index),
            bid_size=Micros(bids.get(index, 0)),
            ask_size=Micros(asks.get(index, 0)),
            own_bid=Micros(own_bids.get(index, 0)),
            own_ask=Micros(own_asks.get(index, 0)),
            has_unknown=index in unknown,
            depth=Micros(depths.get(index, 0)),
            traded=Micros(traded.get(index, 0)),
            is_last_trade=index == last,
        )
    return ladder


def orders_at(ladder: Ladder, price: Micros, orders: Iterable[Order]) -> tuple[Order, ...]:
    """Return the orders that the row of a price shows."""
    axis = ladder.axis
    # A price the grid no longer has lies between two rows: the cursor is drawn on the nearest.
    index = axis.nearest(price)
    return tuple(order for order in orders if _row_of(axis, order) == index)


def follow(top: int, middle: int, height: int) -> int:
    """Return the top row that keeps the middle in the inner half, moved only when it must be."""
    slack = height // 4
    if top - height + 1 + slack <= middle <= top - slack:
        return top
    return centred(middle, height)


def centred(middle: int, height: int) -> int:
    """Return the top row that puts a row in the middle."""
    return middle + height // 2


def reveal(top: int, index: int, height: int) -> int:
    """Return the top row closest to the present one that shows a row."""
    return min(max(top, index), index + height - 1)


def bounded(axis: Axis, top: int, height: int) -> int:
    """Return the top row that leaves no blank rows while there are others to show."""
    return min(axis.last, max(top, axis.first + height - 1))


def _row_of(axis: Axis, order: Order) -> int:
    is_buy = order.side is Side.BUY
    return axis.index_below(order.price) if is_buy else axis.index_above(order.price)


def _own(axis: Axis, orders: Iterable[Order]) -> tuple[dict[int, int], dict[int, int], set[int]]:
    bids: dict[int, int] = defaultdict(int)
    asks: dict[int, int] = defaultdict(int)
    unknown = set()
    for order in orders:
        row = _row_of(axis, order)
        (bids if order.side is Side.BUY else asks)[row] += order.remaining_size
        if order.status is OrderStatus.UNKNOWN:
            unknown.add(row)
    return bids, asks, unknown


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
