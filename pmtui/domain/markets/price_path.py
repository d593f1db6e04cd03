"""The path of a price by its trades, and what was traded, within a bound: in a fast market a tape soon forgets both.

The venue's history has a point every few minutes. Between two of its points a path is drawn where it has more
to say than a few trades.
"""

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby

from pmtui.domain.markets.history import PricePoint
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import TradePrint

MOST_POINTS = 400
"""More than the columns of a chart that has two per cell."""
_BUSY = 5
"""Trades between two points of the history from which they are drawn, too."""
_SHORTEST = timedelta(seconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Traded:
    """The shares traded from a moment on."""

    at: datetime
    until: datetime
    """The same for a single trade."""
    size: Micros


class _Sizes:
    """How much was traded in each of many periods of equal length."""

    __slots__ = ("_period", "_sizes")

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}
        self._period = _SHORTEST

    def add(self, at: datetime, size: Micros) -> None:
        place = (at - _EPOCH) // self._period
        self._sizes[place] = self._sizes.get(place, 0) + size
        while len(self._sizes) > MOST_POINTS:
            self._period *= 2
            joined: dict[int, int] = {}
            for place, known in self._sizes.items():
                joined[place // 2] = joined.get(place // 2, 0) + known
            self._sizes = joined

    def forget_after(self, at: datetime) -> None:
        last = (at - _EPOCH) // self._period
        self._sizes = {place: size for place, size in self._sizes.items() if place <= last}

    def periods(self) -> tuple[Traded, ...]:
        period = self._period
        starts = ((_EPOCH + place * period, size) for place, size in sorted(self._sizes.items()))
        return tuple(Traded(at, at + period, Micros(size)) for at, size in starts)


class PricePath:
    """The prices of a token's trades in ascending time: of each period the first, lowest, highest and last."""

    __slots__ = ("_period", "_points", "_sizes", "version")

    def __init__(self) -> None:
        self._points: list[PricePoint] = []
        self._sizes = _Sizes()
        self._period = _SHORTEST
        self.version = 0
        """Incremented by every change."""

    @property
    def points(self) -> Sequence[PricePoint]:
        """What is known, in ascending time."""
        return self._points

    @property
    def traded(self) -> tuple[Traded, ...]:
        """The shares traded, by period in ascending time."""
        return self._sizes.periods()

    def add(self, at: datetime, price: Micros, size: Micros) -> None:
        """Add a trade, of any time."""
        self._sizes.add(at, size)
        insort(self._points, PricePoint(at, price), key=_moment)
        self.version += 1
        while len(self._points) > MOST_POINTS:
            self._points = thinned(self._points, self._period)
            if len(self._points) > MOST_POINTS // 2:
                self._period *= 2

    def forget_after(self, at: datetime) -> None:
        """Forget what is later than a moment."""
        self._sizes.forget_after(at)
        del self._points[bisect_right(self._points, at, key=_moment) :]
        self.version += 1


def thinned(points: Iterable[PricePoint], period: timedelta) -> list[PricePoint]:
    """Return the first, lowest, highest and last point of each period."""
    kept: list[PricePoint] = []
    for _, those in groupby(points, lambda point: (point.at - _EPOCH) // period):
        held = list(those)
        ends = {0, len(held) - 1}
        order = sorted(range(len(held)), key=lambda place: held[place].price)
        kept += [held[place] for place in sorted(ends | {order[0], order[-1]})]
    return kept


def with_path(points: Sequence[PricePoint], path: Sequence[PricePoint]) -> tuple[PricePoint, ...]:
    """Return the venue's history with the path of the trades, where that is finer; in ascending time.

    Args:
        points: the venue's history, ascending.
        path: prices of trades, ascending.
    """
    if not points:
        return tuple(path)
    merged: list[PricePoint] = []
    start = bisect_right(path, points[0].at, key=_moment)
    for place, point in enumerate(points):
        merged.append(point)
        is_last = place + 1 == len(points)
        end = len(path) if is_last else bisect_right(path, points[place + 1].at, key=_moment)
        if is_last or end - start >= _BUSY:
            merged += path[start:end]
        start = max(start, end)
    return tuple(merged)


def with_prints(traded: Sequence[Traded], prints: Iterable[TradePrint]) -> tuple[Traded, ...]:
    """Return what was traded: the newest trades one by one, and by periods what was before them.

    Args:
        traded: by period, in ascending time; may lag behind the trades.
        prints: the newest trades, in any order.
    """
    newest = sorted(prints, key=lambda trade: trade.at)
    if not newest:
        return tuple(traded)
    earlier = [each for each in traded if each.at < newest[0].at]
    since = earlier[-1].until if earlier else newest[0].at
    singles = (Traded(trade.at, trade.at, trade.size) for trade in newest if trade.at >= since)
    return (*earlier, *singles)


def _moment(point: PricePoint) -> datetime:
    return point.at
