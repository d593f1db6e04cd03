"""The other outcomes of an event: who they are, in which order, and who comes next."""

from dataclasses import dataclass

from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Event, Market

QUOTED_UP_TO = 12
"""Events with more open markets than this are not streamed whole for a line of prices."""


@dataclass(frozen=True, slots=True)
class Siblings:
    """The markets of an event that one can hop between, in an order that no price changes."""

    markets: tuple[Market, ...]
    index: int
    """Where the market on the screen stands."""

    @property
    def is_quoted(self) -> bool:
        """Whether they are few enough to hear all their prices."""
        return len(self.markets) <= QUOTED_UP_TO

    def stepped(self, steps: int) -> int:
        """Return the place so many steps on, around at the ends."""
        return (self.index + steps) % len(self.markets)

    def after(self, count: int) -> tuple[Market, ...]:
        """Return those that come next, around at the end, the one on the screen never."""
        count = min(count, len(self.markets) - 1)
        return tuple(self.markets[self.stepped(step)] for step in range(1, count + 1))


def order_of(event: Event, before: tuple[ConditionId, ...] = ()) -> tuple[ConditionId, ...]:
    """Return the order of an event's markets: its own, which for strikes and dates is theirs.

    Args:
        event: as it was read last.
        before: the order until now. What is in it stays where it is, whatever the event says by now,
            and what is new comes after what the event names before it.
    """
    known, order, place = set(before), list(before), 0
    ids = [m.condition_id for m in event.markets if m.condition_id is not None]
    if known.issuperset(ids):
        return before
    for condition_id in ids:
        if condition_id in known:
            place = order.index(condition_id) + 1
        else:
            known.add(condition_id)
            order.insert(place, condition_id)
            place += 1
    return tuple(order)


def siblings_of(
    event: Event | None, condition_id: ConditionId, order: tuple[ConditionId, ...] = ()
) -> Siblings | None:
    """Return the markets to hop between; None where there is no other.

    Closed ones are left out, but not the one on the screen. The order is the event's own, or the
    one that was shown until now.
    """
    if event is None:
        return None
    found = {
        m.condition_id: m
        for m in event.markets
        if m.condition_id is not None and (not m.closed or m.condition_id == condition_id)
    }
    markets = tuple(found[each] for each in order_of(event, order) if each in found)
    places = [n for n, market in enumerate(markets) if market.condition_id == condition_id]
    return Siblings(markets, places[0]) if places and len(markets) > 1 else None
