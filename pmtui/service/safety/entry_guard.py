"""The last check before an order is signed: the trader's own limits and the kill lock.

Every order passes this check, whatever screen or key it came from. Admitted orders count from then
on, so that simultaneous orders cannot use the same headroom twice. An admitted order may still be
stopped by the lock, which is checked again when it is sent.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from pmtui.domain.account.position import Position
from pmtui.domain.ids import ConditionId, OrderId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.orders.limits import (
    NO_LIMITS,
    EntryRules,
    Limits,
    order_exposure,
    position_exposure,
)
from pmtui.domain.orders.order import Order, OrderStatus, Rejected
from pmtui.service.account.account import AccountFeed
from pmtui.service.account.pnl import DailyPnl
from pmtui.service.kernel import Kernel
from pmtui.service.safety.kill_lock import KillLock
from pmtui.service.surface import PreparedOrder

NOT_YET_KNOWN = "Not checked against your limits yet: positions and orders are loading"
CLOCK_UNKNOWN = "Not checked against your daily loss limit yet: the venue's clock is not known"
MAY_ARRIVE = "an order that was not found at the venue may still arrive, and counts until {until}"
MAY_ARRIVE_FOR_S = 900.0
"""How long after its reply was given up a missing order may still arrive.

No documented age makes the venue refuse an order: its signed time is not checked, and an order
without expiration stays valid. The network limits it. Our end of the connection is closed at the
deadline; bytes passed to the system by then are retransmitted for about 924 seconds at most (Linux,
`tcp_retries2` = 15), and every proxy on the way waits for less.
"""


class EntryGuard:
    """The rules of one profile."""

    def __init__(
        self,
        kernel: Kernel,
        feed: AccountFeed,
        *,
        lock: KillLock,
        day: DailyPnl,
        positions: Callable[[], tuple[Position, ...]],
        limits: Limits = NO_LIMITS,
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._lock = lock
        self._day = day
        self._positions = positions
        self._limits = limits
        self._admitted: set[OrderId] = set()
        """Orders of this session that may have been sent."""
        self._given_up: dict[OrderId, float] = {}
        """When the wait for an order's reply ended with an unknown result, in seconds."""
        self._checks: list[Callable[[], str]] = []
        feed.on_order(self._on_order)

    def admit(self, order: PreparedOrder) -> Rejected | None:
        """Admit an order for signing and count it, or return why not."""
        rejected = self.check(order)
        if rejected is None:
            self._admitted.add(order.order_id)
        return rejected

    def add_check(self, check: Callable[[], str]) -> None:
        """Refuse orders while `check` returns a reason."""
        self._checks.append(check)

    def locked(self) -> str:
        """Return why nothing may be sent at this moment; empty if orders may."""
        _ = self._lock.refresh()
        return self._lock.reason

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
            replacing: an own order that is gone before this one is sent.
            beside: orders sent together with it, which count before it.
        """
        rules = self.rules(replacing=replacing, beside=beside)
        breach = rules.find_breach(order.condition_id, order.intent.side, order.cash)
        refusal = next(filter(None, (check() for check in self._checks)), "")
        problem = self.locked() or refusal or breach
        return Rejected(problem) if problem else None

    def rules(
        self, *, replacing: OrderId | None = None, beside: tuple[PreparedOrder, ...] = ()
    ) -> EntryRules:
        """Return the rules for an order now, except the lock; arguments as for `check`."""
        if not self._limits.need_account:
            return EntryRules(self._limits)
        loss = self._day.loss()
        is_loss_needed = self._limits.daily_loss is not None
        if not self._feed.state.is_complete or (is_loss_needed and loss is None):
            return EntryRules(self._limits, unchecked=self._not_checked())
        positions = self._positions()
        orders = [(o, held) for o, held in self._counted() if o.order_id != replacing]
        stakes: Counter[ConditionId] = Counter()
        for other in beside:
            if other.intent.side is Side.BUY:
                stakes[other.condition_id] += other.cash
        for position in positions:
            stakes[position.condition_id] += position_exposure(position)
        for order, held in orders:
            stakes[order.condition_id] += order_exposure(order, held)
        return EntryRules(
            self._limits,
            total=Micros(stakes.total()),
            markets=tuple((market, Micros(stake)) for market, stake in stakes.items() if stake),
            loss=loss or ZERO,
            doubt=self._describe_may_arrive(),
        )

    def _not_checked(self) -> str:
        if lack := self._feed.lists.missing:
            return f"Not checked against your limits: {lack}"
        is_undated = self._limits.daily_loss is not None and not self._day.is_dated
        return CLOCK_UNKNOWN if is_undated else NOT_YET_KNOWN

    def _on_order(self, order: Order) -> None:
        """Record since when an order's arrival is unknown."""
        if order.status is OrderStatus.UNKNOWN:
            _ = self._given_up.setdefault(order.order_id, self._kernel.clock.monotonic())

    def _missing(self) -> tuple[Order, ...]:
        """Return purchases that were ruled out but may still arrive; expired ones are refused."""
        now_s, now = self._kernel.clock.monotonic(), self._kernel.venue_now()
        known = (
            self._feed.own.order(order_id)
            for order_id, since_s in self._given_up.items()
            if now_s - since_s < MAY_ARRIVE_FOR_S
        )
        ruled_out = (o for o in known if o is not None and o.status is OrderStatus.REJECTED)
        return tuple(
            order
            for order in ruled_out
            if order.side is Side.BUY and (order.expires_at is None or order.expires_at > now)
        )

    def _describe_may_arrive(self) -> str:
        since_s = max((self._given_up[o.order_id] for o in self._missing()), default=None)
        if since_s is None:
            return ""
        left_s = since_s + MAY_ARRIVE_FOR_S - self._kernel.clock.monotonic()
        until = self._kernel.clock.now() + timedelta(seconds=left_s)
        return MAY_ARRIVE.format(until=f"{until:%H:%M} UTC")

    def _counted(self) -> list[tuple[Order, Micros]]:
        """Return our orders with a possible cost, each with the shares already held from it."""
        own = self._feed.own
        counted = []
        for order in own.open_orders():
            is_ours = order.order_id in self._admitted
            # An order waiting for this very check counts once it is admitted.
            if order.status is OrderStatus.PENDING and not is_ours:
                continue
            # Matched shares of other orders, earlier or elsewhere, are part of the positions.
            held = own.booked_size(order.order_id) if is_ours else order.matched_size
            counted.append((order, held))
        missing = self._missing()
        counted += [(replace(o, status=OrderStatus.UNKNOWN), o.matched_size) for o in missing]
        for order_id in self._admitted - {order.order_id for order in missing}:
            known = own.order(order_id)
            if known is None or known.status.is_open:
                continue
            held = own.booked_size(order_id)
            if known.matched_size > held:
                counted.append((known, held))
        return counted
