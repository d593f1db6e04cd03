"""Price history: what a chart draws."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from pmtui.domain.money import Micros
from pmtui.records import dataclass

if TYPE_CHECKING:
    from pmtui.domain.order import TradePrint


class Interval(StrEnum):
    """How far back a chart reaches; the values are the service's own words."""

    HOUR = "1h"
    SIX_HOURS = "6h"
    DAY = "1d"
    WEEK = "1w"
    MONTH = "1m"
    MAX = "max"

    def shifted(self, steps: int) -> "Interval":
        """Return the interval so many places longer, stopping at the ends."""
        members = list(Interval)
        return members[min(max(members.index(self) + steps, 0), len(members) - 1)]


@dataclass(frozen=True, slots=True)
class PricePoint:
    """The price of a token at a moment."""

    at: datetime
    price: Micros


_REACHES = {
    Interval.HOUR: timedelta(hours=1),
    Interval.SIX_HOURS: timedelta(hours=6),
    Interval.DAY: timedelta(days=1),
    Interval.WEEK: timedelta(weeks=1),
    Interval.MONTH: timedelta(days=31),
}


def continue_history(
    points: Sequence[PricePoint],
    prints: "Iterable[TradePrint]",
    last: Micros | None,
    interval: Interval,
) -> tuple[PricePoint, ...]:
    """Go on where a history ends, with what traded since, up to the book's last price.

    A history is fetched now and then and lags behind; what ends elsewhere than the book's last
    price would contradict it on the same screen. Nothing is added as time passes alone.

    Args:
        points: ascending; none where the service has none.
        prints: of the same token, newest first.
        last: the price of the last trade that the book tells of, None where it tells of none.
        interval: how far back the chart reaches.
    """
    newest_first = list(prints)
    reach = _REACHES.get(interval)
    since = points[-1].at if points else None
    if since is None and reach is not None and newest_first:
        since = newest_first[0].at - reach
    traded = [
        PricePoint(trade.at, trade.price)
        for trade in reversed(newest_first)
        if since is None or trade.at > since
    ]
    whole = [*points, *sorted(traded, key=lambda point: point.at)]
    if whole and last is not None and whole[-1].price != last:
        # The book knows the price, not the moment: no earlier than anything that is known.
        whole.append(PricePoint(whole[-1].at + timedelta(seconds=1), last))
    return tuple(whole)
