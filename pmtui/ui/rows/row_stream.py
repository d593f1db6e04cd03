"""Rows in view: their prices are streamed while they are seen, and none is painted again that is the same."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from textual.timer import Timer

from pmtui.domain.books.book_view import BookView
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import MOST_STREAMED_ROWS
from pmtui.service.surface import Queries
from pmtui.service.topics import HistoryTopic
from pmtui.ui.cells import Row
from pmtui.ui.format import UNITS


class RowMemo:
    """The last painted row for each key, and what it was painted from."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[tuple[object, ...], Row]] = {}

    def row(self, key: str, inputs: tuple[object, ...], paint: Callable[[], Row]) -> Row:
        """Return the row for these inputs, painted anew only when one of them differs."""
        inputs = (*inputs, UNITS.key)
        known = self._rows.get(key)
        if known is not None and known[0] == inputs:
            return known[1]
        row = paint()
        self._rows[key] = (inputs, row)
        return row

    def keep_only(self, keys: set[str]) -> None:
        """Forget rows that are no longer listed."""
        if len(self._rows) > 2 * len(keys) + 100:
            self._rows = {key: value for key, value in self._rows.items() if key in keys}

    def clear(self) -> None:
        """Forget everything."""
        self._rows.clear()


def tick_of(end_at: datetime | None, now: datetime) -> datetime:
    """Return what the time left is counted in: seconds in the last hour, else minutes."""
    is_near = end_at is not None and end_at - now < timedelta(hours=1, minutes=1)
    return now.replace(microsecond=0) if is_near else now.replace(second=0, microsecond=0)


DAYS_FROM = 110
"""Columns from which each row shows the shape of its day."""
MOST_DAYS = 200
"""Rows whose days are remembered after they have left the view."""
VIEW_SETTLES_S = 0.2
"""A list that is scrolled through streams nothing of what only passes by."""


class RowStream:
    """Follows the rows of a list; the screen subscribes to `tokens`."""

    def __init__(
        self,
        *,
        in_view: Callable[[], Iterable[TokenId]],
        queries: Queries,
        after: Callable[[float, Callable[[], None]], Timer],
        is_live: Callable[[], bool],
        on_change: Callable[[], None],
    ) -> None:
        """Begin with nothing.

        Args:
            in_view: the tokens of the rows in view, from the top.
            queries: asked for a book when it is wanted, as they may answer nothing before.
            after: calls back once after some seconds.
            is_live: whether the screen can be seen; otherwise nothing changes.
            on_change: called when other tokens are to be streamed.
        """
        self._in_view = in_view
        self._queries = queries
        self._after = after
        self._is_live = is_live
        self._on_change = on_change
        self._settling: Timer | None = None
        self.tokens: frozenset[TokenId] = frozenset()
        """What is streamed."""

    def book(self, token_id: TokenId | None) -> BookView | None:
        """Return the book of a row's token; None where that is not streamed."""
        if token_id is None or token_id not in self.tokens:
            return None
        return self._queries.book(token_id)

    def follow_soon(self) -> None:
        """Follow the view once it has stood still for a moment."""
        if self._settling is not None:
            self._settling.stop()
        self._settling = self._after(VIEW_SETTLES_S, self._follow)

    def check(self) -> None:
        """Follow soon if other markets have come into the rows that are in view."""
        if self._settling is None and self._wanted() != self.tokens:
            self.follow_soon()

    def _wanted(self) -> frozenset[TokenId]:
        return frozenset(tuple(self._in_view())[:MOST_STREAMED_ROWS])

    def _follow(self) -> None:
        self._settling = None
        wanted = self._wanted() if self._is_live() else self.tokens
        if wanted != self.tokens:
            self.tokens = wanted
            self._on_change()


class RowDays:
    """The prices of the last day of the rows that are streamed, where there is room to show them."""

    def __init__(self, stream: RowStream, queries: Queries, *, width: Callable[[], int]) -> None:
        """Follow a list."""
        self._stream = stream
        self._queries = queries
        self._width = width
        self._last: dict[TokenId, tuple[PricePoint, ...]] = {}

    def topics(self) -> tuple[HistoryTopic, ...]:
        """Return the histories on show: what nobody sees is not fetched."""
        if self._width() < DAYS_FROM:
            return ()
        return tuple(HistoryTopic(token_id, Interval.DAY) for token_id in self._stream.tokens)

    def points(self, token_id: TokenId | None) -> tuple[PricePoint, ...]:
        """Return the prices of a row's token as they were seen last; none where there is no room."""
        if token_id is None or self._width() < DAYS_FROM:
            return ()
        points: tuple[PricePoint, ...] = ()
        if token_id in self._stream.tokens:
            points = self._queries.history(token_id, Interval.DAY).points
        if points:
            self._last.pop(token_id, None)
            self._last[token_id] = points
            if len(self._last) > MOST_DAYS:
                del self._last[next(iter(self._last))]
        # A day changes little: until it is fetched again it is as it was seen last.
        return points or self._last.get(token_id, ())
