"""The simulated orders of one market: who rests where, and every way to change that.

Each method does its part inside one command to the exchange. Maker orders are post-only, so they
never meet a user's order by mistake; whoever takes, takes the best price there is.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from pmtui.domain.ids import Address, ApiKey, ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, SCALE, Micros, complement, notional_floor
from pmtui.domain.orders.amounts import fit, size_floor
from pmtui.domain.orders.order import TimeInForce
from pmtui.sim.catalogue.depth import BookLevel
from pmtui.sim.catalogue.depth import Side as BookSide
from pmtui.sim.engine.amounts import decimals_of
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import NewOrder, Placed, Seeded, SeedOrder
from pmtui.sim.traders.habits import Churn, Touch, choose_churn, distance, shares

NOBODY = ApiKey("")
"""Simulated accounts have no credentials."""
_BUYERS = 0.9
"""Share of orders that buy a token, rather than sell the other."""
_SPARE_THE_TOP = 0.9
_LEAVERS = 3
"""Of so many orders the one nearest to the top goes: so books keep the shape they began with, though
most orders come near the top."""
_FEWEST_SHARES = 5.0


@dataclass(slots=True, eq=False)
class _Quote:
    order_id: OrderId
    is_bid: bool
    price: Micros
    """Of the first token."""


class Crowd:
    """Simulated orders of one market."""

    def __init__(
        self,
        condition_id: ConditionId,
        tokens: tuple[TokenId, TokenId],
        tick: Micros,
        *,
        accounts: tuple[Address, ...],
        rng: random.Random,
    ) -> None:
        self.tick = tick
        self.touch = Touch(0, ONE // tick)
        self._condition_id = condition_id
        self._tokens = tokens
        self._accounts = accounts
        self._rng = rng
        self._quotes: list[_Quote] = []
        self._sides: dict[bool, float] = {}
        self._usual_count = 0
        self._reach = 1

    @property
    def last(self) -> int:
        """Highest price in ticks."""
        return ONE // self.tick - 1

    @property
    def is_quoting(self) -> bool:
        """Whether this market has simulated traders at all."""
        return bool(self._sides)

    def fill(self, exchange: Exchange, now_ms: int, *, levels: Sequence[BookLevel]) -> None:
        """Rest a whole starting book, silently; what would meet a user's order stays away."""
        # A grid that became coarser in an earlier run has no place for some of them.
        levels = [level for level in levels if level.price % self.tick == 0]
        self._learn_habits(levels)
        quotes: dict[OrderId, _Quote] = {}
        orders: list[SeedOrder] = []
        for level in levels:
            is_bid = level.side is BookSide.BID
            terms = self._worded(level.price, is_bid=is_bid)
            order_id, account = self._signature()
            orders.append(SeedOrder(order_id, account, *terms, level.size))
            quotes[order_id] = _Quote(order_id, is_bid, level.price)
        seeded = exchange.seed(self._condition_id, orders, owner=NOBODY, now_ms=now_ms)
        if isinstance(seeded, Seeded):
            for order_id in seeded.crossing:
                del quotes[order_id]
            self._quotes.extend(quotes.values())

    def _learn_habits(self, levels: Sequence[BookLevel]) -> None:
        self._usual_count = len(levels)
        for is_bid in (True, False):
            side = [level for level in levels if (level.side is BookSide.BID) == is_bid]
            if side:
                sizes = sorted(level.size for level in side)
                self._sides[is_bid] = max(sizes[len(sizes) // 2] / SCALE, _FEWEST_SHARES)
                best, middle = side[0].price, side[len(side) // 2].price
                self._reach = max(self._reach, abs(best - middle) // self.tick)
                if is_bid:
                    self.touch = Touch(best // self.tick, self.touch.ask)
                else:
                    self.touch = Touch(self.touch.bid, best // self.tick)

    def churn(self, exchange: Exchange, now_ms: int) -> None:
        """Add or cancel one order, nearly always behind the top."""
        if not self._sides:
            return
        rng = self._rng
        if self._quotes and (
            choose_churn(len(self._quotes), usual=self._usual_count, rng=rng) is Churn.REMOVE
        ):
            index = min(
                (rng.randrange(len(self._quotes)) for _ in range(_LEAVERS)), key=self._behind_top
            )
            is_spared = self._behind_top(index) == 0 and rng.random() < _SPARE_THE_TOP
            if not is_spared:
                self._cancel_at(exchange, now_ms, index)
                return
        is_bid = rng.choice(tuple(self._sides))
        away = distance(self._reach, rng)
        ticks = self.touch.bid - away if is_bid else self.touch.ask + away
        if 1 <= ticks <= self.last:
            size = shares(self._sides[is_bid], rng)
            self._rest(exchange, now_ms, Micros(ticks * self.tick), is_bid=is_bid, size=size)

    def _behind_top(self, index: int) -> int:
        quote = self._quotes[index]
        best = self.touch.bid if quote.is_bid else self.touch.ask
        return abs(quote.price - best * self.tick)

    def requote(self, exchange: Exchange, now_ms: int, touch: Touch) -> None:
        """Move the top: withdraw what the price ran over, quote anew, take what others left."""
        if not self._sides:
            return
        self.touch = touch
        bid, ask = Micros(touch.bid * self.tick), Micros(touch.ask * self.tick)
        for index in range(len(self._quotes) - 1, -1, -1):
            quote = self._quotes[index]
            if quote.price > bid if quote.is_bid else quote.price < ask:
                self._cancel_at(exchange, now_ms, index)
        self._take_stale(exchange, now_ms, bid, ask)
        best_bid, best_ask = exchange.reads.top(self._tokens[0])
        for is_bid, price, best in ((True, bid, best_bid), (False, ask, best_ask)):
            is_behind = best is None or (best < price if is_bid else best > price)
            if is_bid in self._sides and is_behind and 0 < price < ONE:
                size = shares(self._sides[is_bid], self._rng)
                self._rest(exchange, now_ms, price, is_bid=is_bid, size=size)

    def take(self, exchange: Exchange, now_ms: int) -> None:
        """Send a marketable order of somebody who wants in or out at the best price."""
        is_up = self._rng.random() < 0.5
        bid, ask = exchange.reads.top(self._tokens[0])
        best = ask if is_up else bid
        if best is not None and self._sides:
            self._cross(exchange, now_ms, best, is_up=is_up)

    def _take_stale(self, exchange: Exchange, now_ms: int, bid: Micros, ask: Micros) -> None:
        # Orders of users through which the fair price has gone: somebody takes them, bit by bit.
        best_bid, best_ask = exchange.reads.top(self._tokens[0])
        if best_bid is not None and best_bid >= ask:
            self._cross(exchange, now_ms, ask, is_up=False)
        if best_ask is not None and best_ask <= bid:
            self._cross(exchange, now_ms, bid, is_up=True)

    def _cross(self, exchange: Exchange, now_ms: int, limit: Micros, *, is_up: bool) -> None:
        size = shares(min(self._sides.get(not is_up, _FEWEST_SHARES), 60.0), self._rng)
        token, side, price = self._worded(limit, is_bid=is_up)
        cash = notional_floor(price, size)
        if side is Side.BUY:
            # Who buys at once names dollars: whole cents, at least one dollar.
            cash = max(size_floor(cash), ONE)
            size = fit(cash, price, decimals=min(decimals_of(self.tick) + 2, 6))
        self._place(exchange, now_ms, (token, side), cash=cash, size=size, force=TimeInForce.FAK)

    def _rest(
        self, exchange: Exchange, now_ms: int, price: Micros, *, is_bid: bool, size: Micros
    ) -> None:
        token, side, own_price = self._worded(price, is_bid=is_bid)
        cash = notional_floor(own_price, size)
        order_id = self._place(
            exchange, now_ms, (token, side), cash=cash, size=size, force=TimeInForce.GTC
        )
        if order_id is not None:
            self._quotes.append(_Quote(order_id, is_bid, price))

    def _worded(self, price: Micros, *, is_bid: bool) -> tuple[TokenId, Side, Micros]:
        # A bid for the first token is a purchase of it or a sale of the second.
        is_purchase = self._rng.random() < _BUYERS
        is_first = is_bid == is_purchase
        side = Side.BUY if is_purchase else Side.SELL
        return self._tokens[0 if is_first else 1], side, price if is_first else complement(price)

    def _signature(self) -> tuple[OrderId, Address]:
        order_id = OrderId(f"0x{self._rng.getrandbits(256):064x}")
        return order_id, self._accounts[int(self._rng.random() * len(self._accounts))]

    def _place(
        self,
        exchange: Exchange,
        now_ms: int,
        terms: tuple[TokenId, Side],
        *,
        cash: Micros,
        size: Micros,
        force: TimeInForce,
    ) -> OrderId | None:
        token, side = terms
        order_id, account = self._signature()
        order = NewOrder(
            order_id=order_id,
            account=account,
            owner=NOBODY,
            token_id=token,
            side=side,
            maker_amount=cash if side is Side.BUY else size,
            taker_amount=size if side is Side.BUY else cash,
            time_in_force=force,
            post_only=force.rests,
        )
        placed = exchange.place(order, now_ms=now_ms)
        return placed.order_id if isinstance(placed, Placed) else None

    def _cancel_at(self, exchange: Exchange, now_ms: int, index: int) -> None:
        quote = self._quotes[index]
        self._quotes[index] = self._quotes[-1]
        self._quotes.pop()
        # One that was filled meanwhile is just not there.
        exchange.cancel((quote.order_id,), NOBODY, now_ms=now_ms)

    def regrid(self, tick: Micros) -> None:
        """Go over to a new price grid."""
        old, self.tick = self.tick, tick
        self._reach = max(self._reach * old // tick, 1)
        self.touch = Touch(self.touch.bid * old // tick, self.touch.ask * old // tick)
