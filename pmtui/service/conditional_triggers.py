"""When a conditional order's price counts as reached, as own bids are no market to sell to.

A stop fires at once when the best bid is down to it, whoever bids. Where only a bid of our own holds
the best bid up, it fires too, once that has lasted: book and own orders are told of apart, and for a
moment the one may lack what the other has. A take profit waits for somebody else's bid.
"""

from pmtui.domain.book_view import BookView
from pmtui.domain.conditional import Conditional, ConditionalId, Trigger, due
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.own_orders import OwnOrders
from pmtui.domain.self_trade import best_bid_of_others
from pmtui.records import dataclass
from pmtui.service.kernel import Kernel
from pmtui.service.words import say_price

LASTS_S = 12.0
"""By then our open orders have been read anew, whatever the stream may have missed."""


@dataclass(frozen=True, slots=True)
class Reached:
    """Why a conditional order is to sell now."""

    trigger: Trigger
    words: str


class Triggers:
    """Looks at books without our own bids."""

    def __init__(self, kernel: Kernel, own: OwnOrders) -> None:
        self._kernel = kernel
        self._own = own
        self._held_up: dict[ConditionalId, float] = {}
        """Since when only a bid of our own keeps a stop from firing."""

    def reached(self, each: Conditional, book: BookView) -> Reached | None:
        """Return which price is reached; None for neither."""
        trigger = due(each, book.best_bid)
        others = best_bid_of_others(book, each.condition_id, self._own.open_orders())
        if trigger is Trigger.TAKE_PROFIT and due(each, others) is not Trigger.TAKE_PROFIT:
            # Down to its price nobody but us would buy.
            trigger = None
        if trigger is not None:
            self._held_up.pop(each.conditional_id, None)
            best = say_price(book.best_bid or ZERO)
            return Reached(trigger, f"its {trigger.value} is reached at a best bid of {best}")
        if others is None or due(each, others) is not Trigger.STOP:
            self._held_up.pop(each.conditional_id, None)
            return None
        return self._reached_behind_own(each, others)

    def _reached_behind_own(self, each: Conditional, others: Micros) -> Reached | None:
        now = self._kernel.clock.monotonic()
        since = self._held_up.setdefault(each.conditional_id, now)
        if now - since < LASTS_S:
            return None
        words = f"others bid {say_price(others)} only, behind your own bid"
        return Reached(Trigger.STOP, f"its stop is reached: {words}")
