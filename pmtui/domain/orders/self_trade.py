"""Self-trades: which of our own orders a new order would match; that costs a fee and moves nothing.

The two outcomes of a market share one book: an own purchase of No at 13 cents is an ask of Yes at
87, and is met by whoever buys Yes at 87 or more. The venue lets one do it, so it warns; only a
single key, before which nobody is asked, is refused, and so is a leg of a basket. Selling a whole
position cancels what of ours stands in its way first. So does the sale of a stop or a target, which
is never refused for it.

An order that cannot rest (FAK, FOK) is never in the book, also while its answer is awaited: the venue
matches orders in the order in which they arrive, so it has filled or is dead before the next one. Two
such orders never meet. There is one exception: where the venue makes takers wait, one that waits meets
what came to rest meanwhile.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pmtui.domain.account.position import Position
from pmtui.domain.books.book_view import BookView, Level
from pmtui.domain.formats import count_shares, format_cents, format_shares
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import SCALE, Micros, complement
from pmtui.domain.orders.order import (
    LimitIntent,
    MarketBuyIntent,
    Order,
    OrderIntent,
    OrderStatus,
)
from pmtui.domain.ticket.draft import Problem, TicketContext, TicketField


@dataclass(frozen=True, slots=True)
class OwnOrdersMet:
    """Own orders that an order would match."""

    orders: tuple[Order, ...]
    """In the order of matching; at least one."""
    size: Micros
    """The most shares that would be self-traded: the queue ahead of us at a price is unknown."""


def own_orders_met(
    intent: OrderIntent, own: Iterable[Order], book: BookView, *,
    is_trusted: bool, delays_takers: bool,
) -> OwnOrdersMet | None:  # fmt: skip
    """Return which own orders an order would meet, walking the book; None for none.

    Args:
        intent: the order.
        own: own open orders of its market, in both outcomes.
        book: of its token.
        is_trusted: whether orders of others ahead of ours are counted; a stale book may show
            orders that are gone.
        delays_takers: whether the venue makes orders that would take wait in this market.
    """
    if isinstance(intent, LimitIntent) and intent.is_post_only:
        return None
    rests = isinstance(intent, LimitIntent) and intent.time_in_force.rests
    is_buy = intent.side is Side.BUY
    limit = intent.worst_price if isinstance(intent, MarketBuyIntent) else intent.price
    mine: dict[Micros, list[Order]] = {}
    for order in own:
        is_held = delays_takers or order.status is OrderStatus.DELAYED
        if not order.time_in_force.rests and not (rests and is_held):
            continue
        price = _price_facing(order, intent.condition_id, intent.token_id, intent.side)
        if price is not None and (price <= limit if is_buy else price >= limit):
            mine.setdefault(price, []).append(order)
    if not mine:
        return None
    shown = (book.asks if is_buy else book.bids) if is_trusted else ()
    others = {level.price: level.size for level in shown}
    by_cash = isinstance(intent, MarketBuyIntent)
    left = int(intent.amount if isinstance(intent, MarketBuyIntent) else intent.size)
    met: list[Order] = []
    size = 0
    for price in sorted({*mine, *others}, reverse=not is_buy):
        if left <= 0:
            break
        here = mine.get(price, [])
        resting = sum(order.remaining_size for order in here)
        taken = min(
            -(-left * SCALE // price) if by_cash else left, max(others.get(price, 0), resting)
        )
        size += min(taken, resting)
        met += here
        left -= taken * price // SCALE if by_cash else taken
    return OwnOrdersMet(tuple(met), Micros(size)) if met else None


def check_own(context: TicketContext, intent: OrderIntent) -> list[Problem]:
    """Return the warning about an order that meets one's own."""
    met = own_orders_met(
        intent, context.own, context.book, is_trusted=context.book.state.is_good,
        delays_takers=context.terms.delays_takers,
    )  # fmt: skip
    if met is None:
        return []
    first = describe_own_order(met.orders[0])
    more = len(met.orders) - 1
    what = f"your {first}" + (f" and {more} more" if more else "")
    text = f"Self-trade with {what}: up to {count_shares(met.size)}"
    return [Problem(TicketField.PRICE, text, is_warning=True)]


