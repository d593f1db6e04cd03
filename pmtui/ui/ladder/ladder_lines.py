"""How the ladder's lines look, what is animated on them, and which lines are repainted.

Changed levels flash and fade, the last trade pulses, and recent flow is shown. All animations end
by themselves, so that a book at rest sends nothing. In calm mode, and on a slow connection, nothing
is animated.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

from textual.geometry import Region, Size
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.ladder import Axis, Flow, Ladder, LadderMarks, Rung, level_changes, row_of
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order, Volume
from pmtui.domain.orders.own_orders import OwnChange, Place, own_changes
from pmtui.ui.cells import Cell, Line, blank_line, fit_line, line_width
from pmtui.ui.ladder.ladder_columns import BarScale, bar_scale, paint_titles
from pmtui.ui.ladder.ladder_state import paint_beyond, paint_facts
from pmtui.ui.ladder.ladder_viewport import SLOW_S, LadderViewport
from pmtui.ui.ladder.paint_ladder import Fresh, RungLook, paint_rung

STAGE_S = 0.3
"""A flash lasts this long, and fades for as long again."""
_STAGES = 2
_MOST_AT_ONCE = 12
"""More changed levels than these are a new snapshot, and none of them flashes."""


class Moves(NamedTuple):
    """What is animated on the rows of an axis now."""

    fresh: dict[tuple[Side, int], Fresh]
    """By side and row."""
    flow: dict[tuple[Side, int], int]
    pulse: int
    """The stage of the last trade's pulse."""


class LadderMotion:
    """Tracks one book from update to update."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Use a clock in seconds."""
        self._now = now
        self._flow = Flow()
        self._fresh: dict[tuple[Side, Micros], tuple[float, bool]] = {}
        """For each fresh level, when it fades and whether it grew."""
        self._pulse_until = 0.0
        self._last: tuple[Micros | None, object] | None = None

    @property
    def is_live(self) -> bool:
        """Whether an animation is running."""
        return bool(self._fresh or self._flow.net) or self._pulse_until > self._now()

    def forget(self) -> None:
        """Reset."""
        self._flow.forget()
        self._fresh.clear()
        self._pulse_until, self._last = 0.0, None

    def follow(self, before: BookView | None, after: BookView, *, traded: object) -> None:
        """Note the changes since the previous book.

        Args:
            before: the book shown before; None for none.
            after: the book shown now.
            traded: differs between one last trade and the next.
        """
        now = self._now()
        last, self._last = self._last, (after.own_last_price, traded)
        is_same = before is not None and before.token_id == after.token_id
        if before is None or not is_same or not (before.state.is_good and after.state.is_good):
            self.forget()
            self._last = (after.own_last_price, traded)
            return
        changes = level_changes(before, after)
        if len(changes) > _MOST_AT_ONCE:
            self._flow.forget()
            return
        self._flow.note(changes, int(now * 1_000))
        end = now + _STAGES * STAGE_S
        for place, change in changes.items():
            self._fresh[place] = (end, change > 0)
        if last is not None and last != self._last and after.own_last_price is not None:
            self._pulse_until = end

    def moves(self, axis: Axis) -> Moves:
        """Return what is animated now, and forget what has ended."""
        now = self._now()
        self._flow.expire(int(now * 1_000))
        self._fresh = {place: each for place, each in self._fresh.items() if each[0] > now}
        fresh = {
            (side, row_of(axis, price, side)): Fresh(self._stage(until, now), is_more)
            for (side, price), (until, is_more) in self._fresh.items()
        }
        flow: dict[tuple[Side, int], int] = {}
        for (side, price), change in self._flow.net.items():
            row = side, row_of(axis, price, side)
            flow[row] = flow.get(row, 0) + change
        return Moves(fresh, flow, self._stage(self._pulse_until, now))

    def _stage(self, until: float, now: float) -> int:
        return 0 if until <= now else min(_STAGES, 1 + int((until - now) / STAGE_S))


FLASH_S = 1.0
"""How long a change of own orders is highlighted."""
_CACHED_SCREENS = 4
"""The size of the cache in screens of lines: sizes come and go, and some come back."""


_COMPARED, _REMEMBERED = 3, 4
"""Bars compare the rows that are in view while the ladder follows the spread: so many quarters of a screen from it. The scale
falls only once nothing within a screen needs it."""


class _LineState(NamedTuple):
    rung: Rung | None = None
    look: RungLook | None = None
    line: Line | None = None
    """As it is painted already."""


