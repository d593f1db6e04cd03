"""Which rows of a book are in view, and where the cursor is: the ladder without a screen.

The book never moves the cursor to another price. The axis follows the spread until the trader moves
the cursor, and not at all while it is held. Without a book there is no cursor.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from textual.geometry import Size

from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.ladder import (
    NO_MARKS,
    Axis,
    Ladder,
    LadderMarks,
    bounded,
    build_ladder,
    centred,
    follow,
    groupings,
    reveal,
    row_of,
    size_in_view,
    stop_row,
)
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.flattening import Closing, close_now
from pmtui.domain.orders.order import Order, Volume
from pmtui.ui.cells import Line
from pmtui.ui.ladder.ladder_columns import LadderColumns, plan_columns

DEFAULT_TICK = Micros(10_000)
"""The tick before book or terms state one; the metadata nearly always has a cent."""
FACTS_FROM_HEIGHT = 17
"""From this height on, the ladder's last line shows facts."""
_NEAR = 4
"""A height that changes by no more than these rows keeps the view: a form or a line of keys
opened."""


class LadderViewport:
    """A book on a fixed axis, the part in view, and a cursor that is a price."""

    def __init__(self, size: Callable[[], Size]) -> None:
        """Start without a book.

        Args:
            size: returns the current columns and rows, titles included.
        """
        self._size = size
        self.book: BookView | None = None
        """The exact book that is shown."""
        self.orders: tuple[Order, ...] = ()
        self.volume: Volume = ()
        self.marks = NO_MARKS
        self.other_label = ""
        self.ending: tuple[Line, ...] = ()
        """How the market has ended, shown in the place of the rows; empty while there are rows."""
        self.is_exit_elsewhere = False
        """Whether a panel beside the ladder tells what closing the position brings."""
        self.ladder: Ladder | None = None
        """The ladder that is shown."""
        self.top: int | None = None
        """Index of the first row in view."""
        self.cursor: Micros | None = None
        self.is_held = False
        """Whether the axis is held and does not follow the spread."""
        self.recent = RecentLadders()
        self._tick = DEFAULT_TICK
        self.grouping = 0
        """How often the grouping was widened; 0 for one tick per row."""
        self._is_placed = False
        self._is_following = True
        self._fitted = 0
        """The rows for prices when the view was last fitted."""

    @property
    def axis(self) -> Axis:
        """The rows of the ladder."""
        choices = groupings(self._tick)
        return Axis(self._tick, choices[min(max(self.grouping, 0), len(choices) - 1)])

    @property
    def columns(self) -> LadderColumns:
        """The columns that fit."""
        return plan_columns(self._size().width, tick=self._tick, with_other=bool(self.other_label))

    @property
    def has_facts(self) -> bool:
        """Whether the last line shows facts about the cursor's row."""
        return self._size().height >= FACTS_FROM_HEIGHT

    @property
    def body_height(self) -> int:
        """The number of rows for prices."""
        return max(1, self._size().height - 1 - self.has_facts)

    @property
    def size_in_view(self) -> tuple[Micros, Micros]:
        """Bid and ask shares on the rows in view."""
        if self.ladder is None or self.top is None:
            return Micros(0), Micros(0)
        return size_in_view(self.ladder, self.top, self.body_height)

    @property
    def has_book(self) -> bool:
        """Whether there is anything to point at: before the first snapshot and after the end no row means anything."""
        book = self.book
        return (
            book is not None
            and not self.ending
            and bool(book.bids or book.asks or book.state.is_good)
        )

    @property
    def pointed_at(self) -> tuple[Micros, Side] | None:
        """The cursor's price and the side that `enter` trades there; None without a cursor."""
        if self.cursor is None or self.ladder is None:
            return None
        return self.cursor, self.ladder.side_at(self.cursor)

    @property
    def spread_is(self) -> str:
        """Where the spread is if both best prices are out of view: `above`, `below`; else empty."""
        if self.ladder is None or self.top is None:
            return ""
        rows = [r for r in (self.ladder.best_bid, self.ladder.best_ask) if r is not None]
        if rows and min(rows) > self.top:
            return "above"
        return "below" if rows and max(rows) <= self.top - self.body_height else ""

    @property
    def beyond(self) -> tuple["Beyond | None", "Beyond | None"]:
        """Own orders above the rows in view, and below them; None where there are none."""
        if self.ladder is None or self.top is None:
            return None, None
        axis, top, bottom = self.axis, self.top, self.top - self.body_height + 1
        ours = [(row_of(axis, each.price, each.side), each.price, "mine") for each in self.orders]
        ours += [
            (stop_row(axis, each), each.price, each.trigger.value) for each in self.marks.stops
        ]
        ours += [
            (row_of(axis, g.price, g.side), g.price, "typed")
            for g in self.marks.ghosts
            if not g.is_leaving
        ]
        above = [(price, word) for row, price, word in ours if row > top]
        below = [(price, word) for row, price, word in ours if row < bottom]
        return _beyond(above, min), _beyond(below, max)

    def shows(
        self, book: BookView, *, tick: Micros | None, orders: tuple[Order, ...], volume: Volume,
        marks: LadderMarks, other_label: str,
    ) -> bool:  # fmt: skip
        """Return whether all of this is shown already."""
        known = self.book is book and self.volume == volume and self.orders == orders
        known = known and self.marks == marks and self.other_label == other_label
        return known and (book.tick_size or tick or self._tick) == self._tick

    def show(
        self, book: BookView, *, tick: Micros | None, orders: tuple[Order, ...], volume: Volume,
        marks: LadderMarks, other_label: str, lag_s: float,
    ) -> bool:  # fmt: skip
        """Set the book and what belongs to its prices; return whether the tick has changed.

        Args:
            book: the source of all prices and sizes.
            tick: the tick size, if the book has none.
            orders: own open orders, in terms of this book.
            volume: the token's traded volume by price.
            marks: queue, rewards and cost.
            other_label: the other outcome's untrusted name if its prices are shown too.
            lag_s: the round trip of a frame to the terminal in seconds.
        """
        old_axis = self.axis
        if self.book is None or self.book.token_id != book.token_id:
            self._is_placed = False
            self.recent.forget()
        elif self.ladder is not None and self._is_placed:
            self.recent.replaced(self.ladder, self.top, lag_s)
        self.other_label = other_label
        self.book, self.orders, self.volume, self.marks = book, orders, volume, marks
        self._tick = book.tick_size or tick or self._tick
        self._rebuild(old_axis)
        return self.axis.tick != old_axis.tick

    def fit(self) -> None:
        """Keep the rows in view after a resize.

        A line or two that come or go below the rows move none of them, because the trader may be
        about to press a key.
        """
        is_near, self._fitted = abs(self.body_height - self._fitted) <= _NEAR, self.body_height
        self._rebuild(self.axis)
        if self.ladder is None:
            return
        home = centred(self.ladder.middle, self.body_height)
        if self.top is None or (self._is_following and not is_near):
            self.top = home
        elif self.cursor is not None:
            # From a small height no view is worth keeping: show the spread if the cursor allows.
            index = self.ladder.index_of(self.cursor)
            at_home = reveal(home, index, self.body_height)
            away = reveal(self.top, index, self.body_height)
            is_home = at_home == home and not self.is_held and not is_near
            self.top = home if is_home else away
        self.top = self._bound(self.top)

    def clear_cursor(self) -> None:
        """Remove the cursor and follow the spread again."""
        self.cursor, self._is_following = None, True

    def point_at(self, price: Micros) -> None:
        """Move the cursor to a price."""
        if self.ladder is None:
            return
        self._is_following = False
        self.cursor = price
        if self.top is not None:
            index = self.ladder.index_of(price)
            self.top = self._bound(reveal(self.top, index, self.body_height))

    def centre_on(self, price: Micros) -> None:
        """Centre the rows on a price."""
        if self.ladder is not None:
            self._is_following = False
            self.recent.moved_by_hand()
            self.top = self._bound(centred(self.ladder.index_of(price), self.body_height))

    def stepped(self, steps: int) -> Micros | None:
        """Return the price so many rows up or down from the cursor; None without a book.

        The first step lands on the touch: the nearest price in the direction of the key.
        """
        if self.ladder is None or not self.has_book:
            return None
        if self.cursor is not None:
            return self.axis.stepped(self.cursor, steps)
        start = self.ladder.best_ask if steps > 0 else self.ladder.best_bid
        return self.axis.price_at(self.ladder.middle if start is None else start)

    def next_grouping(self) -> None:
        """Switch to the next wider grouping or back to single ticks; the cursor keeps its price."""
        old_axis = self.axis
        self.grouping = (self.grouping + 1) % len(groupings(self._tick))
        self._rebuild(old_axis)
        if self.cursor is not None:
            self.point_at(self.cursor)

    def recentre(self) -> None:
        """Centre the spread, remove the cursor, and follow the spread unless the axis is held."""
        self.clear_cursor()
        self.recent.moved_by_hand()
        if self.ladder is not None:
            self.top = self._bound(centred(self.ladder.middle, self.body_height))

    def hold(self) -> None:
        """Hold the axis, or follow the spread again."""
        self.is_held = not self.is_held
        if not self.is_held:
            self._is_following = self.cursor is None
            self._rebuild(self.axis)

    def scroll(self, rows: int) -> bool:
        """Scroll by rows, upwards if positive; return whether there is a book."""
        if self.top is None or not self.has_book:
            return False
        self._is_following = False
        self.recent.moved_by_hand()
        self.top = self._bound(self.top + rows)
        return True

    @property
    def closing(self) -> Closing | None:
        """What closing the net position brings now; None where nothing is held, or nobody buys it."""
        net, book, marks = self.marks.net, self.book, self.marks
        if net is None or book is None:
            return None
        return close_now(
            net, book, self.orders, tick=self.axis.tick, give_way_percent=marks.give_way_percent
        )

    def price_at_line(self, y: int) -> Micros | None:
        """Return the price of a line, where 0 is the titles; None if it has none."""
        if self.top is None or not 1 <= y <= self.body_height:
            return None
        axis, index = self.axis, self.top - (y - 1)
        return axis.price_at(index) if axis.first <= index <= axis.last else None

    def was_other_price(self, y: int, price: Micros, lag_s: float) -> bool:
        """Return whether a line recently had another price, which may have been meant."""
        return bool(self.recent.prices_at(y - 1, lag_s) - {price})

    def _bound(self, top: int) -> int:
        return bounded(self.axis, top, self.body_height)

    def _rebuild(self, old_axis: Axis) -> None:
        if self.book is None:
            return
        axis, height = self.axis, self.body_height
        self.ladder = build_ladder(
            self.book, axis, orders=self.orders, volume=self.volume, marks=self.marks,
            shown=self.columns.shown,
        )  # fmt: skip
        if not self._size().height:
            return
        if self.top is None:
            self.top = centred(self.ladder.middle, height)
        elif axis != old_axis:
            middle = old_axis.price_at(self.top - height // 2)
            looked_at = middle if self.cursor is None else self.cursor
            self.top = centred(self.ladder.index_of(looked_at), height)
        if self._is_following and not self.is_held:
            touch = (self.ladder.best_bid, self.ladder.best_ask)
            self.top = follow(self.top, self.ladder.middle, height, touch)
        if not self._is_placed and self.has_book:
            # Discard any scrolling from before the first snapshot.
            self._is_placed = True
            self.top = centred(self.ladder.middle, height)
            if self.cursor is not None:
                self.top = reveal(self.top, self.ladder.index_of(self.cursor), height)
        self.top = self._bound(self.top)


class Beyond(NamedTuple):
    """Own orders, stops and drafts out of view at one end of the rows."""

    number: int
    word: str
    """Their kind; `mine` for several kinds."""
    price: Micros
    """The nearest of their prices."""


def _beyond(
    ours: list[tuple[Micros, str]], nearest: Callable[[Iterable[Micros]], Micros]
) -> Beyond | None:
    if not ours:
        return None
    words = {word for _, word in ours}
    return Beyond(
        len(ours), words.pop() if len(words) == 1 else "mine", nearest(price for price, _ in ours)
    )


SEEING_S = 0.3
"""The least reaction time: a frame shown for less cannot have been answered."""
SLOW_S = 0.25
"""From this round trip on, a price may have gone before it was seen."""
_MOST = 8
"""The most frames remembered; on a slow connection they are rarer."""


class _Shown(NamedTuple):
    until: float
    ladder: Ladder
    top: int | None


class RecentLadders:
    """Recent frames of one book that a key may still be meant for."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Use a clock in seconds."""
        self.now = now
        self._shown: deque[_Shown] = deque(maxlen=_MOST)
        self._moved_at = float("-inf")
        self._since = float("-inf")
        """When the first frame of this book was shown."""

    def replaced(self, ladder: Ladder, top: int | None, lag_s: float) -> None:
        """Remember the frame that is replaced, and drop those too old to be answered."""
        _ = self._recent(lag_s)
        self._shown.append(_Shown(self.now(), ladder, top))

    def moved_by_hand(self) -> None:
        """Note that the trader scrolled and knows about it."""
        self._moved_at = self.now()

    def forget(self) -> None:
        """Forget all frames, as another book is shown."""
        self._shown.clear()
        self._since = self.now()

    def is_unseen(self, lag_s: float) -> bool:
        """Return whether no frame of this book can have reached the trader's eyes yet."""
        return lag_s >= SLOW_S and self.now() - self._since < lag_s

    def prices_at(self, row: int, lag_s: float) -> set[Micros]:
        """Return the prices that a row, counted from the first price, has recently shown."""
        found: set[Micros] = set()
        for shown in self._recent(lag_s):
            if shown.top is not None and shown.until > self._moved_at:
                axis, index = shown.ladder.axis, shown.top - row
                if axis.first <= index <= axis.last:
                    found.add(axis.price_at(index))
        return found

    def sides_at(self, price: Micros, lag_s: float) -> set[Side]:
        """Return the sides that `enter` would recently have traded at a price."""
        return {shown.ladder.side_at(price) for shown in self._recent(lag_s)}

    def touch_seen(self, lag_s: float) -> tuple[Micros | None, Micros | None] | None:
        """Return the best bid and ask that the trader last saw; None if they are still shown."""
        since = self.now() - lag_s
        shown = next((each for each in self._shown if each.until > since), None)
        return None if shown is None else shown.ladder.touch

    def _recent(self, lag_s: float) -> list[_Shown]:
        since = self.now() - SEEING_S - lag_s
        while self._shown and self._shown[0].until <= since:
            self._shown.popleft()
        return list(self._shown)
