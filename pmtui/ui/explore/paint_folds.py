"""Folded windows of rolling series as one row."""

from datetime import datetime

from pmtui.domain.books.book_view import BookView
from pmtui.domain.markets.listing import SeriesFold
from pmtui.domain.money import Micros
from pmtui.service.views import EventRow
from pmtui.ui.cells import Cell, Row
from pmtui.ui.explore.paint_markets import NO_DAY, paint_event_row
from pmtui.ui.facts import paint_money, paint_time_left
from pmtui.ui.plain import plain
from pmtui.ui.theme.theme import Role

_TITLE, _LEADING, _VOLUME_24H, _LIQUIDITY, _VOLUME, _LEFT, _OPEN = 1, 2, 8, 9, 10, 11, 12
"""Places of cells in a row of an event."""


def paint_fold_row(
    fold: SeriesFold[EventRow], book: BookView | None, now: datetime, *, is_cached: bool = False,
    day: Cell = NO_DAY,
) -> Row:  # fmt: skip
    """Show the windows of a series by the next one to end, and their sums."""
    following = fold.next_window
    row = paint_event_row(following, book, now, is_cached=is_cached, day=day)
    cells = list(row.cells)
    events = [row.event for row in fold.rows]
    mark = "▸" if fold.is_folded else "▾"
    title = f"{mark} {plain(fold.title)} · every {plain(fold.recurrence)} ({len(fold.rows)})"
    cells[_TITLE] = Cell(title, Role.HEADING)
    cells[_LEADING] = Cell(plain(following.event.title), Role.DIM)
    cells[_VOLUME_24H] = paint_money(_sum([event.volume_24h for event in events]))
    cells[_LIQUIDITY] = paint_money(_sum([event.liquidity for event in events]), Role.DIM)
    cells[_VOLUME] = paint_money(_sum([event.volume for event in events]), Role.DIM)
    cells[_LEFT] = paint_time_left(following.event.end_at, now)
    cells[_OPEN] = Cell(str(sum(row.open_markets for row in fold.rows)), Role.DIM)
    return Row(fold.key, tuple(cells))


def _sum(amounts: list[Micros | None]) -> Micros | None:
    known = [amount for amount in amounts if amount is not None]
    return Micros(sum(known)) if known else None
