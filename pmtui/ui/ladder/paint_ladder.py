"""The ladder's rows: each side with its size, bar and own orders; price; what changed, volume, depth, profit with room.

A price at which orders of ours rest stands in a box; their size is on their side beside that of the book, with the queue
before them. What else a price is to us is spelled on the side that is free: `avg`, `b/e`, `stop`, `target`, `alert`.
Every sign has a meaning without colour, and `SIGNS` says which: the help of the screen shows it.
"""

from typing import NamedTuple

from pmtui.domain.books.ladder import Ghost, Rung, Zone
from pmtui.domain.conditionals.conditional import Trigger
from pmtui.domain.markets.market import Side
from pmtui.domain.money import SCALE, Micros, complement
from pmtui.domain.orders.own_orders import OwnChange
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.format import (
    format_money_change,
    format_money_compact,
    format_price,
    format_size_ceil,
    format_size_compact,
    format_whole_size,
)
from pmtui.ui.ladder.ladder_columns import (
    ARROWS,
    BarLook,
    BarScale,
    LadderColumns,
    Painters,
    paint_bar,
    place_cells,
)
from pmtui.ui.theme.theme import Role, sign_role

_CHANGE_SIGNS = {OwnChange.PLACED: "", OwnChange.FILLED: "!", OwnChange.CANCELLED: "×"}
_UNKNOWN = "?"
GUARD_SIGNS = {Trigger.STOP: "▼▽", Trigger.TAKE_PROFIT: "▲△", None: "◆◇"}
"""The signs of stops and targets, active and paused."""
_UNSENT = "╌"
"""Encloses a size that has not been sent."""
_CURSOR, _NEAREST = "▸", "~"
_LAST_TRADE = "•"
_BAND_ENDS = {(False, False): " ", (True, False): "┐", (False, True): "┘", (True, True): "┤"}
"""The signs of a price that is the top, the bottom or both ends of the reward band."""
_MORE, _LESS = "▴", "▾"
_AVERAGE, _EVEN = "avg", "b/e"
_AVERAGE_SIGN, _EVEN_SIGN = "@", "="
FIRST, _LEAST_QUEUE = "1st", 3
_ACTIVE, _PAUSED = (" ".join(sign[place] for sign in GUARD_SIGNS.values()) for place in (0, 1))
SIGNS = (
    (_CURSOR, "the cursor"),
    (_NEAREST, "in its place: the row nearest to a price that is off the grid now"),
    (_LAST_TRADE, "the last trade"),
    ("boxed price", "orders of yours rest there; their size stands on their side"),
    ("underlined", "an order of yours that earns rewards"),
    (" ".join(_BAND_ENDS.values()).strip(), "the ends of the prices that may earn rewards"),
    (f"100{_UNKNOWN}", "not known to be working"),
    (
        f"100{_CHANGE_SIGNS[OwnChange.FILLED]}  100{_CHANGE_SIGNS[OwnChange.CANCELLED]}",
        "just filled, just cancelled",
    ),
    (f"~4,870  {FIRST}", "about so many shares are ahead of yours; none"),
    (f"{_UNSENT}100{_UNSENT}", "typed in a form, or picked up: not sent"),
    (
        f"{_AVERAGE}  {_EVEN}",
        "your average price; the price at which closing gains and loses nothing",
    ),
    (
        f"{_AVERAGE_SIGN}  {_EVEN_SIGN}",
        f"the same, where there is no room for {_AVERAGE} and {_EVEN}",
    ),
    (_ACTIVE, f"a stop, a target, both; hollow ({_PAUSED}) while paused"),
    ("stop 100", "so many shares are sold from there; target, alert: the same in words"),
    ("+20k  -40", "added or pulled within five seconds, on either side"),
    (f"{_MORE} {_LESS}", "a size that has just grown or shrunk, on a narrow ladder"),
    ("↑ ↓", "above or below the rows in view: yours, with the nearest price; the spread"),
    (
        " ".join(ARROWS.values()),
        "a bar that ought to be longer; bars compare the rows that are in view around the spread",
    ),
    ("traded", "a column: how many shares have traded at each price"),
    (
        "in view",
        "what is bid for and offered on the rows in view: a taller window counts more rows",
    ),
)
"""The signs of the rows, and what each means."""
_WORD = 3
_SHORT_WORDS = {"target": "tgt"}
_OWN, _TYPED = 6, 4
"""The most cells of an own size, and of a size that is typed without its signs."""
_LEAST_SIZE, _LEAST_OWN = 3, 3
"""The cells that the size of a level keeps beside what is ours, and those without which ours is left out."""


