"""Sets of all outcomes of an event with one winner: their prices, and one basket order for all legs.

A set is one Yes share of every open market of such an event: it pays a dollar in the end. Buying the set
lifts every ask; selling it hits every bid, which is the same as buying No of every market. Midpoints cannot
be traded: the value of a set follows from bids and asks only, after taker fees.

A basket buys at least a number of Yes, or of No, in every market. Each leg is a purchase that fills now or is
killed whole (FOK): it spends what its shares cost in the book as it is, to the cent, at no worse price than the
last level that it needs, or a number of ticks above that. A price that is better by then brings a little more of
it, a worse one a little less. A leg never fills in part, so that what is missing afterwards is a whole leg. The venue knows
nothing of baskets: some legs may fill and others not. A leg that would meet an order of ours is no leg: what
it takes from us adds nothing to the position, and our own order is not cancelled unasked.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from pmtui.domain.books.book_view import BookView, Level
from pmtui.domain.markets.fees import taker_fee
from pmtui.domain.markets.market import Event, FeeSchedule, Market, MarketTerms
from pmtui.domain.money import ONE, SCALE, ZERO, Micros, cents_down, cents_near, cents_up
from pmtui.domain.orders.amounts import MIN_MARKETABLE_BUY, SIZE_STEP, size_floor
from pmtui.domain.orders.order import MarketBuyIntent, Order, TimeInForce
from pmtui.domain.orders.self_trade import book_of_others, describe_own_order, own_orders_met


@dataclass(frozen=True, slots=True)
class SetLeg:
    """One market of a set."""

    name: str
    """Untrusted text."""
    bid: Micros | None
    ask: Micros | None
    fee: FeeSchedule | None
    """None while unknown."""
    is_halted: bool = False
    """Whether the market accepts no orders now, so that no complete set can be traded."""


@dataclass(frozen=True, slots=True)
class SetPrice:
    """Prices of one side of a set."""

    total: Micros
    """Sum of the prices, in dollars for one set."""
    fees: Micros | None
    """Taker fees for one share of every leg; None if a fee is unknown."""
    gain: Micros | None
    """Profit of one set after fees: its dollar less its cost, or its proceeds less its dollar."""


@dataclass(frozen=True, slots=True)
class SetPrices:
    """Both sides of a set; None if a leg has no price on that side."""

    buying: SetPrice | None
    selling: SetPrice | None
    halted: tuple[str, ...] = ()
    """The legs that accept no orders now."""


def set_prices(legs: Iterable[SetLeg]) -> SetPrices:
    """Return the cost and proceeds of a set, one share of every leg at the best prices."""
    legs = tuple(legs)
    asks = _total([leg.ask for leg in legs])
    bids = _total([leg.bid for leg in legs])
    ask_fees = _fees([(leg.ask, leg.fee) for leg in legs])
    bid_fees = _fees([(leg.bid, leg.fee) for leg in legs])
    return SetPrices(
        None if asks is None else SetPrice(asks, ask_fees, _gain(ONE - asks, ask_fees)),
        None if bids is None else SetPrice(bids, bid_fees, _gain(bids - ONE, bid_fees)),
        tuple(leg.name for leg in legs if leg.is_halted),
    )


def has_one_winner(event: Event) -> bool:
    """Whether exactly one open market of an event pays: only then is a set worth a dollar."""
    return event.neg_risk and len(legs_of(event)) > 1 and not is_decided(event)


def is_decided(event: Event) -> bool:
    """Whether a market of the event has already resolved Yes, so that the others pay nothing."""
    return any(m.closed and m.outcomes and m.outcomes[0].price == ONE for m in event.markets)


def legs_of(event: Event) -> tuple[Market, ...]:
    """Return the markets of a set: the open ones, in the event's order."""
    return tuple(m for m in event.markets if not m.closed and not m.archived)


def _total(prices: list[Micros | None]) -> Micros | None:
    known = [price for price in prices if price is not None]
    return Micros(sum(known)) if known and len(known) == len(prices) else None


def _fees(legs: list[tuple[Micros | None, FeeSchedule | None]]) -> Micros | None:
    fees = [taker_fee(ONE, p, fee) for p, fee in legs if p is not None and fee is not None]
    return Micros(sum(fees)) if len(fees) == len(legs) else None


def _gain(before_fees: int, fees: Micros | None) -> Micros | None:
    return None if fees is None else Micros(before_fees - fees)


class BasketSide(Enum):
    """The outcome that is bought in every market; the values are its index."""

    YES = 0
    """All Yes: buys the set, which pays one dollar."""
    NO = 1
    """All No: sells the set; all but one of the shares pay a dollar."""


@dataclass(frozen=True, slots=True)
class BasketMarket:
    """One market with the book of the token to buy."""

    name: str
    """Untrusted text."""
    terms: MarketTerms | None
    """None while unknown."""
    book: BookView | None
    why_not: str = ""
    """Why the market accepts no orders now; empty if it does."""


