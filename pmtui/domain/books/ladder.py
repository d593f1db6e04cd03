"""The ladder: a fixed price axis and what rests, trades and is ours at each of its prices.

Prices never move; quantities do. A grouped row never looks better than it is: bids fall to the row
below, asks rise to the row above, and each row is a price an order may carry. Everything on it
comes from one view of one book.

Beside a size stands what was added or pulled a moment ago: what a book shows is compared with what it showed
before. Whether size went because it traded or because somebody cancelled it, no book tells.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from pmtui.domain.account.position import Stake, break_even
from pmtui.domain.books.book_view import BookView, Level
from pmtui.domain.conditionals.conditional import Conditional, ConditionalId, Trigger
from pmtui.domain.ids import OrderId
from pmtui.domain.markets.market import RewardTerms, Side
from pmtui.domain.markets.rewards import RewardBand, reward_band
from pmtui.domain.money import ONE, ZERO, Micros, complement
from pmtui.domain.orders.order import Order, OrderStatus, Volume

_MULTIPLES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
_WIDEST_GROUP = 100_000


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

    def sizes_by_row(self, levels: Iterable[Level], side: Side) -> dict[int, int]:
        """Return what rests on each row, of all levels of a side that belong to it."""
        sizes: dict[int, int] = defaultdict(int)
        group, first, last = self.group, self.first, self.last
        # An ask belongs to the row above it.
        up = 0 if side is Side.BUY else group - 1
        for level in levels:
            sizes[min(max((level.price + up) // group, first), last)] += level.size
        return sizes

    def nearest(self, price: Micros) -> int:
        """Return the row closest to a price; halfway goes up."""
        return self._within((2 * price + self.group) // (2 * self.group))

    def stepped(self, price: Micros, steps: int) -> Micros:
        """Return the row price so many rows above; a price between rows meets the next one."""
        index = self.index_below(price) if steps > 0 else self.index_above(price)
        return self.price_at(self._within(index + steps))

    def _within(self, index: int) -> int:
        least = 1 if self.group == self.tick else 0
        return min(max(index, least), ONE // self.group - least)


@lru_cache(maxsize=16)
def groupings(tick: Micros) -> tuple[Micros, ...]:
    """Return the row distances one can choose from, finest first."""
    sizes = (tick * times for times in _MULTIPLES)
    return tuple(
        Micros(size) for size in sizes if size == tick or (size <= _WIDEST_GROUP and not ONE % size)
    )


def follow(
    top: int, middle: int, height: int, touch: tuple[int | None, int | None] = (None, None)
) -> int:
    """Return the top row that keeps the middle in the inner half, moved only when it must be.

    Best bid and best ask, the rows of `touch`, stay in view as long as there is room for both.
    """
    slack, bottom = height // 4, top - height + 1
    bid, ask = touch
    has_room = bid is None or ask is None or ask - bid < height
    is_seen = all(row is None or bottom <= row <= top for row in touch)
    if bottom + slack <= middle <= top - slack and (is_seen or not has_room):
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


@dataclass(frozen=True, slots=True)
class StopMark:
    """A price at which a conditional order sells."""

    conditional_id: ConditionalId
    trigger: Trigger
    price: Micros
    size: Micros
    """Shares that it now speaks for."""
    is_active: bool


@dataclass(frozen=True, slots=True)
class Ghost:
    """An order, a stop or a target that is being typed: nothing of it has been sent."""

    price: Micros
    side: Side
    size: Micros
    """Shares; 0 where that is not known yet."""
    trigger: Trigger | None = None
    """Which of both it is; None for an order."""
    is_leaving: bool = False
    """It is where something picked up still stands, and not where it would go."""


@dataclass(frozen=True, slots=True)
class LadderMarks:
    """Facts of the account and of the market that belong to prices. The same again is equal."""

    ahead: tuple[tuple[OrderId, Micros], ...] = ()
    """Estimates of the queue in front of own resting orders."""
    scoring: frozenset[OrderId] = frozenset()
    """Own orders that the venue says earn rewards now."""
    stakes: tuple[Stake, ...] = ()
    """What is held of the outcome on show, and of the other one where both are on show."""
    net: Stake | None = None
    """What is held of one outcome beyond the other: the position that flattening closes."""
    rewards: RewardTerms | None = None
    stops: tuple[StopMark, ...] = ()
    """Stops and targets of the outcome on show."""
    alerts: tuple[Micros, ...] = ()
    """Prices that an alert of the outcome on show waits for."""
    ghosts: tuple[Ghost, ...] = ()
    """What is being typed for the outcome on show."""
    is_trading: bool = True
    """Whether the market takes orders; else what stands in its book is no offer to anybody."""
    is_account_known: bool = True
    """Before the account has been read, own orders that appear are not news."""

    def profit_at(self, price: Micros) -> Micros | None:
        """Return the profit of closing everything at a price; None with nothing held."""
        if not self.stakes:
            return None
        return Micros(sum(stake.profit_at(price) for stake in self.stakes))

    def profit_now(self, bid: Micros | None, ask: Micros | None) -> Micros | None:
        """Return the profit of closing everything at the best prices; None where one is missing.

        What is held of the other outcome is sold to those who ask for this one.
        """
        prices = [ask if stake.is_other else bid for stake in self.stakes]
        if not prices or None in prices:
            return None
        sold = zip(self.stakes, prices, strict=True)
        return Micros(sum(stake.profit_at(price) for stake, price in sold if price is not None))

    def net_profit_now(self, bid: Micros | None, ask: Micros | None) -> Micros | None:
        """Return the profit of closing the net position at the best price; None where there is none."""
        if self.net is None:
            return None
        price = ask if self.net.is_other else bid
        return None if price is None else self.net.profit_at(price)


NO_MARKS = LadderMarks()


@dataclass(frozen=True, slots=True)
class PlacedMarks:
    """Marks on the rows of one axis."""

    marks: LadderMarks
    band: RewardBand | None
    band_rows: tuple[int, int]
    """The highest and the lowest row that lie in the band; none between them where no row does."""
    entries: frozenset[int]
    """Rows nearest to the average price paid."""
    evens: frozenset[int]
    """Rows where closing breaks even after fees."""
    stops: Mapping[int, tuple[StopMark, ...]] = field(default_factory=dict)
    """By row."""
    alerts: frozenset[int] = frozenset()
    """Rows at which an alert waits."""
    ghosts: Mapping[int, tuple[Ghost, ...]] = field(default_factory=dict)
    """By row."""


def stop_row(axis: Axis, mark: StopMark) -> int:
    """Return the row that shows a stop or a target: that of a sale at its price."""
    return axis.index_above(mark.price)


def stop_marks(conditionals: Iterable[tuple[Conditional, Micros]]) -> tuple[StopMark, ...]:
    """Return the prices at which conditional orders sell, each with the shares it speaks for."""
    return tuple(
        StopMark(each.conditional_id, trigger, price, size, each.state.is_active)
        for each, size in conditionals
        for trigger, price in ((Trigger.STOP, each.stop), (Trigger.TAKE_PROFIT, each.take_profit))
        if price is not None
    )


def place_marks(marks: LadderMarks, book: BookView, axis: Axis) -> PlacedMarks:
    """Find the rows of all marks, with the middle of the same book that the ladder shows."""
    evens = {
        axis.index_below(price) if stake.is_other else axis.index_above(price)
        for stake in marks.stakes
        if (price := break_even(stake, axis.tick)) is not None
    }
    band = reward_band(marks.rewards, book.midpoint)
    return PlacedMarks(
        marks=marks,
        band=band,
        band_rows=_NO_ROWS if band is None else _rows_of(band, axis),
        entries=frozenset(axis.nearest(stake.entry) for stake in marks.stakes),
        evens=frozenset(evens),
        stops=_by_row(marks.stops, axis),
        alerts=frozenset(axis.nearest(price) for price in marks.alerts),
        ghosts=_ghosts_by_row(marks.ghosts, axis),
    )


_NO_ROWS = (-1, 0)


def _rows_of(band: RewardBand, axis: Axis) -> tuple[int, int]:
    """Return the highest and the lowest row whose price the band holds."""
    top, bottom = axis.index_below(band.high), axis.index_above(band.low)
    # Both ends of the band score nothing.
    top -= not band.holds(axis.price_at(top))
    bottom += not band.holds(axis.price_at(bottom))
    return top, bottom


def _ghosts_by_row(ghosts: Iterable[Ghost], axis: Axis) -> dict[int, tuple[Ghost, ...]]:
    rows: dict[int, tuple[Ghost, ...]] = {}
    for ghost in ghosts:
        row = row_of(axis, ghost.price, ghost.side)
        rows[row] = (*rows.get(row, ()), ghost)
    return rows


def _by_row(stops: Iterable[StopMark], axis: Axis) -> dict[int, tuple[StopMark, ...]]:
    rows: dict[int, tuple[StopMark, ...]] = {}
    for mark in stops:
        row = stop_row(axis, mark)
        rows[row] = (*rows.get(row, ()), mark)
    return rows


def mirrored_orders(orders: Iterable[Order]) -> tuple[Order, ...]:
    """Return orders of the other outcome as they stand in this one's book.

    The venue matches a purchase of one outcome with a sale of the other at the complement: what
    bids for the other asks here. The ids stay, so that cancelling one cancels the real order.
    """
    return tuple(
        replace(order, side=order.side.opposite, price=complement(order.price)) for order in orders
    )


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
    bid_size: Micros = ZERO
    ask_size: Micros = ZERO
    own_bid: Micros = ZERO
    own_ask: Micros = ZERO
    has_unknown: bool = False
    """Some of what is ours here may not rest: its order has not been answered."""
    is_scoring: bool = False
    """Some of what is ours here earns rewards, by the venue's own word."""
    ahead: Micros | None = None
    """Estimate of what fills before the first of our orders here; never more than is displayed."""
    ahead_of_last: Micros | None = None
    """The same before the last of them; None where that is no other."""
    depth: Micros = ZERO
    """All size from the best price of the row's side to this row; 0 on rows without size."""
    traded: Micros = ZERO
    """Shares traded here since the book is heard."""
    is_last_trade: bool = False
    is_in_band: bool = False
    """Near enough to the middle to earn rewards."""
    is_band_top: bool = False
    """The highest row that does."""
    is_band_bottom: bool = False
    is_entry: bool = False
    """The row nearest to the average price paid."""
    is_break_even: bool = False
    """The worst row at which closing loses nothing, fees included."""
    stops: tuple[StopMark, ...] = ()
    """Stops and targets at this price."""
    has_alert: bool = False
    """An alert waits for this price."""
    ghosts: tuple[Ghost, ...] = ()
    """What is being typed at this price."""
    is_leaving: bool = False
    """What is ours here is picked up, to go elsewhere."""
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
        return self.rungs(range(index, index + 1))[0]

    def rungs(self, indexes: range) -> list[Rung]:
        """Return rows, empty ones too."""
        known = self._rungs
        for index in indexes:
            if index not in known:
                known[index] = self._make(index, self.axis.price_at(index), self.shown)
        return [known[index] for index in indexes]

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
        return self._make(self.index_of(price), price, shown)

    def sizes(self) -> list[int]:
        """Return the larger size of every row that has one, in no order."""
        return [max(size, self.asks.get(index, 0)) for index, size in self.bids.items()] + [
            size for index, size in self.asks.items() if index not in self.bids
        ]

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

    def _make(self, index: int, price: Micros, shown: Shown) -> Rung:
        placed = self.placed
        own = self.own.get(index, _NOTHING)
        bid, ask = self.bids.get(index, 0), self.asks.get(index, 0)
        top, bottom = placed.band_rows
        # On a crossed book the bids win.
        if self.best_bid is not None and index <= self.best_bid:
            zone = Zone.BID
        elif self.best_ask is not None and index >= self.best_ask:
            zone = Zone.ASK
        else:
            zone = Zone.NONE if None in (self.best_bid, self.best_ask) else Zone.SPREAD
        # The estimate may be of a moment before this book: no two numbers contradict.
        has_ahead = shown.ahead and own.ahead is not None
        ahead, last = _ahead_within(own, bid, ask) if has_ahead else (None, None)
        ghosts = placed.ghosts.get(index, ())
        return Rung(
            price=price,
            zone=zone,
            bid_size=Micros(bid),
            ask_size=Micros(ask),
            own_bid=Micros(own.bid),
            own_ask=Micros(own.ask),
            has_unknown=own.has_unknown,
            is_scoring=own.is_scoring,
            ahead=ahead,
            ahead_of_last=last,
            depth=Micros(self.depths.get(index, 0)) if shown.depth else ZERO,
            traded=Micros(self.traded.get(index, 0)) if shown.traded else ZERO,
            is_last_trade=index == self.last,
            is_in_band=bottom <= index <= top,
            is_band_top=bottom <= index == top,
            is_band_bottom=bottom == index <= top,
            is_entry=index in placed.entries,
            is_break_even=index in placed.evens,
            stops=placed.stops.get(index, ()),
            has_alert=index in placed.alerts,
            ghosts=ghosts and tuple([g for g in ghosts if not g.is_leaving]),
            is_leaving=bool(ghosts) and any(g.is_leaving for g in ghosts),
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
    bids = axis.sizes_by_row(book.bids, Side.BUY)
    asks = axis.sizes_by_row(book.asks, Side.SELL)
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


def size_in_view(ladder: Ladder, top: int, height: int) -> tuple[Micros, Micros]:
    """Return the shares that are bid for and asked for on the rows in view, own ones included."""
    rows = range(top - height + 1, top + 1)
    bid, ask = (
        sum([size for index, size in sizes.items() if index in rows])
        for sizes in (ladder.bids, ladder.asks)
    )
    return Micros(bid), Micros(ask)


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


WINDOW_MS = 5_000
"""So long a change is told."""
Places: TypeAlias = Mapping[tuple[Side, Micros], Micros]
"""Changes of size in shares, below zero where it shrank, by side and price."""


def level_changes(before: BookView, after: BookView) -> Places:
    """Return by how much the size of each level has changed; only the levels that differ."""
    found: dict[tuple[Side, Micros], Micros] = {}
    sides = ((Side.BUY, before.bids, after.bids), (Side.SELL, before.asks, after.asks))
    for side, olds, news in sides:
        if olds is news:
            continue
        was = {level.price: level.size for level in olds}
        now = {level.price: level.size for level in news}
        for price in was.keys() | now.keys():
            change = now.get(price, 0) - was.get(price, 0)
            if change:
                found[side, price] = Micros(change)
    return found


class _Noted(NamedTuple):
    at_ms: int
    changes: Places


class Flow:
    """The changes of the last seconds of one book, added up by level."""

    def __init__(self) -> None:
        """Start with nothing changed."""
        self._noted: deque[_Noted] = deque()
        self._net: dict[tuple[Side, Micros], int] = {}

    @property
    def net(self) -> Places:
        """By how much each level differs from what it was at the beginning of the window."""
        return {place: Micros(change) for place, change in self._net.items()}

    def note(self, changes: Places, now_ms: int) -> None:
        """Add changes of this moment. Moments never go back."""
        if changes:
            self._noted.append(_Noted(now_ms, changes))
            self._add(changes, 1)
        self.expire(now_ms)

    def expire(self, now_ms: int) -> None:
        """Forget what is older than the window."""
        while self._noted and self._noted[0].at_ms <= now_ms - WINDOW_MS:
            self._add(self._noted.popleft().changes, -1)

    def forget(self) -> None:
        """Begin anew: another book is on show, or a snapshot replaced all of it."""
        self._noted.clear()
        self._net.clear()

    def _add(self, changes: Places, sign: int) -> None:
        for place, change in changes.items():
            total = self._net.get(place, 0) + sign * change
            if total:
                self._net[place] = total
            else:
                self._net.pop(place, None)
