"""One sale of a conditional order, from the decision to what it sold.

Nothing else is sold before it is known what became of a sale. An answer that says "refused" proves
nothing by itself: the venue once filled an order that it had answered with an error (docs/wire.md#refusals). So an
order that has left is ruled out only by complete trades, read later than the venue's
lag, which must agree with the shares that the venue says are held.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from pmtui.domain.answers import Failure
from pmtui.domain.conditionals.conditional import Conditional, Trigger, sale_of
from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Market, MarketTerms, Side
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.orders.amounts import size_floor
from pmtui.domain.orders.life import IN_DOUBT
from pmtui.domain.orders.order import (
    Accepted,
    Fill,
    LimitIntent,
    Order,
    OrderStatus,
    Rejected,
    TradeStatus,
)
from pmtui.domain.orders.own_orders import OwnOrders
from pmtui.service.conditionals.own_bids import OwnBids, Report
from pmtui.service.kernel import Kernel
from pmtui.service.orders.desk import Desk
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView

SALE_LAG_S = 5.0
"""How long after an answer the venue's trades and balances may still lack what it did: lists need
several polls of half a second, the cached balance some seconds (docs/wire.md#reading-orders-and-trades and #balances, of November
2026), and a replica was seen four seconds behind."""
READ_AGAIN_S = 1.0
MOST_DOUBT_S = 30.0
"""So long trades and held shares may disagree; then complete trades decide alone: shares also
leave by other ways than a trade."""

AskShares = Callable[[TokenId], Awaitable[Micros | Failure]]
"""Asks the venue itself, past its cache, how many shares of a token are held."""

_IN_DOUBT = IN_DOUBT | {OrderStatus.DELAYED}


@dataclass(frozen=True, slots=True)
class Sale:
    """How one ended."""

    sold: Micros
    problem: str = ""
    """Why nothing was sold."""
    has_left: bool = True
    """Whether it was posted; what was refused before that sold nothing for certain."""


class _Before(NamedTuple):
    """What was known of a token's shares when a sale was about to leave."""

    least: Micros
    """What was held at least."""
    fills: frozenset[tuple[TradeId, OrderId]]
    at: datetime
    """By the venue's clock."""