class Fresh(NamedTuple):
    """How recently a level changed."""

    stage: int = 0
    """2 at first, then 1, then 0."""
    is_more: bool = True
    """Whether its size has grown."""


_CALM = Fresh()


class RungLook(NamedTuple):
    """How a row looks, apart from its contents."""

    tick: Micros
    scale: BarScale
    is_good: bool = True
    """Whether the book is good; else its sizes look stale."""
    is_cursor: bool = False
    is_near: bool = False
    """Whether the cursor's price is off this grid, and this row is the nearest."""
    is_focused: bool = False
    """Whether keys go to the ladder: else the cursor's row is quiet."""
    bid_change: OwnChange | None = None
    """What just happened to own orders here."""
    ask_change: OwnChange | None = None
    bid_fresh: Fresh = _CALM
    ask_fresh: Fresh = _CALM
    pulse: int = 0
    """The stage of the last trade's pulse, as in `Fresh.stage`."""
    bid_flow: int = 0
    """Shares added recently, less those pulled."""
    ask_flow: int = 0
    is_plain: bool = False
    """Whether colours cannot be reversed, as in plain ASCII or in 16 colours."""

    @property
    def is_bright(self) -> bool:
        """Whether the row stands out as the one that keys act on."""
        return self.is_cursor and self.is_focused


def paint_rung(rung: Rung, columns: LadderColumns, width: int, *, look: RungLook) -> Line:
    """Paint one row in exactly `width` cells."""
    bids, asks = _half(rung, look, Side.BUY), _half(rung, look, Side.SELL)
    # Below the touch the asks' side is tried first, else that of the bids.
    halves = (asks, bids) if rung.zone is Zone.BID else (bids, asks)
    free = next((half.side for half in halves if not half.is_busy), None)
    row = _Row(rung, columns, look, _ground(rung, look), bids, asks, free)
    painters = Painters(
        book=row.book, price=row.price, guard=row.guard,
        other=row.other, flow=row.flow, depth=row.depth, traded=row.traded, profit=row.profit,
    )  # fmt: skip
    mark = Cell(_cursor_mark(look), Role.KEY if look.is_bright else Role.TEXT, ground=row.ground)
    cells = place_cells(columns, painters, ground=row.ground)
    return fit_line((mark, *cells), width)


class _Half(NamedTuple):
    """One side of a row."""

    side: Side
    size: Micros
    role: Role
    own: Micros
    is_typed: bool
    """Whether an order is being typed here."""
    change: OwnChange | None
    fresh: Fresh
    flow: int

    @property
    def is_busy(self) -> bool:
        """Whether something is written on it."""
        return bool(self.size or self.own or self.is_typed or self.change is not None)


def _half(rung: Rung, look: RungLook, side: Side) -> _Half:
    if side is Side.BUY:
        size, role, own = rung.bid_size, Role.BID, rung.own_bid
        change, fresh, flow = look.bid_change, look.bid_fresh, look.bid_flow
    else:
        size, role, own = rung.ask_size, Role.ASK, rung.own_ask
        change, fresh, flow = look.ask_change, look.ask_fresh, look.ask_flow
    is_typed = bool([g for g in rung.ghosts if g.side is side and g.trigger is None])
    role = role if look.is_good else Role.STALE
    return _Half(side, size, role, own, is_typed, change, fresh, flow)