@dataclass(frozen=True, slots=True)
class BasketLeg:
    """One leg of a basket, according to the current book."""

    name: str
    intent: MarketBuyIntent | None
    """None if nothing can be bought: `problem` says why."""
    problem: str
    cost: Micros
    """Dollars for the shares, before fees."""
    fee: Micros
    average: Micros | None
    is_thin: bool = False
    """Whether the book holds fewer shares than are wanted."""
    meets: Order | None = None
    """The own order that the leg would trade with."""


@dataclass(frozen=True, slots=True)
class BasketPlan:
    """The legs and totals of a basket according to the current books."""

    side: BasketSide
    sets: Micros
    legs: tuple[BasketLeg, ...]
    is_rest: bool = False
    """Whether these are only the missing legs of an earlier basket, which alone have no certain
    payout."""
    bought: int = 0
    """The legs of the same basket that were bought before."""
    spent: Micros | None = ZERO
    """Dollars for those, with fees; None if it is not certain what was bought."""
    slack: int = 0
    """Ticks above the price that it needs which each leg may pay."""

    @property
    def fewest(self) -> Micros:
        """Shares of every leg if each fills at the worst price it may pay."""
        if not self.slack:
            return self.sets
        worst = (size_floor(Micros(i.amount * SCALE // i.worst_price)) for i in self.intents)
        return min((self.sets, *worst))

    @property
    def intents(self) -> tuple[MarketBuyIntent, ...]:
        """The orders, leg by leg."""
        return tuple(leg.intent for leg in self.legs if leg.intent is not None)

    @property
    def is_whole(self) -> bool:
        """Whether every leg can be bought."""
        return bool(self.legs) and all(leg.intent is not None for leg in self.legs)

    @property
    def cost(self) -> Micros:
        """Dollars for all legs that can be bought, before fees."""
        return Micros(sum(leg.cost for leg in self.legs))

    @property
    def fees(self) -> Micros:
        """Taker fees of all legs."""
        return Micros(sum(leg.fee for leg in self.legs))

    @property
    def shown_cost(self) -> Micros:
        """The cost as shown: the sum of the cents of the legs, each rounded up."""
        return Micros(sum(cents_up(leg.cost) for leg in self.legs))

    @property
    def shown_fees(self) -> Micros:
        """The fees as shown, to the nearest cent."""
        return cents_near(self.fees)

    @property
    def pays(self) -> Micros:
        """The least that a complete basket pays in the end, whichever outcome wins, in dollars."""
        winners = 1 if self.side is BasketSide.YES else len(self.legs) + self.bought - 1
        return Micros(winners * self.fewest)

    @property
    def gain(self) -> Micros | None:
        """The least profit of a complete basket after fees; None if a leg is missing, or may be.

        Of the cents shown, so that what stands beside it adds up to it.
        """
        if self.spent is None or not self.is_whole or self.is_rest != bool(self.bought):
            return None
        paid = cents_up(self.spent) + self.shown_cost + self.shown_fees
        return Micros(cents_down(self.pays) - paid)


def plan_basket(
    markets: Iterable[BasketMarket], side: BasketSide, sets: Micros, own: Iterable[Order] = (), *,
    is_rest: bool = False, bought: int = 0, spent: Micros | None = ZERO, slack: int = 0,
) -> BasketPlan:  # fmt: skip
    """Return the legs for buying `sets` shares in every market of an event with one winner.

    Args:
        markets: the open ones of the event.
        side: which outcome is bought.
        sets: shares in each.
        own: own open orders: what is ours in a book is not counted, and a leg that would reach it is none.
        is_rest: the markets are those that are missing of a basket bought before.
        bought: how many legs of it were bought.
        spent: the dollars for those, with fees; None if it is not certain what was bought.
        slack: how many ticks above the price that it needs now each leg may pay.
    """
    size, own = size_floor(sets), tuple(own)
    legs = tuple(_leg(market, side, size, own, slack) for market in markets)
    return BasketPlan(side, size, legs, is_rest, bought, spent, slack)


@dataclass(frozen=True, slots=True)
class KilledLeg:
    """A leg that the book does not fill any more at the price it was asked about."""

    name: str
    """Untrusted text."""
    ask: Micros | None
    """The best ask now; None if there is none to buy from."""


def killed_legs(
    plan: BasketPlan, markets: Iterable[BasketMarket], own: Iterable[Order] = ()
) -> tuple[KilledLeg, ...]:
    """Return the legs of a plan that would be killed by the books as they are now.

    Args:
        plan: what was asked about.
        markets: those of the plan, in its order.
        own: own open orders, which fill nothing.
    """
    own = tuple(own)
    killed = []
    for leg, market in zip(plan.legs, markets, strict=True):
        asks = () if market.why_not else _asks(market, own)
        intent = leg.intent
        if intent is None:
            continue
        offered = sum(a.price * a.size for a in asks if a.price <= intent.worst_price)
        # The amount was rounded up to a cent, which alone is no reason.
        if offered + SIZE_STEP * SCALE <= intent.amount * SCALE:
            killed.append(KilledLeg(market.name, asks[0].price if asks else None))
    return tuple(killed)


def most_sets(markets: Iterable[BasketMarket], own: Iterable[Order] = ()) -> Micros:
    """Return how many sets can be bought at the best prices alone."""
    own = tuple(own)
    sizes = []
    for market in markets:
        asks = _asks(market, own)
        sizes.append(asks[0].size if asks and not market.why_not else ZERO)
    return size_floor(min(sizes, default=ZERO))


def least_sets(markets: Iterable[BasketMarket]) -> Micros:
    """Return the sets needed for every leg to meet the minimum size and be worth a dollar."""
    least = 0
    for market in markets:
        asks = _asks(market, ())
        if market.terms is not None and asks:
            worth = -(-MIN_MARKETABLE_BUY * SCALE // asks[0].price)
            least = max(least, market.terms.min_order_size, worth)
    return Micros(-(-least // ONE) * ONE)


@dataclass(frozen=True, slots=True)
class BasketRoom:
    """The possible sizes of a basket."""

    least: Micros
    """Sets from which every leg is a valid order."""
    at_best: Micros
    """Sets available at the best prices alone."""
    offered: Micros | None
    """Sets available in the whole books; None while a book is unknown or not good."""
    thinnest: str
    """The leg with the fewest shares on offer; untrusted text."""

    @property
    def is_impossible(self) -> bool:
        """Whether no size is possible."""
        return self.offered is not None and self.offered < max(self.least, SIZE_STEP)


def basket_room(markets: Iterable[BasketMarket], own: Iterable[Order] = ()) -> BasketRoom:
    """Return the smallest and largest possible basket, not counting our own orders in the books."""
    markets, own = tuple(markets), tuple(own)
    offers = [
        (
            size_floor(
                Micros(sum(ask.size for ask in _asks(each, own)) if not each.why_not else 0)
            ),
            each,
        )
        for each in markets
    ]
    is_known = all(
        m.terms is not None and m.book is not None and m.book.state.is_good for m in markets
    )
    fewest = min(offers, key=lambda offer: offer[0], default=None)
    return BasketRoom(
        least=least_sets(markets),
        at_best=most_sets(markets, own),
        offered=fewest[0] if is_known and fewest is not None else None,
        thinnest=fewest[1].name if fewest is not None else "",
    )


def _asks(market: BasketMarket, own: tuple[Order, ...]) -> tuple[Level, ...]:
    if market.terms is None or market.book is None:
        return ()
    return book_of_others(market.book, market.terms.condition_id, own).asks


def _leg(
    market: BasketMarket, side: BasketSide, size: Micros, own: tuple[Order, ...], slack: int
) -> BasketLeg:
    terms, book, asks = market.terms, market.book, _asks(market, own)
    problem = market.why_not or _why_not(market, asks, size)
    if problem or terms is None or book is None:
        return _nothing(market.name, problem)
    met, cost, fee, worst = 0, 0, 0, asks[0].price
    for level in asks:
        taken = min(level.size, size - met)
        cost += taken * level.price
        fee += taker_fee(Micros(taken), level.price, terms.fee)
        met, worst = met + taken, level.price
        if met >= size:
            break
    if met < size:
        return _nothing(market.name, "Not enough offered", is_thin=True)
    # Dollars have two decimals: a cent more buys the last hundredth of a share, never less.
    amount = Micros(-(-cost // (SCALE * SIZE_STEP)) * SIZE_STEP)
    if amount < MIN_MARKETABLE_BUY:
        return _nothing(market.name, "Each leg must be at least $1")
    limit = Micros(min(worst + slack * terms.tick_size, max(ONE - terms.tick_size, worst)))
    fee = max(fee, taker_fee(Micros(amount * SCALE // limit), limit, terms.fee) if slack else 0)
    intent = MarketBuyIntent(
        condition_id=terms.condition_id, token_id=terms.token_ids[side.value], amount=amount,
        worst_price=limit, time_in_force=TimeInForce.FOK,
    )  # fmt: skip
    mine = own_orders_met(intent, own, book, is_trusted=True, delays_takers=terms.delays_takers)
    if mine is not None:
        first = mine.orders[0]
        return replace(_nothing(market.name, f"Own {describe_own_order(first)}"), meets=first)
    return BasketLeg(market.name, intent, "", amount, Micros(fee), Micros(cost // size))


def _why_not(market: BasketMarket, asks: tuple[Level, ...], size: Micros) -> str:
    terms, book = market.terms, market.book
    if terms is None or book is None:
        return "Loading"
    if not terms.accepting_orders:
        return "Paused"
    if not book.state.is_good:
        return f"Book {book.state.words}"
    if not asks:
        return "No asks"
    if not size > 0 or size < terms.min_order_size:
        return "Below the minimum size"
    if asks[0].price >= ONE:
        return "No asks"
    return ""


def _nothing(name: str, problem: str, *, is_thin: bool = False) -> BasketLeg:
    return BasketLeg(name, None, problem, ZERO, ZERO, None, is_thin)
