"""The rows of the market list, sorted and with folded series, and the rows of search results."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from pmtui.domain.books.book_view import BookView
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import PricePoint
from pmtui.domain.markets.listing import (
    Arrangement,
    ListFilter,
    ListSort,
    SeriesFold,
    W,
    arrange,
    fold_windows,
    rolling_series,
)
from pmtui.domain.markets.market import Market
from pmtui.domain.markets.watchlist import StarKey, key_of_event, key_of_market
from pmtui.domain.money import Micros
from pmtui.service.topics import MarketListTopic
from pmtui.service.views import EventRow, MarketListView, MarketRow
from pmtui.ui.cells import Cell, Line, Row
from pmtui.ui.explore.paint_markets import (
    NO_DAY,
    explain_empty_list,
    is_loading,
    paint_day,
    paint_event_details,
    paint_event_row,
    paint_marks,
    paint_result_details,
    paint_result_row,
    price_a_day_ago,
)
from pmtui.ui.explore.preview import Subject, event_subject
from pmtui.ui.facts import format_price_age, key_of, paint_money, paint_time_left
from pmtui.ui.frame import EventChosen, MarketChosen
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.plain import plain, shorten_groups
from pmtui.ui.rows.row_stream import RowMemo, tick_of
from pmtui.ui.rows.row_verbs import RowTarget, target_of_event, target_of_market
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable

_MARKS, _TITLE, _LEADING, _VOLUME_24H, _LIQUIDITY, _VOLUME, _LEFT, _OPEN = 0, 1, 2, 8, 9, 10, 11, 12
"""The indices of cells in an event's row."""
_FOUND_VOLUME_24H, _FOUND_LIQUIDITY, _FOUND_EVENT = 7, 8, 11
"""The same in the row of a search result; marks and name are where those of an event are."""


def paint_fold_row(
    fold: SeriesFold[EventRow], book: BookView | None, now: datetime, *, is_cached: bool = False,
    day: Cell = NO_DAY, name: str | None = None,
) -> Row:  # fmt: skip
    """Paint a series as its next window to end, with sums over all windows; `name` is that window's."""
    following = fold.next_window
    row = paint_event_row(following, book, now, is_cached=is_cached, day=day)
    cells = list(row.cells)
    events = [row.event for row in fold.rows]
    cells[_MARKS : _TITLE + 1] = _name_fold(fold, is_held=following.has_position)
    cells[_LEADING] = Cell(name or plain(following.event.title), Role.DIM)
    cells[_VOLUME_24H] = paint_money(_sum([event.volume_24h for event in events]))
    cells[_LIQUIDITY] = paint_money(_sum([event.liquidity for event in events]), Role.DIM)
    cells[_VOLUME] = paint_money(_sum([event.volume for event in events]), Role.DIM)
    cells[_LEFT] = paint_time_left(following.event.end_at, now)
    cells[_OPEN] = Cell(str(sum(row.open_markets for row in fold.rows)), Role.DIM)
    return Row(fold.key, tuple(cells))


def paint_found_fold(fold: SeriesFold[MarketRow], book: BookView | None, now: datetime) -> Row:
    """Paint the windows of a series that were found as the next one to end, with sums over all."""
    following = fold.next_window
    row = paint_result_row(following, book, now)
    cells, markets = list(row.cells), [each.market for each in fold.rows]
    cells[_MARKS : _TITLE + 1] = _name_fold(fold, is_held=bool(following.position_size))
    cells[_FOUND_VOLUME_24H] = paint_money(_sum([market.volume_24h for market in markets]))
    cells[_FOUND_LIQUIDITY] = paint_money(_sum([m.liquidity for m in markets]), Role.DIM)
    cells[_FOUND_EVENT] = Cell(plain(following.event_title), Role.DIM)
    return Row(fold.key, tuple(cells))


def _name_fold(fold: SeriesFold[W], *, is_held: bool) -> tuple[Cell, Cell]:
    """Paint the marks and the name of a folded or unfolded series."""
    mark = "+" if fold.is_folded else "−"
    return paint_marks(is_held=is_held, mark=mark), Cell(describe_fold(fold), Role.HEADING)


def describe_fold(fold: SeriesFold[W]) -> str:
    """Return the name of a series and the number of its windows."""
    return f"{plain(fold.title)} · every {plain(fold.recurrence)} ({len(fold.rows)})"


