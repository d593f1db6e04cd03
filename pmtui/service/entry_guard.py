"""The last question before an order is signed: do the trader's own rules allow it.

Every way to send an order asks here, whatever screen or key it came from. What is let through
counts from then on, so that orders sent at the same time cannot share the same room. An order that
is let through may still be stopped by the lock, which is looked at once more when it leaves.
"""

from collections.abc import Callable

from pmtui.domain.exposure import Exposed, exposure, find_breach
from pmtui.domain.ids import ConditionId, OrderId
from pmtui.domain.limits import NO_LIMITS, Limits
from pmtui.domain.market import Side
from pmtui.domain.money import Micros, notional_ceil
from pmtui.domain.order import MarketBuyIntent, Order, OrderIntent, OrderStatus
from pmtui.domain.position import Position
from pmtui.domain.verdict import Rejected
from pmtui.records import dataclass
from pmtui.service.day_book import DayBook
from pmtui.service.entry_lock import EntryLock
from pmtui.service.feeds.account import AccountFeed
from pmtui.service.surface import PreparedOrder

NOT_YET_KNOWN = "Not checked against your limits yet: what you hold and what rests is still loading"


@dataclass(frozen=True, slots=True)
class _Wish:
    """What is asked about."""

    condition_id: ConditionId
    side: Side
    cash: Micros
    """Dollars if all of it fills, fee aside."""
    replacing: OrderId | None = None
    """The order of ours whose place it takes."""
    beside: tuple[PreparedOrder, ...] = ()
    """What is to leave with it."""


class EntryGuard:
    """The rules of one profile."""

    def __init__(
        self,
        feed: AccountFeed,
        *,
        lock: EntryLock,
        day: DayBook,
        positions: Callable[[], tuple[Position, ...]],
        limits: Limits = NO_LIMITS,
    ) -> None:
        self._feed = feed
        self._lock = lock
        self._day = day
        self._positions = positions
        self._limits = limits
        self._admitted: set[OrderId] = set()
        """Orders of this session that may have left."""

    def refuse(self, order: PreparedOrder) -> Rejected | None:
        """Return why an order must not be signed, or let it through and count it."""
        wish = _Wish(order.condition_id, order.intent.side, order.cash)
        problem = self.locked() or self._find_breach(wish)
        if problem:
            return Rejected(problem)
        self._admitted.add(order.unsigned.order_id)
        return None

    def locked(self) -> str:
        """Return why nothing may leave at this very moment; empty when it may."""
        _ = self._lock.look()
        return self._lock.reason

    def problem(self, intent: OrderIntent) -> str:
        """Return why an intent would be refused now, without counting it; empty if not."""
        if isinstance(intent, MarketBuyIntent):
            cash = intent.amount
        else:
            cash = notional_ceil(intent.price, intent.size)
        wish = _Wish(intent.condition_id, intent.side, cash)
        return self.locked() or self._find_breach(wish)

    def check(
        self,
        order: PreparedOrder,
        *,
        replacing: OrderId | None = None,
        beside: tuple[PreparedOrder, ...] = (),
    ) -> Rejected | None:
        """Return why an order would be refused now, without counting it.

        Args:
            order: as it would be signed.
            replacing: an order of ours that is gone before this one leaves.
            beside: what is to leave with it, and counts before it.
        """
        side, cash = order.intent.side, order.cash
        wish = _Wish(order.condition_id, side, cash, replacing=replacing, beside=beside)
        problem = self.locked() or self._find_breach(wish)
        return Rejected(problem) if problem else None

    def _find_breach(self, wish: _Wish) -> str:
        if wish.side is not Side.BUY:
            return ""
        if not self._limits.need_account:
            return find_breach(self._limits, Exposed(), side=wish.side, cash=wish.cash)
        loss = self._day.loss()
        if loss is None:
            lack = self._feed.lists.lack
            return f"Not checked against your limits: {lack}" if lack else NOT_YET_KNOWN
        positions = self._positions()
        orders = [(o, held) for o, held in self._counted() if o.order_id != wish.replacing]
        beside = [other for other in wish.beside if other.intent.side is Side.BUY]
        here = sum(other.cash for other in beside if other.condition_id == wish.condition_id)
        exposed = Exposed(
            market=Micros(exposure(positions, orders, wish.condition_id) + here),
            total=Micros(exposure(positions, orders) + sum(other.cash for other in beside)),
            loss=loss,
        )
        return find_breach(self._limits, exposed, side=wish.side, cash=wish.cash)

    def _counted(self) -> list[tuple[Order, Micros]]:
        """Return our orders that cost or may cost something, with what is held of them."""
        own = self._feed.own
        counted = []
        for order in own.open_orders():
            is_ours = order.order_id in self._admitted
            # One that waits for this very question counts once it is let through.
            if order.status is OrderStatus.PENDING and not is_ours:
                continue
            # What was matched of others, earlier or elsewhere, is among the positions.
            held = own.booked_size(order.order_id) if is_ours else order.matched_size
            counted.append((order, held))
        for order_id in tuple(self._admitted):
            known = own.order(order_id)
            if known is None or known.status.is_open:
                continue
            held = own.booked_size(order_id)
            if known.matched_size > held:
                counted.append((known, held))
        return counted
