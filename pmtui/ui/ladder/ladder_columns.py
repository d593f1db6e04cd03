"""Which columns a ladder has at a width, and where they stand.

What a narrow ladder loses is decoration first, then detail; price and both sides always stay, and
the line of facts below the rows tells the rest of the row at the cursor.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from pmtui.domain.books.ladder import Shown
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros
from pmtui.ui.cells import Cell, Line, fit_line
from pmtui.ui.format import format_price
from pmtui.ui.plain import Align, fit
from pmtui.ui.theme.theme import Role

_SIZE, _WIDE_SIZE = 6, 8
_OWN, _WIDE_OWN = 5, 6
_AHEAD = 5
_BAR, _WIDEST_BAR = 3, 18
_TRADED = _DEPTH = 6
_PROFIT = 7
_OTHER = 4
"""Room for the other outcome's name, which is often `Down`."""
_WITH_MORE_ROOM: tuple[tuple[int, dict[str, Any]], ...] = (
    (_AHEAD + 1, {"ahead": _AHEAD}),
    (2 * (_WIDE_OWN - _OWN), {"own": _WIDE_OWN}),
    (2 * (_BAR + 1), {"bar": _BAR}),
    (_TRADED + 1, {"traded": _TRADED}),
    (_DEPTH + 1, {"depth": _DEPTH}),
    (_PROFIT + 1, {"profit": _PROFIT}),
    (2 * (_WIDE_SIZE - _SIZE), {"size": _WIDE_SIZE}),
)
"""What comes first, what it costs, and the widths it gives."""
_MARKS = 2
"""Cells beside a price: what it is to us, and the last trade."""


class LadderColumns(NamedTuple):
    """Widths of the ladder's columns; 0 leaves one out."""

    size: int
    price: int
    own: int = 0
    """On both sides of the book; its last cell says what is special."""
    is_own_shared: bool = False
    """One column of own orders for both sides."""
    bar: int = 0
    """On both sides."""
    other: int = 0
    """The other outcome's price."""
    ahead: int = 0
    depth: int = 0
    traded: int = 0
    profit: int = 0

    @property
    def shown(self) -> Shown:
        """What rows have to know."""
        return Shown(
            depth=self.depth > 0,
            traded=self.traded > 0,
            profit=self.profit > 0,
            ahead=self.ahead > 0,
        )


class Painters(NamedTuple):
    """What paints each column. The same layout serves titles and rows."""

    own: Callable[[Side | None], Cell]
    bar: Callable[[Side], Cell]
    size: Callable[[Side], Cell]
    band: Callable[[], Cell]
    """The cell between bids and price."""
    price: Callable[[], tuple[Cell, ...]]
    guard: Callable[[], Cell]
    """The cell between price and asks."""
    other: Callable[[], Cell]
    ahead: Callable[[], Cell]
    depth: Callable[[], Cell]
    traded: Callable[[], Cell]
    profit: Callable[[], Cell]


# Every row asks, and nothing changes but with the terminal or the tick.
@lru_cache(maxsize=64)
def plan_columns(width: int, *, tick: Micros, with_other: bool = False) -> LadderColumns:
    """Choose the columns for a width: each costs its cells and the one before it."""
    digits = len(format_price(Micros(ONE - tick), tick=tick))
    plan = LadderColumns(size=_SIZE, price=digits + _MARKS)
    free = width - 2 * (_SIZE + 1) - (plan.price + 1)
    other = max(digits, _OTHER) if free > _OTHER else digits
    if with_other and free > other:
        plan, free = plan._replace(other=other), free - other - 1
    apart, shared, ahead = 2 * (_OWN + 1), _OWN + 2, _AHEAD + 1
    # Beside the other outcome's prices, one column of own orders leaves room for the queue.
    is_close = plan.other and shared + ahead <= free < apart + ahead
    if free < apart or is_close:
        if free < _OWN + 1:
            return plan
        # The letter that names the side costs a cell.
        plan = plan._replace(own=min(_OWN + 1, free - 1), is_own_shared=True)
        return plan._replace(ahead=_AHEAD) if is_close else plan
    plan, free = plan._replace(own=_OWN), free - 2 * (_OWN + 1)
    for cost, widths in _WITH_MORE_ROOM:
        if cost > free:
            break
        plan, free = plan._replace(**widths), free - cost
    if plan.bar:
        plan = plan._replace(bar=min(_WIDEST_BAR, plan.bar + free // 2))
    return plan


# They stay as long as the columns do, and every repaint compares them.
@lru_cache(maxsize=64)
def paint_titles(columns: LadderColumns, width: int, *, other_label: str = "") -> Line:
    """Name the columns. The other outcome's label is untrusted."""

    def title(text: str, size: int) -> Cell:
        return Cell(fit(text, size, Align.RIGHT), Role.DIM)

    painters = Painters(
        own=lambda _: title("mine ", columns.own),
        bar=lambda _: Cell(" " * columns.bar),
        size=lambda side: title("bids" if side is Side.BUY else "asks", columns.size),
        band=lambda: Cell(" "),
        price=lambda: (title("price", columns.price),),
        guard=lambda: Cell(" "),
        other=lambda: title(other_label, columns.other),
        ahead=lambda: title("ahead", columns.ahead),
        depth=lambda: title("depth", columns.depth),
        traded=lambda: title("traded", columns.traded),
        profit=lambda: title("p/l net", columns.profit),
    )
    cells = place_cells(columns, painters, ground=None)
    return fit_line((Cell(" "), *cells), width)


def place_cells(columns: LadderColumns, paint: Painters, *, ground: Role | None) -> list[Cell]:
    """Return a row's cells from left to right, one cell between the columns."""
    gap = Cell(" ", ground=ground)
    placed: list[Cell] = []
    for cell in _left(columns, paint):
        placed += [cell, gap]
    placed[-1] = paint.band()
    placed += paint.price()
    for number, cell in enumerate(_right(columns, paint)):
        placed += [gap if number else paint.guard(), cell]
    return placed


def _left(columns: LadderColumns, paint: Painters) -> Iterator[Cell]:
    if columns.own and not columns.is_own_shared:
        yield paint.own(Side.BUY)
    if columns.bar:
        yield paint.bar(Side.BUY)
    yield paint.size(Side.BUY)


def _right(columns: LadderColumns, paint: Painters) -> Iterator[Cell]:
    if columns.other:
        yield paint.other()
    yield paint.size(Side.SELL)
    if columns.bar:
        yield paint.bar(Side.SELL)
    if columns.own:
        yield paint.own(None if columns.is_own_shared else Side.SELL)
    for size, painter in (
        (columns.ahead, paint.ahead),
        (columns.depth, paint.depth),
        (columns.traded, paint.traded),
        (columns.profit, paint.profit),
    ):
        if size:
            yield painter()