def name_windows(folds: Iterable[SeriesFold[W]]) -> dict[str, str]:
    """Return short names of the windows of series by their events: `Solana: 18:15–18:20 UTC`."""
    named: dict[str, str] = {}
    for fold in folds:
        by_series: dict[str, list[str]] = {}
        events = [row.event for row in fold.rows if row.event is not None]
        for event in events:
            series = rolling_series(event)
            by_series.setdefault(series.slug if series else "", []).append(plain(event.title))
        short = shorten_groups(by_series.values())
        titles = {event.event_id: plain(event.title) for event in events}
        named |= {event_id: short.get(title, title) for event_id, title in titles.items()}
    return named


def _sum(amounts: list[Micros | None]) -> Micros | None:
    known = [amount for amount in amounts if amount is not None]
    return Micros(sum(known)) if known else None


SORTS = tuple(ListSort)
ENOUGH_LOADED = 300
"""A list sorted or filtered here is loaded up to so many events without scrolling."""

Entry = EventRow | SeriesFold[EventRow]
Found = MarketRow | SeriesFold[MarketRow]


class EventList:
    """The rows of the list by their keys, and their arrangement."""

    def __init__(
        self, table: LineTable, book_of: Callable[[TokenId | None], BookView | None], *,
        day_of: Callable[[TokenId | None], Sequence[PricePoint]] = lambda _: (),
    ) -> None:  # fmt: skip
        """Start with the default arrangement: by volume today.

        Args:
            table: shows the rows.
            book_of: returns the book of a streamed token.
            day_of: returns the last day's prices of a watched token.
        """
        self.table = table
        self._day_of = day_of
        self.arrangement = Arrangement()
        self.entries: dict[str, Entry] = {}
        self._windows: dict[str, str] = {}
        """The names of the windows of series, by their events."""
        self._book_of = book_of
        self._loaded = 0
        self._is_cached = False
        self._memo = RowMemo()

    def topic(self, topic: MarketListTopic) -> MarketListTopic:
        """Return the topic to fetch: the given one in this list's order."""
        sort = self.arrangement.sort
        is_reversed = self.arrangement.is_reversed and not sort.is_local
        return replace(topic, sort=sort.fetched, is_reversed=is_reversed)

    def show(self, view: MarketListView, now: datetime) -> None:
        """Arrange the rows of a list."""
        self._loaded, self._is_cached = len(view.rows), view.is_cached
        entries = arrange(view.rows, self.arrangement, now)
        self.entries = {
            entry.key if isinstance(entry, SeriesFold) else entry.event.event_id: entry
            for entry in entries
        }
        self._windows = name_windows(e for e in entries if isinstance(e, SeriesFold))
        self._memo.keep_only(set(self.entries))

    @property
    def opening_key(self) -> str | None:
        """The row where the cursor begins: the first that is no series of windows ending in minutes.

        One key buys at the cursor.
        """
        lasting = (
            key
            for key, entry in self.entries.items()
            if not isinstance(entry, SeriesFold) and rolling_series(entry.event) is None
        )
        return next(lasting, next(iter(self.entries), None))

    def rows(self, keys: Iterable[str], now: datetime) -> list[Row]:
        """Return the given rows as they look now."""
        return [self._row(key, self.entries[key], now) for key in keys]

    def explain_empty(self, view: MarketListView, topic: MarketListTopic, keymap: Keymap) -> str:
        """Return why there are no rows, and which key helps."""
        if view.rows and not self.arrangement.filter.is_empty:
            other = key_of(keymap, "markets.narrow")
            return f" No loaded event passes the filters. {other} to change them."
        return explain_empty_list(view, topic, keymap)

    def needs_more(self, view: MarketListView) -> bool:
        """Return whether more pages are needed without scrolling: only loaded events are sorted."""
        kept = self.arrangement
        is_arranged_here = kept.sort.is_local or not kept.filter.is_empty
        return is_arranged_here and view.has_more and self._loaded < ENOUGH_LOADED

    def next_sort(self) -> None:
        """Sort by the next measure."""
        self.order_by(SORTS[(SORTS.index(self.arrangement.sort) + 1) % len(SORTS)])

    def order_by(self, sort: ListSort) -> None:
        """Sort by a measure; reverse the order if the list is sorted by it already."""
        kept = self.arrangement
        is_reversed = sort is kept.sort and not kept.is_reversed
        self.arrangement = replace(kept, sort=sort, is_reversed=is_reversed)

    def reverse(self) -> None:
        """Reverse the order."""
        self.order_by(self.arrangement.sort)

    def narrow(self, wanted: ListFilter) -> None:
        """Apply a filter, keeping the chosen tags."""
        kept = replace(wanted, tags=self.arrangement.filter.tags)
        self.arrangement = replace(self.arrangement, filter=kept)

    def narrow_to_tags(self, slugs: Iterable[str]) -> None:
        """Show only events with all of these tags, besides the tag that is fetched."""
        kept = replace(self.arrangement.filter, tags=frozenset(slugs))
        self.arrangement = replace(self.arrangement, filter=kept)

    def toggle(self, key: str) -> bool:
        """Fold or unfold a series; return whether the row is one."""
        entry = self.entries.get(key)
        if not isinstance(entry, SeriesFold):
            return False
        unfolded = self.arrangement.unfolded ^ {entry.recurrence}
        self.arrangement = replace(self.arrangement, unfolded=frozenset(unfolded))
        return True

    def event_at(self, key: str | None) -> EventRow | None:
        """Return the event of a row; for a series, its next window."""
        entry = self.entries.get(key or "")
        return entry.next_window if isinstance(entry, SeriesFold) else entry

    def market_at(self, key: str | None) -> Market | None:
        """Return the market whose price a row shows."""
        row = self.event_at(key)
        return row.leading if row is not None else None

    def subject_at(
        self, key: str | None, price_of: Callable[[Market | None], Micros | None]
    ) -> Subject | None:
        """Return a row as the subject of its preview; a series as its windows, with the row's sums.

        Args:
            key: the row.
            price_of: returns the live price that the row of a market shows.
        """
        entry, row = self.entries.get(key or ""), self.event_at(key)
        if row is None:
            return None
        subject = event_subject(row.event, row.leading, price_of(row.leading))
        if not isinstance(entry, SeriesFold):
            return subject
        windows = tuple(
            replace(each.leading, group_title=self._windows.get(each.event.event_id, ""))
            for each in entry.rows
            if each.leading is not None
        )
        return replace(
            subject, title=describe_fold(entry), markets=windows, leading=next(iter(windows), None),
            volume_24h=_sum([each.event.volume_24h for each in entry.rows]),
            liquidity=_sum([each.event.liquidity for each in entry.rows]),
            kind="SERIES", is_ordered=True,
        )  # fmt: skip

    def details(self, key: str | None, width: int) -> tuple[Line, Line]:
        """Return the details of a row."""
        book = self._book_of(quoted_token(self.market_at(key)))
        return paint_event_details(self.event_at(key), book, width, is_cached=self._is_cached)

    def to_copy(self, key: str | None) -> tuple[str, str]:
        """Return what the copy key copies: its kind and its text."""
        row = self.event_at(key)
        return "event slug", plain(row.event.slug) if row is not None else ""

    def to_star(self, key: str | None) -> tuple[StarKey, str] | None:
        """Return what the star key stars: its key and its title."""
        row = self.event_at(key)
        return None if row is None else (key_of_event(row.event), row.event.title)

    def destination(self, key: str | None) -> EventChosen | MarketChosen | None:
        """Return where a row leads: its event, or its only market."""
        row = self.event_at(key)
        if row is None:
            return None
        markets = row.event.markets
        if len(markets) == 1 and (condition_id := markets[0].condition_id):
            return MarketChosen(condition_id)
        return EventChosen(row.event.event_id)

    def target(self, key: str | None) -> RowTarget | None:
        """Return what trading keys act on in a row."""
        row = self.event_at(key)
        return None if row is None else target_of_event(row.event, row.leading)

    def tokens(self, keys: Iterable[str]) -> tuple[TokenId, ...]:
        """Return the tokens to stream for these rows; none while the list is cached."""
        return () if self._is_cached else _tokens_of(map(self.market_at, keys))

    def _row(self, key: str, entry: Entry, now: datetime) -> Row:
        row = entry.next_window if isinstance(entry, SeriesFold) else entry
        token_id, is_cached = quoted_token(row.leading), self._is_cached
        book, points = self._book_of(token_id), self._day_of(token_id)
        day, opened = paint_day(points, now), price_a_day_ago(points, now)
        look = (day, opened, *_appearance(book, row.as_of, now))
        name = self._windows.get(row.event.event_id)
        inputs = (entry, tick_of(row.event.end_at, now), is_cached, look, name)
        if isinstance(entry, SeriesFold):
            paint = partial(
                paint_fold_row, entry, book, now,
                is_cached=is_cached, day=day, name=name,
            )  # fmt: skip
        else:
            paint = partial(
                paint_event_row, entry, book, now,
                is_cached=is_cached, day=day, opened=opened, name=name,
            )  # fmt: skip
        return self._memo.row(key, inputs, paint)


