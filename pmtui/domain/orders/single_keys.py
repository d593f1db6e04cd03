"""Single-key trading: the order that a key sends, or why it sends none. Pure.

A key stands for a price: the cursor's, or one from a single view of the book, never for a row. Orders that join
or improve a price are post-only, so that the venue refuses them rather than let them take. An order placed at
the cursor may take, and reports it. The ticket's rules apply here too; but there is no card for warnings, so a
price that the ticket would warn about is refused. A large amount or a repeated order is reported after it was
sent: it does not stop a key.

A ladder shows the net position, so a purchase no larger than a short closes it: it sells the other outcome at a
dollar less the price, which needs no cash and leaves no pairs to merge. A larger one buys, with the same net
result.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from pmtui.domain.books.book_view import BookView
from pmtui.domain.formats import format_cents, format_dollars_up
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import Micros, format_micros
from pmtui.domain.orders.amounts import price_ceil, price_floor, size_floor
from pmtui.domain.orders.order import LimitIntent, Order, TimeInForce
from pmtui.domain.orders.self_trade import describe_own_order, own_orders_met
from pmtui.domain.ticket.draft import TicketContext, TicketDraft
from pmtui.domain.ticket.short_sales import (
    context_of_other,
    describe_mirrored,
    is_short_sale,
    net_short,
)
from pmtui.domain.ticket.ticket import (
    check_mirrored,
    check_price,
    check_ticket,
    is_large,
    seconds_since_same,
)


class SingleKey(Enum):
    """The action of a single key, named by the side of the book that it is about."""

    BUY_HERE = "buy at the cursor"
    SELL_HERE = "sell at the cursor"
    JOIN_BID = "join the best bid"
    JOIN_ASK = "join the best ask"
    IMPROVE_BID = "improve the best bid"
    IMPROVE_ASK = "improve the best ask"
    TAKE_ASK = "take the best ask"
    HIT_BID = "hit the best bid"

    @property
    def side(self) -> Side:
        """The side of its order."""
        return Side.BUY if self in _BUYS else Side.SELL

    @property
    def is_maker(self) -> bool:
        """Whether its order must not take liquidity."""
        return self in _MAKERS

    @property
    def crosses(self) -> bool:
        """Whether its order only takes liquidity and never rests."""
        return self in (SingleKey.TAKE_ASK, SingleKey.HIT_BID)


_BUYS = frozenset(
    {SingleKey.BUY_HERE, SingleKey.JOIN_BID, SingleKey.IMPROVE_BID, SingleKey.TAKE_ASK}
)
_MAKERS = frozenset(
    {SingleKey.JOIN_BID, SingleKey.JOIN_ASK, SingleKey.IMPROVE_BID, SingleKey.IMPROVE_ASK}
)


_PARTS_OF_SIZE = 10


@dataclass(frozen=True, slots=True)
class SingleKeyPlan:
    """The order that a key sends."""

    intent: LimitIntent
    price: Micros
    """In terms of the outcome shown."""
    takes: bool
    """Whether it matches orders in the book as shown."""
    warnings: tuple[str, ...] = ()
    """Warnings for the trader, a few words each."""


@dataclass(frozen=True, slots=True)
class SingleKeyProblem:
    """Why a key sends nothing."""

    text: str
    meets: Order | None = None
    """The own order that it would match."""
    brief: str = ""
    """The reason in a word, in place of a price; empty for those that need a sentence."""


def plan_single_key(
    key: SingleKey,
    *,
    cursor: Micros | None,
    size: Micros,
    outcome_index: int,
    context: TicketContext,
    own: Iterable[Order] = (),
    is_overridden: bool = False,
) -> SingleKeyPlan | SingleKeyProblem:
    """Return the order that a key sends now.

    Args:
        key: the key's action.
        cursor: the price under the cursor.
        size: the chosen preset, in shares.
        outcome_index: the outcome whose book is shown.
        context: the data that the ticket's rules need, with the very book that is shown.
        own: own open orders in that book.
        is_overridden: whether the trader permits an order from a book that may be wrong.
    """
    if not is_overridden and (locked := why_locked(context.book)):
        return SingleKeyProblem(locked)
    price = key_price(key, book=context.book, tick=context.terms.tick_size, cursor=cursor, own=own)
    if isinstance(price, SingleKeyProblem):
        return price
    free = net_short(context) if key.side is Side.BUY else size_floor(context.available_shares)
    draft = _draft(key, price, size, outcome_index=outcome_index)
    is_all = not is_short_sale(draft, context) and key.side is Side.SELL
    sent = _size_to_send(key, size, context.terms, free=free, is_all_meant=is_all)
    closes = key.side is Side.BUY and sent <= free
    plan = plan_at_price(
        key, price, size=sent, outcome_index=outcome_index, context=context, closes=closes
    )
    if sent == size or isinstance(plan, SingleKeyProblem):
        return plan
    said = "all of the short" if closes else "all that was free to sell"
    return replace(plan, warnings=(said, *plan.warnings))


def plan_at_price(
    key: SingleKey,
    price: Micros,
    *,
    size: Micros,
    outcome_index: int,
    context: TicketContext,
    closes: bool = False,
) -> SingleKeyPlan | SingleKeyProblem:
    """Return the order of a key at a price.

    Args:
        key: the key's action.
        price: what it stands for now.
        size: in shares.
        outcome_index: the outcome whose book is shown.
        context: the data that the ticket's rules need.
        closes: whether a purchase sells the other outcome instead.
    """
    draft = _draft(key, price, size, outcome_index=outcome_index)
    check = check_mirrored(draft, context) if closes else check_ticket(draft, context)
    if not isinstance(check.intent, LimitIntent) or check.numbers is None:
        return SingleKeyProblem(next((p.text for p in check.blocking), "This is not an order"))
    if check.is_mirrored:
        context = context_of_other(context)
    for problem in check_price(context, check.intent):
        return SingleKeyProblem(f"{problem.text}: too far for a single key", brief="far")
    if (meeting := _own_problem(check.intent, context)) is not None:
        return meeting
    numbers = check.numbers
    cash = Micros(max(numbers.cash, numbers.expected_cash))
    warnings = key_warnings(context, check.intent, cash=cash, shares=numbers.shares)
    if check.is_mirrored:
        warnings = (describe_mirrored(check.intent, context.terms, numbers.shares), *warnings)
    return SingleKeyPlan(check.intent, price, numbers.fills_now > 0 or key.crosses, warnings)


def _draft(key: SingleKey, price: Micros, size: Micros, *, outcome_index: int) -> TicketDraft:
    return TicketDraft(
        side=key.side,
        outcome_index=outcome_index,
        time_in_force=TimeInForce.FAK if key.crosses else TimeInForce.GTC,
        price_text=format_cents(price),
        size_text=format_micros(size),
        is_post_only=key.is_maker,
    )


def _size_to_send(
    key: SingleKey, size: Micros, terms: MarketTerms, *, free: Micros, is_all_meant: bool
) -> Micros:
    """Return the size, or all free shares: of a sale of more than is free, or for a small difference.

    Fills come with fractions: selling 100 while holding 99.99 means all of it, also when buying back a
    short. The same goes for 101.75, which a purchase in dollars brings at a better price: the rest alone
    could not be ordered. It is no fraction if it is more than a tenth of the size.

    Args:
        key: the key's action.
        size: the chosen preset.
        terms: of the market.
        free: shares that can be sold.
        is_all_meant: whether a larger size means all that is free: one order cannot go on to a short.
    """
    least = terms.min_order_size
    if not (free >= least or (key.crosses and free > 0)):
        return size
    is_left = size < free and (free - size) * _PARTS_OF_SIZE <= size
    is_near = (free < size or is_left) and abs(free - size) < least
    return free if is_near or (is_all_meant and free < size) else size


def _own_problem(intent: LimitIntent, context: TicketContext) -> SingleKeyProblem | None:
    # A book that may be wrong was permitted by the trader, as it is shown.
    met = own_orders_met(
        intent, context.own, context.book, is_trusted=True,
        delays_takers=context.terms.delays_takers,
    )  # fmt: skip
    if not met:
        return None
    first = met.orders[0]
    return SingleKeyProblem(f"Self-trade with your {describe_own_order(first)}", first, "own")


def key_warnings(
    context: TicketContext, intent: LimitIntent, *, cash: Micros, shares: Micros
) -> tuple[str, ...]:
    """Return warnings to show with the result of an order without a card, as short as possible."""
    seconds = seconds_since_same(context, intent, cash=cash, shares=shares)
    found = [f"large: {format_dollars_up(cash)}"] if is_large(context, cash) else []
    return (*found, *([] if seconds is None else [f"the same as {seconds} s ago"]))


def why_locked(book: BookView) -> str:
    """Return why single keys do not trade from a book; empty if they do."""
    if book.state.is_good:
        return ""
    return f"The book is {book.state.words}: single keys are locked"


def describe_override(plan: SingleKeyPlan, book: BookView) -> str:
    """Describe for the journal which order was permitted from which book."""
    return f"{_describe_order(plan.intent)} from {describe_doubtful_book(book)}"


def describe_doubtful_book(book: BookView) -> str:
    """Describe for the journal the contents of a book that may be wrong."""
    bid, ask = (_describe_price(price) for price in (book.best_bid, book.best_ask))
    when = "never received" if book.as_of is None else f"of {book.as_of:%Y-%m-%d %H:%M:%S} UTC"
    return f"a book that is {book.state.words}, {when}: bid {bid}, ask {ask}"


def _describe_order(intent: LimitIntent) -> str:
    size = format_micros(intent.size)
    return f"{intent.side.value} {size} at {_describe_price(intent.price)}"


def _describe_price(price: Micros | None) -> str:
    return "none" if price is None else f"{format_cents(price)}¢"


def key_price(
    key: SingleKey,
    *,
    book: BookView,
    tick: Micros,
    cursor: Micros | None,
    own: Iterable[Order] = (),
) -> Micros | SingleKeyProblem:
    """Return the price that a key stands for now, or why there is none.

    Args:
        key: the key's action.
        book: as shown, trusted or not.
        tick: of the market.
        cursor: the price under the cursor.
        own: own open orders in that book.
    """
    match key:
        case SingleKey.BUY_HERE | SingleKey.SELL_HERE:
            return SingleKeyProblem("Put the cursor on a price first") if cursor is None else cursor
        case SingleKey.JOIN_BID | SingleKey.HIT_BID:
            return book.best_bid or SingleKeyProblem("No bids now")
        case SingleKey.JOIN_ASK | SingleKey.TAKE_ASK:
            return book.best_ask or SingleKeyProblem("No asks now")
        case SingleKey.IMPROVE_BID | SingleKey.IMPROVE_ASK:
            return _better(key.side, book, tick, own)


def _better(
    side: Side, book: BookView, tick: Micros, own: Iterable[Order]
) -> Micros | SingleKeyProblem:
    """Return the price one tick better than a side's best, if that does not take."""
    is_buy = side is Side.BUY
    levels = book.bids if is_buy else book.asks
    if not levels:
        return SingleKeyProblem("No bids now" if is_buy else "No asks now")
    best = levels[0]
    mine = sum(o.remaining_size for o in own if o.side is side and o.price == best.price)
    if mine >= best.size:
        return SingleKeyProblem(f"The best {'bid' if is_buy else 'ask'} is yours already")
    opposite = book.best_ask if is_buy else book.best_bid
    if is_buy:
        better = price_floor(Micros(best.price + tick), tick)
        has_room = best.price < better and (opposite is None or better < opposite)
    else:
        better = price_ceil(Micros(best.price - tick), tick)
        has_room = better < best.price and (opposite is None or better > opposite)
    return better if has_room else SingleKeyProblem("No room to improve inside the spread")
