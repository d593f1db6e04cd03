"""Cancels our own bids that the sale of a stop or target would meet.

Exchanges that prevent self-trades do the same: the resting order goes, the protecting one is sent. The sale
waits a moment for the cancellation and is then sent, whatever is known by then.
"""

from collections.abc import Callable

from pmtui.domain.formats import count_shares
from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import LimitIntent, Order
from pmtui.domain.orders.own_orders import OwnOrders
from pmtui.domain.orders.self_trade import describe_own_order, own_bids_from
from pmtui.service.kernel import Kernel
from pmtui.service.orders.desk import Desk
from pmtui.service.views import Level

PATIENCE_S = 2.0
"""Seconds that a sale waits for the cancel's answer: the same venue has to accept the sale."""
POLL_S = 0.1

Report = Callable[[str, Level], None]


class OwnBids:
    """Cancels our own bids before a sale would trade with them."""

    def __init__(self, kernel: Kernel, desk: Desk, own: OwnOrders) -> None:
        self._kernel = kernel
        self._desk = desk
        self._own = own

    async def clear(self, sale: LimitIntent, report: Report) -> None:
        """Cancel the own bids that a sale may trade with, and report what may be left of them."""
        met = own_bids_from(sale, self._own.open_orders())
        if not met:
            return
        report(f"cancels {_describe(met, sale)} first: it would sell to yourself", Level.WARNING)
        await self._cancel(met)
        ids = {order.order_id for order in met}
        left = [o for o in own_bids_from(sale, self._own.open_orders()) if o.order_id in ids]
        if left:
            size = count_shares(Micros(sum(order.remaining_size for order in left)))
            text = (
                f"{_describe(tuple(left), sale)} may still be there: up to {size} sold to yourself"
            )
            report(text, Level.BAD)
            self._kernel.log.notice(Level.BAD, f"A stop or target sells though {text}")

    async def _cancel(self, met: tuple[Order, ...]) -> None:
        ids = tuple(order.order_id for order in met)
        until_s = self._kernel.clock.monotonic() + PATIENCE_S
        asking = self._desk.cancel_verdict(self._desk.cancel(ids))
        answer = await self._kernel.within(PATIENCE_S, asking)
        is_lost = answer is not None and bool(answer.result.unanswered)
        # The canceller repeats it, and the stream may report it too.
        while is_lost and self._are_open(ids) and self._kernel.clock.monotonic() < until_s:
            await self._kernel.clock.sleep(POLL_S)

    def _are_open(self, ids: tuple[OrderId, ...]) -> bool:
        return any(order.order_id in ids for order in self._own.open_orders())


def _describe(orders: tuple[Order, ...], sale: LimitIntent) -> str:
    first = f"your own {describe_own_order(orders[0], sale.token_id)}"
    more = len(orders) - 1
    return f"{first} and {more} more" if more else first
