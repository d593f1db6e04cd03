"""Rows in view: streams their prices while they are visible, and repaints only changed rows."""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta

from textual.timer import Timer

from pmtui.domain.books.book_view import BookState, BookView
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.markets.market import MOST_STREAMED_ROWS
from pmtui.domain.markets.price_path import thinned
from pmtui.service.surface import Queries
from pmtui.service.topics import HistoryTopic
from pmtui.ui.cells import Row
from pmtui.ui.facts import LiveRows
from pmtui.ui.format import UNITS


class RowMemo:
    """A cache of painted rows by key and inputs."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[tuple[object, ...], Row]] = {}

    def row(self, key: str, inputs: tuple[object, ...], paint: Callable[[], Row]) -> Row:
        """Return the row for these inputs, repainted only if one of them has changed."""
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
    """Return the time at the precision of the time left: seconds in the last hour, else minutes."""
    is_near = end_at is not None and end_at - now < timedelta(hours=1, minutes=1)
    return now.replace(microsecond=0) if is_near else now.replace(second=0, microsecond=0)


MOST_DAYS = 200
"""The most histories kept for rows that have left the view."""
DAYS_PERIOD = timedelta(hours=1)
"""They are kept with a few points of each: a cell of a sparkline is longer."""
VIEW_SETTLES_S = 0.2
"""How long the view must be still before its rows are streamed."""


class RowStream:
    """Keeps the tokens of the rows in view; the screen subscribes to `tokens`."""

    def __init__(
        self,
        *,
        in_view: Callable[[], Iterable[TokenId]],
        queries: Queries,
        after: Callable[[float, Callable[[], None]], Timer],
        is_live: Callable[[], bool],
        shows_days: Callable[[], bool],
        on_change: Callable[[], None],
    ) -> None:
        """Start with no rows.

        Args:
            in_view: returns the tokens of the rows in view, from the top.
            queries: returns a book on demand, because none may exist before.
            after: calls back once after some seconds.
            is_live: returns whether the screen is mounted; otherwise nothing changes.
            shows_days: returns whether the rows' sparklines are on show.
            on_change: called when `tokens` or `has_days` has changed.
        """
        self._in_view = in_view
        self._queries = queries
        self._after = after
        self._is_live = is_live
        self._shows_days = shows_days
        self._on_change = on_change
        self._settling: Timer | None = None
        self.tokens: frozenset[TokenId] = frozenset()
        """The streamed tokens."""
        self.has_days = False
        """Whether their last day is streamed, too."""

    def book(self, token_id: TokenId | None) -> BookView | None:
        """Return the book of a row's token; None if it is not streamed."""
        if token_id is None or token_id not in self.tokens:
            return None
        return self._queries.book(token_id)

    def live_rows(self, tokens: Collection[TokenId]) -> LiveRows:
        """Return how many of these rows in view are live, or soon will be."""
        states = [self._queries.book(token).state for token in self.tokens.intersection(tokens)]
        loading = sum(state is BookState.LOADING for state in states)
        if self._settling is not None:
            # The rest is asked for in a moment.
            loading += len(self._wanted() - self.tokens)
        return LiveRows(sum(state.is_good for state in states), len(tokens), loading)

    def follow_soon(self) -> None:
        """Follow the view once it has been still for a moment."""
        if self._settling is not None:
            self._settling.stop()
        self._settling = self._after(VIEW_SETTLES_S, self._follow)

    def check(self) -> None:
        """Follow the view soon if the markets in view have changed."""
        is_other = self._wanted() != self.tokens or self._shows_days() != self.has_days
        if self._settling is None and is_other:
            self.follow_soon()

    def _wanted(self) -> frozenset[TokenId]:
        return frozenset(tuple(self._in_view())[:MOST_STREAMED_ROWS])

    def _follow(self) -> None:
        self._settling = None
        if not self._is_live():
            return
        wanted = self._wanted(), self._shows_days()
        if wanted != (self.tokens, self.has_days):
            self.tokens, self.has_days = wanted
            self._on_change()


class RowDays:
    """The last day's prices of streamed rows, if their sparklines are on show."""

    def __init__(self, stream: RowStream, queries: Queries) -> None:
        """Follow a list."""
        self._stream = stream
        self._queries = queries
        self._last: dict[TokenId, tuple[PricePoint, ...]] = {}
        """Oldest first."""

    def topics(self) -> tuple[HistoryTopic, ...]:
        """Return the histories shown: hidden ones are not loaded."""
        if not self._stream.has_days:
            return ()
        return tuple(HistoryTopic(token_id, Interval.DAY) for token_id in self._stream.tokens)

    def points(self, token_id: TokenId | None) -> tuple[PricePoint, ...]:
        """Return the last known prices of a row's token; none without its sparkline."""
        if token_id is None or not self._stream.has_days:
            return ()
        points: tuple[PricePoint, ...] = ()
        if token_id in self._stream.tokens:
            points = self._queries.history(token_id, Interval.DAY).points
        if points:
            last = self._last.pop(token_id, ())
            is_same = last[-1:] == points[-1:]
            self._last[token_id] = last if is_same else tuple(thinned(points, DAYS_PERIOD))
            if len(self._last) > MOST_DAYS:
                del self._last[next(iter(self._last))]
        # A day changes little: until it is loaded again, the last one is shown.
        return points or self._last.get(token_id, ())
