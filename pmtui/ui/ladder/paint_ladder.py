"""The ladder's rows: own, bids, price, asks, own; queue, bars, depth, volume, profit with room.

Every sign has a meaning without colour: `@` average price paid, `=` break-even, `•` last trade, a
line beside the price the reward band, `$` earns rewards, `?` not known to rest, `~` an estimate, or in
the place of the cursor the row nearest to a price that the grid has no more; `+`, `!` and `×` for a
moment: placed, filled, cancelled. Right of a price `▼` is a stop and `▲` a target, `◆` both, hollow where
they are paused; `stop` and `tgt` stand where nothing of ours is offered. In one column for both sides `B` is an own bid, `S` an own ask.
"""

from typing import NamedTuple

from pmtui.domain.books.ladder import Rung, Zone
from pmtui.domain.conditionals.conditional import Trigger
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, complement
from pmtui.domain.orders.own_orders import OwnChange
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line
from pmtui.ui.format import (
    format_money_change,
    format_money_compact,
    format_price,
    format_size_ceil,
    format_size_compact,
)
from pmtui.ui.ladder.ladder_bars import side_bar
from pmtui.ui.ladder.ladder_columns import LadderColumns, Painters, place_cells
from pmtui.ui.theme.theme import Role

_CHANGE_SIGNS = {OwnChange.PLACED: "+", OwnChange.FILLED: "!", OwnChange.CANCELLED: "×"}
_UNKNOWN, _SCORES = "?", "$"
_GUARD_SIGNS = {Trigger.STOP: "▼▽", Trigger.TAKE_PROFIT: "▲△", None: "◆◇"}
"""Active, and paused."""
_GUARD_WORD = 4


class RungLook(NamedTuple):
    """What besides the row itself decides how it looks."""

    tick: Micros
    scale: int
    """The size that fills a bar."""
    is_good: bool = True
    """Whether the book may be traded from; else its sizes look old."""
    is_cursor: bool = False
    is_near: bool = False
    """The cursor's price is no row of this grid; this is the nearest one."""
    is_focused: bool = False
    bid_change: OwnChange | None = None
    """What has just become of our orders here."""
    ask_change: OwnChange | None = None


def paint_rung(rung: Rung, columns: LadderColumns, width: int, *, look: RungLook) -> Line:
    """Paint one row in exactly `width` cells."""
    row = _Row(rung, columns, look, _ground(rung, look))
    painters = Painters(
        own=row.own, bar=row.bar, size=row.size, band=row.band, price=row.price, guard=row.guard, other=row.other,
        ahead=row.ahead, depth=row.depth, traded=row.traded, profit=row.profit,
    )  # fmt: skip
    mark = Cell(_cursor_mark(look), Role.KEY if look.is_cursor else Role.TEXT, ground=row.ground)
    cells = place_cells(columns, painters, ground=row.ground)
    return fit_line((mark, *cells), width)


