"""The price ladder: a fixed price axis with the resting size, trades and own orders at each price.

Prices never move; quantities do. A grouped row never looks better than it is: bids are rounded down to the
row below, asks up to the row above, and each row is a valid order price. All its data comes from one view of
one book.

Beside a size stands what was added or pulled a moment ago, from comparing the book with its previous view. A
book does not show whether size was removed by a trade or a cancellation.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from pmtui.domain.account.position import Stake, break_even
from pmtui.domain.books.book_view import BookView, Level
from pmtui.domain.conditionals.conditional import ConditionalId, ConditionalOrder, Trigger
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import NO_FEE, RewardTerms, Side
from pmtui.domain.markets.rewards import RewardBand, reward_band
from pmtui.domain.money import ONE, ZERO, Micros, complement
from pmtui.domain.orders.order import Order, OrderStatus, Volume
from pmtui.domain.ticket.draft import DEFAULT_GIVE_WAY

_MULTIPLES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
_WIDEST_GROUP = 100_000


@dataclass(frozen=True, slots=True)
class Axis:
    """The rows of a ladder, counted from below; row prices are valid order prices."""

    tick: Micros
    group: Micros
    """Price distance of the rows: the tick size or a multiple of it that divides a dollar."""

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
        """Return the resting size on each row, summed over the levels of a side that belong to it."""
        sizes: dict[int, int] = defaultdict(int)
        group, first, last = self.group, self.first, self.last
        # An ask belongs to the row above it.
        up = 0 if side is Side.BUY else group - 1
        for level in levels:
            sizes[min(max((level.price + up) // group, first), last)] += level.size
        return sizes

    def nearest(self, price: Micros) -> int:
        """Return the row closest to a price; halfway rounds up."""
        return self._within((2 * price + self.group) // (2 * self.group))

    def stepped(self, price: Micros, steps: int) -> Micros:
        """Return the row price `steps` rows higher; a price between rows first moves to the next row."""
        index = self.index_below(price) if steps > 0 else self.index_above(price)
        return self.price_at(self._within(index + steps))

    def _within(self, index: int) -> int:
        least = 1 if self.group == self.tick else 0
        return min(max(index, least), ONE // self.group - least)


@lru_cache(maxsize=16)
def groupings(tick: Micros) -> tuple[Micros, ...]:
    """Return the available groupings, finest first."""
    sizes = (tick * times for times in _MULTIPLES)
    return tuple(
        Micros(size) for size in sizes if size == tick or (size <= _WIDEST_GROUP and not ONE % size)
    )


def follow(
    top: int, middle: int, height: int, touch: tuple[int | None, int | None] = (None, None)
) -> int:
    """Return the top row that keeps the middle in the inner half, moved only when necessary.

    The best bid and best ask, the rows of `touch`, stay in view as long as both fit.
    """
    slack, bottom = height // 4, top - height + 1
    bid, ask = touch
    has_room = bid is None or ask is None or ask - bid < height
    is_seen = all(row is None or bottom <= row <= top for row in touch)
    if bottom + slack <= middle <= top - slack and (is_seen or not has_room):
        return top
    return centred(middle, height)


def centred(middle: int, height: int) -> int:
    """Return the top row that centres a row."""
    return middle + height // 2


def reveal(top: int, index: int, height: int) -> int:
    """Return the top row nearest to the current one that makes a row visible."""
    return min(max(top, index), index + height - 1)


def bounded(axis: Axis, top: int, height: int) -> int:
    """Return the top row moved so that no blank rows are shown while there are others."""
    return min(axis.last, max(top, axis.first + height - 1))


@dataclass(frozen=True, slots=True)
class StopMark:
    """A price at which a conditional order sells, in terms of the outcome shown."""

    conditional_id: ConditionalId
    trigger: Trigger
    price: Micros
    size: Micros
    """Shares that it currently covers."""
    is_active: bool
    is_other: bool = False
    """Whether it sells shares of the other outcome, so that it buys the outcome shown."""

    @property
    def side(self) -> Side:
        """The side of its sale in the book shown."""
        return Side.BUY if self.is_other else Side.SELL

    def own_price(self, price: Micros) -> Micros:
        """Return a price of the outcome shown in terms of the outcome that it sells."""
        return complement(price) if self.is_other else price


@dataclass(frozen=True, slots=True)
class Ghost:
    """A preview of an order, a stop or a target that is being typed: nothing has been sent."""

    price: Micros
    side: Side
    size: Micros
    """Shares; 0 while unknown."""
    trigger: Trigger | None = None
    """Whether it is a stop or a target; None for an order."""
    is_leaving: bool = False
    """Whether it marks the current place of a picked-up item, not its destination."""


@dataclass(frozen=True, slots=True)
class LadderMarks:
    """Account and market data shown at prices. Equal data compares equal."""

    ahead: tuple[tuple[OrderId, Micros], ...] = ()
    """Estimated queue ahead of own resting orders."""
    displayed: frozenset[OrderId] = frozenset()
    """Own orders that the displayed size certainly includes."""
    scoring: frozenset[OrderId] = frozenset()
    """Own orders that the venue says earn rewards now."""
    net: Stake | None = None
    """The net holding of one outcome over the other: the position that flattening closes."""
    give_way_percent: int = DEFAULT_GIVE_WAY
    """How far below the best bid flattening may fill."""
    rewards: RewardTerms | None = None
    stops: tuple[StopMark, ...] = ()
    """Stops and targets of both outcomes."""
    alerts: tuple[Micros, ...] = ()
    """Prices of alerts for the outcome shown."""
    ghosts: tuple[Ghost, ...] = ()
    """Previews for the outcome shown."""
    is_trading: bool = True
    """Whether the market accepts orders; if not, its book is not tradable."""
    is_account_known: bool = True
    """Whether the account has been read; until then, own orders that appear are not highlighted
    as new."""

    def profit_at(self, price: Micros) -> Micros | None:
        """Return the profit of closing the net position at a price; None where there is none."""
        return None if self.net is None else self.net.profit_at(price)

    def resting_profit_at(self, price: Micros, own: "OwnRow") -> Micros | None:
        """Return the profit of the part of the net position that own orders at a price close."""
        if self.net is None:
            return None
        size = Micros(min(own.bid if self.net.is_other else own.ask, self.net.size))
        return replace(self.net.part(size), fee=NO_FEE).profit_at(price) if size > 0 else None


NO_MARKS = LadderMarks()


@dataclass(frozen=True, slots=True)
class PlacedMarks:
    """Marks on the rows of one axis."""

    marks: LadderMarks
    band: RewardBand | None
    band_rows: tuple[int, int]
    """The highest and the lowest row that lie in the band; none between them where no row does."""
    entry: int | None
    """The row nearest to the average price paid for the net position."""
    even: int | None
    """The row where closing it breaks even after fees."""
    stops: Mapping[int, tuple[StopMark, ...]] = field(default_factory=dict)
    """By row."""
    alerts: frozenset[int] = frozenset()
    """Rows with an alert."""
    ghosts: Mapping[int, tuple[Ghost, ...]] = field(default_factory=dict)
    """By row."""


def stop_row(axis: Axis, mark: StopMark) -> int:
    """Return the row that shows a stop or a target: the row of a sale at its price."""
    return row_of(axis, mark.price, mark.side)


def stop_marks(
    conditionals: Iterable[tuple[ConditionalOrder, Micros]], token_id: TokenId
) -> tuple[StopMark, ...]:
    """Return the prices at which conditional orders of a market sell, in terms of one of its outcomes.

    Args:
        conditionals: each with the shares it covers.
        token_id: of the outcome.
    """
    return tuple(
        StopMark(
            each.conditional_id,
            trigger,
            price if each.token_id == token_id else complement(price),
            size,
            each.state.is_active,
            is_other=each.token_id != token_id,
        )
        for each, size in conditionals
        for trigger, price in ((Trigger.STOP, each.stop), (Trigger.TAKE_PROFIT, each.take_profit))
        if price is not None
    )


def place_marks(marks: LadderMarks, book: BookView, axis: Axis) -> PlacedMarks:
    """Find the rows of all marks, with the middle of the same book that the ladder shows."""
    net = marks.net
    even = None if net is None else break_even(net, axis.tick)
    band = reward_band(marks.rewards, book.midpoint)
    return PlacedMarks(
        marks=marks,
        band=band,
        band_rows=_NO_ROWS if band is None else _rows_of(band, axis),
        entry=None if net is None or net.entry is None else axis.nearest(net.entry),
        even=None if net is None or even is None else _even_row(axis, even, net),
        stops=_by_row(marks.stops, axis),
        alerts=frozenset(axis.nearest(price) for price in marks.alerts),
        ghosts=_ghosts_by_row(marks.ghosts, axis),
    )


def _even_row(axis: Axis, price: Micros, net: Stake) -> int:
    return axis.index_below(price) if net.is_other else axis.index_above(price)


_NO_ROWS = (-1, 0)


def _rows_of(band: RewardBand, axis: Axis) -> tuple[int, int]:
    """Return the highest and lowest row whose price is inside the band."""
    top, bottom = axis.index_below(band.high), axis.index_above(band.low)
    # Orders at the edges of the band score nothing.
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
    """Return orders of the other outcome as they appear in this one's book.

    A bid for the other outcome is an ask for this one at the complementary price. The ids stay, so
    that cancelling one cancels the real order.
    """
    return tuple(
        replace(order, side=order.side.opposite, price=complement(order.price)) for order in orders
    )


class Zone(Enum):
    """Where a price lies relative to the best bid and best ask."""

    BID = auto()
    SPREAD = auto()
    ASK = auto()
    NONE = auto()
    """Beyond the best price of a side without orders."""


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
    """Whether an own order here is unconfirmed and may not rest."""
    is_scoring: bool = False
    """Whether an own order here earns rewards, according to the venue."""
    ahead: Micros | None = None
    """Estimated size that fills before the first own order here; never more than is displayed."""
    ahead_of_last: Micros | None = None
    """The same for the last own order; None if there is only one."""
    depth: Micros = ZERO
    """Cumulative size from the best price of the row's side to this row; 0 on rows without size."""
    traded: Micros = ZERO
    """Shares traded here since the book was subscribed to."""
    is_last_trade: bool = False
    is_in_band: bool = False
    """Whether orders here are close enough to the midpoint to earn rewards."""
    is_band_top: bool = False
    """Whether this is the highest row of the reward band."""
    is_band_bottom: bool = False
    is_entry: bool = False
    """Whether this is the row nearest to the average entry price."""
    is_break_even: bool = False
    """Whether this is the worst row at which closing makes no loss, fees included."""
    stops: tuple[StopMark, ...] = ()
    """Stops and targets at this price."""
    has_alert: bool = False
    """Whether an alert waits for this price."""
    ghosts: tuple[Ghost, ...] = ()
    """Previews at this price."""
    is_leaving: bool = False
    """Whether an own order here is picked up, to be moved elsewhere."""
    profit: Micros | None = None
    """Profit of closing everything at this price, net of fees; None if nothing is held."""
    resting_profit: Micros | None = None
    """Profit of what own orders here close when they fill, which pay no taker fee; None without any."""