class LadderLines:
    """The painted lines of one viewport."""

    def __init__(self, viewport: LadderViewport, size: Callable[[], Size]) -> None:
        """Start with nothing painted."""
        self._viewport = viewport
        self._size = size
        self.has_focus = False
        """Whether keys go to the ladder; else its cursor is quiet."""
        self.is_plain = False
        """Whether the two colours of a cell cannot be reversed."""
        self.flashes: dict[Place, OwnChange] = {}
        """Changes of own orders that are highlighted now."""
        self.motion = LadderMotion()
        """The animations."""
        self._painted: list[_LineState] = []
        self._wanted: list[_LineState] = []
        """The latest state of each line; empty when the size has changed."""
        self._strips: dict[_LineState, Strip] = {}
        self._scale = BarScale()

    def changed(self) -> list[int]:
        """Compute every line's state; return the lines that have changed."""
        self.choose_scale()
        painted = self._painted
        return [
            y
            for y, state in enumerate(self._work_out())
            if y >= len(painted) or painted[y] != state
        ]

    def strip(self, y: int, paint: Callable[[Line], Strip]) -> Strip:
        """Return a line as a strip, from the cache if possible."""
        state = self._wanted[y] if y < len(self._wanted) else self._work_out()[y]
        while len(self._painted) <= y:
            self._painted.append(_LineState())
        self._painted[y] = state
        strip = self._strips.get(state)
        if strip is None:
            if len(self._strips) >= _CACHED_SCREENS * self._size().height:
                self._strips.clear()
            strip = self._strips[state] = paint(self._paint(state))
        return strip

    def forget(self) -> None:
        """Mark every line as unpainted: the columns may have moved, which no row's state shows."""
        self._painted, self._wanted = [], []
        self._strips.clear()

    def clear_cache(self) -> None:
        """Paint every line again when it is next requested."""
        self._strips.clear()

    def choose_scale(self) -> None:
        """Choose how much a bar stands for: of what lies near the spread, so that scrolling changes no bar."""
        ladder = self._viewport.ladder
        if ladder is not None and self._viewport.columns.bar:
            rows = self._viewport.body_height
            near, around = (ladder.sizes_near(rows * n // 4) for n in (_COMPARED, _REMEMBERED))
            self._scale = bar_scale(near, self._scale, around=around)

    def _work_out(self) -> list[_LineState]:
        width, height = self._size()
        if not width or not height:
            return []
        if self._viewport.ending:
            self._wanted = self._ended(width, height)
            return self._wanted
        viewport = self._viewport
        has_facts = viewport.has_facts
        states = [_LineState(line=self._titles(width))]
        ladder, top, book = viewport.ladder, viewport.top, viewport.book
        if ladder is None or top is None or book is None:
            states += [_LineState()] * (height - 1)
        else:
            is_good = book.state.is_good and viewport.marks.is_trading
            states += self._rows(ladder, top, height - 1 - has_facts, is_good=is_good)
            if has_facts:
                has_exit = is_good and not viewport.is_exit_elsewhere
                facts = paint_facts(
                    ladder, viewport.cursor, width, in_view=viewport.size_in_view,
                    is_good=is_good, closing=viewport.closing if has_exit else None,
                )  # fmt: skip
                states.append(_LineState(line=facts))
        self._wanted = states
        return states

    def _ended(self, width: int, height: int) -> list[_LineState]:
        """Return how the market has ended in the middle of the lines, where rows would all be empty."""
        ending = self._viewport.ending
        if len(ending) > height:
            ending = tuple(filter(None, ending))[:height]
        before = (height - len(ending)) // 2
        states = [_LineState()] * before
        for line in ending:
            left = max(width - line_width(line), 0) // 2
            states.append(_LineState(line=fit_line((Cell(" " * left), *line), width)))
        return states + [_LineState()] * (height - len(states))

    def _rows(self, ladder: Ladder, top: int, count: int, *, is_good: bool) -> list[_LineState]:
        axis, blank = ladder.axis, _LineState()
        usual = RungLook(axis.tick, self._scale, is_good=is_good, is_plain=self.is_plain)
        cursor = self._viewport.cursor
        pointed_at = None if cursor is None else ladder.index_of(cursor)
        highest, lowest = min(top, axis.last), max(top - count + 1, axis.first)
        shown = range(highest, lowest - 1, -1)
        moves = self.motion.moves(axis)
        moving = {row for _, row in (*moves.fresh, *moves.flow)}
        rows = [blank] * min(top - highest, count)
        for index, found in zip(shown, ladder.rungs(shown), strict=True):
            look, rung = usual, found
            if cursor is not None and index == pointed_at:
                # The marked price is the traded price, also on a row of several prices.
                is_near = cursor % axis.tick != 0
                rung = rung if is_near else ladder.rung_at(cursor, ladder.shown)
                look = look._replace(is_cursor=True, is_near=is_near, is_focused=self.has_focus)
            if index in moving or (rung.is_last_trade and moves.pulse):
                look = _moved(look, moves, index, is_last=rung.is_last_trade)
            if self.flashes:
                look = look._replace(
                    bid_change=self._change_at(axis, index, Side.BUY),
                    ask_change=self._change_at(axis, index, Side.SELL),
                )
            rows.append(_LineState(rung, look))
        return rows + [blank] * (count - len(rows))

    def _change_at(self, axis: Axis, index: int, side: Side) -> OwnChange | None:
        ranks = list(OwnChange)
        found = (
            change
            for (price, of), change in self.flashes.items()
            if of is side and row_of(axis, price, of) == index
        )
        return max(found, key=ranks.index, default=None)

    def _titles(self, width: int) -> Line:
        viewport = self._viewport
        above, below = paint_beyond(*viewport.beyond, tick=viewport.axis.tick)
        return paint_titles(
            viewport.columns, width, other_label=viewport.other_label, above=above, below=below
        )

    def _paint(self, state: _LineState) -> Line:
        width = self._size().width
        if state.line is not None:
            return state.line
        if state.rung is None or state.look is None:
            return blank_line(width)
        return paint_rung(state.rung, self._viewport.columns, width, look=state.look)


def _moved(look: RungLook, moves: Moves, index: int, *, is_last: bool) -> RungLook:
    bid, ask = (Side.BUY, index), (Side.SELL, index)
    return look._replace(
        bid_fresh=moves.fresh.get(bid, look.bid_fresh),
        ask_fresh=moves.fresh.get(ask, look.ask_fresh),
        bid_flow=moves.flow.get(bid, 0),
        ask_flow=moves.flow.get(ask, 0),
        pulse=moves.pulse if is_last else 0,
    )


class LadderRepaint:
    """Repaints the lines of a pane that changed, and those that flash or fade."""

    def __init__(
        self, pane: Widget, viewport: LadderViewport, lines: LadderLines, *,
        lag_s: Callable[[], float],
    ) -> None:  # fmt: skip
        """Repaint this pane."""
        self._pane = pane
        self._viewport = viewport
        self._lines = lines
        self._lag_s = lag_s
        self.is_calm = False
        """Whether animations are off."""
        self._flash_end: Timer | None = None
        self._motion_step: Timer | None = None

    def note(
        self, book: BookView, *, orders: tuple[Order, ...], volume: Volume, fills: tuple[Fill, ...],
        marks: LadderMarks, is_same: bool,
    ) -> None:  # fmt: skip
        """Note the changes in a book that is about to be shown.

        Args:
            book: the new book.
            orders: own open orders in it.
            volume: its traded volume by price.
            fills: own fills, which tell how missing orders ended.
            marks: say whether the account is known.
            is_same: whether the columns show the same outcomes as before.
        """
        self._flash_changes(book, orders, fills, marks, is_same=is_same)
        motion, before = self._lines.motion, self._viewport.book
        is_quiet = self.is_calm or not marks.is_trading
        if is_quiet or not is_same or self._lag_s() >= SLOW_S:
            motion.forget()
        else:
            motion.follow(before, book, traded=volume)
            self._keep_moving()

    def end_flashes(self) -> None:
        """Stop highlighting changes of own orders."""
        if self._flash_end is not None:
            self._flash_end.stop()
            self._flash_end = None
        if self._lines.flashes:
            self._lines.flashes = {}
            self.changed()

    def changed(self) -> None:
        """Refresh the lines whose state has changed."""
        if not self._pane.is_mounted:
            return
        width = self._pane.size.width
        changed = [Region(0, y, width, 1) for y in self._lines.changed()]
        if changed:
            self._pane.refresh(*changed)

    def _flash_changes(
        self, book: BookView, orders: tuple[Order, ...], fills: tuple[Fill, ...],
        marks: LadderMarks, *, is_same: bool,
    ) -> None:  # fmt: skip
        """Highlight changes of own orders, unless the book or the account is another one."""
        before = self._viewport
        if not is_same or before.book is None or before.book.token_id != book.token_id:
            self._lines.flashes = {}
            return
        is_known = marks.is_account_known and before.marks.is_account_known
        if not is_known or orders == before.orders or not self._pane.is_mounted:
            return
        changes = own_changes(before.orders, orders, fills)
        if changes:
            self._lines.flashes = {**self._lines.flashes, **changes}
            if self._flash_end is not None:
                self._flash_end.stop()
            # All highlights end with the last one, without a paint in between.
            self._flash_end = self._pane.set_timer(FLASH_S, self.end_flashes)

    def _keep_moving(self) -> None:
        """Repaint until all animations have ended."""

        def move_on() -> None:
            self._motion_step = None
            self.changed()
            self._keep_moving()

        if self._motion_step is None and self._lines.motion.is_live and self._pane.is_mounted:
            self._motion_step = self._pane.set_timer(STAGE_S, move_on)
