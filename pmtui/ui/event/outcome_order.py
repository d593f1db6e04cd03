"""The order of an event's outcomes: at first by likelihood, then unchanged while the program runs.

The event's table, its chart, the strip of outcomes, the desk and the basket all use it, so that an
outcome has one number everywhere and no price moves it from under a key. The chart draws the leading ones: of them,
an outcome gives its place to another one only when that has truly overtaken it.
"""

from collections.abc import Sequence

from pmtui.domain.ids import ConditionId, EventId, MarketId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import Micros

_OVERTAKEN = Micros(10_000)
"""By how much another outcome has to be likelier: a cent less, and two of them would change places all day."""


def by_price(market: Market) -> tuple[bool, int]:
    """Return the sort key of outcomes: open ones first, then the likelier one.

    Uses the metadata's price, which comes twice a minute: rows must not jump with every quote.
    """
    price = market.outcomes[0].price if market.outcomes else None
    return market.closed, -(price if price is not None else -1)


def order_of(event: Event, before: tuple[ConditionId, ...] = ()) -> tuple[ConditionId, ...]:
    """Return the order of an event's markets: at first by likelihood, as in the event's table.

    Args:
        event: the latest event.
        before: the order until now. Its markets keep their places; a new one comes after the market
            that precedes it in the event.
    """
    known, order, place = set(before), list(before), 0
    found = event.markets if before else sorted(event.markets, key=by_price)
    ids = [m.condition_id for m in found if m.condition_id is not None]
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


Places = tuple[MarketId | None, ...]
"""The markets that lead, each in its place; None for a place that is empty."""


def leading(markets: Sequence[Market], before: Places) -> Places:
    """Return the likeliest of these markets, in the places that they have.

    Args:
        markets: those that may be drawn.
        before: the places until now. Who leads keeps its place, and who overtakes one takes its place.
    """
    prices = {market.market_id: -by_price(market)[1] for market in markets}
    places = [each if each in prices else None for each in before]
    waiting = sorted(
        (each for each in prices if each not in places), key=lambda each: -prices[each]
    )
    for challenger in waiting:
        if None in places:
            places[places.index(None)] = challenger
            continue
        last = min((each for each in places if each is not None), key=lambda each: prices[each])
        if prices[challenger] < prices[last] + _OVERTAKEN:
            break
        places[places.index(last)] = challenger
    return tuple(places)


class OutcomeOrders:
    """The order of every event seen in this session, and which of its outcomes lead."""

    def __init__(self) -> None:
        """Start without an event."""
        self._orders: dict[EventId, tuple[ConditionId, ...]] = {}
        self._leading: dict[EventId, Places] = {}

    def leading(self, event: Event, markets: Sequence[Market], most: int) -> Places:
        """Return the likeliest of an event's markets, as many as `most`, in the places they have had."""
        before = self._leading.get(event.event_id, (None,) * most)
        self._leading[event.event_id] = places = leading(markets, before)
        return places

    def of(self, event: Event) -> tuple[ConditionId, ...]:
        """Return the order of an event's markets, which its first sight decides."""
        order = self._orders[event.event_id] = order_of(event, self._orders.get(event.event_id, ()))
        return order

    def markets(self, event: Event) -> tuple[Market, ...]:
        """Return an event's markets in that order, the closed ones last."""
        places = {condition_id: place for place, condition_id in enumerate(self.of(event))}

        def place(market: Market) -> tuple[bool, int]:
            known = places.get(market.condition_id) if market.condition_id is not None else None
            return market.closed, len(places) if known is None else known

        return tuple(sorted(event.markets, key=place))
