"""The price ladder: rows stand still, quantities move past them, the cursor is a price.

Nothing the book does moves the cursor to another price. What `enter` does there is what the book on
show says of the price, and changes with it. The axis follows the spread until the trader points
somewhere, or not at all while it is held. Where there is no book yet, nothing can be pointed at.
"""

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from typing_extensions import override

from pmtui.domain.books.ladder import centred, groupings, reveal
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.ui.format import format_price
from pmtui.ui.keys.actions import bindings_of
from pmtui.ui.ladder.ladder_recent import SLOW_S
from pmtui.ui.ladder.ladder_view import LadderView

ROWS_MOVED = "The rows had just moved: click again."


class LadderPane(LadderView, can_focus=True):
    """A ladder over one book."""

    DEFAULT_CSS = "LadderPane { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of(
        "ladder.trade_here", "ladder.recentre", "ladder.hold", "ladder.move_up", "ladder.move_down",
        "ladder.page_up", "ladder.page_down", "ladder.move_to_top", "ladder.move_to_end",
    )  # fmt: skip

    _clicked: tuple[Micros, Side] | None = None
    """What the last click pointed at, and what there was to do."""
    _doubted: tuple[Micros, Side] | None = None
    """What a doubt has been told of: the same again is meant."""

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
        doubt: str = ""
        """Why the side may not be what was seen; empty when it is."""

    @dataclass
    class Doubted(Message):
        """The rows moved under a click, which may have meant another price."""

        words: str

    @property
    def cursor(self) -> tuple[Micros, Side] | None:
        """The price pointed at and what `enter` does there now; None until the trader points."""
        if self._cursor is None or self._ladder is None:
            return None
        return self._cursor, self._ladder.side_at(self._cursor)

    @property
    def is_held(self) -> bool:
        """Whether the axis stays where it is, whatever the spread does."""
        return self._is_held

    @property
    def spread_is(self) -> str:
        """Where best bid and best ask are while neither is in sight: `above`, `below`, else empty."""
        if self._ladder is None or self._top is None:
            return ""
        rows = [r for r in (self._ladder.best_bid, self._ladder.best_ask) if r is not None]
        if rows and min(rows) > self._top:
            return "above"
        return "below" if rows and max(rows) <= self._top - self._body_height else ""

    def better_seen(self, side: Side, price: Micros) -> Micros | None:
        """Return the touch that was seen on a slow line where taking now would cost more than it."""
        lag_s = self.line_lag_s
        seen = self.recent.touch_seen(lag_s) if lag_s >= SLOW_S else None
        if seen is None:
            return None
        bid, ask = seen
        if side is Side.BUY:
            return ask if ask is not None and price > ask else None
        return bid if bid is not None and price < bid else None

    def clear_cursor(self) -> None:
        """Point at nothing and follow the spread again."""
        self._cursor, self._is_following = None, True
        self._announce()

    def point_at(self, price: Micros) -> None:
        """Put the cursor on a price."""
        if self._ladder is None:
            return
        self._is_following = False
        self._clicked = None
        if price != self._cursor:
            self._doubted = None
        self._cursor = price
        if self._top is not None:
            index = self._ladder.index_of(price)
            self._top = self._bound(reveal(self._top, index, self._body_height))
        self._announce()

    def next_grouping(self) -> Micros:
        """Change to the next wider rows, or back to single ticks; return their distance.

        The cursor stays at its price, on the row that counts it.
        """
        old_axis = self.axis
        self._grouping = (self._grouping + 1) % len(groupings(self._tick))
        self._rebuild(old_axis)
        if self._cursor is not None:
            self.point_at(self._cursor)
        self._announce()
        return self.axis.group

    def action_trade_here(self) -> None:
        """Ask for the ticket at the cursor; without one, point at the best bid first."""
        cursor = self.cursor
        if cursor is None:
            self._move(0)
        elif self._has_book:
            self.post_message(self.LevelPicked(*cursor, doubt=self._doubt(*cursor)))

    def action_recentre(self) -> None:
        """Bring the spread to the middle and follow it unless held; the cursor is let go."""
        self._cursor, self._is_following = None, True
        self.recent.moved_by_hand()
        if self._ladder is not None:
            self._top = self._bound(centred(self._ladder.middle, self._body_height))
        self._announce()

    def action_hold(self) -> None:
        """Hold the axis where it is, or follow the spread again."""
        self._is_held = not self._is_held
        if not self._is_held:
            self._is_following = self._cursor is None
            self._rebuild(self.axis)
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

    def action_move_to_top(self) -> None:
        """Point at the highest price there is."""
        self._go_to(self.axis.last)

    def action_move_to_end(self) -> None:
        """Point at the lowest price there is."""
        self._go_to(self.axis.first)

    def on_click(self, event: events.Click) -> None:
        """Point at the row clicked; a double click asks for the ticket, the titles centre."""
        offset = event.get_content_offset(self)
        if offset is None or self._top is None or not self._has_book:
            return
        if offset.y < 1:
            event.stop()
            self.action_recentre()
            return
        if offset.y > self._body_height:
            return
        index = self._top - (offset.y - 1)
        if not self.axis.first <= index <= self.axis.last:
            return
        event.stop()
        price = self.axis.price_at(index)
        if self.recent.prices_at(offset.y - 1, self.line_lag_s) - {price}:
            self.post_message(self.Doubted(ROWS_MOVED))
            return
        # The second click of two picks what the first one pointed at, whatever came in between.
        if event.chain == 2 and self._cursor is not None and self._cursor == price:
            self.action_trade_here()
        else:
            self.point_at(price)
            self._clicked = self.cursor

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Look at higher prices; the cursor stays."""
        event.stop()
        self._scroll(3)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Look at lower prices; the cursor stays."""
        event.stop()
        self._scroll(-3)

    @override
    def watch_has_focus(self, _has_focus: bool) -> None:
        """Mark the cursor as the one keys go to, or as resting."""
        super().watch_has_focus(_has_focus)
        self._repaint_changed()

    def on_resize(self) -> None:
        """Keep what is looked at in view."""
        self._rebuild(self.axis)
        if self._ladder is not None:
            home = centred(self._ladder.middle, self._body_height)
            if self._top is None or self._is_following:
                self._top = home
            elif self._cursor is not None:
                # A height that showed little leaves no view worth keeping: the spread if it can be.
                index = self._ladder.index_of(self._cursor)
                at_home = reveal(home, index, self._body_height)
                away = reveal(self._top, index, self._body_height)
                self._top = home if at_home == home and not self._is_held else away
            self._top = self._bound(self._top)
        self._forget_painted()
        self._scale = self._choose_scale()
        self.refresh()

    def _move(self, steps: int) -> None:
        if self._ladder is None or not self._has_book:
            return
        axis, ladder = self.axis, self._ladder
        if self._cursor is not None:
            self.point_at(axis.stepped(self._cursor, steps))
            return
        # The first step lands on the touch: the nearest price in the direction of the key.
        start = ladder.best_ask if steps > 0 else ladder.best_bid
        self.point_at(axis.price_at(ladder.middle if start is None else start))

    def _doubt(self, price: Micros, side: Side) -> str:
        """Say once that the book may have turned what is done here around after it was seen."""
        meant, self._clicked = self._clicked, None
        sides = self.recent.sides_at(price, self.line_lag_s)
        if meant is not None and meant[0] == price:
            sides.add(meant[1])
        if not sides - {side} or self._doubted == (price, side):
            return ""
        self._doubted = (price, side)
        at = format_price(price, tick=self.axis.tick, ascii_only=self._ascii_only)
        now = "buys" if side is Side.BUY else "sells"
        return f"The book had just changed at {at}: once more {now}."

    def _go_to(self, index: int) -> None:
        if self._ladder is not None and self._has_book:
            self.point_at(self.axis.price_at(index))

    def _scroll(self, rows: int) -> None:
        if self._top is None or not self._has_book:
            return
        self._is_following = False
        self.recent.moved_by_hand()
        self._top = self._bound(self._top + rows)
        self._announce()

    def _announce(self) -> None:
        self._repaint_changed()
        self.post_message(self.CursorMoved(self))
