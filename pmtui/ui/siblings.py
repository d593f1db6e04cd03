"""The other outcomes of an event: who they are, in which order, and who comes next."""

from pmtui.domain.ids import ConditionId
from pmtui.domain.market import Event, Market
from pmtui.records import dataclass
from pmtui.ui.paint.event import by_price

QUOTED_UP_TO = 12
"""Events with more open markets than this are not streamed whole for a line of prices."""


@dataclass(frozen=True, slots=True)
class Siblings:
    """The markets of an event that one can hop between, in the order of the event's table."""

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


def siblings_of(event: Event | None, condition_id: ConditionId) -> Siblings | None:
    """Return the markets to hop between; None where there is no other.

    Closed ones are left out, but not the one on the screen.
    """
    if event is None:
        return None
    markets = tuple(
        m
        for m in sorted(event.markets, key=by_price)
        if m.condition_id is not None and (not m.closed or m.condition_id == condition_id)
    )
    places = [n for n, market in enumerate(markets) if market.condition_id == condition_id]
    return Siblings(markets, places[0]) if places and len(markets) > 1 else None
