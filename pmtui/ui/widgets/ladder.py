"""The price ladder: rows stand still, quantities move past them, the cursor is a price.

Nothing the book does moves the cursor to another price or turns its side: both are fixed when the
trader points at a row, and stay until the trader points again.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from pmtui.domain.book_view import BookView
from pmtui.domain.ladder import Ladder, Rung, build_ladder
from pmtui.domain.ladder_axis import Axis, bounded, centred, follow, groupings, reveal
from pmtui.domain.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.order import Order, TradePrint
from pmtui.ui.actions import bindings_of
from pmtui.ui.cells import Line, blank_line
from pmtui.ui.paint.ladder import (
    LadderColumns,
    RungLook,
    paint_rung,
    paint_titles,
    plan_columns,
)
from pmtui.ui.role_styles import RoleStyles

DEFAULT_TICK = Micros(10_000)
"""Where neither book nor terms name one yet; the metadata names a cent nearly always."""
_CACHED_STRIPS = 1_000
_WALL = 8
"""A size so many times the median is a wall."""
_ROUGHLY = 8
"""How much smaller than the scale the largest size may become before the bars grow."""


class _LineState(NamedTuple):
    rung: Rung | None = None
    look: RungLook | None = None


class LadderPane(Widget, can_focus=True):
    """A ladder over one book."""

    DEFAULT_CSS = "LadderPane { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of(
        "ladder.trade_here", "ladder.recentre", "ladder.move_up", "ladder.move_down",
        "ladder.page_up", "ladder.page_down",
    )  # fmt: skip

    @dataclass
    class CursorMoved(Message):
        """The trader pointed at a price, or at none any more."""

        ladder: "LadderPane"

    @dataclass
    class LevelPicked(Message):
        """The trader wants to trade at a price."""

        price: Micros
        side: Side
        """Against what rests on the row; where nothing does, the side that joins its own."""

    def __init__(self, *, id: str | None = None, ascii_only: bool = False) -> None:  # noqa: A002 - the toolkit's word
        """Start without a book."""
        super().__init__(id=id)
        self._ascii_only = ascii_only
        self._book: BookView | None = None
        self._orders: tuple[Order, ...] = ()
        self._prints: tuple[TradePrint, ...] = ()
        self._tick = DEFAULT_TICK
        self._grouping = 0
        self._ladder: Ladder | None = None
        self._top: int | None = None
        self._cursor: tuple[Micros, Side] | None = None
        self._is_following = True
        self._painted: list[_LineState] = []
        self._role_styles: RoleStyles | None = None
        self._strips: dict[tuple[_LineState, bool], Strip] = {}
        self._scale = 1

    @property
    def cursor(self) -> tuple[Micros, Side] | None:
        """The price pointed at and what `enter` does there; None until the trader points."""
        return self._cursor

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
        prints: tuple[TradePrint, ...] = (),
    ) -> None:
        """Show a book with own orders and trades of the same token; the same again costs nothing."""
        known = self._book is book and self._prints is prints and self._orders == orders
        if known and (book.tick_size or tick or self._tick) == self._tick:
            return
        old_axis = self.axis
        self._book, self._orders, self._prints = book, orders, prints
        self._tick = book.tick_size or tick or self._tick
        self._rebuild(old_axis)

    def clear_cursor(self) -> None:
        """Point at nothing and follow the spread again."""
        self._cursor, self._is_following = None, True
        self._announce()

    def point_at(self, price: Micros, side: Side | None = None) -> None:
        """Put the cursor on a price; the side is where the price lies now, unless given."""
        if self._ladder is None:
            return
        self._is_following = False
        self._cursor = (price, side or self._ladder.side_at(price))
        if self._top is not None:
            index = self.axis.nearest(price)
            self._top = self._bound(reveal(self._top, index, self._body_height))
        self._announce()

    def next_grouping(self) -> Micros:
        """Change to the next wider rows, or back to single ticks; return their distance."""
        old_axis = self.axis
        self._grouping = (self._grouping + 1) % len(groupings(self._tick))
        self._rebuild(old_axis)
        if self._cursor is not None:
            # What is marked and what is traded must be one price, so the cursor goes to a row.
            self.point_at(self.axis.price_at(self.axis.nearest(self._cursor[0])))
        self._announce()
        return self.axis.group

    def action_trade_here(self) -> None:
        """Ask for the ticket at the cursor; without one, point at the best bid first."""
        if self._cursor is not None:
            self.post_message(self.LevelPicked(*self._cursor))
        else:
            self._move(0)

    def action_recentre(self) -> None:
        """Bring the spread to the middle and follow it; the cursor is let go."""
        self._cursor, self._is_following = None, True
        if self._ladder is not None:
            self._top = self._bound(centred(self._ladder.middle, self._body_height))
        self._announce()

    def action_move_up(self) -> None:
        """Move one row up."""
        self._move(1)

    def action_move_down(self) -> None:
        """Move one row down."""
        self._move(-1)

    @override
    def action_page_up(self) -> None:
        self._move(max(1, self._body_height - 1))

    @override
    def action_page_down(self) -> None:
        self._move(-max(1, self._body_height - 1))

    def on_click(self, event: events.Click) -> None:
        """Point at the row clicked; a double click asks for the ticket."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y < 1 or self._top is None:
            return
        index = self._top - (offset.y - 1)
        if not self.axis.first <= index <= self.axis.last:
            return
        event.stop()
        price = self.axis.price_at(index)
        # The second click of two picks what the first one pointed at, whatever came in between.
        if event.chain == 2 and self._cursor is not None and self._cursor[0] == price:
            self.action_trade_here()
        else:
            self.point_at(price)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Look at higher prices; the cursor stays."""
        event.stop()
        self._scroll(3)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Look at lower prices; the cursor stays."""
        event.stop()
        self._scroll(-3)

    def on_focus(self) -> None:
        """Mark the cursor as the one keys go to."""
        self._repaint_changed()

    def on_blur(self) -> None:
        """Mark the cursor as resting."""
        self._repaint_changed()

    def on_resize(self) -> None:
        """Keep what is looked at in view."""
        self._rebuild(self.axis)
        if self._ladder is not None:
            if self._top is None or self._is_following:
                self._top = centred(self._ladder.middle, self._body_height)
            elif self._cursor is not None:
                index = self.axis.nearest(self._cursor[0])
                self._top = reveal(self._top, index, self._body_height)
            self._top = self._bound(self._top)
        self._painted = []
        self._strips.clear()
        self._scale = self._choose_scale()
        self.refresh()

    @override
    def render_line(self, y: int) -> Strip:
        if self._role_styles is None:
            self._role_styles = RoleStyles.of_widget(self)
        state = self._state_of(y)
        while len(self._painted) <= y:
            self._painted.append(_LineState())
        self._painted[y] = state
        key = (state, y == 0)
        strip = self._strips.get(key)
        if strip is None:
            if len(self._strips) >= _CACHED_STRIPS:
                self._strips.clear()
            strip = self._strips[key] = self._role_styles.strip(self._paint(state, y))
        return strip

    @override
    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._role_styles = None
        self._strips.clear()

    @property
    def _body_height(self) -> int:
        return max(1, self.size.height - 1)

    @property
    def _columns(self) -> LadderColumns:
        return plan_columns(self.size.width)

    def _bound(self, top: int) -> int:
        return bounded(self.axis, top, self._body_height)

    def _move(self, steps: int) -> None:
        if self._ladder is None:
            return
        axis, ladder = self.axis, self._ladder
        if self._cursor is not None:
            self.point_at(axis.stepped(self._cursor[0], steps))
            return
        # The first step lands on the touch: the nearest price in the direction of the key.
        start = ladder.best_ask if steps > 0 else ladder.best_bid
        self.point_at(axis.price_at(ladder.middle if start is None else start))

    def _scroll(self, rows: int) -> None:
        if self._top is None:
            return
        self._is_following = False
        self._top = self._bound(self._top + rows)
        self._repaint_changed()

    def _rebuild(self, old_axis: Axis) -> None:
        if self._book is None:
            return
        axis, height = self.axis, self._body_height
        columns = self._columns
        # A row must not count as changed for a number nobody sees.
        self._ladder = build_ladder(
            self._book, axis, orders=self._orders,
            prints=self._prints if columns.traded else (), with_depth=columns.depth > 0,
        )  # fmt: skip
        if self.size.height:
            if self._top is None:
                self._top = centred(self._ladder.middle, height)
            elif axis != old_axis:
                middle = old_axis.price_at(self._top - height // 2)
                looked_at = middle if self._cursor is None else self._cursor[0]
                self._top = centred(axis.nearest(looked_at), height)
            if self._is_following:
                self._top = follow(self._top, self._ladder.middle, height)
            self._top = self._bound(self._top)
        self._repaint_changed()

    def _announce(self) -> None:
        self._repaint_changed()
        self.post_message(self.CursorMoved(self))

    def _state_of(self, y: int) -> _LineState:
        if y == 0 or self._ladder is None or self._top is None or self._book is None:
            return _LineState()
        axis = self._ladder.axis
        index = self._top - (y - 1)
        if not axis.first <= index <= axis.last:
            return _LineState()
        is_cursor = self._cursor is not None and axis.nearest(self._cursor[0]) == index
        look = RungLook(
            tick=axis.tick, scale=self._scale, is_good=self._book.state.is_good,
            is_cursor=is_cursor, is_focused=is_cursor and self.has_focus,
            ascii_only=self._ascii_only,
        )  # fmt: skip
        return _LineState(self._ladder.rung(index), look)

    def _choose_scale(self) -> int:
        if self._ladder is None or not self._columns.bar:
            return self._scale
        sizes = sorted(self._ladder.sizes())
        if not sizes:
            return self._scale
        # One wall must not flatten all other bars; it fills its own, and its number says the rest.
        limit = _WALL * sizes[len(sizes) // 2]
        wanted = max((size for size in sizes if size <= limit), default=1)
        # Of the whole book and kept while it roughly fits: bars must compare from row to row and
        # from one moment to the next, also while one scrolls.
        if self._scale // _ROUGHLY <= wanted <= self._scale and self._scale > 1:
            return self._scale
        return 1 << max(0, wanted - 1).bit_length()

    def _paint(self, state: _LineState, y: int) -> Line:
        width = self.size.width
        if y == 0:
            return paint_titles(self._columns, width, ascii_only=self._ascii_only)
        if state.rung is None or state.look is None:
            return blank_line(width)
        return paint_rung(state.rung, self._columns, width, look=state.look)

    def _repaint_changed(self) -> None:
        if not self.is_mounted:
            return
        self._scale = self._choose_scale()
        changed = [
            Region(0, y, self.size.width, 1)
            for y in range(1, self.size.height)
            if y >= len(self._painted) or self._painted[y] != self._state_of(y)
        ]
        if changed:
            self.refresh(*changed)
