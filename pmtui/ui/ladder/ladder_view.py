"""What a ladder paints: rows of one book on a fixed axis, and only those that differ.

It decides which rows are in view and how they look; what keys and mouse do is in `ladder`.
"""

from collections.abc import Iterator
from typing import NamedTuple

from textual.geometry import Region
from textual.strip import Strip
from textual.timer import Timer
from typing_extensions import override

from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.ladder import (
    NO_MARKS,
    Axis,
    Ladder,
    LadderMarks,
    Rung,
    bounded,
    build_ladder,
    centred,
    follow,
    groupings,
    reveal,
    row_of,
)
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order, Volume
from pmtui.domain.orders.own_orders import OwnChange, Place, own_changes
from pmtui.ui.cells import Cell, Line, blank_line, focus_mark
from pmtui.ui.ladder.ladder_bars import bar_scale
from pmtui.ui.ladder.ladder_columns import LadderColumns, paint_titles, plan_columns
from pmtui.ui.ladder.ladder_recent import RecentLadders
from pmtui.ui.ladder.ladder_state import paint_facts
from pmtui.ui.ladder.paint_ladder import RungLook, paint_rung
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.role_styles import PaintedWidget
from pmtui.ui.theme.theme import Role

DEFAULT_TICK = Micros(10_000)
"""Where neither book nor terms name one yet; the metadata names a cent nearly always."""
FLASH_S = 1.0
"""How long a change of own orders stands out."""
FACTS_FROM_HEIGHT = 17
"""A ladder this high gives its last line to facts, if it has no columns for them."""
_CACHED_SCREENS = 4
"""Of lines as they were painted: sizes come and go, some of them come back."""


class _LineState(NamedTuple):
    rung: Rung | None = None
    look: RungLook | None = None
    facts: Line | None = None