def describe_own_order(order: Order) -> str:
    """Name an own order as it was placed: `SELL 10 Yes @ 87¢`."""
    what = f"{format_shares(order.remaining_size)} {order.outcome}".rstrip()
    return f"{order.side.value} {what} @ {format_cents(order.price)}¢"


def own_bids_from(intent: LimitIntent, own: Iterable[Order]) -> tuple[Order, ...]:
    """Return own orders that a sale of now (FAK) meets if it goes down to its price, the best first."""
    facing = [
        (price, order)
        for order in own
        if order.time_in_force.rests
        and (price := _price_facing(order, intent.condition_id, intent.token_id, Side.SELL))
        and price >= intent.price
    ]
    return tuple(order for _, order in sorted(facing, key=lambda each: -each[0]))


def best_bid_of_others(
    book: BookView, condition_id: ConditionId, own: Iterable[Order]
) -> Micros | None:
    """Return the best bid that is not only ours; None if others have no bids.

    An order that was just placed or filled may appear in the orders and not in the book yet, or the
    reverse: a caller that trades on this must check again.
    """
    others = bids_of_others(book, condition_id, own)
    return others[0].price if others else None


def bids_of_others(
    book: BookView, condition_id: ConditionId, own: Iterable[Order]
) -> tuple[Level, ...]:
    """Return the bids of a book without our own orders."""
    return book_of_others(book, condition_id, own).bids


def book_of_others(book: BookView, condition_id: ConditionId, own: Iterable[Order]) -> BookView:
    """Return a book without our own orders: each level has its size less our own there."""
    mine: dict[tuple[Side, Micros], int] = {}
    for order in own:
        if not order.time_in_force.rests:
            continue
        for side in Side:
            price = _price_facing(order, condition_id, book.token_id, side)
            if price is not None:
                mine[side, price] = mine.get((side, price), 0) + order.remaining_size

    def without(levels: tuple[Level, ...], facing: Side) -> tuple[Level, ...]:
        own_there = {price: size for (side, price), size in mine.items() if side is facing}
        return tuple(levels_less(levels, own_there))

    return replace(book, bids=without(book.bids, Side.SELL), asks=without(book.asks, Side.BUY))


def midpoint_of_others(
    book: BookView, condition_id: ConditionId, own: Iterable[Order]
) -> Micros | None:
    """Return the midpoint of the orders of others: what is held is worth no more for an own bid.

    Where others quote one side alone it is that of the book.
    """
    mine = tuple(order for order in own if order.condition_id == condition_id)
    if not mine:
        return book.midpoint
    return book_of_others(book, condition_id, mine).midpoint or book.midpoint


def mark_of(
    position: Position, book_of: Callable[[TokenId], BookView | None], own: Iterable[Order]
) -> Micros | None:
    """Return the price that others make for a position, from its book or from that of the other outcome.

    Args:
        position: of a market that is not resolved.
        book_of: returns a token's book; None if there is none.
        own: our open orders.

    Returns:
        None without a good book with both sides.
    """
    book, condition_id = book_of(position.token_id), position.condition_id
    if book is not None and book.state.is_good:
        return midpoint_of_others(book, condition_id, own)
    other = None if position.opposite_token_id is None else book_of(position.opposite_token_id)
    if other is None or not other.state.is_good:
        return None
    price = midpoint_of_others(other, condition_id, own)
    return None if price is None else complement(price)


def levels_less(levels: Iterable[Level], mine: Mapping[Micros, int]) -> Iterator[Level]:
    """Yield each level with its size less our own at its price, if anything is left."""
    for level in levels:
        ours = mine.get(level.price, 0)
        if not ours:
            yield level
        elif level.size > ours:
            yield Level(level.price, Micros(level.size - ours))


def _price_facing(
    order: Order, condition_id: ConditionId, token_id: TokenId, side: Side
) -> Micros | None:
    """Return the price of an own order in terms of a token, if it is opposite to a new order."""
    if not order.status.is_open or order.remaining_size <= 0:
        return None
    if order.condition_id != condition_id:
        return None
    is_same_token = order.token_id == token_id
    is_same_side = order.side is side
    # A purchase of one outcome matches a sale of it, and a purchase of the other.
    if is_same_token == is_same_side:
        return None
    return order.price if is_same_token else complement(order.price)
