"""What is at stake in positions: what is left if everything goes wrong, and what comes if all goes right.

Outcomes of one market exclude each other, and so do the markets of an event with one winner: a Yes and a No
of one market pay one dollar between them whatever happens, and of a race only one Yes pays.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pmtui.domain.account.position import ClosedPosition, Position
from pmtui.domain.ids import ConditionId
from pmtui.domain.money import Micros


@dataclass(frozen=True, slots=True)
class Exposure:
    """What positions are worth now, and at worst and at best once everything is resolved."""

    value: Micros
    """At their marks; what has no mark counts as worthless."""
    worst: Micros
    """What they pay in the worst case."""
    best: Micros
    largest: tuple[str, Micros] | None
    """The event with most in it, by its name, and its value; None without positions."""

    @property
    def if_worst(self) -> Micros:
        """What is lost from now on at worst; never above zero where marks are right."""
        return Micros(self.worst - self.value)

    @property
    def if_best(self) -> Micros:
        """What is won from now on at best."""
        return Micros(self.best - self.value)


@dataclass(frozen=True, slots=True)
class EventProfit:
    """What one event brought so far."""

    name: str
    """Untrusted text."""
    realized: Micros
    unrealized: Micros

    @property
    def total(self) -> Micros:
        """Both."""
        return Micros(self.realized + self.unrealized)


def exposure_of(positions: Iterable[Position], name_of: Callable[[ConditionId], str]) -> Exposure:
    """Return what is at stake.

    Args:
        positions: what is held.
        name_of: the name of a market's event.
    """
    races: dict[tuple[str, str], dict[ConditionId, dict[int, int]]] = {}
    values: dict[str, int] = {}
    for position in positions:
        name = name_of(position.condition_id)
        values[name] = values.get(name, 0) + (position.value or 0)
        # Only in a race do markets exclude each other; any other market stands for itself.
        alone = "" if position.neg_risk else position.condition_id
        market = races.setdefault((name, alone), {}).setdefault(position.condition_id, {})
        market[position.outcome_index] = market.get(position.outcome_index, 0) + position.size
    ends = [_ends_of(markets, is_race=not alone) for (_, alone), markets in races.items()]
    largest = max(values.items(), key=lambda item: item[1], default=None)
    return Exposure(
        Micros(sum(values.values())),
        Micros(sum(worst for worst, _ in ends)),
        Micros(sum(best for _, best in ends)),
        None if largest is None else (largest[0], Micros(largest[1])),
    )


def profit_by_event(
    positions: Iterable[Position],
    closed: Iterable[ClosedPosition],
    name_of: Callable[[ConditionId], str],
) -> tuple[EventProfit, ...]:
    """Return what each event brought, before fees, the largest gain or loss first."""
    realized: dict[str, int] = {}
    unrealized: dict[str, int] = {}
    for position in positions:
        name = name_of(position.condition_id)
        realized[name] = realized.get(name, 0) + position.realized
        unrealized[name] = unrealized.get(name, 0) + (position.unrealized or 0)
    for each in closed:
        name = name_of(each.condition_id)
        realized[name] = realized.get(name, 0) + each.realized
    found = [
        EventProfit(name, Micros(amount), Micros(unrealized.get(name, 0)))
        for name, amount in realized.items()
    ]
    return tuple(sorted(found, key=lambda each: (-abs(each.total), each.name)))


def _ends_of(markets: Mapping[ConditionId, Mapping[int, int]], *, is_race: bool) -> tuple[int, int]:
    """Return what shares of one market, or of a race, pay at worst and at best."""
    if not is_race:
        ((sizes),) = markets.values()
        pays = [sizes.get(0, 0), sizes.get(1, 0)]
        return min(pays), max(pays)
    # Either a market that is held here wins, or one that is not: then every No pays.
    every_no = sum(sizes.get(1, 0) for sizes in markets.values())
    ends = [every_no, *(every_no - s.get(1, 0) + s.get(0, 0) for s in markets.values())]
    return min(ends), max(ends)
