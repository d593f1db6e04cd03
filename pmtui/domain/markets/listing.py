"""How a list of events is filtered, sorted, and grouped: windows of one series fold into one row.

Everything here uses the metadata host's data, not live prices: a price that moves never moves a row.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

from pmtui.domain.markets.market import Event, Market, MarketSort, Series
from pmtui.domain.money import Micros

WIDE_SPREAD = Micros(50_000)
"""A spread of five cents or more costs more than most opinions are worth: lists flag it."""
_LEAST_FOLDED = 2
_ROLLING = ("m", "min", "minute", "minutes", "h", "hourly")
"""The venue's recurrence words for series whose windows follow each other within a day."""


class ListSort(StrEnum):
    """How a list of events is sorted; the values are used in its heading."""

    VOLUME_24H = "volume 24h"
    MOVERS = "movers 24h"
    SPREAD = "spread"
    ENDING_SOON = "ending soon"
    NEWEST = "newest"
    VOLUME = "volume"
    LIQUIDITY = "liquidity"

    @property
    def fetched(self) -> MarketSort:
        """The venue's sort order with which such a list is fetched."""
        return _FETCHED.get(self, MarketSort.VOLUME_24H)

    @property
    def is_local(self) -> bool:
        """Whether the venue lacks this order, so that the loaded rows are sorted here."""
        return self not in _FETCHED


_FETCHED = {
    ListSort.VOLUME_24H: MarketSort.VOLUME_24H,
    ListSort.ENDING_SOON: MarketSort.ENDING_SOON,
    ListSort.NEWEST: MarketSort.NEWEST,
    ListSort.VOLUME: MarketSort.VOLUME,
    ListSort.LIQUIDITY: MarketSort.LIQUIDITY,
}


@dataclass(frozen=True, slots=True)
class ListFilter:
    """Which events of a list are shown; None or False does not filter."""

    min_volume_24h: Micros | None = None
    max_spread: Micros | None = None
    ends_within: timedelta | None = None
    is_mine: bool = False
    """Whether to show only events with a position or a working order."""
    is_starred: bool = False
    tags: frozenset[str] = frozenset()
    """Tag slugs; an event must have all of them."""

    @property
    def is_empty(self) -> bool:
        """Whether no filter is set."""
        return self == NO_FILTER


NO_FILTER = ListFilter()


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The sorting and filtering of a list."""

    sort: ListSort = ListSort.VOLUME_24H
    is_reversed: bool = False
    filter: ListFilter = NO_FILTER
    unfolded: frozenset[str] = frozenset()
    """Recurrences whose windows are listed one by one."""


class ListedWindow(Protocol):
    """A row that may be a window of a rolling series."""

    @property
    def event(self) -> Event | None:
        """Its event; None if it is known to be no window."""
        ...


class ListedEvent(Protocol):
    """An event in a list."""

    @property
    def event(self) -> Event:
        """The event."""
        ...

    @property
    def leading(self) -> Market | None:
        """The market that represents it."""
        ...

    @property
    def has_position(self) -> bool:
        """Whether shares of it are held."""
        ...

    @property
    def is_starred(self) -> bool:
        """Whether it is on the watchlist."""
        ...


L = TypeVar("L", bound=ListedEvent)
W = TypeVar("W", bound=ListedWindow)


@dataclass(frozen=True, slots=True)
class SeriesFold(Generic[W]):
    """The windows of rolling series with the same length, as one row."""

    recurrence: str
    """The windows' interval, as the venue writes it: `5m`."""
    title: str
    """Untrusted text: title of the series, or the tag that several series share."""
    rows: tuple[W, ...]
    """The windows sorted by their end, the next one first."""
    is_folded: bool

    @property
    def key(self) -> str:
        """A key that is unique among those of events."""
        return f"series {self.recurrence}"

    @property
    def next_window(self) -> W:
        """The window that ends next."""
        return self.rows[0]


