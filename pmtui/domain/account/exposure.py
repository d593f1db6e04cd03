"""What is at stake in positions: their value in the worst case and in the best case.

Outcomes of one market exclude each other, and so do the markets of an event with one winner (a negative-risk
event, a race): a Yes and a No of one market pay one dollar between them whatever happens, and of a race exactly
one Yes pays. If the possible winners are known, the worst case is that of the worst winner: a Yes of every
runner is worth a dollar. If they are not, a runner of which nothing is held may win as well.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pmtui.domain.account.position import ClosedPosition, Position
from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import ONE, ZERO, Micros


@dataclass(frozen=True, slots=True)
class Exposure:
    """What positions are worth now, and at worst and at best once every market is resolved."""

    value: Micros
    """At their marks; what has no mark counts as worthless."""
    cost: Micros
    """What was paid for them, by average prices, fees aside."""
    worst: Micros
    """What they pay in the worst case."""
    best: Micros
    largest: tuple[str, Micros] | None
    """The event with the largest value, by name, and that value; None without positions."""

    @property
    def if_worst(self) -> Micros:
        """The change in value from now on in the worst case; never above zero if the marks are right."""
        return Micros(self.worst - self.value)

    @property
    def if_best(self) -> Micros:
        """The change in value from now on in the best case."""
        return Micros(self.best - self.value)


@dataclass(frozen=True, slots=True)
class OwnEvent:
    """An event in which shares are or were held."""

    event_id: EventId
    name: str
    """Untrusted text."""
    markets: tuple[ConditionId, ...]
    """Markets in which shares are or were held."""
    runners: tuple[ConditionId, ...] = ()
    """In a race, every market that may still win, held or not; empty while unknown."""


@dataclass(frozen=True, slots=True)
class EventProfit:
    """Profit or loss of one event so far."""

    name: str
    """Untrusted text."""
    realized: Micros
    unrealized: Micros

    @property
    def total(self) -> Micros:
        """Realized and unrealized profit together."""
        return Micros(self.realized + self.unrealized)


def exposure_of(positions: Iterable[Position], events: Iterable[OwnEvent]) -> Exposure:
    """Return the exposure of all positions."""
    own = _by_market(events)
    races: dict[str, dict[ConditionId, dict[int, int]]] = {}
    runners: dict[str, Sequence[ConditionId]] = {}
    values: dict[str, tuple[str, int]] = {}
    cost = 0
    for position in positions:
        event = own.get(position.condition_id)
        # If the event is unknown, group by the event slug that the analytics host reports.
        known = position.event_slug if event is None else event.event_id
        name = position.title if event is None else event.name
        group = known or position.condition_id
        values[group] = name, values.get(group, ("", 0))[1] + (position.value or 0)
        # Only markets of a race exclude each other; any other market stands by itself.
        unit = f"race {group}" if position.neg_risk else f"market {position.condition_id}"
        runners[unit] = event.runners if event is not None and position.neg_risk else ()
        market = races.setdefault(unit, {}).setdefault(position.condition_id, {})
        market[position.outcome_index] = market.get(position.outcome_index, 0) + position.size
        cost += position.cost
    ends = [
        _ends_of_race(markets, runners[unit]) if unit.startswith("race ") else _ends_of(markets)
        for unit, markets in races.items()
    ]
    largest = max(values.values(), key=lambda item: item[1], default=None)
    return Exposure(
        Micros(sum(value for _, value in values.values())),
        Micros(cost),
        Micros(sum(worst for worst, _ in ends)),
        Micros(sum(best for _, best in ends)),
        None if largest is None else (largest[0], Micros(largest[1])),
    )


def profit_by_event(
    positions: Iterable[Position],
    closed: Iterable[ClosedPosition],
    events: Iterable[OwnEvent],
) -> tuple[EventProfit, ...]:
    """Return the profit of each event before fees, the largest gain or loss first.

    A market whose event is unknown is listed under its own title.
    """
    own = _by_market(events)
    realized: dict[str, int] = {}
    unrealized: dict[str, int] = {}
    names: dict[str, str] = {}
    for position in positions:
        key = _key_of(own, position.condition_id, position.title, names)
        realized[key] = realized.get(key, 0) + position.realized
        unrealized[key] = unrealized.get(key, 0) + (position.unrealized or 0)
    for each in closed:
        key = _key_of(own, each.condition_id, each.title, names)
        realized[key] = realized.get(key, 0) + each.realized
    found = [
        EventProfit(names[key], Micros(amount), Micros(unrealized.get(key, 0)))
        for key, amount in realized.items()
    ]
    return tuple(sorted(found, key=lambda each: (-abs(each.total), each.name)))


def _by_market(events: Iterable[OwnEvent]) -> Mapping[ConditionId, OwnEvent]:
    return {condition_id: event for event in events for condition_id in event.markets}


def _key_of(
    own: Mapping[ConditionId, OwnEvent],
    condition_id: ConditionId,
    title: str,
    names: dict[str, str],
) -> str:
    """Return the key that groups a market's event, and record its name."""
    event = own.get(condition_id)
    key = condition_id if event is None else event.event_id
    names[key] = title if event is None else event.name
    return key


def _ends_of(markets: Mapping[ConditionId, Mapping[int, int]]) -> tuple[int, int]:
    """Return the worst and best payout of shares in one market."""
    ((sizes),) = markets.values()
    pays = [sizes.get(0, 0), sizes.get(1, 0)]
    return min(pays), max(pays)


def _ends_of_race(
    markets: Mapping[ConditionId, Mapping[int, int]], runners: Sequence[ConditionId]
) -> tuple[int, int]:
    """Return the worst and best payout of shares in a race; without runners any may win."""
    every_no = sum(sizes.get(1, 0) for sizes in markets.values())
    wins = {m: every_no - sizes.get(1, 0) + sizes.get(0, 0) for m, sizes in markets.items()}
    if not runners:
        ends = [every_no, *wins.values()]
    else:
        # If a runner wins of which nothing is held, every No pays.
        ends = [wins.get(runner, every_no) for runner in runners]
    return min(ends), max(ends)


def find_runners(event: Event) -> tuple[ConditionId, ...]:
    """Return the markets of a negative-risk event that may still resolve Yes.

    The winner alone if there is one; empty if the event is not one with a single winner, or one of its
    markets has no condition id: then the possible winners are unknown.
    """
    ids = [market.condition_id for market in event.markets]
    if not event.neg_risk or not ids or None in ids:
        return ()
    won = [market for market in event.markets if _answer(market) == ONE]
    left = won or [market for market in event.markets if _answer(market) != ZERO]
    return tuple(market.condition_id for market in left if market.condition_id is not None)


def _answer(market: Market) -> int | None:
    """Return the payout of a market's Yes share; None while the market is unresolved."""
    first = market.outcomes[0] if market.outcomes else None
    if first is None or first.token_id is None:
        return None
    return market.settled_price(first.token_id)