class _Row(NamedTuple):
    rung: Rung
    columns: LadderColumns
    look: RungLook
    ground: Role | None
    bids: _Half
    asks: _Half
    free_side: Side | None
    """The side without any content."""

    def amount(self, size: Micros, room: int, role: Role) -> Cell:
        if not size:
            # On a reversed cursor row, an empty cell must look like its neighbours.
            return Cell(" " * room, ground=self.ground)
        return Cell(format_whole_size(size, width=room), role, ground=self.ground)

    def book(self, side: Side) -> Line:
        """Paint a side: its size and its bar; where it is free, what the price is to us."""
        columns, half = self.columns, self.bids if side is Side.BUY else self.asks
        if side is self.free_side and (words := self._words()):
            return self._spelled(words, side)
        ours = self._ours(half)
        # On a narrow ladder what is ours takes cells of the level's size.
        room = max(columns.bar, line_width(ours))
        size, sign = self._size(half, columns.side - room - 1 if room else columns.size)
        if not room:
            return (size,)
        gap = Cell(" ", ground=self.ground)
        if sign is not None and line_width(ours) + 2 <= room:
            # It begins the bar, so that the bar is set apart from the number.
            between = (
                (Cell(" "),) if ours and ours[-1 if side is Side.BUY else 0].text != " " else ()
            )
            ours = (*ours, *between, sign) if side is Side.BUY else (sign, *between, *ours)
        elif sign is not None:
            gap = sign._replace(ground=self.ground)
        # Dimmed, it would be lost on the ground of the cursor.
        emphasis = Emphasis.NONE if self.look.is_bright else Emphasis.DIM
        look = BarLook(side, half.role, emphasis, self.ground, is_plain=self.look.is_plain)
        bar = paint_bar(half.size, self.look.scale, room, look=look, over=ours)
        return (*bar, gap, size) if side is Side.BUY else (size, gap, *bar)

    def _size(self, half: _Half, room: int) -> tuple[Cell, Cell | None]:
        """Return a side's size, and on a narrow ladder the sign of how it has just changed."""
        cell, fresh = self.amount(half.size, room, half.role), half.fresh
        if not half.size and self.rung.zone is Zone.SPREAD and self.look.is_plain:
            # Few colours have no tint that would set the spread apart from any other gap.
            cell = Cell("┈" * room, Role.DIM, ground=self.ground)
        sign: Cell | None = None
        if not fresh.stage:
            return cell, sign
        if fresh.stage > 1 and half.size and not self.look.is_bright:
            # Without a number it would look like a bar.
            # The ground has the side's colour, so a sign shows the direction.
            ground = Role.FLASH_UP if half.side is Side.BUY else Role.FLASH_DOWN
            cell = cell._replace(ground=ground)
        if not self.columns.flow:
            sign = Cell(_MORE if fresh.is_more else _LESS, half.role, Emphasis.BOLD)
        return cell._replace(emphasis=Emphasis.BOLD), sign

    def _ours(self, half: _Half) -> Line:
        """Return what is ours on a side: next to the price its size, then what is typed there, else the queue before it."""
        bar = self.columns.bar
        room = max(bar, self.columns.side - _LEAST_SIZE - 1)
        if room < _LEAST_OWN:
            return ()
        typed = self._ghost(half.side, room)
        own = self._own(half, room - (line_width((typed,)) + 1 if typed else 0))
        # From the price outwards.
        cells = [cell for cell in (own, typed or self._queue(half, bar, own)) if cell is not None]
        gap, line = Cell(" "), list[Cell]()
        for cell in cells:
            line += [gap, cell] if line else [cell]
        if line and line_width(tuple(line)) < bar:
            # What sets it apart from the rest of the bar.
            line.append(gap)
        return tuple(line if half.side is Side.SELL else reversed(line))

    def _queue(self, half: _Half, room: int, own: Cell | None) -> Cell | None:
        """Return what is ahead of our orders on a side; None where there is no room for it."""
        left = room - (len(own.text) + 1 if own else 0)
        is_alone = bool(half.own) and not (self.rung.own_bid and self.rung.own_ask)
        if own is None or left < _LEAST_QUEUE or not is_alone:
            return None
        text = queue_text(self.rung, left)
        return Cell(text, Role.DIM) if text else None

    def _own(self, half: _Half, room: int) -> Cell | None:
        """Return the size of our orders on a side with a sign of what happened; None for nothing."""
        rung, change = self.rung, half.change
        if not half.own and change is None:
            return None
        sign, role = "", Role.OWN_ORDER
        if change is not None:
            sign = _CHANGE_SIGNS[change]
        elif rung.has_unknown:
            sign, role = _UNKNOWN, Role.NOTICE_WARN
        width = min(room, _OWN) - len(sign)
        text = format_whole_size(half.own, width=width).strip() if half.own and width > 0 else ""
        if "#" in text or not (text or sign):
            # That something of ours rests here, the box around the price tells.
            return None
        emphasis = Emphasis.UNDERLINE if rung.is_scoring else Emphasis.NONE
        if rung.is_leaving:
            role, emphasis = Role.DIM, emphasis | Emphasis.DIM
        return Cell(f"{text}{sign}", role, emphasis, _flash_ground(change))

    def _ghost(self, side: Side, room: int) -> Cell | None:
        """Return the size that is being typed on a side; None for nothing."""
        typed = [g for g in self.rung.ghosts if g.trigger is None and g.side is side]
        if not typed:
            return None
        size = Micros(sum(ghost.size for ghost in typed))
        text = format_whole_size(size, width=_TYPED).strip() if size else ""
        if len(text) + 2 > room:
            text = ""
        emphasis = Emphasis.DIM | Emphasis.ITALIC
        return Cell(f"{_UNSENT}{text}{_UNSENT}", Role.OWN_ORDER, emphasis)

    def flow(self) -> Cell:
        """Say what was added or pulled within five seconds, on the side that has the row."""
        halves = (self.asks, self.bids) if self.rung.zone is Zone.ASK else (self.bids, self.asks)
        change = next((half.flow for half in halves if abs(half.flow) >= SCALE), 0)
        room = self.columns.flow
        if not change:
            return Cell(" " * room, ground=self.ground)
        amount = format_whole_size(Micros(abs(change)), width=room - 1).strip()
        text = f"{'+' if change > 0 else '-'}{amount}"
        return Cell(text.rjust(room), Role.DIM, ground=self.ground)

    def _words(self) -> list[Cell]:
        """Return the marks of the row's price as words."""
        rung = self.rung
        words = []
        if rung.is_entry:
            words.append(Cell(_AVERAGE, Role.OWN_ORDER))
        if rung.is_break_even:
            words.append(Cell(_EVEN, Role.OWN_ORDER))
        for mark in rung.stops[:2]:
            name = "stop" if mark.trigger is Trigger.STOP else "target"
            amount = format_size_compact(mark.size, width=6).strip()
            paused = "" if mark.is_active else " paused"
            words.append(Cell(f"{name} {amount}{paused}", self._guard_role))
        for ghost in self._ghost_exits:
            name = "stop" if ghost.trigger is Trigger.STOP else "target"
            amount = f" {format_size_compact(ghost.size, width=6).strip()}" if ghost.size else ""
            words.append(Cell(f"{_UNSENT}{name}{amount}{_UNSENT}", Role.DIM))
        if rung.has_alert:
            words.append(Cell("alert", Role.NOTICE_WARN))
        return words

    def _spelled(self, words: list[Cell], side: Side) -> Line:
        """Paint words next to the price; those that do not fit are left out from the end."""
        room, kept = self.columns.side - 1, list[Cell]()
        for cell in words:
            name = cell._replace(ground=self.ground)
            longer = [*kept, Cell(" ", ground=self.ground), name] if kept else [name]
            if line_width(tuple(longer)) > room:
                word = name.text.partition(" ")[0]
                short = name._replace(text=_SHORT_WORDS.get(word, word))
                longer = [*longer[:-1], short]
                if line_width(tuple(longer)) > room:
                    break
            kept = longer
        gap = Cell(" ", ground=self.ground)
        blank = Cell(" " * (room - line_width(tuple(kept))), ground=self.ground)
        return (blank, *kept, gap) if side is Side.BUY else (gap, *kept, blank)

    def _mark(self) -> Cell:
        """Mark what the price is to us where no side has room for the word, else the ends of the reward band."""
        rung = self.rung
        ours = _AVERAGE_SIGN if rung.is_entry else _EVEN_SIGN if rung.is_break_even else ""
        if self.free_side is not None and self.columns.side > _WORD:
            # It is spelled beside the price.
            ours = ""
        if not self.columns.bar and any(ghost.trigger is None for ghost in rung.ghosts):
            ours = _UNSENT
        if ours:
            return Cell(ours, Role.OWN_ORDER, ground=self.ground)
        sign = _BAND_ENDS[rung.is_band_top, rung.is_band_bottom]
        return Cell(sign, Role.NOTICE_GOOD if sign.strip() else Role.TEXT, ground=self.ground)

    def price(self) -> tuple[Cell, ...]:
        rung, look, room = self.rung, self.look, self.columns.price
        text = format_price(rung.price, tick=look.tick, width=room - 2)
        last = _LAST_TRADE if rung.is_last_trade else " "
        role = Role.LAST_TRADE if rung.is_last_trade else Role.TEXT
        if rung.is_entry or rung.is_break_even:
            role = Role.OWN_ORDER
        emphasis = Emphasis.BOLD if look.is_bright or look.pulse else Emphasis.NONE
        if look.pulse > 1 and not look.is_plain:
            # Without colours it would look like a price of own orders.
            emphasis |= Emphasis.REVERSE
        if rung.is_leaving:
            role = Role.DIM
        elif rung.own_bid or rung.own_ask:
            role, emphasis = Role.OWN_ORDER, emphasis | Emphasis.REVERSE
        figure = text.lstrip()
        return (
            Cell(" " * (len(text) - len(figure)), ground=self.ground),
            self._mark(),
            Cell(figure, role, emphasis, self.ground),
            Cell(last, Role.LAST_TRADE, ground=self.ground),
        )

    def guard(self) -> Cell:
        """Paint the sign of stops and targets, whatever else is on the row."""
        stops = self.rung.stops
        if not stops and (exits := self._ghost_exits):
            return Cell(GUARD_SIGNS[exits[0].trigger][1], Role.DIM, ground=self.ground)
        if not stops:
            return Cell(" ", ground=self.ground)
        kinds = {mark.trigger for mark in stops}
        is_active = any(mark.is_active for mark in stops)
        sign = GUARD_SIGNS[kinds.pop() if len(kinds) == 1 else None][not is_active]
        return Cell(sign, self._guard_role, Emphasis.BOLD, self.ground)

    @property
    def _ghost_exits(self) -> tuple[Ghost, ...]:
        return tuple([ghost for ghost in self.rung.ghosts if ghost.trigger is not None])

    @property
    def _guard_role(self) -> Role:
        if self.rung.is_leaving:
            return Role.DIM
        is_target = all(mark.trigger is Trigger.TAKE_PROFIT for mark in self.rung.stops)
        is_active = any(mark.is_active for mark in self.rung.stops)
        return guard_role(Trigger.TAKE_PROFIT if is_target else Trigger.STOP, is_active=is_active)

    def other(self) -> Cell:
        text = format_price(
            complement(self.rung.price), tick=self.look.tick, width=self.columns.other,
        )  # fmt: skip
        return Cell(text, Role.DIM, ground=self.ground)

    def depth(self) -> Cell:
        return self.amount(self.rung.depth, self.columns.depth, Role.DIM)

    def traded(self) -> Cell:
        return self.amount(self.rung.traded, self.columns.traded, Role.DIM)

    def profit(self) -> Cell:
        profit, room = self.rung.profit, self.columns.profit
        if profit is None:
            return Cell(" " * room, ground=self.ground)
        # A column of hypothetical profits must not stand out; that of the cursor's row may.
        role = sign_role(profit) if self.look.is_cursor else Role.DIM
        return Cell(profit_text(profit, room), role, ground=self.ground)


