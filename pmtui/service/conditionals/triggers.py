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
"""Longer than the stream and the answers differ in when they report an order placed or cancelled."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The price that a conditional order has reached."""

    trigger: Trigger
    bid: Micros
    """The best bid of others."""
    words: str


class Triggers:
    """Compares conditional orders with the books, our own bids left out."""

    def __init__(self, kernel: Kernel, own: OwnOrders) -> None:
        self._kernel = kernel
        self._own = own
        self._held_up: dict[ConditionalId, float] = {}
        """Since when only a bid of our own has held the market above a stop."""
        self._rising: dict[ConditionalId, tuple[float, Micros]] = {}
        """Since when a trailing stop could be raised, and how far it could be all that time."""
        self._own_at: dict[ConditionId, float] = {}
        """When one of our orders was last open in a market."""

    def bid_of_others(self, each: Conditional, book: BookView) -> Micros | None:
        """Return the price that a conditional order is compared with."""
        return best_bid_of_others(book, each.condition_id, self._own.open_orders())

    def reached(self, each: Conditional, book: BookView) -> Reached | None:
        """Return which price is reached; None for neither."""
        bid = self.bid_of_others(each, book)
        trigger = reached_trigger(each, bid)
        if trigger is None or bid is None:
            return None
        is_held_up = self._is_held_up(each, book)
        if is_held_up and not self._has_lasted(each):
            return None
        yours = " (excluding yours)" if is_held_up else ""
        words = f"{trigger.value} hit: bid {describe_price(bid)}{yours}"
        return Reached(trigger, bid, words)

    def note_own_bid_above_stop(self, each: Conditional, book: BookView) -> None:
        """Start or clear the time for which only a bid of our own holds the market above a stop."""
        if self._is_held_up(each, book):
            self._held_up.setdefault(each.conditional_id, self._kernel.clock.monotonic())
        else:
            self._held_up.pop(each.conditional_id, None)

    def update_trailing_stop(self, each: Conditional, book: BookView) -> Conditional | None:
        """Raise a trailing stop with the bid; return it with its new price, None if unchanged.

        Just after one of our orders is gone, the book may still show it: the bid must then last.
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

    def _is_held_up(self, each: Conditional, book: BookView) -> bool:
        bid = self.bid_of_others(each, book)
        return reached_trigger(each, bid) is Trigger.STOP and book.best_bid != bid

    def _has_lasted(self, each: Conditional) -> bool:
        now = self._kernel.clock.monotonic()
        return now - self._held_up.get(each.conditional_id, now) >= LASTS_S
