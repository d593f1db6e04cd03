"""Our own orders and fills, whatever order the facts about them come in.

Answers, stream events and REST pages tell of the same things at different times and more than
once. Facts only ever add knowledge: matched sizes grow, a final state stays final, a trade's
settlement moves forward. So any interleaving of the same facts ends in the same state.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from pmtui.domain.ids import OrderId, TokenId, TradeId
from pmtui.domain.market import Side
from pmtui.domain.money import Micros, notional_ceil
from pmtui.domain.order import Fill, Order, OrderStatus, TradeStatus

_RANK = {
    OrderStatus.PENDING: 0,
    OrderStatus.SENT: 1,
    OrderStatus.UNKNOWN: 2,
    # Below all that only the venue can say: an identical order sent again is refused as a
    # duplicate while the first one rests, and an order ruled out may turn up after all.
    OrderStatus.REJECTED: 3,
    OrderStatus.DELAYED: 4,
    OrderStatus.LIVE: 5,
    OrderStatus.PARTIALLY_FILLED: 6,
    OrderStatus.EXPIRED: 7,
    OrderStatus.CANCELLED: 8,
    OrderStatus.FILLED: 9,
}
_TRADE_RANK = {
    TradeStatus.MATCHED: 0,
    TradeStatus.RETRYING: 1,
    TradeStatus.MINED: 2,
    TradeStatus.CONFIRMED: 3,
    TradeStatus.FAILED: 4,
}


def merge_order(known: Order | None, fact: Order) -> Order:
    """Combine what is known of an order with another fact about it.

    The result does not depend on which of the two came first, save for texts nobody decides by.
    """
    fact = _settled(fact)
    if known is None:
        return fact
    known = _settled(known)
    ahead = known if _RANK[known.status] >= _RANK[fact.status] else fact
    return _settled(
        replace(
            ahead,
            matched_size=max(known.matched_size, fact.matched_size),
            original_size=max(known.original_size, fact.original_size),
            created_at=min(known.created_at, fact.created_at),
            expires_at=known.expires_at or fact.expires_at,
            outcome=known.outcome or fact.outcome,
            reason=ahead.reason or known.reason or fact.reason,
        )
    )


def _settled(order: Order) -> Order:
    """Let the status follow from the sizes where they decide it."""
    if order.matched_size >= order.original_size > 0:
        return replace(order, status=OrderStatus.FILLED)
    if order.matched_size > 0 and _RANK[order.status] < _RANK[OrderStatus.PARTIALLY_FILLED]:
        # It did match, whatever we believed; what does not rest keeps no remainder.
        rests = order.time_in_force.rests
        status = OrderStatus.PARTIALLY_FILLED if rests else OrderStatus.CANCELLED
        return replace(order, status=status)
    return order


def merge_fill(known: Fill | None, fact: Fill) -> Fill:
    """Combine two reports of the same fill: settlement only moves forward."""
    if known is None:
        return fact
    ahead = known if _TRADE_RANK[known.status] >= _TRADE_RANK[fact.status] else fact
    return replace(
        ahead,
        matched_at=min(known.matched_at, fact.matched_at),
        transaction_hash=ahead.transaction_hash or known.transaction_hash or fact.transaction_hash,
        fee=max(known.fee, fact.fee),
        outcome=known.outcome or fact.outcome,
    )


class OwnOrders:
    """Every order and fill of ours that has been heard of."""

    def __init__(self) -> None:
        self._told: dict[OrderId, Order] = {}
        """What was said of each order itself; fills count on top, and may be taken back."""
        self._orders: dict[OrderId, Order] = {}
        self._fills: dict[OrderId, dict[TradeId, Fill]] = {}

    def apply_order(self, fact: Order) -> Order | None:
        """Take in a fact; return the order if anything changed by it."""
        self._told[fact.order_id] = merge_order(self._told.get(fact.order_id), fact)
        return self._combine(fact.order_id)

    def apply_fill(self, fact: Fill) -> Fill | None:
        """Take in a fill, and let its order know; return it if anything changed by it."""
        fills = self._fills.setdefault(fact.order_id, {})
        known = fills.get(fact.trade_id)
        merged = merge_fill(known, fact)
        if merged == known:
            return None
        fills[fact.trade_id] = merged
        if fact.order_id in self._told:
            self._combine(fact.order_id)
        return merged

    def order(self, order_id: OrderId) -> Order | None:
        """Return one order as known."""
        return self._orders.get(order_id)

    def open_orders(self) -> tuple[Order, ...]:
        """Return orders that may still fill, newest first."""
        return tuple(
            sorted(
                (o for o in self._orders.values() if o.status.is_open),
                key=lambda o: (o.created_at, o.order_id),
                reverse=True,
            )
        )

    def fills(self) -> tuple[Fill, ...]:
        """Return fills, newest first."""
        return tuple(
            sorted(
                (f for fills in self._fills.values() for f in fills.values()),
                key=lambda f: (f.matched_at, f.trade_id, f.order_id),
                reverse=True,
            )
        )

    def fills_since(self, token_id: TokenId, since: datetime) -> tuple[Fill, ...]:
        """Return fills of a token at or after a moment, oldest first."""
        return tuple(
            f for f in reversed(self.fills()) if f.token_id == token_id and f.matched_at >= since
        )

    def reserved_cash(self) -> Micros:
        """Return what open purchases may still cost; makers pay no fee."""
        return Micros(
            sum(
                notional_ceil(o.price, o.remaining_size)
                for o in self._orders.values()
                if o.status.is_open and o.side is Side.BUY
            )
        )

    def reserved_shares(self, token_id: TokenId) -> Micros:
        """Return the shares of a token that open sales speak for."""
        return reserved_shares(self._orders.values(), token_id)

    def _combine(self, order_id: OrderId) -> Order | None:
        """Put an order together from what was told and its fills; return it if it changed."""
        told = self._told[order_id]
        matched = max(told.matched_size, self._filled_size(order_id))
        order = _settled(replace(told, matched_size=matched))
        if order == self._orders.get(order_id):
            return None
        self._orders[order_id] = order
        return order

    def _filled_size(self, order_id: OrderId) -> Micros:
        return Micros(
            sum(
                f.size
                for f in self._fills.get(order_id, {}).values()
                if f.status is not TradeStatus.FAILED
            )
        )


def reserved_shares(orders: Iterable[Order], token_id: TokenId) -> Micros:
    """Return the shares of a token that the open sales among some orders speak for."""
    return Micros(
        sum(
            o.remaining_size
            for o in orders
            if o.status.is_open and o.side is Side.SELL and o.token_id == token_id
        )
    )
