"""The ladder's rows: own, bids, price, asks, own; bars, volume and depth where there is room.

What a narrow ladder loses is decoration first, then detail; price and both sides always stay.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from pmtui.domain.book_view import BookState, BookView
from pmtui.domain.ladder import Rung, Zone
from pmtui.domain.market import Side
from pmtui.domain.money import Micros
from pmtui.ui.cells import Cell, Emphasis, Line, bar_text, fit_line, line_width
from pmtui.ui.format import format_age, format_price, format_size_compact
from pmtui.ui.plain import Align, fit
from pmtui.ui.theme import Role

_PRICE_WIDTH = 8
_WIDEST_BAR = 18
_UNKNOWN = "?"

_STATE_ROLES = {
    BookState.LOADING: Role.DIM,
    BookState.LIVE: Role.TEXT,
    BookState.VERIFIED: Role.VERIFIED,
    BookState.STALE: Role.STALE,
    BookState.CROSSED: Role.CROSSED,
    BookState.LOSSY: Role.CROSSED,
    BookState.REGRIDDING: Role.STALE,
    BookState.NO_BOOK: Role.DIM,
}
_MEANINGS = {
    BookState.LOADING: "waiting for the first snapshot",
    BookState.LIVE: "",
    BookState.VERIFIED: "",
    BookState.STALE: "no word from the stream",
    BookState.CROSSED: "a bid at or above an ask: fetching anew",
    BookState.LOSSY: "a change was missed: fetching anew",
    BookState.REGRIDDING: "the tick changed: waiting for new levels",
    BookState.NO_BOOK: "the venue has none for this outcome",
}


class LadderColumns(NamedTuple):
    """Widths of the ladder's columns; 0 leaves one out."""

    size: int
    own: int
    """On both sides of the book."""
    bar: int = 0
    """On both sides."""
    traded: int = 0
    depth: int = 0
    is_own_shared: bool = False
    """One column of own orders for both sides."""


class RungLook(NamedTuple):
    """What besides the row itself decides how it looks."""

    tick: Micros
    scale: int
    """The size that fills a bar."""
    is_good: bool = True
    """Whether the book may be traded from; else its sizes look old."""
    is_cursor: bool = False
    is_focused: bool = False
    ascii_only: bool = False


