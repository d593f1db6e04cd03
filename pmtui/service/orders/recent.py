"""What is remembered for a while: orders that were prepared, and how commands ended.

A front end names an order by its id. What is signed is what was prepared and kept here, never what
somebody hands in, and it can be asked for during a minute: prices and limits move on.
"""

import asyncio
from collections.abc import Iterable
from typing import Generic, TypeVar

from pmtui.domain.ids import CommandId, OrderId
from pmtui.domain.orders.order import Rejected
from pmtui.service.ports import Clock
from pmtui.service.surface import PreparedOrder

KEPT_FOR_S = 60.0
MOST_PREPARED = 200
"""More than every leg of a ladder, prepared anew with each key while a form is filled in."""
MOST_VERDICTS = 500
NOT_PREPARED = Rejected("This order was not prepared here, or over a minute ago: review it again")

R = TypeVar("R")


class PreparedOrders:
    """The orders that may be named, for a minute each."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[OrderId, tuple[float, PreparedOrder]] = {}

    def keep(self, order: PreparedOrder) -> None:
        """Keep an order, and drop what is too old or too much."""
        now = self._clock.monotonic()
        self._kept[order.order_id] = now, order
        for order_id, (since, _) in list(self._kept.items()):
            if now - since <= KEPT_FOR_S and len(self._kept) <= MOST_PREPARED:
                break
            del self._kept[order_id]

    def find(self, order_id: OrderId) -> PreparedOrder | Rejected:
        """Return a kept order, or why it must not leave."""
        since, order = self._kept.get(order_id, (float("-inf"), None))
        is_kept = order is not None and self._clock.monotonic() - since <= KEPT_FOR_S
        return order if is_kept and order is not None else NOT_PREPARED

    def find_all(self, order_ids: Iterable[OrderId]) -> tuple[PreparedOrder, ...] | Rejected:
        """Return kept orders, or why they must not leave: all that were agreed to, or none."""
        found = [self.find(order_id) for order_id in order_ids]
        orders = tuple(order for order in found if isinstance(order, PreparedOrder))
        return orders if len(orders) == len(found) else NOT_PREPARED


class Verdicts(Generic[R]):
    """How the newest commands ended, or will: those that are not known yet are never dropped."""

    def __init__(self) -> None:
        self._futures: dict[CommandId, tuple[asyncio.Future[R], ...]] = {}

    def expect(self, command_id: CommandId, *futures: asyncio.Future[R]) -> None:
        """Remember what a command will be answered with."""
        self._futures[command_id] = futures
        excess = len(self._futures) - MOST_VERDICTS
        ended = (each for each, futures in self._futures.items() if all(f.done() for f in futures))
        for old in [each for each, _ in zip(ended, range(excess), strict=False)]:
            del self._futures[old]

    async def of(self, command_id: CommandId) -> tuple[R, ...]:
        """Wait for the first thing that can be said of every order of a command.

        Raises:
            KeyError: there was no such command, or it ended long ago.
        """
        return tuple([await asyncio.shield(future) for future in self._futures[command_id]])