class LadderView(PaintedWidget):
    """A ladder over one book, without keys."""

    def __init__(self, *, id: str | None = None, ascii_only: bool = False) -> None:  # noqa: A002 - Textual's word
        """Start without a book."""
        super().__init__(id=id)
        self._ascii_only = ascii_only
        self._book: BookView | None = None
        self._orders: tuple[Order, ...] = ()
        self._volume: Volume = ()
        self._marks = NO_MARKS
        self._other_label = ""
        self._tick = DEFAULT_TICK
        self._grouping = 0
        self._ladder: Ladder | None = None
        self._top: int | None = None
        self._cursor: Micros | None = None
        self._is_placed = False
        self._is_following = True
        self._is_held = False
        self._flashes: dict[Place, OwnChange] = {}
        self._flash_end: Timer | None = None
        self._painted: list[_LineState] = []
        self._wanted: list[_LineState] = []
        """What the lines should show, as worked out last; empty where the size is another one."""
        self._strips: dict[_LineState, Strip] = {}
        self._scale = 1
        self.recent = RecentLadders()

    @property
    def line_lag_s(self) -> float:
        """How long a picture and the answer to it are on their way, as far as is known."""
        app = self.app if self.is_mounted else None
        return app.line_lag_s if isinstance(app, TerminalApp) else 0.0

    @property
    def book(self) -> BookView | None:
        """The very book that is on show."""
        return self._book

    @property
    def ladder(self) -> Ladder | None:
        """What is on show."""
        return self._ladder

    @property
    def axis(self) -> Axis:
        """The rows there are."""
        choices = groupings(self._tick)
        return Axis(self._tick, choices[min(self._grouping, len(choices) - 1)])

    @property
    def top_price(self) -> Micros | None:
        """Price of the first row on show."""
        return None if self._top is None else self.axis.price_at(self._top)

    def show(
        self,
        book: BookView,
        *,
        tick: Micros | None = None,
        orders: tuple[Order, ...] = (),
        volume: Volume = (),
        fills: tuple[Fill, ...] = (),
        marks: LadderMarks = NO_MARKS,
        other_label: str = "",
    ) -> None:
        """Show a book and what belongs to its prices; the same again costs nothing.

        Args:
            book: the one source of prices and sizes.
            tick: where the book does not name it.
            orders: own open orders, in terms of this book.
            volume: what traded of the same token, by price.
            fills: how own orders that are gone have ended.
            marks: queue, rewards and cost.
            other_label: the other outcome's untrusted name: its prices are shown too.
        """
        known = self._book is book and self._volume == volume and self._orders == orders
        known = known and self._marks == marks and self._other_label == other_label
        if known and (book.tick_size or tick or self._tick) == self._tick:
            return
        self._note_changes(book, orders, fills, marks, is_same=self._other_label == other_label)
        old_axis = self.axis
        if self._book is None or self._book.token_id != book.token_id:
            self._is_placed = False
            self.recent.forget()
        elif self._ladder is not None and self._is_placed:
            self.recent.replaced(self._ladder, self._top, self.line_lag_s)
        if self._other_label != other_label:
            self._other_label = other_label
            self._forget_painted()
        self._book, self._orders, self._volume, self._marks = book, orders, volume, marks
        self._tick = book.tick_size or tick or self._tick
        self._rebuild(old_axis)

    def end_flashes(self) -> None:
        """Let changes of own orders look like everything else again."""
        if self._flash_end is not None:
            self._flash_end.stop()
            self._flash_end = None
        if self._flashes:
            self._flashes = {}
            self._repaint_changed()

    @override
    def render_line(self, y: int) -> Strip:
        state = self._wanted[y] if y < len(self._wanted) else self._states()[y]
        while len(self._painted) <= y:
            self._painted.append(_LineState())
        self._painted[y] = state
        strip = self._strips.get(state)
        if strip is None:
            if len(self._strips) >= _CACHED_SCREENS * self.size.height:
                self._strips.clear()
            strip = self._strips[state] = self.role_styles.strip(self._paint(state))
        return strip

    def forget_lines(self) -> None:
        """Paint every line anew when it is asked for next."""
        self._strips.clear()

    @override
    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.forget_lines()

    @property
    def _has_book(self) -> bool:
        """Whether there is anything to point at: before the first snapshot no row means anything."""
        book = self._book
        return book is not None and bool(book.bids or book.asks or book.state.is_good)

    @property
    def _is_good(self) -> bool:
        return self._book is not None and self._book.state.is_good

    @property
    def _columns(self) -> LadderColumns:
        return plan_columns(self.size.width, tick=self._tick, with_other=bool(self._other_label))

    @property
    def _has_facts(self) -> bool:
        return self.size.height >= FACTS_FROM_HEIGHT and not all(self._columns.shown)

    @property
    def _body_height(self) -> int:
        return max(1, self.size.height - 1 - self._has_facts)

    def _bound(self, top: int) -> int:
        return bounded(self.axis, top, self._body_height)

    def _note_changes(
        self,
        book: BookView,
        orders: tuple[Order, ...],
        fills: tuple[Fill, ...],
        marks: LadderMarks,
        *,
        is_same: bool,
    ) -> None:
        """Flash what became of own orders, unless another book or another account is on show."""
        if not is_same or self._book is None or self._book.token_id != book.token_id:
            self._flashes = {}
            return
        is_known = marks.is_account_known and self._marks.is_account_known
        if not is_known or orders == self._orders or not self.is_mounted:
            return
        changes = own_changes(self._orders, orders, fills)
        if changes:
            self._flashes = {**self._flashes, **changes}
            if self._flash_end is not None:
                self._flash_end.stop()
            # One end for all: the last one to come decides, and nothing is painted in between.
            self._flash_end = self.set_timer(FLASH_S, self.end_flashes)

    def _rebuild(self, old_axis: Axis) -> None:
        if self._book is None:
            return
        axis, height = self.axis, self._body_height
        self._ladder = build_ladder(
            self._book, axis, orders=self._orders, volume=self._volume, marks=self._marks,
            shown=self._columns.shown,
        )  # fmt: skip
        if axis.tick != old_axis.tick:
            self._forget_painted()
        if self.size.height:
            if self._top is None:
                self._top = centred(self._ladder.middle, height)
            elif axis != old_axis:
                middle = old_axis.price_at(self._top - height // 2)
                looked_at = middle if self._cursor is None else self._cursor
                self._top = centred(self._ladder.index_of(looked_at), height)
            if self._is_following and not self._is_held:
                touch = (self._ladder.best_bid, self._ladder.best_ask)
                self._top = follow(self._top, self._ladder.middle, height, touch)
            if not self._is_placed and self._has_book:
                # Whatever happened while there was nothing to look at.
                self._is_placed = True
                self._top = centred(self._ladder.middle, height)
                if self._cursor is not None:
                    self._top = reveal(self._top, self._ladder.index_of(self._cursor), height)
            self._top = self._bound(self._top)
        self._repaint_changed()

    def _forget_painted(self) -> None:
        # Columns may stand elsewhere now, which no row tells.
        self._painted, self._wanted = [], []
        self._strips.clear()
        if self.is_mounted:
            self.refresh()

    def _states(self) -> list[_LineState]:
        """Work out what every line should show now."""
        width, height = self.size
        if not width or not height:
            return []
        states = [_LineState(facts=self._titles(width))]
        has_facts = self._has_facts
        if self._ladder is None or self._top is None or self._book is None:
            states += [_LineState()] * (height - 1)
        else:
            states += self._row_states(self._ladder, self._top, height - 1 - has_facts)
            if has_facts:
                facts = paint_facts(
                    self._ladder, self._cursor, width, is_good=self._book.state.is_good,
                    ascii_only=self._ascii_only,
                )  # fmt: skip
                states.append(_LineState(facts=facts))
        self._wanted = states
        return states

    def _row_states(self, ladder: Ladder, top: int, count: int) -> Iterator[_LineState]:
        axis, blank = ladder.axis, _LineState()
        usual = RungLook(
            tick=axis.tick, scale=self._scale, is_good=self._is_good, ascii_only=self._ascii_only
        )
        cursor = self._cursor
        pointed_at = None if cursor is None else ladder.index_of(cursor)
        first, last = axis.first, axis.last
        for index in range(top, top - count, -1):
            if not first <= index <= last:
                yield blank
                continue
            look, rung = usual, ladder.rung(index)
            if cursor is not None and index == pointed_at:
                # What is marked and what is traded are one price, also on a row of several.
                is_near = cursor % axis.tick != 0
                rung = rung if is_near else ladder.rung_at(cursor, ladder.shown)
                look = look._replace(is_cursor=True, is_near=is_near, is_focused=self.has_focus)
            if self._flashes:
                look = look._replace(
                    bid_change=self._change_at(axis, index, Side.BUY),
                    ask_change=self._change_at(axis, index, Side.SELL),
                )
            yield _LineState(rung, look)

    def _change_at(self, axis: Axis, index: int, side: Side) -> OwnChange | None:
        ranks = list(OwnChange)
        found = (
            change
            for (price, of), change in self._flashes.items()
            if of is side and row_of(axis, price, of) == index
        )
        return max(found, key=ranks.index, default=None)

    def _choose_scale(self) -> int:
        if self._ladder is None or not self._columns.bar:
            return self._scale
        # Of the whole book, so that scrolling changes no bar.
        return bar_scale(self._ladder.sizes(), self._scale)

    def _titles(self, width: int) -> Line:
        ascii_only = self._ascii_only
        blank, *titles = paint_titles(
            self._columns, width, other_label=self._other_label, ascii_only=ascii_only
        )
        mark = focus_mark(ascii_only=ascii_only)
        return (Cell(mark, Role.KEY) if self.has_focus else blank, *titles)

    def _paint(self, state: _LineState) -> Line:
        width = self.size.width
        if state.facts is not None:
            return state.facts
        if state.rung is None or state.look is None:
            return blank_line(width)
        return paint_rung(state.rung, self._columns, width, look=state.look)

    def _repaint_changed(self) -> None:
        if not self.is_mounted:
            return
        self._scale = self._choose_scale()
        width, painted = self.size.width, self._painted
        changed = [
            Region(0, y, width, 1)
            for y, state in enumerate(self._states())
            if y >= len(painted) or painted[y] != state
        ]
        if changed:
            self.refresh(*changed)
