"""Moving an order to another price or size: what can be moved, and its replacement.

The venue cannot amend: a move is a cancel and then a new order for the remaining size. So every
move that is certain to fail is refused before anything is cancelled.
"""

from dataclasses import dataclass
from datetime import datetime

from pmtui.domain.books.book_view import BookView
from pmtui.domain.formats import shares_are
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import ONE, ZERO, Micros, format_micros, notional_ceil
from pmtui.domain.orders.amounts import is_on_tick, nearest_price, size_floor
from pmtui.domain.orders.life import DUST
from pmtui.domain.orders.order import (
    MIN_LIFE,
    LimitIntent,
    Order,
    OrderIntent,
    OrderStatus,
    TimeInForce,
)

_MOVABLE = frozenset({OrderStatus.LIVE, OrderStatus.PARTIALLY_FILLED})


@dataclass(frozen=True, slots=True)
class MoveProblem:
    """Why an order cannot be moved there; nothing was changed."""

    text: str


def why_not_movable(order: Order, terms: MarketTerms, now: datetime) -> str:
    """Return why an order cannot be moved at all; empty if it can."""
    if order.status is OrderStatus.DELAYED:
        return "Delayed by the venue: it cannot be cancelled yet"
    if order.status not in _MOVABLE:
        if order.status.is_open:
            return f"It is {order.status.words}, being checked: it cannot be moved yet"
        return f"It is {order.status.words}"
    if not order.time_in_force.rests:
        return f"{order.time_in_force.value} orders do not rest"
    left = why_not_replaced(order.remaining_size, terms)
    if left:
        return left
    return why_too_short(order, now)


def why_too_short(order: Order, now: datetime) -> str:
    """Return why an order with the same expiration can no longer be placed; empty if it can."""
    if order.time_in_force is not TimeInForce.GTD or order.expires_at is None:
        return ""
    seconds = (order.expires_at - now).total_seconds()
    if seconds >= MIN_LIFE.total_seconds():
        return ""
    return f"It ends in {max(0, int(seconds))} s; too short for a new GTD order"


def why_not_replaced(remaining: Micros, terms: MarketTerms) -> str:
    """Return why the remaining size cannot be a new order; empty if it can."""
    size = size_floor(remaining)
    if size < terms.min_order_size:
        return (
            f"Only {shares_are(size)} left, below the minimum of "
            f"{format_micros(terms.min_order_size)}"
        )
    return ""


def would_cross(intent: OrderIntent, book: BookView) -> bool:
    """Whether a trusted book says that the venue refuses an order as post-only."""
    if not isinstance(intent, LimitIntent) or not intent.is_post_only or not book.state.is_good:
        return False
    if intent.side is Side.BUY:
        return book.best_ask is not None and intent.price >= book.best_ask
    return book.best_bid is not None and intent.price <= book.best_bid


def find_final_size(
    order: Order, record: Order | None, *, booked: Micros, failed: Micros = ZERO
) -> Micros | None:
    """Return the final matched size of an ended order; None while that is not certain.

    Its final record is complete but not proof by itself, and trades may be out of date: the size is
    certain if the two agree, or if the trades cover the whole order. Failed trades count as
    matched: nothing is automatically bought in their place.

    Args:
        order: ours, known to have ended.
        record: the venue's report of it after it had ended.
        booked: the sum of its trades that did not fail, from the stream and from a complete list
            requested after the cancel was confirmed.
        failed: the sum of those that failed on chain.
    """
    traded = Micros(booked + failed)
    if order.original_size - traded < DUST:
        return traded
    if record is None or all(abs(record.matched_size - s) >= DUST for s in (booked, traded)):
        return None
    return max(record.matched_size, traded)


def nudged_price(price: Micros, ticks: int, tick: Micros) -> Micros:
    """Return the price so many ticks higher or lower, within the valid order prices.

    The first step of a price that is off the grid goes to the next tick.
    """
    lowest, highest = 1, ONE // tick - 1
    start = price // tick if ticks > 0 else -(-price // tick)
    return Micros(min(max(start + ticks, lowest), highest) * tick)


def plan_move(
    order: Order,
    price: Micros,
    *,
    terms: MarketTerms,
    now: datetime,
    available_cash: Micros | None,
    size: Micros | None = None,
    available_shares: Micros | None = None,
) -> LimitIntent | MoveProblem:
    """Return the replacement of an order at another price or size, or why there can be none.

    Args:
        order: ours, as last reported.
        price: the new price.
        terms: of the market.
        now: by the venue's clock.
        available_cash: free cash besides what this order reserves; None if unknown.
        size: the new working size; None to keep the remaining size.
        available_shares: free shares besides what this order reserves; None if unknown.
    """
    left = size_floor(order.remaining_size)
    size = left if size is None else size
    problem = why_not_movable(order, terms, now)
    problem = problem or _problem_with_size(order, size, terms, free=available_shares)
    problem = problem or _problem_with_price(order, price, terms, is_same_size=size == left)
    if problem:
        return MoveProblem(problem)
    if order.side is Side.BUY and available_cash is not None:
        freed = notional_ceil(order.price, order.remaining_size)
        lacking = notional_ceil(price, size) - freed - available_cash
        if lacking > 0:
            text = f"It would cost ${format_micros(Micros(lacking))} more than is available"
            return MoveProblem(text)
    return LimitIntent(
        condition_id=order.condition_id,
        token_id=order.token_id,
        side=order.side,
        price=price,
        size=size,
        time_in_force=order.time_in_force,
        is_post_only=order.is_post_only,
        expires_at=order.expires_at,
    )


def size_after_fills(wanted: Micros, *, left: Micros, left_now: Micros) -> Micros:
    """Return the size to place after fills of the old order since the new size was confirmed.

    Fills since then are subtracted: never more is bought or sold than was confirmed.
    """
    return Micros(max(wanted - max(left - left_now, 0), 0))


def _problem_with_size(
    order: Order, size: Micros, terms: MarketTerms, *, free: Micros | None
) -> str:
    if size != size_floor(size) or size <= 0:
        return "Two decimals at most, and more than 0"
    if size < terms.min_order_size:
        return f"Minimum {format_micros(terms.min_order_size)} shares"
    more = size - order.remaining_size
    if order.side is Side.SELL and free is not None and more > free:
        return f"Only {shares_are(size_floor(free))} free besides this order"
    return ""


def _problem_with_price(
    order: Order, price: Micros, terms: MarketTerms, *, is_same_size: bool
) -> str:
    if price == order.price and is_same_size:
        return "It is at that price already"
    if not is_on_tick(price, terms.tick_size):
        nearest = format_micros(Micros(nearest_price(price, terms.tick_size) * 100))
        return f"Off tick; nearest price {nearest}¢"
    if not terms.accepting_orders:
        return "The market takes no orders now"
    return ""
