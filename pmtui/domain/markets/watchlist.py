"""The trader's starred items, with their last known data for when no host answers.

An event with one market counts as that market: it is listed as both, opened as the market, and
cannot be starred twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import Micros

MOST_STARS = 200
"""Each is fetched separately while the list is open."""
MOST_WATCHED = 40
"""Markets whose books are subscribed to for an open watchlist; the others show the metadata host's
prices."""


class StarKind(StrEnum):
    """The kind of a starred item."""

    EVENT = "event"
    MARKET = "market"


@dataclass(frozen=True, slots=True)
class StarKey:
    """Identifies an item that can be starred."""

    kind: StarKind
    item_id: str
    """An event id, or the condition id of a market."""

    @property
    def event_id(self) -> EventId | None:
        """The event id, if the item is an event."""
        return EventId(self.item_id) if self.kind is StarKind.EVENT else None

    @property
    def condition_id(self) -> ConditionId | None:
        """The condition id, if the item is a market."""
        return ConditionId(self.item_id) if self.kind is StarKind.MARKET else None


@dataclass(frozen=True, slots=True)
class StarSnapshot:
    """The data of a starred item at some time. Texts are untrusted."""

    title: str
    market: Market | None
    """The market itself, or the leading one of an event."""
    as_of: datetime
    event_title: str = ""
    """Title of the event that a market belongs to; empty for an event."""
    open_markets: int = 1
    volume: Micros | None = None
    volume_24h: Micros | None = None
    end_at: datetime | None = None
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class Star:
    """One starred item."""

    key: StarKey
    title: str
    """Its title at the time it was starred; untrusted."""
    starred_at: datetime
    seen: StarSnapshot | None = None


def key_of_market(condition_id: ConditionId) -> StarKey:
    """Return the key of a market."""
    return StarKey(StarKind.MARKET, condition_id)


def key_of_event(event: Event) -> StarKey:
    """Return the key of an event: that of its market if it has only one with an id."""
    if len(event.markets) == 1 and (condition_id := event.markets[0].condition_id):
        return key_of_market(condition_id)
    return StarKey(StarKind.EVENT, event.event_id)


def leading_market(event: Event) -> Market | None:
    """Return the open market with the highest first-outcome price; any market if none is open."""
    place = leading_place(event)
    return None if place is None else event.markets[place]


def leading_place(event: Event) -> int | None:
    """Return the index of an event's leading market; None if it has no markets."""
    markets = event.markets
    running = [place for place, market in enumerate(markets) if _is_running(market)]
    candidates = running or range(len(markets))
    return max(candidates, key=lambda place: _first_price(markets[place]), default=None)


def open_markets(event: Event) -> tuple[Market, ...]:
    """Return the markets of an event that are still open."""
    return tuple(filter(_is_running, event.markets))


def snapshot_market(market: Market, as_of: datetime) -> StarSnapshot:
    """Return the data that a list shows of a market."""
    return StarSnapshot(
        title=market.distinct_name,
        market=market,
        as_of=as_of,
        event_title=market.event_title,
        open_markets=int(not market.closed),
        volume=market.volume,
        volume_24h=market.volume_24h,
        end_at=market.end_at,
        is_closed=market.closed,
    )


def snapshot_event(event: Event, as_of: datetime) -> StarSnapshot:
    """Return the data that a list shows of an event, represented by its leading market."""
    return StarSnapshot(
        title=event.title,
        market=leading_market(event),
        as_of=as_of,
        open_markets=len(open_markets(event)),
        volume=event.volume,
        volume_24h=event.volume_24h,
        end_at=event.end_at,
        is_closed=event.closed,
    )


def without_long_texts(seen: StarSnapshot) -> StarSnapshot:
    """Return the data without texts that no list shows; they are most of its bytes."""
    if seen.market is None:
        return seen
    return replace(seen, market=replace(seen.market, description="", resolution_source=""))


def newest(first: StarSnapshot | None, second: StarSnapshot | None) -> StarSnapshot | None:
    """Return the newer of two snapshots, either of which may be missing."""
    known = [seen for seen in (first, second) if seen is not None]
    return max(known, key=lambda seen: seen.as_of, default=None)


def choose_watched(
    wanted: Iterable[ConditionId], *, most: int = MOST_WATCHED
) -> tuple[frozenset[ConditionId], int]:
    """Return the first markets, whose books to subscribe to, and how many are left out."""
    distinct = tuple(dict.fromkeys(wanted))
    return frozenset(distinct[:most]), max(len(distinct) - most, 0)


def _is_running(market: Market) -> bool:
    return not market.closed and market.active


def _first_price(market: Market) -> int:
    return (market.outcomes[0].price or 0) if market.outcomes else 0