def arrange(
    rows: Iterable[L], arrangement: Arrangement, now: datetime
) -> tuple[L | SeriesFold[L], ...]:
    """Return the rows to show, in order.

    A fold is sorted by the sum of its windows if the sort key can be summed, else it takes the place of
    its first window.
    """
    kept = [row for row in rows if _passes(row, arrangement.filter, now)]
    shown = fold_windows(_ordered(kept, arrangement), arrangement.unfolded, now)
    summed = _SUMMED.get(arrangement.sort)
    return shown if summed is None else _place_folds(shown, summed, arrangement)


def fold_windows(
    rows: Sequence[W], unfolded: frozenset[str], now: datetime
) -> tuple[W | SeriesFold[W], ...]:
    """Fold the windows of rolling series with the same length into one row, in the place of the first.

    Args:
        rows: in their order.
        unfolded: recurrences whose windows are listed below their fold.
        now: tells which window ends next.
    """
    windows: dict[str, list[W]] = {}
    for row in rows:
        series = rolling_series(row.event)
        if series is not None:
            windows.setdefault(_recurrence(series), []).append(row)
    shown: list[W | SeriesFold[W]] = []
    told: set[str] = set()
    for row in rows:
        series = rolling_series(row.event)
        name = "" if series is None else _recurrence(series)
        if series is None or len(windows[name]) < _LEAST_FOLDED:
            shown.append(row)
        elif name not in told:
            told.add(name)
            ordered = tuple(sorted(windows[name], key=lambda each: _ending(each, now)))
            is_folded = name not in unfolded
            shown.append(SeriesFold(name, _title(ordered, series), ordered, is_folded))
            shown += () if is_folded else ordered
    return tuple(shown)


def rolling_series(event: Event | None) -> Series | None:
    """Return the series of an event whose windows follow each other within a day; None if there is none."""
    if event is None:
        return None
    return next((s for s in event.series if s.slug and _is_rolling(s)), None)


def window_beside(event: Event, others: Iterable[Event], *, is_later: bool) -> Event | None:
    """Return the next or the previous window of a rolling series.

    Args:
        event: the window to start from.
        others: known events, of any series; those without an end are ignored.
        is_later: whether to return the next window instead of the previous one.
    """
    series = rolling_series(event)
    if series is None or event.end_at is None:
        return None
    here = event.end_at
    found: dict[datetime, Event] = {}
    for other in others:
        same = rolling_series(other)
        is_window = same is not None and same.slug == series.slug and other.end_at is not None
        if is_window and other.end_at is not None and other.event_id != event.event_id:
            found.setdefault(other.end_at, other)
    if is_later:
        return found[min(ends)] if (ends := [end for end in found if end > here]) else None
    return found[max(ends)] if (ends := [end for end in found if end < here]) else None


def is_wide(spread: Micros | None) -> bool:
    """Whether a list flags a spread as wide."""
    return spread is not None and spread >= WIDE_SPREAD


def quoted_spread(market: Market | None) -> Micros | None:
    """Return the spread that the metadata host reported."""
    if market is None or market.best_bid is None or market.best_ask is None:
        return None
    return Micros(market.best_ask - market.best_bid)


def _is_rolling(series: Series) -> bool:
    word = _recurrence(series).lstrip("0123456789")
    return word in _ROLLING


def _passes(row: ListedEvent, wanted: ListFilter, now: datetime) -> bool:
    event, spread = row.event, quoted_spread(row.leading)
    if wanted.min_volume_24h is not None and (event.volume_24h or 0) < wanted.min_volume_24h:
        return False
    if wanted.max_spread is not None and (spread is None or spread > wanted.max_spread):
        return False
    if wanted.ends_within is not None and (
        event.end_at is None or not now <= event.end_at <= now + wanted.ends_within
    ):
        return False
    if not wanted.tags <= {tag.slug for tag in event.tags}:
        return False
    return (row.has_position or not wanted.is_mine) and (row.is_starred or not wanted.is_starred)


