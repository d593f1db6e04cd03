"""Decides which stops and targets have reached their price, and how far trailing stops have risen.

A price counts as reached by the best bid of others alone, the same price that a form checks a plan by. The book
and our own orders are reported separately, so for a moment one may lack what the other shows: where only a bid
of our own holds the market above a stop, that must last before the stop fires.
"""

from dataclasses import dataclass, replace

from pmtui.domain.books.book_view import BookView
from pmtui.domain.conditionals.conditional import (
    Conditional,
    ConditionalId,
    Trigger,
    raise_trailing_stop,
    reached_trigger,
)
from pmtui.domain.ids import ConditionId
from pmtui.domain.money import Micros
from pmtui.domain.orders.own_orders import OwnOrders
from pmtui.domain.orders.self_trade import best_bid_of_others
from pmtui.service.kernel import Kernel
from pmtui.service.words import describe_price

LASTS_S = 2.0
"""Well more than stream and answers are apart in telling of an order that was placed or cancelled."""


@dataclass(frozen=True, slots=True)
class Reached:
    """Why a conditional order is to sell now."""

    trigger: Trigger
    bid: Micros
    """The best bid of others."""
    words: str


class Triggers:
    """Looks at books without our own bids."""

    def __init__(self, kernel: Kernel, own: OwnOrders) -> None:
        self._kernel = kernel
        self._own = own
        self._held_up: dict[ConditionalId, float] = {}
        """Since when only a bid of our own stands above a stop."""
        self._rising: dict[ConditionalId, tuple[float, Micros]] = {}
        """Since when a trailing stop would be higher, and by how much it would be all that time."""
        self._own_at: dict[ConditionId, float] = {}
        """When an own order was open in a market last."""

    def bid_of_others(self, each: Conditional, book: BookView) -> Micros | None:
        """Return the price that a conditional order is compared with."""
        return best_bid_of_others(book, each.condition_id, self._own.open_orders())

    def reached(self, each: Conditional, book: BookView) -> Reached | None:
        """Return which price is reached; None for neither."""
        bid = self.bid_of_others(each, book)
        trigger = reached_trigger(each, bid)
        is_behind_own = trigger is Trigger.STOP and book.best_bid != bid
        if not is_behind_own:
            self._held_up.pop(each.conditional_id, None)
        if trigger is None or bid is None or (is_behind_own and not self._has_lasted(each)):
            return None
        yours = " (excluding yours)" if is_behind_own else ""
        words = f"{trigger.value} hit: bid {describe_price(bid)}{yours}"
        return Reached(trigger, bid, words)

    def raised(self, each: Conditional, book: BookView) -> Conditional | None:
        """Return a trailing stop that follows the bid up; None where it stays put.

        Just after an own order has gone the book may still hold it: a bid must then last.
        """
        now = self._kernel.clock.monotonic()
        if any(order.condition_id == each.condition_id for order in self._own.open_orders()):
            self._own_at[each.condition_id] = now
        higher = raise_trailing_stop(each, self.bid_of_others(each, book))
        if higher is None or higher.stop is None:
            self._rising.pop(each.conditional_id, None)
            return None
        if now - self._own_at.get(each.condition_id, -LASTS_S) >= LASTS_S:
            return higher
        since, stop = self._rising.get(each.conditional_id, (now, higher.stop))
        self._rising[each.conditional_id] = (since, min(stop, higher.stop))
        if now - since < LASTS_S:
            return None
        del self._rising[each.conditional_id]
        return replace(each, stop=min(stop, higher.stop))

    def _has_lasted(self, each: Conditional) -> bool:
        now = self._kernel.clock.monotonic()
        return now - self._held_up.setdefault(each.conditional_id, now) >= LASTS_S
