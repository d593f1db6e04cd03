"""What our trades cost: the wire seldom says, so it is worked out by their market's schedule.

After a restart the markets of earlier trades are not known: they may be closed and on no list. A fee
stays unknown until its market has been looked up; it is never taken for nothing.
"""

from collections.abc import Callable
from dataclasses import replace

from pmtui.domain.ids import ConditionId, OrderId, TradeId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import FeeSchedule
from pmtui.domain.orders.order import Fill
from pmtui.domain.orders.own_orders import OwnOrders


class FillFees:
    """Works fees out, and remembers which wait for their market."""

    def __init__(self, own: OwnOrders, fee_of: Callable[[ConditionId], FeeSchedule | None]) -> None:
        self._own = own
        self._fee_of = fee_of
        self._waiting: dict[ConditionId, set[tuple[OrderId, TradeId]]] = {}
        self._listeners: list[Callable[[], None]] = []

    def on_unknown(self, listener: Callable[[], None]) -> None:
        """Tell this listener, after every look at the account, that schedules are needed."""
        self._listeners.append(listener)

    def waits_for(self, condition_id: ConditionId) -> bool:
        """Whether the schedule of a market is needed."""
        return condition_id in self._waiting

    def price(self, fill: Fill) -> Fill:
        """Return a fill with its fee, as far as that can be known."""
        if fill.fee is not None:
            return fill
        schedule = self._fee_of(fill.condition_id)
        if schedule is not None:
            return replace(fill, fee=taker_fee(fill.size, fill.price, schedule))
        known = self._own.fill(fill.order_id, fill.trade_id)
        if known is None or known.fee is None:
            key = (fill.order_id, fill.trade_id)
            self._waiting.setdefault(fill.condition_id, set()).add(key)
        return fill

    def take_settled(self) -> tuple[Fill, ...]:
        """Return the fills whose fee can be worked out by now, once each."""
        if not self._waiting:
            return ()
        ready = [each for each in self._waiting if self._fee_of(each) is not None]
        keys = [key for each in ready for key in self._waiting.pop(each)]
        return tuple(fill for key in keys if (fill := self._own.fill(*key)) is not None)

    def ask(self) -> None:
        """Have the schedules looked up that are needed."""
        if self._waiting:
            for listener in self._listeners:
                listener()