def plan_columns(width: int) -> LadderColumns:
    """Choose the columns for a width."""
    if width < 35:
        own = 5 if width >= 29 else 0
        return LadderColumns(size=6, own=own, is_own_shared=True)
    if width < 41:
        return LadderColumns(size=6, own=5)
    free = width - 41
    traded = depth = 0
    if free >= 19:
        traded = 8
        free -= 9
    if free >= 28:
        depth = 8
        free -= 18
    bar = min(_WIDEST_BAR, free // 2 - 1)
    return LadderColumns(size=8, own=6, bar=bar if bar >= 3 else 0, traded=traded, depth=depth)


def paint_titles(columns: LadderColumns, width: int, *, ascii_only: bool = False) -> Line:
    """Name the columns."""

    def title(text: str, size: int, align: Align = Align.RIGHT) -> Cell:
        return Cell(fit(text, size, align, ascii_only=ascii_only), Role.DIM)

    line = _place(
        columns,
        depth=lambda _: title("depth", columns.depth),
        own=lambda _: title("own", columns.own),
        bar=lambda _: Cell(" " * columns.bar),
        size=lambda side: title("bids" if side is Side.BUY else "asks", columns.size),
        price=lambda: title("price ", _PRICE_WIDTH),
        traded=lambda: title("traded", columns.traded),
        ground=None,
    )
    return fit_line((Cell(" "), *line), width, ascii_only=ascii_only)


def paint_rung(rung: Rung, columns: LadderColumns, width: int, *, look: RungLook) -> Line:
    """Paint one row in exactly `width` cells."""
    ground = _ground(rung, look)
    own_role = Role.OWN_ORDER

    def amount(size: Micros, room: int, role: Role) -> Cell:
        if not size:
            # Reversed on a cursor without colour, an empty cell must look like its neighbours.
            return Cell(" " * room, ground=ground)
        return Cell(format_size_compact(size, width=room), role, ground=ground)

    def own(side: Side | None) -> Cell:
        bid = rung.own_bid if side is not Side.SELL else 0
        ask = rung.own_ask if side is not Side.BUY else 0
        size = Micros(bid + ask)
        if not size or not rung.has_unknown:
            return amount(size, columns.own, own_role)
        text = format_size_compact(size, width=columns.own - 1) + _UNKNOWN
        return Cell(text, Role.NOTICE_WARN, ground=ground)

    def size(side: Side) -> Cell:
        value = rung.bid_size if side is Side.BUY else rung.ask_size
        role = Role.BID if side is Side.BUY else Role.ASK
        return amount(value, columns.size, role if look.is_good else Role.STALE)

    def bar(side: Side) -> Cell:
        value = rung.bid_size if side is Side.BUY else rung.ask_size
        text = _bar(value, look.scale, columns.bar, side=side, ascii_only=look.ascii_only)
        if look.is_cursor or not value:
            return Cell(text, ground=ground)
        role = Role.BID if side is Side.BUY else Role.ASK
        return Cell(text, role if look.is_good else Role.STALE, Emphasis.DIM, ground)

    def depth(side: Side) -> Cell:
        is_here = (rung.zone is Zone.BID) == (side is Side.BUY)
        return amount(rung.depth if is_here else Micros(0), columns.depth, Role.DIM)

    line = _place(
        columns,
        depth=depth,
        own=own,
        bar=bar,
        size=size,
        price=lambda: _price(rung, look, ground),
        traded=lambda: amount(rung.traded, columns.traded, Role.DIM),
        ground=ground,
    )
    mark = Cell(_cursor_mark(look), Role.KEY if look.is_cursor else Role.TEXT, ground=ground)
    return fit_line((mark, *line), width, ascii_only=look.ascii_only)


def paint_state(
    book: BookView,
    now: datetime,
    width: int,
    *,
    group: Micros | None = None,
    cursor: tuple[Micros, Side] | None = None,
    ascii_only: bool = False,
) -> Line:
    """Say in words what the book is worth, and what `enter` would do at the cursor."""
    word = book.state.value
    if book.state is BookState.STALE and book.as_of is not None:
        word += f" {format_age((now - book.as_of).total_seconds())}"
    left: Line = (Cell(f" {word} ", _STATE_ROLES[book.state], Emphasis.BOLD),)
    right: list[Cell] = [Cell("enter points at the bid ", Role.DIM)]
    if cursor is not None:
        price, side = cursor
        verb = "buys" if side is Side.BUY else "sells"
        right = [
            Cell("enter ", Role.DIM),
            Cell(f"{verb} ", Role.BID if side is Side.BUY else Role.ASK),
            Cell(f"{format_price(price, tick=book.tick_size, ascii_only=ascii_only)} "),
        ]
    notes = [_MEANINGS[book.state]]
    if group is not None and group != book.tick_size:
        notes.append(f"rows of {format_price(group, ascii_only=ascii_only)}")
    if cursor is None and any(notes):
        # A hint makes way for a warning.
        right = []
    for count in (2, 1, 0):
        note = "  ".join(text for text in notes[-count:] if text) if count else ""
        if line_width(left) + len(note) + line_width(tuple(right)) + 1 <= width:
            break
    else:
        note = ""
    gap = width - line_width(left) - len(note) - line_width(tuple(right))
    line = (*left, Cell(note, Role.DIM), Cell(" " * max(0, gap)), *right)
    return fit_line(line, width, ascii_only=ascii_only)


def _place(
    columns: LadderColumns,
    *,
    depth: Callable[[Side], Cell],
    own: Callable[[Side | None], Cell],
    bar: Callable[[Side], Cell],
    size: Callable[[Side], Cell],
    price: Callable[[], Cell],
    traded: Callable[[], Cell],
    ground: Role | None,
) -> list[Cell]:
    two_owns = columns.own > 0 and not columns.is_own_shared
    cells = [
        depth(Side.BUY) if columns.depth else None,
        own(Side.BUY) if two_owns else None,
        bar(Side.BUY) if columns.bar else None,
        size(Side.BUY),
        price(),
        size(Side.SELL),
        bar(Side.SELL) if columns.bar else None,
        own(Side.SELL) if two_owns else None,
        own(None) if columns.own and columns.is_own_shared else None,
        depth(Side.SELL) if columns.depth else None,
        traded() if columns.traded else None,
    ]
    placed: list[Cell] = []
    for cell in cells:
        if cell is not None:
            placed += [Cell(" ", ground=ground), cell] if placed else [cell]
    return placed


# Bids grow to the left. Of the blocks that lean right there are three, so these bars are coarser.
def _bar(value: int, scale: int, width: int, *, side: Side, ascii_only: bool) -> str:
    if side is Side.SELL or ascii_only:
        is_from_right = side is Side.BUY
        return bar_text(value, scale, width, is_from_right=is_from_right, ascii_only=ascii_only)
    if value <= 0 or scale <= 0:
        return " " * width
    full, rest = divmod(min(width * 8, max(1, value * width * 8 // scale)), 8)
    part = "" if not rest else "▐" if rest >= 4 else "▕"
    return (part + "█" * full).rjust(width)


def _price(rung: Rung, look: RungLook, ground: Role | None) -> Cell:
    text = format_price(
        rung.price, tick=look.tick, width=_PRICE_WIDTH - 1, ascii_only=look.ascii_only
    )
    mark = ("*" if look.ascii_only else "•") if rung.is_last_trade else " "
    role = Role.LAST_TRADE if rung.is_last_trade else Role.TEXT
    emphasis = Emphasis.BOLD if look.is_cursor else Emphasis.NONE
    return Cell(text + mark, role, emphasis, ground)


def _cursor_mark(look: RungLook) -> str:
    if not look.is_cursor:
        return " "
    return ">" if look.ascii_only else "▸"


def _ground(rung: Rung, look: RungLook) -> Role | None:
    if look.is_cursor:
        return Role.CURSOR_ROW
    return Role.SPREAD_ROW if rung.zone is Zone.SPREAD else None
