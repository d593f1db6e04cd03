"""Finds stops and targets whose position own fills have closed, whatever is bought afterwards.

A zero by our own count proves nothing: reports of holdings come late. What proves it are own fills that explain
all of the zero, of orders that are ours or settled on chain. A zero that nothing proves ends nothing here.
"""

from datetime import datetime
from typing import NamedTuple

from pmtui.domain.conditionals.conditional import ConditionalId, ConditionalOrder, CountedFills
from pmtui.domain.ids import OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.amounts import size_floor
from pmtui.domain.orders.order import Fill, TradeStatus
from pmtui.domain.orders.own_orders import OwnOrders
from pmtui.service.conditionals.sales import ConditionalSales


class _Holding(NamedTuple):
    """A holding that an order protects, and what own orders have closed so far."""

    net: int
    """Shares beyond those of the other outcome, which form pairs with them."""
    closed: int
    """Shares that own orders have sold, or bought of the other outcome."""


class _Fills(NamedTuple):
    """Own fills of one token and side."""

    size: int
    """Without those that failed."""
    unsettled: frozenset[OrderId]
    """Orders with trades that may still fail."""


_NO_FILLS = _Fills(0, frozenset())


class FlatPositions:
    """Follows the positions of conditional orders to the fill that closes them."""

    def __init__(self, own: OwnOrders, sales: ConditionalSales) -> None:
        self._own = own
        self._sales = sales
        self._held: dict[ConditionalId, _Holding] = {}
        """The latest holding above zero."""
        self._flat: dict[ConditionalId, dict[OrderId, Micros]] = {}
        """The unsettled orders that closed a position, with the size of theirs that had failed by then."""
        self._read: tuple[Fill, ...] = ()
        self._fills: dict[tuple[TokenId, Side], _Fills] = {}
        """What was read, by what it trades."""

    def follow(self, each: ConditionalOrder) -> None:
        """Update what is known of an order's position, after a fill or a report."""
        key = each.conditional_id
        if each.state.is_over or each.is_waiting:
            self._forget(key)
            return
        if any(self._own.failed_size(i) > size for i, size in self._flat.get(key, {}).items()):
            del self._flat[key]
        if key in self._flat:
            return
        other = self._sales.other_of(each)
        net = self._sales.held(each.token_id)
        closing = [self._fills_of(each.token_id, Side.SELL)]
        if other is not None:
            net = Micros(net - self._sales.held(other))
            closing.append(self._fills_of(other, Side.BUY))
        unbooked = self._sales.unbooked_sales(each.token_id)
        closed = sum(fills.size for fills in closing) + sum(unbooked.values())
        before = self._held.get(key)
        if net > 0 and size_floor(net) > 0:
            self._held[key] = _Holding(net, closed)
        elif before is not None and closed - before.closed >= size_floor(Micros(before.net)):
            ids = frozenset(unbooked).union(*(fills.unsettled for fills in closing))
            self._flat[key] = {i: self._own.failed_size(i) for i in ids}

    def is_flat(self, conditional_id: ConditionalId) -> bool:
        """Whether own fills have closed the position since the order began, proven or not."""
        return conditional_id in self._flat

    def proof(self, each: ConditionalOrder, now: datetime) -> tuple[CountedFills, ...] | None:
        """Return the sales that closed an order's position and may still fail; None if nothing proves it."""
        closing = self._flat.get(each.conditional_id)
        if closing is None:
            return None
        unsettled = [order_id for order_id in closing if not self._is_settled(order_id)]
        if not all(self._is_own_sale(order_id, each.token_id) for order_id in unsettled):
            return None
        sold, failed = self._sales.sold_size, self._sales.failed_size
        return tuple(CountedFills(i, sold(i), failed(i), now) for i in sorted(unsettled))

    def _forget(self, conditional_id: ConditionalId) -> None:
        _ = self._held.pop(conditional_id, None)
        _ = self._flat.pop(conditional_id, None)

    def _fills_of(self, token_id: TokenId, side: Side) -> _Fills:
        if (fills := self._own.fills()) is not self._read:
            found: dict[tuple[TokenId, Side], list[Fill]] = {}
            for fill in fills:
                found.setdefault((fill.token_id, fill.side), []).append(fill)
            self._read, self._fills = fills, {key: _sum(those) for key, those in found.items()}
        return self._fills.get((token_id, side), _NO_FILLS)

    def _is_settled(self, order_id: OrderId) -> bool:
        """Whether trades that are final report all that an order matched."""
        own = self._own
        fills = (fill for fill in own.fills() if fill.order_id == order_id)
        is_booked = own.booked_size(order_id) >= own.matched_size(order_id)
        return is_booked and all(fill.status.is_final for fill in fills)

    def _is_own_sale(self, order_id: OrderId, token_id: TokenId) -> bool:
        """Whether an order is a sale that is known to be ours, which settles or is undone.

        A trade of an unknown order may be on record twice. A purchase of the other outcome that fails on chain
        brings the position back without a sale to undo.
        """
        order = self._own.order(order_id)
        return (
            order is not None
            and (order.token_id, order.side) == (token_id, Side.SELL)
            and self._own.booked_size(order_id) <= order.original_size
        )


def _sum(fills: list[Fill]) -> _Fills:
    good = [fill for fill in fills if fill.status is not TradeStatus.FAILED]
    unsettled = frozenset(fill.order_id for fill in good if not fill.status.is_final)
    return _Fills(sum(fill.size for fill in good), unsettled)
