"""The price ladder: rows stand still, quantities move past them, the cursor is a price.

The effect of `enter` at the cursor depends on the book shown, and changes with it.
`ladder_viewport` decides which rows are in view, `ladder_lines` how they look.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.ladder import NO_MARKS, Axis, Ghost, Ladder, LadderMarks
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order, Volume
from pmtui.ui.cells import Line
from pmtui.ui.format import format_price
from pmtui.ui.keys.actions import bindings_of
from pmtui.ui.ladder.ladder_lines import LadderLines, LadderRepaint
from pmtui.ui.ladder.ladder_viewport import SLOW_S, LadderViewport
from pmtui.ui.terminal.ascii_filter import is_ascii
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.role_styles import RoleStyles
from pmtui.ui.widgets.focus import shows_focus

ROWS_MOVED = "The rows had just moved: click again."


class LadderPane(Widget, can_focus=True):
    """A ladder over one book."""

    DEFAULT_CSS = "LadderPane { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of(
        "ladder.trade_here", "ladder.recentre", "ladder.hold", "ladder.move_up", "ladder.move_down",
        "ladder.page_up", "ladder.page_down", "ladder.move_to_top", "ladder.move_to_end",
    )  # fmt: skip

    _clicked: tuple[Micros, Side] | None = None
    """The price and the side at the last click."""
    _doubted: tuple[Micros, Side] | None = None
    """The price and the side last warned about: picking them again confirms them."""

    @dataclass
    class CursorMoved(Message):
        """The trader moved the cursor, or removed it."""

        ladder: "LadderPane"

    @dataclass
    class LevelPicked(Message):
        """The trader wants to trade at a price."""

        price: Micros
        side: Side
        """The side that takes what rests on the row; on an empty row, the side that rests there."""
        doubt: str = ""
        """Why the side may differ from what was seen; empty when it does not."""

    @dataclass
    class Doubted(Message):
        """The rows moved just before a click, which may have meant another price."""

        words: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        """Start without a book."""
        super().__init__(id=id)
        self.viewport = LadderViewport(lambda: self.size)
        self._lines = LadderLines(self.viewport, lambda: self.size)
        self.repaint = LadderRepaint(
            self, self.viewport, self._lines, lag_s=lambda: self.line_lag_s
        )  # fmt: skip
        """Repaints lines that changed, flash or fade."""
        self._ghosts: tuple[Ghost, ...] = ()

    @property
    def line_lag_s(self) -> float:
        """The round trip of a frame to the terminal in seconds, as far as is known."""
        app = self.app if self.is_mounted else None
        return app.terminal.lag_s if isinstance(app, TerminalApp) else 0.0

    @property
    def line_stood_still_s(self) -> float:
        """For how long the line stood still as of the ladder that a key is meant for; else zero."""
        app = self.app if self.is_mounted else None
        return app.terminal.stood_still_s if isinstance(app, TerminalApp) else 0.0

    @property
    def key_late_s(self) -> float:
        """How long the key in hand has waited behind others; zero where that is no matter."""
        app = self.app if self.is_mounted else None
        return app.key_queue.waited_s if isinstance(app, TerminalApp) else 0.0

    @property
    def is_unseen(self) -> bool:
        """Whether a slow line has not yet brought the first picture of this book to the trader."""
        return self.viewport.recent.is_unseen(self.line_lag_s)

    @property
    def book(self) -> BookView | None:
        """The exact book that is shown."""
        return self.viewport.book

    @property
    def ladder(self) -> Ladder | None:
        """The ladder that is shown."""
        return self.viewport.ladder

    @property
    def axis(self) -> Axis:
        """The rows of the ladder."""
        return self.viewport.axis

    @property
    def cursor(self) -> tuple[Micros, Side] | None:
        """The cursor's price and the side that `enter` trades there; None without a cursor."""
        return self.viewport.pointed_at

    def better_seen(self, side: Side, price: Micros) -> Micros | None:
        """Return the touch last seen on a slow connection if taking would now cost more."""
        lag_s = self.line_lag_s
        seen = self.viewport.recent.touch_seen(lag_s) if lag_s >= SLOW_S else None
        if seen is None:
            return None
        bid, ask = seen
        if side is Side.BUY:
            return ask if ask is not None and price > ask else None
        return bid if bid is not None and price < bid else None

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
        ending: tuple[Line, ...] = (),
    ) -> None:
        """Show a book with its orders, volume and marks; does nothing when they are unchanged.

        Args:
            book: the source of all prices and sizes.
            tick: the tick size, if the book has none.
            orders: own open orders, in terms of this book.
            volume: the token's traded volume by price.
            fills: own fills, which tell how missing orders ended.
            marks: queue, rewards and cost.
            other_label: the other outcome's untrusted name: its prices are shown too.
            ending: how the market has ended, in the place of rows without a level.
        """
        viewport = self.viewport
        if book.bids or book.asks:
            ending = ()
        if marks.ghosts != self._ghosts:
            marks = replace(marks, ghosts=self._ghosts)
        if (
            viewport.shows(
                book, tick=tick, orders=orders, volume=volume, marks=marks, other_label=other_label
            )
            and viewport.ending == ending
        ):
            return
        viewport.ending = ending
        is_same = viewport.other_label == other_label
        self.repaint.note(
            book, orders=orders, volume=volume, fills=fills, marks=marks, is_same=is_same
        )  # fmt: skip
        is_other_tick = viewport.show(
            book, tick=tick, orders=orders, volume=volume, marks=marks, other_label=other_label,
            lag_s=self.line_lag_s,
        )  # fmt: skip
        if is_other_tick or not is_same:
            self._lines.forget()
            if self.is_mounted:
                self.refresh()
        self.repaint.changed()

    def show_ghosts(self, ghosts: tuple[Ghost, ...]) -> None:
        """Show a draft at its prices; an empty one removes it."""
        if ghosts == self._ghosts:
            return
        self._ghosts = ghosts
        viewport = self.viewport
        if viewport.book is not None:
            self.show(
                viewport.book,
                orders=viewport.orders, volume=viewport.volume, marks=viewport.marks,
                other_label=viewport.other_label, ending=viewport.ending,
            )  # fmt: skip

    @override
    def render_line(self, y: int) -> Strip:
        return self._lines.strip(y, RoleStyles.of_widget(self).strip)

    @override
    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self._lines.is_plain is not (is_plain := self._has_plain_blocks):
            self._lines.is_plain = is_plain
            self._lines.forget()
        self._lines.clear_cache()
        self._show_focus()

    def clear_cursor(self) -> None:
        """Remove the cursor and follow the spread again."""
        self.viewport.clear_cursor()
        self._announce()

    def point_at(self, price: Micros) -> None:
        """Move the cursor to a price."""
        if self.viewport.ladder is None:
            return
        self._clicked = None
        if price != self.viewport.cursor:
            self._doubted = None
        self.viewport.point_at(price)
        self._announce()

    def go_to(self, price: Micros) -> None:
        """Move the cursor to a price and centre the rows on it."""
        self.viewport.centre_on(price)
        self.point_at(price)

    def next_grouping(self) -> Micros:
        """Switch to the next wider grouping, or back to single ticks; return the group size.

        The cursor keeps its price.
        """
        self._clicked = None
        self.viewport.next_grouping()
        self._announce()
        return self.axis.group

    def action_trade_here(self) -> None:
        """Request a ticket at the cursor; without a cursor, move it to the best bid first."""
        cursor = self.cursor
        if cursor is None:
            self._move(0)
        elif self.viewport.has_book:
            self.post_message(self.LevelPicked(*cursor, doubt=self._doubt(*cursor)))

    def action_recentre(self) -> None:
        """Centre the spread, remove the cursor, and follow the spread unless the axis is held."""
        self.viewport.recentre()
        self._announce()

    def action_hold(self) -> None:
        """Hold the axis, or follow the spread again."""
        self.viewport.hold()
        self._announce()

    def action_move_up(self) -> None:
        """Move the cursor one row up."""
        self._move(1)

    def action_move_down(self) -> None:
        """Move the cursor one row down."""
        self._move(-1)

    @override
    def action_page_up(self) -> None:
        self._move(max(1, self.viewport.body_height - 1))

    @override
    def action_page_down(self) -> None:
        self._move(-max(1, self.viewport.body_height - 1))

    def action_move_to_top(self) -> None:
        """Move the cursor to the highest price."""
        if self.viewport.has_book:
            self.point_at(self.axis.price_at(self.axis.last))

    def action_move_to_end(self) -> None:
        """Move the cursor to the lowest price."""
        if self.viewport.has_book:
            self.point_at(self.axis.price_at(self.axis.first))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked row; a double click requests a ticket, a title centres."""
        offset = event.get_content_offset(self)
        if offset is None or self.viewport.top is None or not self.viewport.has_book:
            return
        if offset.y < 1:
            event.stop()
            self.action_recentre()
            return
        price = self.viewport.price_at_line(offset.y)
        if price is None:
            return
        event.stop()
        if self.viewport.was_other_price(offset.y, price, self.line_lag_s):
            self.post_message(self.Doubted(ROWS_MOVED))
            return
        # The second click picks the price of the first, whatever happened in between.
        if event.chain == 2 and self.viewport.cursor == price:
            self.action_trade_here()
        else:
            self.point_at(price)
            self._clicked = self.cursor

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll to higher prices; the cursor stays."""
        event.stop()
        if self.viewport.scroll(3):
            self._announce()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll to lower prices; the cursor stays."""
        event.stop()
        if self.viewport.scroll(-3):
            self._announce()

    @override
    def watch_has_focus(self, _has_focus: bool) -> None:
        """Update the look of the cursor."""
        super().watch_has_focus(_has_focus)
        self._show_focus()

    def on_resize(self) -> None:
        """Keep the rows in view."""
        self.viewport.fit()
        self._lines.is_plain = self._has_plain_blocks
        self._lines.forget()
        self._lines.choose_scale()
        self.refresh()

    @property
    def _has_plain_blocks(self) -> bool:
        """Whether colours cannot be reversed: a dimmed terminal colour would turn bright."""
        return is_ascii(self) or self.app.no_color or self.app.current_theme.ansi

    # Behind a form it has the focus, and the form gets the keys.
    def _show_focus(self) -> None:
        has_focus = shows_focus(self)
        if has_focus is not self._lines.has_focus:
            self._lines.has_focus = has_focus
            self.repaint.changed()

    def _move(self, steps: int) -> None:
        price = self.viewport.stepped(steps)
        if price is not None:
            self.point_at(price)

    def _doubt(self, price: Micros, side: Side) -> str:
        """Return a warning, once, if the side at this price changed after the trader saw it."""
        meant, self._clicked = self._clicked, None
        sides = self.viewport.recent.sides_at(price, self.line_lag_s)
        if meant is not None and meant[0] == price:
            sides.add(meant[1])
        if not sides - {side} or self._doubted == (price, side):
            return ""
        self._doubted = (price, side)
        at = format_price(price, tick=self.axis.tick)
        now = "buy" if side is Side.BUY else "sell"
        return f"The book just changed at {at}; press again to {now}."

    def _announce(self) -> None:
        self.repaint.changed()
        self.post_message(self.CursorMoved(self))
