"""Selling the net position of a market now: at which worst price, how much of it, and what is in the way.

The venue accepts no market sell orders, so it is a fill-and-kill limit order (FAK), at a price that the card
states. Our own resting sales of the position are cancelled first, and so are own bids that it may match: its
limit is measured from the best bid of others.

Shares of both outcomes form pairs, worth a dollar each whatever happens: only the excess of one outcome over
the other is a position. Flattening a market sells that excess and nothing more, so the net position never
grows.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from pmtui.domain.account.position import Stake
from pmtui.domain.books.book_view import BookView, mirrored_view
from pmtui.domain.formats import exact_shares, shares_are
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import MarketTerms, Side
from pmtui.domain.money import ZERO, Micros, complement, format_micros, notional_floor
from pmtui.domain.orders.amounts import SIZE_STEP, order_amounts, pairs_of, price_ceil, size_floor
from pmtui.domain.orders.life import IN_DOUBT
from pmtui.domain.orders.order import LimitIntent, Order, Rejected, TimeInForce
from pmtui.domain.orders.own_orders import reserved_shares
from pmtui.domain.orders.self_trade import bids_of_others, levels_less, own_bids_from
from pmtui.domain.ticket.draft import DEFAULT_GIVE_WAY
from pmtui.domain.ticket.estimate import TicketNumbers, estimate

_HUNDREDTH = Micros(100)
"""A hundredth of a cent."""


def not_sold(reason: str) -> Rejected:
    """Refuse to sell a position because own orders are in its way."""
    return Rejected(f"Not sold: {reason}", is_blocked_by_own=True)


@dataclass(frozen=True, slots=True)
class FlattenProblem:
    """Why the position cannot be sold this way."""

    text: str
    """It goes on a sentence: "Nothing to sell: …"."""
    pairs: Micros = ZERO
    """Number of pairs of both outcomes held."""


@dataclass(frozen=True, slots=True)
class FlattenPlan:
    """The sale of everything now, according to the current book."""

    intent: LimitIntent
    sales: tuple[Order, ...]
    """Own resting sales of the token to cancel first; empty if they are not in the way."""
    numbers: TicketNumbers
    best_bid: Micros | None
    """Best bid of others; None if they have none any more."""
    warnings: tuple[str, ...]
    bids: tuple[Order, ...] = ()
    """Own orders of either outcome that it may match, to be cancelled first; the best first."""
    pairs: Micros = ZERO
    """Pairs of both outcomes that stay, which merging turns into dollars."""
    again: Micros | None = None
    """The worst price at which others bid for as many shares again; None if they do not, within the limit."""
    others: tuple[Order, ...] = ()
    """Own working orders of the market that are not in its way, and might open a position again."""

    @property
    def what(self) -> str:
        """What is sold, in words: all that is held, or what is left of it without the pairs."""
        return "net position" if self.pairs else "whole position"

    @property
    def in_the_way(self) -> tuple[Order, ...]:
        """All orders that are cancelled before anything is sold."""
        return (*self.bids, *self.sales)

    @property
    def expected(self) -> Micros:
        """The average price of what fills now, to a hundredth of a cent; if nothing does the best bid, else the limit."""
        price = self.numbers.fills_now_average or self.best_bid or self.intent.price
        return price_ceil(price, _HUNDREDTH)

    @property
    def stays(self) -> Micros:
        """Shares without a bid at the worst price or better."""
        return Micros(max(self.intent.size - self.numbers.fills_now, 0))


@dataclass(frozen=True, slots=True)
class Closing:
    """What closing a net position now brings."""

    profit: Micros
    """Of the shares that fill, net of fees."""
    fills: Micros
    """Shares that others bid for, at the worst price or better."""
    size: Micros
    """Shares that the sale is for."""

    @property
    def is_partial(self) -> bool:
        """Whether the depth does not suffice."""
        return self.fills < self.size


def close_now(
    net: Stake,
    book: BookView,
    orders: Iterable[Order],
    *,
    tick: Micros,
    give_way_percent: int = DEFAULT_GIVE_WAY,
) -> Closing | None:
    """Return what selling the net position brings now, by the card's rules; None if nothing would fill.

    Args:
        net: the net position, in terms of the outcome of the book.
        book: including our own orders.
        orders: our own open orders of both outcomes, as they appear in this book.
        tick: of the market.
        give_way_percent: how far below the best bid it may fill.
    """
    facing = Side.SELL if net.is_other else Side.BUY
    mine: dict[Micros, int] = {}
    for order in orders:
        if order.side is facing and order.time_in_force.rests and order.status.is_open:
            mine[order.price] = mine.get(order.price, 0) + order.remaining_size
    size = left = size_floor(net.size)
    worst, proceeds = ZERO, 0
    for level in levels_less(book.asks if net.is_other else book.bids, mine):
        price = complement(level.price) if net.is_other else level.price
        worst = worst or worst_price(price, tick, give_way_percent)
        if left <= 0 or price < worst:
            break
        taken = min(level.size, left)
        proceeds += notional_floor(price, taken) - taker_fee(taken, price, net.fee)
        left = Micros(left - taken)
    fills = Micros(size - left)
    if fills <= 0:
        return None
    return Closing(Micros(proceeds - net.part(fills).cost), fills, size)


@dataclass(frozen=True, slots=True)
class NetPosition:
    """The holdings in both outcomes of a market, from the view of one of them."""

    excess: Micros
    """Excess shares of one outcome over the other."""
    pairs: Micros
    """Shares held of both."""
    is_short: bool
    """Whether the excess is of the other outcome."""

    @property
    def is_long(self) -> bool:
        """Whether the excess is of the outcome it is seen from."""
        return self.excess > 0 and not self.is_short


def net_position(held: Micros, of_other: Micros) -> NetPosition:
    """Return the net position from the shares of an outcome and of the other one."""
    pairs = pairs_of(held, of_other)
    return NetPosition(
        excess=Micros(max(held, of_other) - pairs), pairs=pairs, is_short=of_other > held
    )


def net_of_market(
    held: Callable[[TokenId], Micros], token_id: TokenId, terms: MarketTerms
) -> NetPosition:
    """Return the net position of a market, seen from one of its outcomes.

    Args:
        held: returns the shares of a token.
        token_id: of the outcome.
        terms: of the market.
    """
    other = _other_of(token_id, terms)
    return net_position(held(token_id), ZERO if other is None else held(other))


def _other_of(token_id: TokenId, terms: MarketTerms) -> TokenId | None:
    others = [token for token in terms.token_ids if token != token_id]
    return others[0] if len(others) == 1 else None


def plan_flatten_net(
    *,
    held: Callable[[TokenId], Micros],
    orders: Iterable[Order],
    book: BookView,
    terms: MarketTerms,
    give_way_percent: int = DEFAULT_GIVE_WAY,
) -> FlattenPlan | FlattenProblem:
    """Return the sale that brings a market's net position as close to zero as possible.

    Args:
        held: returns the shares of a token, including those reserved by open sales.
        orders: own open orders in both outcomes.
        book: of either outcome, including our own orders.
        terms: of the market.
        give_way_percent: how far below the best bid it may fill.
    """
    net, other = net_of_market(held, book.token_id, terms), _other_of(book.token_id, terms)
    if net.is_short and other is not None:
        book = mirrored_view(book, other)
    return plan_flatten(
        held=Micros(net.excess + net.pairs), paired=net.pairs, orders=orders, book=book,
        terms=terms, give_way_percent=give_way_percent,
    )  # fmt: skip


def plan_flatten(
    *,
    held: Micros,
    orders: Iterable[Order],
    book: BookView,
    terms: MarketTerms,
    give_way_percent: int = DEFAULT_GIVE_WAY,
    paired: Micros = ZERO,
) -> FlattenPlan | FlattenProblem:
    """Return the sale of all shares of a book's token that are not part of a pair.

    Args:
        held: shares of the token, including those reserved by open sales.
        paired: shares to keep, because as many of the other outcome are held.
        orders: own open orders in both outcomes.
        book: of the token, including our own orders.
        terms: of the market.
        give_way_percent: how far below the best bid it may fill.
    """
    position = Micros(held - paired)
    size, own = size_floor(position), tuple(orders)
    others = replace(book, bids=bids_of_others(book, terms.condition_id, own))
    problem = _why_not(position, book, terms, paired=paired)
    if problem or not others.bids:
        return FlattenProblem(problem or "no bids but your own", paired)
    sales = tuple(
        o for o in own if o.token_id == book.token_id and o.side is Side.SELL and o.status.is_open
    )
    if any(sale.status in IN_DOUBT for sale in sales):
        return FlattenProblem("a sale of it is still being checked: wait, or cancel it", paired)
    best = others.bids[0].price
    price = worst_price(best, terms.tick_size, give_way_percent)
    intent = _sale(size, book.token_id, terms, price=price)
    plan = FlattenPlan(
        intent,
        sales if held - reserved_shares(sales, book.token_id) < size else (),
        _numbers(intent, others, terms),
        best,
        _warnings(position, size, book, terms),
        own_bids_from(intent, own),
        paired,
        _price_again(intent, others),
    )
    return replace(plan, others=_others(plan, own, terms))


def _others(plan: FlattenPlan, own: Iterable[Order], terms: MarketTerms) -> tuple[Order, ...]:
    named = {order.order_id for order in plan.in_the_way}
    return tuple(
        order
        for order in own
        if order.condition_id == terms.condition_id
        and order.time_in_force.rests
        and order.status.is_open
        and order.order_id not in named
    )


def _price_again(intent: LimitIntent, others: BookView) -> Micros | None:
    left = 2 * intent.size
    for level in others.bids:
        if level.price < intent.price:
            return None
        left -= level.size
        if left <= 0:
            return level.price
    return None


def reprice(
    plan: FlattenPlan, book: BookView, orders: Iterable[Order], terms: MarketTerms
) -> FlattenPlan:
    """Return a plan with what its sale would bring by a later book; the sale itself stays as it is."""
    others = replace(book, bids=bids_of_others(book, terms.condition_id, orders))
    numbers = _numbers(plan.intent, others, terms)
    return replace(plan, numbers=numbers, best_bid=others.best_bid)


def _numbers(intent: LimitIntent, others: BookView, terms: MarketTerms) -> TicketNumbers:
    amounts = order_amounts(intent, terms.tick_size)
    return estimate(
        intent, cash=amounts.taker, shares=amounts.maker, book=others, fee=terms.fee,
        available_cash=None,
    )  # fmt: skip


def _sale(size: Micros, token_id: TokenId, terms: MarketTerms, *, price: Micros) -> LimitIntent:
    return LimitIntent(
        condition_id=terms.condition_id, token_id=token_id, side=Side.SELL, price=price, size=size,
        time_in_force=TimeInForce.FAK,
    )  # fmt: skip


def worst_price(best_bid: Micros, tick: Micros, give_way_percent: int) -> Micros:
    """Return the lowest price to sell at, by percent below the best bid, but at least one tick."""
    below = Micros(best_bid * (100 - give_way_percent) // 100)
    return max(min(price_ceil(below, tick), Micros(best_bid - tick)), tick)


def _why_not(position: Micros, book: BookView, terms: MarketTerms, *, paired: Micros) -> str:
    if position <= 0:
        return "the position is net zero" if paired else "no position in this market"
    if size_floor(position) <= 0:
        return (
            f"{shares_are(position)} dust, less than the {format_micros(SIZE_STEP)} "
            "that an order can carry"
        )
    if not terms.accepting_orders:
        return "the market takes no orders now"
    if not book.bids:
        return "no bids now"
    return ""


def _warnings(
    position: Micros, size: Micros, book: BookView, terms: MarketTerms
) -> tuple[str, ...]:
    warnings = []
    if not book.state.is_good:
        warnings.append(f"Book {book.state.words}: the bids may be gone")
    if size < terms.min_order_size:
        least = exact_shares(terms.min_order_size)
        warnings.append(f"Below the minimum of {least}: it may be refused")
    if position > size:
        warnings.append(f"{shares_are(Micros(position - size))} dust and stay")
    return tuple(warnings)