class ConditionalSales:
    """Sells through the desk, as every order goes."""

    def __init__(
        self,
        kernel: Kernel,
        desk: Desk,
        *,
        account: Callable[[], AccountView],
        market_of: Callable[[ConditionId], tuple[Market | None, MarketTerms | None]],
        own: OwnOrders,
        ask_shares: AskShares,
        least_held: Callable[[TokenId], Micros],
        lag_s: float = SALE_LAG_S,
    ) -> None:
        """Prepare.

        Args:
            kernel: time and the log.
            desk: the way of every order.
            account: what is held and open now.
            market_of: a market with its terms.
            own: own orders and fills.
            ask_shares: the venue's word on what is held.
            least_held: what is held at least, by all that was reported.
            lag_s: how long its lists may lack what it has done.
        """
        self._kernel = kernel
        self._desk = desk
        self._account = account
        self._market_of = market_of
        self._own = own
        self._ask_shares = ask_shares
        self._least_held = least_held
        self._lag_s = lag_s
        self._own_bids = OwnBids(kernel, desk, own)
        self._posted: set[OrderId] = set()
        """Orders of this session whose bytes may have left."""
        self._moved = asyncio.Event()

    def on_order(self, order: Order) -> None:
        """Handle a change of one of our orders."""
        if order.status is OrderStatus.SENT:
            self._posted.add(order.order_id)
        self._moved.set()

    def are_all_in_doubt(self, token_id: TokenId) -> bool:
        """Whether it may be that nothing is left to sell, because of sales in doubt."""
        doubted = self._doubted(token_id)
        left = self._least_held(token_id) - self._unbooked(token_id) - doubted
        return doubted > 0 and size_floor(Micros(max(left, 0))) <= 0

    def brought(self, order_id: OrderId) -> Micros:
        """Return what a sale is known to have sold so far."""
        return self._own.matched_size(order_id)

    def failed(self, order_id: OrderId) -> Micros:
        """Return how much of a sale was matched by trades that failed on chain."""
        return self._own.failed_size(order_id)

    def held(self, token_id: TokenId) -> Micros:
        """Return the shares held, without those that were sold by answers not yet seen as trades."""
        return Micros(max(self._account().held(token_id) - self._unbooked(token_id), 0))

    async def is_gone(self, token_id: TokenId) -> bool:
        """Whether the venue itself says, and says again after its lag, that no shares are held."""
        if not await self._says_none(token_id):
            return False
        await self._kernel.clock.sleep(self._lag_s)
        return await self._says_none(token_id)

    async def _says_none(self, token_id: TokenId) -> bool:
        shares = await self._ask_shares(token_id)
        return not isinstance(shares, Failure) and size_floor(shares) <= 0

    async def learn_end(self, order_id: OrderId, *, since: datetime) -> bool:
        """Read what a sale brought that nobody waited for; whether that is known now."""
        # It may have been answered just before: its trades may be missing for as long as any.
        await self._kernel.clock.sleep(self._lag_s)
        order = self._own.order(order_id)
        if order is not None and order.status.is_open:
            return False
        return await self._desk.read_fills(order_id, since=since)

    async def sell(
        self,
        selling: Conditional,
        trigger: Trigger,
        *,
        most: Callable[[Micros], Micros],
        leaving: Callable[[PreparedOrder], str],
        objection: Callable[[], str],
        checking: Callable[[str], None],
        tell: Report,
    ) -> Sale:
        """Sell once; returns what was sold and why nothing was.

        Args:
            selling: what is to be sold.
            trigger: which price was reached.
            most: how many of the shares held it speaks for.
            leaving: hears of the order that is about to leave, and says why it must not.
            objection: says so again when its bytes leave.
            checking: hears why it is not known yet what a sale brought.
            tell: hears what else is done for it.
        """
        planned = await self._plan(selling, trigger, most)
        if isinstance(planned, Rejected):
            return Sale(ZERO, planned.reason, has_left=False)
        order, intent = planned
        account, token_id = self._account(), selling.token_id
        await self._own_bids.clear(intent, tell)
        left: list[OrderId] = []

        def last_word(fitted: PreparedOrder) -> str:
            reason = leaving(fitted)
            if not reason:
                left.append(fitted.unsigned.order_id)
            return reason

        in_the_way = self._in_the_way(intent, account)
        before = self._state_before(token_id)
        verdict = await self._desk.verdict(
            self._desk.flatten(order, in_the_way, last_word=last_word, objection=objection)
        )
        if isinstance(verdict, Accepted) and not verdict.status.is_open and verdict.filled_size:
            return Sale(verdict.filled_size)
        if not left or left[-1] not in self._posted:
            reason = verdict.reason if isinstance(verdict, Rejected) else "it was stopped"
            return Sale(ZERO, reason, has_left=False)
        if not isinstance(verdict, Accepted):
            checking(verdict.reason)
        return await self._end_of(left[-1], token_id, before)

    def _in_the_way(self, sale: LimitIntent, account: AccountView) -> tuple[Order, ...]:
        """Return the open sales that tie up shares which are to be sold.

        What is in doubt is left out of the size, and nobody knows when it can be cancelled.
        """
        if account.sellable(sale.token_id) - self._unbooked(sale.token_id) >= sale.size:
            return ()
        sales = _sales(account, sale.token_id)
        return tuple(each for each in sales if each.status not in _IN_DOUBT)

    def _state_before(self, token_id: TokenId) -> _Before:
        fills = frozenset(_key(fill) for fill in self._fills_of(token_id))
        return _Before(self._least_held(token_id), fills, self._kernel.venue_now())

    async def _plan(
        self, selling: Conditional, trigger: Trigger, most: Callable[[Micros], Micros]
    ) -> tuple[PreparedOrder, LimitIntent] | Rejected:
        """Return what to sell now, or why nothing can be sold.

        What may have been sold already is not offered: the sale of it would be refused, and what
        became of that would have to be checked first.
        """
        _, terms = self._market_of(selling.condition_id)
        if terms is None:
            return Rejected("the trading terms are not loaded")
        token_id = selling.token_id
        held = self._least_held(token_id)
        if size_floor(held) <= 0 or (selling.is_all and selling.counted):
            # None by our own sums proves nothing, and what seems left of all may be sold already.
            shares = await self._ask_shares(token_id)
            if isinstance(shares, Failure):
                return Rejected(f"position unknown at the venue: {shares}")
            held = shares
        held = Micros(max(held - self._unbooked(token_id) - self._doubted(token_id), 0))
        size = most(held)
        wanted = replace(selling, size=size) if selling.is_all else selling
        intent = sale_of(wanted, trigger, held=size, tick=terms.tick_size)
        if intent is None:
            return Rejected("no shares to sell")
        order = self._desk.prepare(intent)
        return order if isinstance(order, Rejected) else (order, intent)

    def _unbooked(self, token_id: TokenId) -> int:
        """Return what was sold of a token by answers whose trades are not reported yet."""
        own = self._own
        orders = (own.order(order_id) for order_id in self._posted)
        return sum(
            own.matched_size(order.order_id) - own.booked_size(order.order_id)
            for order in orders
            if order is not None and order.token_id == token_id and order.side is Side.SELL
        )

    def _doubted(self, token_id: TokenId) -> int:
        """Return how many shares of a token may be sold by orders of which that is not known."""
        sales = _sales(self._account(), token_id)
        return sum(sale.remaining_size for sale in sales if sale.status in _IN_DOUBT)

    async def _end_of(self, order_id: OrderId, token_id: TokenId, before: _Before) -> Sale:
        """Wait until it is known what a sale brought, however long that takes."""
        order = await self._ended(order_id)
        if order.status is not OrderStatus.FILLED:
            until_s = self._kernel.clock.monotonic() + self._lag_s + MOST_DOUBT_S
            await self._kernel.clock.sleep(self._lag_s)
            while not (
                await self._desk.read_fills(order_id, since=order.created_at)
                and await self._is_explained(order, token_id, before, until_s)
            ):
                await self._kernel.clock.sleep(READ_AGAIN_S)
        return Sale(self.brought(order_id), order.reason or "no buyer")

    async def _is_explained(
        self, sale: Order, token_id: TokenId, before: _Before, until_s: float
    ) -> bool:
        """Whether the trades that are known explain what the venue says is held now."""
        if self.brought(sale.order_id) >= sale.original_size:
            return True
        shares = await self._ask_shares(token_id)
        if self._kernel.clock.monotonic() >= until_s:
            return True
        new = [fill for fill in self._fills_of(token_id) if _key(fill) not in before.fills]
        sold = sum(fill.size for fill in new if fill.side is Side.SELL)
        # A purchase that is only heard of late may be among what was held before.
        bought = sum(f.size for f in new if f.side is Side.BUY and f.matched_at >= before.at)
        return not isinstance(shares, Failure) and shares >= before.least + bought - sold

    def _fills_of(self, token_id: TokenId) -> tuple[Fill, ...]:
        """Return own fills of a token that have not failed."""
        return tuple(
            fill for fill in self._own.fills()
            if fill.token_id == token_id and fill.status is not TradeStatus.FAILED
        )  # fmt: skip

    async def _ended(self, order_id: OrderId) -> Order:
        while True:
            order = self._own.order(order_id)
            if order is not None and not order.status.is_open:
                return order
            self._moved.clear()
            await self._moved.wait()


def _sales(account: AccountView, token_id: TokenId) -> tuple[Order, ...]:
    return tuple(o for o in account.orders_at(token_id) if o.side is Side.SELL)


def _key(fill: Fill) -> tuple[TradeId, OrderId]:
    return fill.trade_id, fill.order_id