def guard_role(trigger: Trigger, *, is_active: bool = True) -> Role:
    """Return the role of a stop or a target, wherever it is shown."""
    # Red are asks and losses; a stop is neither.
    is_calm = trigger is Trigger.TAKE_PROFIT and is_active
    return Role.NOTICE_GOOD if is_calm else Role.NOTICE_WARN


def paint_guard(trigger: Trigger, text: str, *, is_active: bool = True) -> Line:
    """Paint a stop or a target in a line of text, with the sign that it has on the ladder."""
    role = guard_role(trigger, is_active=is_active)
    sign = GUARD_SIGNS[trigger][not is_active]
    return Cell(f"{sign} ", role, Emphasis.BOLD), Cell(text, role)


def estimate_text(ahead: Micros, room: int) -> str:
    """Write an estimated size: always with `~`, and rounded up."""
    return "~" + format_size_ceil(ahead, width=room)


def queue_text(rung: Rung, room: int) -> str:
    """Write the queue ahead of the row's own orders: of first and last, else of the last."""
    if rung.ahead is None:
        return ""
    if rung.ahead_of_last is None:
        if not rung.ahead:
            return FIRST
        alone = estimate_text(rung.ahead, room - 1)
        return "" if _is_one_digit_of_a_unit(alone[1:]) else alone
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


def _flash_ground(change: OwnChange | None) -> Role | None:
    if change is None:
        return None
    return Role.FLASH_DOWN if change is OwnChange.CANCELLED else Role.FLASH_UP


def _cursor_mark(look: RungLook) -> str:
    if not look.is_cursor:
        return " "
    return _NEAREST if look.is_near else _CURSOR


def _ground(rung: Rung, look: RungLook) -> Role | None:
    if look.is_bright:
        return Role.CURSOR_ROW
    return Role.SPREAD_ROW if look.is_cursor or rung.zone is Zone.SPREAD else None
