"""Plans a match: what an order demands by its two amounts, and what it would trade.

Nothing is changed here: `placing` checks an order, and `execution` executes the plan.

Prices are never sent: they are the quotient of the amounts. The number of decimals by tick size
follows docs/wire.md#amounts.

The best price matches first; at one price the taker's own token comes before the other (so a direct
match precedes minting or merging), each in order of arrival. Execution is at the resting order's
price.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import FeeSchedule, Side
from pmtui.domain.money import ONE, SCALE, ZERO, Micros, notional_ceil
from pmtui.domain.orders.amounts import SIZE_STEP
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.engine import refusals
from pmtui.sim.engine.book import Book, BookSide, PriceLevel, RestingOrder, own_price
from pmtui.sim.engine.events import MatchKind
from pmtui.sim.engine.terms import MarketSpec, NewOrder, Refusal


@dataclass(frozen=True, slots=True)
class Demand:
    """What an order asks for, in terms of its own token."""

    price: Micros
    """The limit, on the price grid; a market BUY's quotient is rounded down to it."""
    size: Micros
    """Shares; for a market BUY, the minimum that a complete fill brings."""
    budget: Micros | None
    """Dollars to spend, for a market BUY only."""


def decimals_of(tick: Micros) -> int:
    """Return how many decimals a price on this grid can have."""
    decimals = 6
    while decimals and tick % 10 == 0:
        tick = Micros(tick // 10)
        decimals -= 1
    return decimals


def read_demand(order: NewOrder, spec: MarketSpec, tick: Micros) -> Demand | Refusal:
    """Derive limit price and size, checking range, decimals, grid and minimum size in that order."""
    is_buy = order.side is Side.BUY
    is_market = not order.time_in_force.rests
    cash, shares = (
        (order.maker_amount, order.taker_amount)
        if is_buy
        else (order.taker_amount, order.maker_amount)
    )
    if not 0 < cash < shares:
        return refusals.INVALID_PRICE
    decimals = min(decimals_of(tick) + 2, 6)
    unit = 10 ** (6 - decimals)
    # A market BUY has coarse dollars and fine shares; all other orders have coarse shares.
    coarse, fine = (cash, shares) if is_buy and is_market else (shares, cash)
    if coarse % SIZE_STEP or fine % unit:
        return refusals.amounts_too_fine(
            is_buy=is_buy, is_market=is_market, amount_decimals=decimals
        )
    price = (
        _market_buy_limit(cash, shares, tick=tick, unit=unit)
        if is_buy and is_market
        else _exact_price(cash, shares, tick)
    )
    if price is None:
        return refusals.off_grid(order.order_id, cash, shares, tick)
    if (not is_market or spec.needs_min_size_at_once) and shares < spec.min_size:
        return refusals.too_small(order.order_id, shares, spec.min_size)
    return Demand(price=price, size=shares, budget=cash if is_buy and is_market else None)


def _exact_price(cash: Micros, shares: Micros, tick: Micros) -> Micros | None:
    price, rest = divmod(cash * SCALE, shares)
    if rest or price % tick or not tick <= price <= ONE - tick:
        return None
    return Micros(price)


def _market_buy_limit(cash: Micros, shares: Micros, *, tick: Micros, unit: int) -> Micros | None:
    # The shares are a quotient truncated to `unit`, so the price they imply is slightly off its
    # grid. If truncated they give the intended price; if rounded up they buy only one tick below
    # it.
    price = (2 * cash * SCALE + tick * shares) // (2 * tick * shares) * tick
    if abs(cash * SCALE - price * shares) > price * unit or not tick <= price <= ONE - tick:
        return None
    return Micros(price if price * shares <= cash * SCALE else price - tick)


def is_expiration_valid(order: NewOrder, *, now_ms: int, notice_ms: int) -> bool:
    """Return whether the stated expiration fits the time in force and is far enough ahead."""
    if order.time_in_force is TimeInForce.GTD:
        return order.expiration_s * 1000 >= now_ms + notice_ms
    return order.expiration_s == 0


@dataclass(slots=True)
class PlannedFill:
    """One resting order's part; `cash` is the taker's, `maker_cash` the maker's."""

    maker: RestingOrder
    size: Micros
    cash: Micros
    maker_cash: Micros
    kind: MatchKind


@dataclass(slots=True)
class PlannedTrade:
    """All fills at one price, stated in the taker's token."""

    price: Micros
    book_price: Micros
    fills: list[PlannedFill] = field(default_factory=list)
    size: Micros = ZERO
    cash: Micros = ZERO
    fee: Micros = ZERO


@dataclass(slots=True)
class Plan:
    """What would happen, and how much of the order would remain."""

    trades: list[PlannedTrade]
    size: Micros
    cash: Micros
    fee: Micros
    is_complete: bool


class _Want:
    """What the taker still wants: shares, or dollars' worth of shares."""

    __slots__ = ("budget", "shares")

    def __init__(self, demand: Demand) -> None:
        self.budget = demand.budget
        self.shares = demand.size if demand.budget is None else ZERO

    @property
    def is_met(self) -> bool:
        return not (self.shares if self.budget is None else self.budget)

    def take(self, offered: Micros, price: Micros) -> tuple[Micros, Micros]:
        """Return size and cash of the next fill of at most `offered` shares, in hundredths.

        Hundredths of a share cost whole millionths, so nothing is rounded, except if a budget runs
        out within an order: then the shares are rounded down and every dollar is spent.
        """
        if self.budget is None:
            size = min(self.shares, offered)
            self.shares = Micros(self.shares - size)
            return size, notional_ceil(price, size)
        size = min(offered, Micros(self.budget * SCALE // price))
        cash = notional_ceil(price, size)
        self.budget = Micros(self.budget - cash)
        return size, cash


def is_crossing(book: Book, token_index: int, side: Side, *, price: Micros) -> bool:
    """Return whether an order at this limit would match a resting one."""
    best = _facing(book, token_index, side).best
    return best is not None and _is_within(own_price(best, token_index), side, price)


def plan_match(
    book: Book, token_index: int, side: Side, *, demand: Demand, fee: FeeSchedule
) -> Plan:
    """Plan the fills of an order of either token.

    The taker fee is computed for each price, from the whole size taken there, and never exceeds a
    seller's proceeds.
    """
    want = _Want(demand)
    trades: list[PlannedTrade] = []
    for level in _facing(book, token_index, side).from_best():
        price = own_price(level.price, token_index)
        if want.is_met or not _is_within(price, side, demand.price):
            break
        trade = PlannedTrade(price, level.price)
        for maker in _in_turn(level, token_index):
            if want.is_met:
                break
            _add_fill(trade, maker, want, side=side, token_index=token_index)
        trade.fee = taker_fee(trade.size, price, fee) if fee.rate else ZERO
        if side is Side.SELL:
            trade.fee = min(trade.fee, trade.cash)
        trades.append(trade)
    return Plan(
        trades=trades,
        size=Micros(sum(trade.size for trade in trades)),
        cash=Micros(sum(trade.cash for trade in trades)),
        fee=Micros(sum(trade.fee for trade in trades)),
        is_complete=want.is_met,
    )


def _add_fill(
    trade: PlannedTrade, maker: RestingOrder, want: _Want, *, side: Side, token_index: int
) -> None:
    left = maker.remaining
    size, cash = want.take(Micros(left - left % SIZE_STEP), trade.price)
    if maker.token_index == token_index:
        kind, maker_cash = MatchKind.DIRECT, cash
    else:
        kind = MatchKind.MINT if side is Side.BUY else MatchKind.MERGE
        maker_cash = Micros(size - cash)
    trade.fills.append(PlannedFill(maker, size, cash, maker_cash, kind))
    trade.size = Micros(trade.size + size)
    trade.cash = Micros(trade.cash + cash)


def _facing(book: Book, token_index: int, side: Side) -> BookSide:
    return book.asks if (side is Side.BUY) == (token_index == 0) else book.bids


def _is_within(price: Micros, side: Side, limit: Micros) -> bool:
    return price <= limit if side is Side.BUY else price >= limit


def _in_turn(level: PriceLevel, token_index: int) -> Iterator[RestingOrder]:
    yield from level.queues[token_index].values()
    yield from level.queues[1 - token_index].values()