def _ordered(rows: list[L], arrangement: Arrangement) -> list[L]:
    """Sort by orders that the venue lacks; other lists were already fetched in order or reversed."""
    if arrangement.sort is ListSort.MOVERS:
        return _by(rows, _move, is_rising=arrangement.is_reversed)
    if arrangement.sort is ListSort.SPREAD:
        # The tightest first: that is where trading is cheapest.
        return _by(rows, _spread, is_rising=not arrangement.is_reversed)
    return rows


def _move(row: ListedEvent) -> int | None:
    if rolling_series(row.event) is not None:
        # It has not been traded for a day: from its start on it moves from even odds to a result.
        return None
    change = row.leading.day_change if row.leading is not None else None
    return None if change is None else abs(change)


def _spread(row: ListedEvent) -> int | None:
    return quoted_spread(row.leading)


class _Measure(Protocol):
    def __call__(self, row: ListedEvent, /) -> int | None: ...


def _by(rows: list[L], measure: _Measure, *, is_rising: bool) -> list[L]:
    """Sort by a measure; rows without one come last in either direction."""
    known = [(value, row) for row in rows if (value := measure(row)) is not None]
    known.sort(key=lambda pair: pair[0], reverse=not is_rising)
    return [row for _, row in known] + [row for row in rows if measure(row) is None]


def _place_folds(
    shown: Sequence[L | SeriesFold[L]], summed: Callable[[Event], Micros | None],
    arrangement: Arrangement,
) -> tuple[L | SeriesFold[L], ...]:  # fmt: skip
    """Sort each fold, with its unfolded windows below it, by its sum."""

    def measure(entry: L | SeriesFold[L]) -> int:
        rows = entry.rows if isinstance(entry, SeriesFold) else (entry,)
        return sum(summed(row.event) or 0 for row in rows)

    members = {
        id(row)
        for entry in shown
        if isinstance(entry, SeriesFold) and not entry.is_folded
        for row in entry.rows
    }
    placed: list[L | SeriesFold[L]] = [
        entry for entry in shown if not isinstance(entry, SeriesFold) and id(entry) not in members
    ]
    for fold in (entry for entry in shown if isinstance(entry, SeriesFold)):
        own, is_rising = measure(fold), arrangement.is_reversed
        later = (
            index
            for index, entry in enumerate(placed)
            if id(entry) not in members
            and (measure(entry) >= own if is_rising else measure(entry) <= own)
        )
        at = next(later, len(placed))
        placed[at:at] = [fold, *(() if fold.is_folded else fold.rows)]
    return tuple(placed)


_SUMMED: Mapping[ListSort, Callable[[Event], Micros | None]] = MappingProxyType({
    ListSort.VOLUME_24H: lambda event: event.volume_24h,
    ListSort.VOLUME: lambda event: event.volume,
    ListSort.LIQUIDITY: lambda event: event.liquidity,
})  # fmt: skip
"""Sort orders whose values can be summed over windows."""


def _recurrence(series: Series) -> str:
    return series.recurrence.strip().lower()


def _title(rows: Sequence[ListedWindow], series: Series) -> str:
    """Return the title of a fold: its series, or the first tag that all of several series share."""
    slugs = {each.slug for row in rows if (each := rolling_series(row.event)) is not None}
    if len(slugs) == 1:
        return series.title
    first, *others = ([] if row.event is None else row.event.tags for row in rows)
    slugs_of = [{tag.slug for tag in tags} for tags in others]
    shared = (tag.label for tag in first if all(tag.slug in slugs for slugs in slugs_of))
    return next(shared, series.title)


def _ending(row: ListedWindow, now: datetime) -> tuple[bool, timedelta]:
    """Return a sort key by end time; windows that are over come last."""
    end_at = None if row.event is None else row.event.end_at
    left = timedelta.max if end_at is None else end_at - now
    return left <= timedelta(0), left