class FoundMarkets:
    """Search results: those on show keep their places, later ones are appended."""

    def __init__(
        self, table: LineTable, book_of: Callable[[TokenId | None], BookView | None]
    ) -> None:  # fmt: skip
        """Start without results."""
        self.table = table
        self.entries: dict[str, Found] = {}
        self._by_key: dict[str, MarketRow] = {}
        self._unfolded: frozenset[str] = frozenset()
        self._windows: dict[str, str] = {}
        """The names of the windows of series, by their events."""
        self._book_of = book_of
        self._memo = RowMemo()

    def clear(self) -> None:
        """Forget the results of the previous text."""
        self.entries, self._by_key, self._unfolded = {}, {}, frozenset()

    def show(self, rows: Iterable[MarketRow], now: datetime) -> None:
        """Apply the search results."""
        fresh: dict[str, MarketRow] = {row.market.market_id: row for row in rows}
        kept = {key: fresh[key] for key in self._by_key if key in fresh}
        self._by_key = kept | {key: row for key, row in fresh.items() if key not in kept}
        entries = fold_windows(tuple(self._by_key.values()), self._unfolded, now)
        self.entries = {
            entry.key if isinstance(entry, SeriesFold) else entry.market.market_id: entry
            for entry in entries
        }
        self._windows = name_windows(e for e in entries if isinstance(e, SeriesFold))
        self._memo.keep_only(set(self.entries))

    def toggle(self, key: str) -> bool:
        """Fold or unfold a series; return whether the row is one."""
        entry = self.entries.get(key)
        if not isinstance(entry, SeriesFold):
            return False
        self._unfolded ^= {entry.recurrence}
        return True

    def row_at(self, key: str | None) -> MarketRow | None:
        """Return the result of a row; for a series, its next window."""
        entry = self.entries.get(key or "")
        return entry.next_window if isinstance(entry, SeriesFold) else entry

    def rows(self, keys: Iterable[str], now: datetime) -> list[Row]:
        """Return the given rows as they look now."""
        return [self._row(key, self.entries[key], now) for key in keys]

    def market_at(self, key: str | None) -> Market | None:
        """Return the market of a row."""
        found = self.row_at(key)
        return found.market if found is not None else None

    def details(self, key: str | None, width: int) -> tuple[Line, Line]:
        """Return the details of a row."""
        book = self._book_of(quoted_token(self.market_at(key)))
        return paint_result_details(self.row_at(key), book, width)

    def to_copy(self, key: str | None) -> tuple[str, str]:
        """Return what the copy key copies: its kind and its text."""
        market = self.market_at(key)
        return "condition id", (market.condition_id if market is not None else None) or ""

    def to_star(self, key: str | None) -> tuple[StarKey, str] | None:
        """Return what the star key stars: its key and its title."""
        market = self.market_at(key)
        if market is None or market.condition_id is None:
            return None
        return key_of_market(market.condition_id), market.distinct_name

    def destination(self, key: str | None) -> EventChosen | MarketChosen | None:
        """Return where a row leads."""
        row = self.row_at(key)
        if row is None:
            return None
        if condition_id := row.market.condition_id:
            return MarketChosen(condition_id)
        return EventChosen(row.event_id) if row.event_id is not None else None

    def target(self, key: str | None) -> RowTarget | None:
        """Return what trading keys act on in a row."""
        return target_of_market(self.market_at(key))

    def tokens(self, keys: Iterable[str]) -> tuple[TokenId, ...]:
        """Return the tokens to stream for these rows."""
        return _tokens_of(map(self.market_at, keys))

    def _row(self, key: str, entry: Found, now: datetime) -> Row:
        row = entry.next_window if isinstance(entry, SeriesFold) else entry
        book = self._book_of(row.market.quoted_token)
        name = self._windows.get(row.event_id or "")
        look = _appearance(book, row.as_of, now)
        inputs = (entry, tick_of(row.market.end_at, now), look, name)
        paint = (
            partial(paint_found_fold, entry, book, now)
            if isinstance(entry, SeriesFold)
            else partial(paint_result_row, row, book, now, name=name)
        )
        return self._memo.row(key, inputs, paint)


def quoted_token(market: Market | None) -> TokenId | None:
    """Return the token whose price a row shows."""
    return None if market is None else market.quoted_token


def _tokens_of(markets: Iterable[Market | None]) -> tuple[TokenId, ...]:
    tokens = (market.quoted_token for market in markets if market is not None)
    return tuple(dict.fromkeys(token for token in tokens if token is not None))


def _appearance(book: BookView | None, as_of: datetime | None, now: datetime) -> tuple[object, ...]:
    """Return the prices from which a row is painted."""
    if book is not None and book.state.is_good:
        return book.best_bid, book.best_ask
    return is_loading(book), format_price_age(as_of, now)