class Shown(NamedTuple):
    """The values that a row displays; hidden values must not make a row count as changed."""

    depth: bool = True
    traded: bool = True
    profit: bool = True
    ahead: bool = True


ALL_SHOWN = Shown()


@dataclass(slots=True)
class OwnRow:
    """Own orders that share a row."""

    bid: int = 0
    ask: int = 0
    has_unknown: bool = False
    is_scoring: bool = False
    ahead: int | None = None
    ahead_of_last: int | None = None
    displayed: int = 0
    """Own size that the displayed size certainly includes."""
    displayed_of_last: int = 0


_NOTHING = OwnRow()


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """One book on an axis. Built by `build_ladder`; rows are built when they are read."""

    axis: Axis
    touch: tuple[Micros | None, Micros | None]
    """Exact best bid and best ask; grouping does not move them."""
    best_bid: int | None
    """Row of the best bid."""
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
    shown: Shown = ALL_SHOWN
    _rungs: dict[int, Rung] = field(default_factory=dict)

    def rung(self, index: int) -> Rung:
        """Return a row, even if it is empty."""
        return self.rungs(range(index, index + 1))[0]

    def rungs(self, indexes: range) -> list[Rung]:
        """Return rows, including empty ones."""
        known = self._rungs
        for index in indexes:
            if index not in known:
                known[index] = self._make(index, self.axis.price_at(index), self.shown)
        return [known[index] for index in indexes]

    def index_of(self, price: Micros) -> int:
        """Return the row of a price: the one that counts a level at that price.

        A price off the current grid, or one inside the spread, is on the nearest row.
        """
        bid, ask = self.touch
        if self.axis.group > self.axis.tick:
            if bid is not None and price <= bid:
                return self.axis.index_below(price)
            if ask is not None and price >= ask:
                return self.axis.index_above(price)
        return self.axis.nearest(price)

    def rung_at(self, price: Micros, shown: Shown = ALL_SHOWN) -> Rung:
        """Return the row of a price, with its values calculated for exactly this price."""
        return self._make(self.index_of(price), price, shown)

    def sizes_near(self, rows: int) -> list[int]:
        """Return the size of every level that lies so many rows from the best price of its side, or nearer."""
        lowest = (self.best_bid or 0) - rows
        highest = (self.best_ask or 0) + rows
        return [size for row, size in self.bids.items() if row >= lowest] + [
            size for row, size in self.asks.items() if row <= highest
        ]

    def side_at(self, price: Micros) -> Side:
        """Return the side of the order that `enter` places at a price.

        It takes liquidity of others on the row: sells to bids, buys from asks. If no other order
        rests there, it joins the side of an own order on the row; if there is none, it buys below
        the best ask and sells above it.
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
        # On a crossed book bids take precedence.
        if self.best_bid is not None and index <= self.best_bid:
            zone = Zone.BID
        elif self.best_ask is not None and index >= self.best_ask:
            zone = Zone.ASK
        else:
            zone = Zone.NONE if None in (self.best_bid, self.best_ask) else Zone.SPREAD
        # The estimate may be older than this book: the two numbers must not contradict each other.
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
            is_entry=index == placed.entry,
            is_break_even=index == placed.even,
            stops=placed.stops.get(index, ()),
            has_alert=index in placed.alerts,
            ghosts=ghosts and tuple([g for g in ghosts if not g.is_leaving]),
            is_leaving=bool(ghosts) and any(g.is_leaving for g in ghosts),
            profit=placed.marks.profit_at(price) if shown.profit else None,
            resting_profit=placed.marks.resting_profit_at(price, own) if shown.profit else None,
        )


def build_ladder(
    book: BookView,
    axis: Axis,
    *,
    orders: Iterable[Order] = (),
    volume: Volume = (),
    marks: LadderMarks = NO_MARKS,
    shown: Shown = ALL_SHOWN,
) -> Ladder:
    """Place a book, own orders and traded volume of one token on an axis. Every level is on a row.

    Without depth, a row depends only on its own level, so that fewer rows change.
    """
    bids = axis.sizes_by_row(book.bids, Side.BUY)
    asks = axis.sizes_by_row(book.asks, Side.SELL)
    traded: dict[int, int] = defaultdict(int)
    for price, size in volume:
        traded[axis.nearest(price)] += size
    last_price = book.own_last_price
    last = None if last_price is None else axis.nearest(last_price)
    own = tuple(orders)
    return Ladder(
        axis=axis,
        touch=(book.best_bid, book.best_ask),
        best_bid=max(bids, default=None),
        best_ask=min(asks, default=None),
        last=last,
        middle=_middle(axis, book, last=last),
        bids=bids,
        asks=asks,
        own=_own_rows(axis, own, marks),
        traded=traded,
        depths=_depths(bids, asks),
        placed=place_marks(marks, book, axis),
        shown=shown,
    )


def size_in_view(ladder: Ladder, top: int, height: int) -> tuple[Micros, Micros]:
    """Return the bid size and ask size on the visible rows, own orders included."""
    rows = range(top - height + 1, top + 1)
    bid, ask = (
        sum([size for index, size in sizes.items() if index in rows])
        for sizes in (ladder.bids, ladder.asks)
    )
    return Micros(bid), Micros(ask)


def orders_at(ladder: Ladder, price: Micros, orders: Iterable[Order]) -> tuple[Order, ...]:
    """Return the orders shown on the row of a price."""
    axis, index = ladder.axis, ladder.index_of(price)
    return tuple(order for order in orders if row_of(axis, order.price, order.side) == index)


def stops_at(ladder: Ladder, price: Micros) -> tuple[StopMark, ...]:
    """Return the stops and targets shown on the row of a price."""
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
        displayed = order.remaining_size if order.order_id in marks.displayed else ZERO
        row.displayed += displayed
        ahead = ahead_of.get(order.order_id)
        if ahead is not None:
            row.ahead = ahead if row.ahead is None else min(row.ahead, ahead)
            if row.ahead_of_last is None or ahead >= row.ahead_of_last:
                row.ahead_of_last, row.displayed_of_last = ahead, displayed
    return rows


def _ahead_within(own: OwnRow, bid: int, ask: int) -> tuple[Micros | None, Micros | None]:
    """Return the queue ahead of the first own order, and of the last if that differs."""
    if own.ahead is None or own.ahead_of_last is None:
        return None, None
    if own.bid and own.ask:
        ahead, last = Micros(min(own.ahead, bid)), Micros(min(own.ahead_of_last, max(bid, ask)))
    else:
        # What is left of a level when others leave it is ours: nothing of that is ahead.
        most = bid if own.bid else ask
        ahead = Micros(min(own.ahead, max(0, most - own.displayed)))
        last = Micros(min(own.ahead_of_last, max(0, most - own.displayed_of_last)))
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
"""Milliseconds for which a change of size is displayed."""
Places: TypeAlias = Mapping[tuple[Side, Micros], Micros]
"""Size changes in shares by side and price; negative if the size shrank."""


def level_changes(before: BookView, after: BookView) -> Places:
    """Return the size changes of the levels that differ between two views."""
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
    """Size changes of one book over the last seconds, summed by level."""

    def __init__(self) -> None:
        """Start without changes."""
        self._noted: deque[_Noted] = deque()
        self._net: dict[tuple[Side, Micros], int] = {}

    @property
    def net(self) -> Places:
        """Net change of each level since the beginning of the window."""
        return {place: Micros(change) for place, change in self._net.items()}

    def note(self, changes: Places, now_ms: int) -> None:
        """Add changes that happened now. Times never go back."""
        if changes:
            self._noted.append(_Noted(now_ms, changes))
            self._add(changes, 1)
        self.expire(now_ms)

    def expire(self, now_ms: int) -> None:
        """Drop changes older than the window."""
        while self._noted and self._noted[0].at_ms <= now_ms - WINDOW_MS:
            self._add(self._noted.popleft().changes, -1)

    def forget(self) -> None:
        """Clear all changes: another book is shown, or a snapshot replaced this one."""
        self._noted.clear()
        self._net.clear()

    def _add(self, changes: Places, sign: int) -> None:
        for place, change in changes.items():
            total = self._net.get(place, 0) + sign * change
            if total:
                self._net[place] = total
            else:
                self._net.pop(place, None)
