"""The effect of an order on the current book: an estimate, and labelled as one."""

from dataclasses import dataclass

from pmtui.domain.books.book_view import BookView, Level
from pmtui.domain.markets.fees import most_fee_between, taker_fee
from pmtui.domain.markets.market import FeeSchedule, Side
from pmtui.domain.money import SCALE, Micros, notional_ceil, notional_floor, ratio_ceil
from pmtui.domain.orders.order import LimitIntent, MarketBuyIntent, OrderIntent, TimeInForce


@dataclass(frozen=True, slots=True)
class TicketNumbers:
    """The numbers that the ticket shows while typing. Sizes in shares, money in dollars, all in micros."""

    cash: Micros
    """The maximum cost of a purchase or the minimum proceeds of a sale, before fees: what is signed."""
    expected_cash: Micros
    """Cost or proceeds with the current book: fills at their own prices, the rest at the limit."""
    limit: Micros
    """Worst price per share."""
    shares: Micros
    """Minimum shares of a purchase, or the shares of a sale."""
    most_shares: Micros
    """Maximum shares unless better prices appear than the book has: a purchase that does not
    rest signs dollars, so prices below its limit bring more shares than requested."""
    payout: Micros
    """Payout of the shares if the outcome wins."""
    fills_now: Micros
    fills_now_average: Micros | None
    fills_now_cash: Micros
    rests: Micros
    fee: Micros
    """Taker fee of the part that fills now."""
    worst_fee: Micros
    """Taker fee if all of it takes at the limit: the amount the venue reserves. None for post-only."""
    most_fee: Micros
    """Largest taker fee if all of it takes at prices from the best to the limit."""
    depth_share: Micros | None
    """The part that fills now as a fraction of all displayed size on that side."""
    cash_after: Micros | None
    """Free cash after it has filled or rests."""
    is_short_of_depth: bool
    """Whether the book has too little size to fill it completely."""
    displayed_at_limit: Micros
    """Size in the book at its limit or better."""

    @property
    def does_nothing(self) -> bool:
        """Whether, with the current book, it neither fills nor rests: it is killed or refused."""
        return not self.fills_now and not self.rests


def estimate(
    intent: OrderIntent,
    *,
    cash: Micros,
    shares: Micros,
    book: BookView,
    fee: FeeSchedule,
    available_cash: Micros | None,
) -> TicketNumbers:
    """Walk the displayed book with an order.

    Args:
        intent: the order.
        cash: the signed collateral.
        shares: the signed shares.
        book: of its token.
        fee: the market's taker fee.
        available_cash: free cash; None if unknown.
    """
    is_buy = intent.side is Side.BUY
    limit = intent.worst_price if isinstance(intent, MarketBuyIntent) else intent.price
    levels = _levels_met(intent, limit, book)
    filled, spent, fees, is_short = _fill(intent, levels, cash, shares, fee=fee)
    is_maker_only = _is_maker_only(intent)
    is_refused = is_maker_only and bool(levels) and book.state.is_good
    can_rest = intent.time_in_force.rests and not is_refused
    rests = Micros(max(shares - filled, 0)) if can_rest else Micros(0)
    displayed = sum(level.size for level in (book.asks if is_buy else book.bids))
    rests_cash = (notional_ceil if is_buy else notional_floor)(limit, rests)
    change = -(spent + fees + rests_cash) if is_buy else spent - fees
    return TicketNumbers(
        cash=cash,
        expected_cash=Micros(spent + rests_cash),
        limit=limit,
        shares=shares,
        most_shares=_most_shares(intent, levels, cash, shares),
        payout=Micros(max(shares, filled)),
        fills_now=filled,
        fills_now_average=Micros((spent * SCALE + filled // 2) // filled) if filled else None,
        fills_now_cash=spent,
        rests=rests,
        fee=fees,
        worst_fee=Micros(0) if is_maker_only else taker_fee(shares, limit, fee),
        most_fee=_most_fee(intent, limit, levels, cash, shares, fee),
        depth_share=Micros(filled * SCALE // displayed) if displayed else None,
        cash_after=None if available_cash is None else Micros(available_cash + change),
        is_short_of_depth=is_short,
        displayed_at_limit=Micros(sum(level.size for level in levels)),
    )


def cost_in_book(size: Micros, limit: Micros, book: BookView) -> Micros:
    """Return the dollars for shares at the prices of the book, and at the limit for what it does not offer."""
    cost, left = 0, int(size)
    for level in book.asks:
        if level.price > limit:
            break
        taken = min(level.size, left)
        cost, left = cost + taken * level.price, left - taken
    return Micros((cost + left * limit) // SCALE)


def _most_shares(intent: OrderIntent, levels: list[Level], cash: Micros, shares: Micros) -> Micros:
    if not _spends(intent) or not levels:
        return shares
    return max(shares, ratio_ceil(cash, levels[0].price))


def _spends(intent: OrderIntent) -> bool:
    """Whether it spends a fixed amount of dollars, however many shares they bring."""
    return intent.side is Side.BUY and not intent.time_in_force.rests


def _most_fee(
    intent: OrderIntent,
    limit: Micros,
    levels: list[Level],
    cash: Micros,
    shares: Micros,
    fee: FeeSchedule,
) -> Micros:
    if _is_maker_only(intent):
        return Micros(0)
    best = levels[0].price if levels else limit
    return most_fee_between(_most_shares(intent, levels, cash, shares), best, limit, fee)


def _is_maker_only(intent: OrderIntent) -> bool:
    return isinstance(intent, LimitIntent) and intent.is_post_only


def _fill(
    intent: OrderIntent, levels: list[Level], cash: Micros, shares: Micros, *, fee: FeeSchedule
) -> tuple[Micros, Micros, Micros, bool]:
    """Return shares, cash and fee of the immediate fill, and whether the levels are too few."""
    by_cash = _spends(intent)
    filled, spent, fees = _walk(levels, cash if by_cash else shares, fee, by_cash=by_cash)
    is_short = spent < cash if by_cash else filled < shares
    is_killed = is_short and intent.time_in_force is TimeInForce.FOK
    if _is_maker_only(intent) or is_killed:
        return Micros(0), Micros(0), Micros(0), is_short
    return filled, spent, fees, is_short


def _levels_met(intent: OrderIntent, limit: Micros, book: BookView) -> list[Level]:
    """Return the levels that an order may take, best first."""
    if intent.side is Side.BUY:
        return [level for level in book.asks if level.price <= limit]
    return [level for level in book.bids if level.price >= limit]


def _walk(
    levels: list[Level], quantity: Micros, fee: FeeSchedule, *, by_cash: bool
) -> tuple[Micros, Micros, Micros]:
    """Return shares, cash and fee of taking levels until an amount of cash or shares is reached."""
    filled = spent = fees = 0
    left = int(quantity)
    for level in levels:
        if left <= 0:
            break
        available = notional_ceil(level.price, level.size) if by_cash else level.size
        part = min(left, available)
        size = min(part * SCALE // level.price, level.size) if by_cash else part
        paid = part if by_cash else notional_ceil(level.price, Micros(size))
        filled += size
        spent += paid
        fees += taker_fee(Micros(size), level.price, fee)
        left -= part
    return Micros(filled), Micros(spent), Micros(fees)