class _Row(NamedTuple):
    rung: Rung
    columns: LadderColumns
    look: RungLook
    ground: Role | None

    def amount(self, size: Micros, room: int, role: Role) -> Cell:
        if not size:
            # Reversed on a cursor without colour, an empty cell must look like its neighbours.
            return Cell(" " * room, ground=self.ground)
        return Cell(format_size_compact(size, width=room), role, ground=self.ground)

    def own(self, side: Side | None) -> Cell:
        rung, look, room = self.rung, self.look, self.columns.own
        bid = rung.own_bid if side is not Side.SELL else 0
        ask = rung.own_ask if side is not Side.BUY else 0
        bid_change = look.bid_change if side is not Side.SELL else None
        change = bid_change or (look.ask_change if side is not Side.BUY else None)
        size = Micros(bid + ask)
        if not size and change is None:
            return (
                self._guard_word(room)
                if side is not Side.BUY
                else self.amount(size, room, Role.DIM)
            )
        # Where both sides share a column, nothing but a letter tells a bid from an ask.
        letter = ("B" if bid else "") + ("S" if ask else "") if side is None else ""
        room -= len(letter) + 1
        amount = format_size_compact(size, width=room) if size else " " * room
        text = (letter + amount.lstrip()).rjust(room + len(letter))
        sign, role = " ", Role.OWN_ORDER
        if change is not None:
            sign = _sign_of(change)
        elif rung.has_unknown:
            sign, role = _UNKNOWN, Role.NOTICE_WARN
        elif rung.is_scoring:
            sign = _SCORES
        return Cell(text + sign, role, ground=_flash_ground(change) or self.ground)

    def size(self, side: Side) -> Cell:
        return self.amount(self._size_of(side), self.columns.size, self._role_of(side))

    def bar(self, side: Side) -> Cell:
        value, look = self._size_of(side), self.look
        text = side_bar(value, look.scale, self.columns.bar, side=side)
        if not value:
            return Cell(text, ground=self.ground)
        # Dimmed, it would be lost on the ground of the cursor.
        emphasis = Emphasis.NONE if look.is_cursor else Emphasis.DIM
        return Cell(text, self._role_of(side), emphasis, self.ground)

    def band(self) -> Cell:
        if not self.rung.is_in_band:
            return Cell(" ", ground=self.ground)
        return Cell("│", Role.NOTICE_GOOD, ground=self.ground)

    def price(self) -> tuple[Cell, ...]:
        rung, look, room = self.rung, self.look, self.columns.price
        text = format_price(rung.price, tick=look.tick, width=room - 2)
        ours = "@" if rung.is_entry else "=" if rung.is_break_even else " "
        last = ("•") if rung.is_last_trade else " "
        role = Role.LAST_TRADE if rung.is_last_trade else Role.TEXT
        emphasis = Emphasis.BOLD if look.is_cursor else Emphasis.NONE
        return (
            Cell(ours, Role.OWN_ORDER if ours.strip() else Role.TEXT, ground=self.ground),
            Cell(text + last, role, emphasis, self.ground),
        )

    def guard(self) -> Cell:
        """Mark stops and targets, whatever else is on the row."""
        stops = self.rung.stops
        if not stops:
            return Cell(" ", ground=self.ground)
        kinds = {mark.trigger for mark in stops}
        is_active = any(mark.is_active for mark in stops)
        sign = _GUARD_SIGNS[kinds.pop() if len(kinds) == 1 else None][not is_active]
        return Cell(sign, self._guard_role, Emphasis.BOLD, self.ground)

    def _guard_word(self, room: int) -> Cell:
        """Name what is at the price, where no own order takes the room."""
        stops = self.rung.stops
        if not stops or room <= _GUARD_WORD:
            return Cell(" " * room, ground=self.ground)
        word = "stop" if any(mark.trigger is Trigger.STOP for mark in stops) else "tgt"
        return Cell(word.rjust(room - 1) + " ", self._guard_role, ground=self.ground)

    @property
    def _guard_role(self) -> Role:
        if not any(mark.is_active for mark in self.rung.stops):
            return Role.NOTICE_WARN
        is_stop = any(mark.trigger is Trigger.STOP for mark in self.rung.stops)
        return Role.NOTICE_BAD if is_stop else Role.NOTICE_GOOD

    def other(self) -> Cell:
        text = format_price(
            complement(self.rung.price), tick=self.look.tick, width=self.columns.other,
        )  # fmt: skip
        return Cell(text, Role.DIM, ground=self.ground)

    def ahead(self) -> Cell:
        room = self.columns.ahead
        return Cell(queue_text(self.rung, room).rjust(room), Role.DIM, ground=self.ground)

    def depth(self) -> Cell:
        return self.amount(self.rung.depth, self.columns.depth, Role.DIM)

    def traded(self) -> Cell:
        return self.amount(self.rung.traded, self.columns.traded, Role.DIM)

    def profit(self) -> Cell:
        profit, room = self.rung.profit, self.columns.profit
        if profit is None:
            return Cell(" " * room, ground=self.ground)
        return Cell(profit_text(profit, room), profit_role(profit), ground=self.ground)

    def _size_of(self, side: Side) -> Micros:
        return self.rung.bid_size if side is Side.BUY else self.rung.ask_size

    def _role_of(self, side: Side) -> Role:
        if not self.look.is_good:
            return Role.STALE
        return Role.BID if side is Side.BUY else Role.ASK


def estimate_text(ahead: Micros, room: int) -> str:
    """Write an estimated size: never without its sign, and never smaller than it is."""
    return "~" + format_size_ceil(ahead, width=room)


def queue_text(rung: Rung, room: int) -> str:
    """Write what is ahead of the row's own orders: from first to last, else of the last alone."""
    if rung.ahead is None:
        return ""
    if rung.ahead_of_last is None:
        return estimate_text(rung.ahead, room - 1)
    for width in range(room - 3, 1, -1):
        last = format_size_ceil(rung.ahead_of_last, width=width)
        first = format_size_ceil(rung.ahead, width=room - 2 - len(last))
        text = f"~{first}-{last}"
        # One digit is too coarse: 1.2k would read as 2k.
        if len(text) <= room and not any(_is_one_digit_of_a_unit(end) for end in (first, last)):
            return text
    return estimate_text(rung.ahead_of_last, room - 1)


def _is_one_digit_of_a_unit(text: str) -> bool:
    return len(text) == 2 and not text.isdigit()


def profit_text(profit: Micros, width: int) -> str:
    """Write a gain or a loss in exactly `width` cells: `+$12.30`, `-$1,204`, `+$12.3k`."""
    exact = format_money_change(profit)
    if len(exact) <= width:
        return exact.rjust(width)
    sign = "-" if profit < 0 else "+"
    return (sign + format_money_compact(Micros(abs(profit)), width=width - 1).strip()).rjust(width)


def profit_role(profit: Micros) -> Role:
    """Return how a gain, a loss or nothing is dressed; its sign says the same."""
    return Role.UP if profit > 0 else Role.DOWN if profit < 0 else Role.DIM


def _sign_of(change: OwnChange) -> str:
    return _CHANGE_SIGNS[change]


def _flash_ground(change: OwnChange | None) -> Role | None:
    if change is None:
        return None
    return Role.FLASH_DOWN if change is OwnChange.CANCELLED else Role.FLASH_UP


def _cursor_mark(look: RungLook) -> str:
    if not look.is_cursor:
        return " "
    if look.is_near:
        return "~"
    return "▸"


def _ground(rung: Rung, look: RungLook) -> Role | None:
    if look.is_cursor:
        return Role.CURSOR_ROW
    return Role.SPREAD_ROW if rung.zone is Zone.SPREAD else None
