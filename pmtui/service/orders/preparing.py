"""Prepares orders: turns an intent into the exact fields that are hashed, and keeps them for a while.

A front end refers to an order by its id. Only orders prepared and kept here are signed, never
fields passed in, and only within a minute: prices and limits change.
"""

from collections.abc import Iterable
from datetime import UTC, datetime

from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.fees import most_fee
from pmtui.domain.markets.identity import Disagreement, find_disagreement, is_position_id
from pmtui.domain.markets.market import Market, MarketTerms, Side
from pmtui.domain.money import ZERO, Micros, ratio_ceil
from pmtui.domain.orders.amounts import AmountError, OrderAmounts, order_amounts
from pmtui.domain.orders.order import (
    VENUE_EXPIRY_LEAD,
    LimitIntent,
    Order,
    OrderDraft,
    OrderIntent,
    OrderStatus,
    Rejected,
    TimeInForce,
)
from pmtui.service.clock import Clock
from pmtui.service.ports import OrderSigner
from pmtui.service.surface import PreparedOrder


def prepare_order(
    intent: OrderIntent, *, signer: OrderSigner, market: Market, terms: MarketTerms
) -> PreparedOrder | Rejected:
    """Fix everything that will be hashed."""
    if intent.token_id not in terms.token_ids:
        return Rejected("That outcome does not belong to this market", field="outcome")
    amounts = _amounts(intent, terms)
    if isinstance(amounts, Rejected):
        return amounts
    is_buy = intent.side is Side.BUY
    unsigned = signer.prepare(
        OrderDraft(
            token_id=intent.token_id,
            is_buy=is_buy,
            maker_amount=amounts.maker,
            taker_amount=amounts.taker,
            neg_risk=terms.neg_risk,
            time_in_force=intent.time_in_force.value,
            is_post_only=isinstance(intent, LimitIntent) and intent.is_post_only,
            expiration_s=_expiration_s(intent),
        )
    )
    cash, size = (amounts.maker, amounts.taker) if is_buy else (amounts.taker, amounts.maker)
    price = intent.price if isinstance(intent, LimitIntent) else ratio_ceil(cash, size)
    return PreparedOrder(
        intent=intent,
        unsigned=unsigned,
        condition_id=intent.condition_id,
        outcome=terms.outcome_labels[terms.token_ids.index(intent.token_id)],
        market_title=market.distinct_name,
        price=price,
        size=size,
        cash=cash,
        worst_fee=most_fee(size, price, terms.fee, is_buy=is_buy),
        is_derived=_is_derived(intent.token_id, signer=signer, terms=terms),
        fee=terms.fee,
    )


def find_market_disagreement(
    condition_id: ConditionId, *, signer: OrderSigner, market: Market, terms: MarketTerms
) -> Disagreement | None:
    """Return why no token of a market may be signed; None if every source agrees."""
    derived = signer.tokens_of(condition_id, neg_risk=terms.neg_risk)
    return find_disagreement(condition_id, market, terms, derived=derived)


def to_order(
    order: PreparedOrder,
    status: OrderStatus,
    *,
    now: datetime | None = None,
    matched: Micros = ZERO,
    reason: str = "",
) -> Order:
    """Return a prepared order as an own order in a given state."""
    intent = order.intent
    return Order(
        order_id=order.order_id,
        condition_id=order.condition_id,
        token_id=intent.token_id,
        outcome=order.outcome,
        side=intent.side,
        price=order.price,
        original_size=order.size,
        matched_size=matched,
        status=status,
        time_in_force=intent.time_in_force,
        created_at=now or datetime.fromtimestamp(order.unsigned.timestamp_ms / 1000, tz=UTC),
        expires_at=intent.expires_at if isinstance(intent, LimitIntent) else None,
        reason=reason,
        is_post_only=order.unsigned.draft.is_post_only,
    )


def _is_derived(token_id: TokenId, *, signer: OrderSigner, terms: MarketTerms) -> bool:
    derived = signer.tokens_of(terms.condition_id, neg_risk=terms.neg_risk)
    return derived is not None and not is_position_id(token_id)


def _amounts(intent: OrderIntent, terms: MarketTerms) -> OrderAmounts | Rejected:
    try:
        amounts = order_amounts(intent, terms.tick_size)
    except AmountError as error:
        return Rejected(str(error))
    if amounts.is_empty:
        return Rejected("Nothing left of this order after rounding", field="size")
    return amounts


def _expiration_s(intent: OrderIntent) -> int:
    if not isinstance(intent, LimitIntent) or intent.expires_at is None:
        return 0
    if intent.time_in_force is not TimeInForce.GTD:
        return 0
    return int((intent.expires_at + VENUE_EXPIRY_LEAD).timestamp())


KEPT_FOR_S = 60.0
MOST_PREPARED = 200
"""More than every leg of scaled orders, prepared again with each key while a form is filled in."""
NOT_PREPARED = Rejected("This order was not prepared here, or over a minute ago: review it again")


class PreparedOrders:
    """The prepared orders, kept for a minute each."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[OrderId, tuple[float, datetime, PreparedOrder]] = {}
        """When each was prepared, by the monotonic clock and by the machine's time of day."""

    def keep(self, order: PreparedOrder) -> None:
        """Keep an order, and drop those that are too old or too many."""
        self._kept[order.order_id] = self._clock.monotonic(), self._time_of_day(), order
        for order_id in list(self._kept):
            if self._is_fresh(order_id) and len(self._kept) <= MOST_PREPARED:
                break
            del self._kept[order_id]

    def find(self, order_id: OrderId) -> PreparedOrder | Rejected:
        """Return a kept order, or why it must not be sent."""
        return self._kept[order_id][-1] if self._is_fresh(order_id) else NOT_PREPARED

    def _is_fresh(self, order_id: OrderId) -> bool:
        """Whether an order was prepared within the minute, by whichever clock shows more."""
        if order_id not in self._kept:
            return False
        since_s, since, _ = self._kept[order_id]
        by_wall = (self._time_of_day() - since).total_seconds()
        return max(by_wall, self._clock.monotonic() - since_s) <= KEPT_FOR_S

    def _time_of_day(self) -> datetime:
        return self._clock.now() - self._clock.replay_shift()

    def find_all(self, order_ids: Iterable[OrderId]) -> tuple[PreparedOrder, ...] | Rejected:
        """Return kept orders, or why they must not be sent: all that were confirmed, or none."""
        found = [self.find(order_id) for order_id in order_ids]
        orders = tuple(order for order in found if isinstance(order, PreparedOrder))
        return orders if len(orders) == len(found) else NOT_PREPARED
