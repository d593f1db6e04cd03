"""One sale of a conditional order, from the decision to what it sold.

Nothing else is sold before the end of a sale is known. An answer that says "refused" proves
nothing by itself: the venue once filled an order that it had answered with an error (docs/wire.md#refusals). So an
order that was sent is ruled out only by complete trades, read later than the venue's lag, which
must agree with the shares that the venue says are held.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from pmtui.domain.answers import Failure
from pmtui.domain.conditionals.conditional import Conditional, Trigger, sale_of
from pmtui.domain.formats import count_shares
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
from pmtui.domain.orders.self_trade import describe_own_order, own_bids_from
from pmtui.service.kernel import Kernel
from pmtui.service.orders.desk import Desk
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView, Level

PATIENCE_S = 2.0
"""Seconds that a sale waits for the cancel's answer: the same venue has to accept the sale."""
POLL_S = 0.1

Report = Callable[[str, Level], None]


class OwnBids:
    """Cancels our own bids before a sale would trade with them."""

    def __init__(self, kernel: Kernel, desk: Desk, own: OwnOrders) -> None:
        self._kernel = kernel
        self._desk = desk
        self._own = own

    async def clear(self, sale: LimitIntent, report: Report) -> None:
        """Cancel the own bids that a sale may trade with, and report what may be left of them."""
        met = own_bids_from(sale, self._own.open_orders())
        if not met:
            return
        report(f"cancels {_describe(met, sale)} first: it would self-trade", Level.WARNING)
        await self._cancel(met)
        ids = {order.order_id for order in met}
        left = [o for o in own_bids_from(sale, self._own.open_orders()) if o.order_id in ids]
        if left:
            size = count_shares(Micros(sum(order.remaining_size for order in left)))
            text = (
                f"{_describe(tuple(left), sale)} may still be there: up to {size} sold to yourself"
            )
            report(text, Level.BAD)
            self._kernel.log.notice(Level.BAD, f"A stop or target sells though {text}")

    async def _cancel(self, met: tuple[Order, ...]) -> None:
        ids = tuple(order.order_id for order in met)
        until_s = self._kernel.clock.monotonic() + PATIENCE_S
        asking = self._desk.cancel_verdict(self._desk.cancel(ids))
        answer = await self._kernel.within(PATIENCE_S, asking)
        is_lost = answer is not None and bool(answer.result.unanswered)
        # The canceller repeats it, and the stream may report it too.
        while is_lost and self._are_open(ids) and self._kernel.clock.monotonic() < until_s:
            await self._kernel.clock.sleep(POLL_S)

    def _are_open(self, ids: tuple[OrderId, ...]) -> bool:
        return any(order.order_id in ids for order in self._own.open_orders())


def _describe(orders: tuple[Order, ...], sale: LimitIntent) -> str:
    first = f"your own {describe_own_order(orders[0], sale.token_id)}"
    more = len(orders) - 1
    return f"{first} and {more} more" if more else first


SALE_LAG_S = 5.0
"""How long the venue's trades and balances may lag behind an answer: lists need
several polls of half a second, the cached balance some seconds (docs/wire.md#reading-orders-and-trades and #balances, of November
2026), and a replica was seen four seconds behind."""
READ_AGAIN_S = 1.0
GONE_AGAIN_S = 10.0
"""Seconds between two questions to the venue whether shares that seem to be gone are."""
MOST_DOUBT_S = 30.0
"""How long trades and held shares may disagree before complete trades decide alone: shares may
also leave the wallet without a trade."""

AskShares = Callable[[TokenId], Awaitable[Micros | Failure]]
"""Asks the venue, past its cache, how many shares of a token are held."""

_IN_DOUBT = IN_DOUBT | {OrderStatus.DELAYED}


@dataclass(frozen=True, slots=True)
class Sale:
    """The end of one sale."""

    sold: Micros
    problem: str = ""
    """Why nothing was sold."""
    has_left: bool = True
    """Whether it was sent; a sale that was refused before that certainly sold nothing."""
    average: Micros | None = None
    """Dollars a share; None where that is not known."""


@dataclass(frozen=True, slots=True)
class SaleHooks:
    """What a sale asks and reports while it is under way."""

    allowed_size: Callable[[Micros], Micros]
    """Returns how many of the shares held may be sold."""
    record_order: Callable[[PreparedOrder], str]
    """Records the order that is about to be sent; returns why it must not be, "" if it may."""
    objection: Callable[[], str]
    """Returns why the sale is not wanted any more; asked again when its bytes leave."""
    on_unconfirmed: Callable[[str], None]
    """Called with the reason when the answer does not tell what was sold."""
    report: Report
    """Logs what else is done for the sale."""


class _Before(NamedTuple):
    """What was known of a token's shares before a sale was sent."""

    least: Micros
    """The least that was held."""
    fills: frozenset[tuple[TradeId, OrderId]]
    at: datetime
    """By the venue's clock."""


class ConditionalSales:
    """Sells for conditional orders, through the desk like every order."""

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
        """Prepare to sell.

        Args:
            kernel: time and the log.
            desk: sends orders.
            account: what is held and open now.
            market_of: a market with its terms.
            own: own orders and fills.
            ask_shares: the venue's word on what is held.
            least_held: the least that is held, by all reports.
            lag_s: how long the venue's lists may lag behind its answers.
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
        """Orders of this session that may have been sent."""
        self._moved = asyncio.Event()

    def on_order(self, order: Order) -> None:
        """Handle a change of one of our orders."""
        if order.status is OrderStatus.SENT:
            self._posted.add(order.order_id)
        self._moved.set()

    def may_be_sold_out(self, token_id: TokenId) -> bool:
        """Whether unconfirmed sales may already have sold everything."""
        doubted = self._doubted(token_id)
        left = self._least_held(token_id) - self._unbooked(token_id) - doubted
        return doubted > 0 and size_floor(Micros(max(left, 0))) <= 0

    def sold_size(self, order_id: OrderId) -> Micros:
        """Return how much a sale is known to have sold so far."""
        return self._own.matched_size(order_id)

    def failed_size(self, order_id: OrderId) -> Micros:
        """Return how much of a sale was matched by trades that failed on chain."""
        return self._own.failed_size(order_id)

    def held(self, token_id: TokenId) -> Micros:
        """Return the shares held, less those sold by answers whose trades are not reported yet."""
        return Micros(max(self._account().held(token_id) - self._unbooked(token_id), 0))

    def sold_since(self, token_id: TokenId, at: datetime) -> tuple[Micros, bool]:
        """Return the shares that own trades took away since a moment, and whether these trades are final."""
        fills = [fill for fill in self._fills_of(token_id) if fill.matched_at >= at]
        net = sum(fill.size if fill.side is Side.SELL else -fill.size for fill in fills)
        return Micros(max(net, 0)), all(fill.status.is_final for fill in fills)

    async def is_gone(self, token_id: TokenId) -> bool:
        """Whether the venue says, and says again after its lag, that no shares are held."""
        if not await self._says_none(token_id):
            return False
        await self._kernel.clock.sleep(self._lag_s)
        return await self._says_none(token_id)

    async def _says_none(self, token_id: TokenId) -> bool:
        shares = await self._ask_shares(token_id)
        return not isinstance(shares, Failure) and size_floor(shares) <= 0

    async def cool_off(
        self, token_id: TokenId, seconds: float, *, is_wanted: Callable[[], bool]
    ) -> None:
        """Wait before the next try of a sale that was never sent.

        While nothing seems to be held the wait goes on, as the venue is asked meanwhile.

        Args:
            token_id: of the shares.
            seconds: to wait at least.
            is_wanted: whether the sale is still wanted.
        """
        until_s = self._kernel.clock.monotonic() + GONE_AGAIN_S
        await self._kernel.clock.sleep(seconds)
        while (
            self._account().has_none(token_id)
            and is_wanted()
            and self._kernel.clock.monotonic() < until_s
        ):
            await self._kernel.clock.sleep(READ_AGAIN_S)

    async def read_outcome(self, order_id: OrderId, *, since: datetime) -> bool:
        """Read the fills of a sale that nothing waits for; return whether its end is known now."""
        # It may have been answered just now, and its trades lag like any others.
        await self._kernel.clock.sleep(self._lag_s)
        order = self._own.order(order_id)
        if order is not None and order.status.is_open:
            return False
        return await self._desk.read_fills(order_id, since=since)

    async def sell(
        self,
        selling: Conditional,
        trigger: Trigger,
        hooks: SaleHooks,
    ) -> Sale:
        """Sell once; return what was sold, or why nothing was.

        Args:
            selling: what is to be sold.
            trigger: which price was reached.
            hooks: what the sale asks and reports meanwhile.
        """
        planned = await self._plan(selling, trigger, hooks.allowed_size)
        if isinstance(planned, Rejected):
            return Sale(ZERO, planned.reason, has_left=False)
        order, intent = planned
        account, token_id = self._account(), selling.token_id
        await self._own_bids.clear(intent, hooks.report)
        admitted: list[OrderId] = []

        def veto(fitted: PreparedOrder) -> str:
            reason = hooks.record_order(fitted)
            if not reason:
                admitted.append(fitted.unsigned.order_id)
            return reason

        in_the_way = self._in_the_way(intent, account)
        before = self._state_before(token_id)
        verdict = await self._desk.verdict(
            self._desk.flatten(order, in_the_way, veto=veto, objection=hooks.objection)
        )
        if isinstance(verdict, Accepted) and not verdict.status.is_open and verdict.filled_size:
            return Sale(verdict.filled_size, average=verdict.average)
        if not admitted or admitted[-1] not in self._posted:
            reason = verdict.reason if isinstance(verdict, Rejected) else "it was stopped"
            return Sale(ZERO, reason, has_left=False)
        if not isinstance(verdict, Accepted):
            hooks.on_unconfirmed(verdict.reason)
        return await self._end_of(admitted[-1], token_id, before)

    def _in_the_way(self, sale: LimitIntent, account: AccountView) -> tuple[Order, ...]:
        """Return the open sales that reserve shares which are to be sold.

        Sales in doubt are left out: nobody knows when they can be cancelled.
        """
        if account.sellable(sale.token_id) - self._unbooked(sale.token_id) >= sale.size:
            return ()
        sales = _sales(account, sale.token_id)
        return tuple(each for each in sales if each.status not in _IN_DOUBT)

    def _state_before(self, token_id: TokenId) -> _Before:
        fills = frozenset(_key(fill) for fill in self._fills_of(token_id))
        return _Before(self._least_held(token_id), fills, self._kernel.venue_now())

    async def _plan(
        self, selling: Conditional, trigger: Trigger, allowed_size: Callable[[Micros], Micros]
    ) -> tuple[PreparedOrder, LimitIntent] | Rejected:
        """Return what to sell now, or why nothing can be sold.

        Shares that may be sold already are not offered: such a sale would be refused, and its end
        would have to be checked first.
        """
        _, terms = self._market_of(selling.condition_id)
        if terms is None:
            return Rejected("the trading terms are not loaded")
        token_id = selling.token_id
        held = self._least_held(token_id)
        if size_floor(held) <= 0 or (selling.is_all and selling.counted):
            # Our own sums do not prove that nothing is held, nor that what seems left is not sold.
            shares = await self._ask_shares(token_id)
            if isinstance(shares, Failure):
                return Rejected(f"position unknown at the venue: {shares}")
            held = shares
        held = Micros(max(held - self._unbooked(token_id) - self._doubted(token_id), 0))
        size = allowed_size(held)
        wanted = replace(selling, size=size) if selling.is_all else selling
        intent = sale_of(wanted, trigger, held=size, tick=terms.tick_size)
        if intent is None:
            return Rejected("no shares to sell")
        order = self._desk.prepare(intent)
        return order if isinstance(order, Rejected) else (order, intent)

    def _unbooked(self, token_id: TokenId) -> int:
        """Return how much of a token was sold by answers whose trades are not reported yet."""
        own = self._own
        orders = (own.order(order_id) for order_id in self._posted)
        return sum(
            own.matched_size(order.order_id) - own.booked_size(order.order_id)
            for order in orders
            if order is not None and order.token_id == token_id and order.side is Side.SELL
        )

    def _doubted(self, token_id: TokenId) -> int:
        """Return how many shares of a token may have been sold by orders in doubt."""
        sales = _sales(self._account(), token_id)
        return sum(sale.remaining_size for sale in sales if sale.status in _IN_DOUBT)

    async def _end_of(self, order_id: OrderId, token_id: TokenId, before: _Before) -> Sale:
        """Wait until it is known what a sale sold, however long that takes."""
        order = await self._ended(order_id)
        if order.status is not OrderStatus.FILLED:
            until_s = self._kernel.clock.monotonic() + self._lag_s + MOST_DOUBT_S
            await self._kernel.clock.sleep(self._lag_s)
            while not (
                await self._desk.read_fills(order_id, since=order.created_at)
                and await self._is_explained(order, token_id, before, until_s)
            ):
                await self._kernel.clock.sleep(READ_AGAIN_S)
        sold = self.sold_size(order_id)
        return Sale(sold, order.reason or "no buyer", average=self._average(order_id, token_id))

    def _average(self, order_id: OrderId, token_id: TokenId) -> Micros | None:
        fills = [fill for fill in self._fills_of(token_id) if fill.order_id == order_id]
        size = sum(fill.size for fill in fills)
        return Micros(sum(f.price * f.size for f in fills) // size) if size else None

    async def _is_explained(
        self, sale: Order, token_id: TokenId, before: _Before, until_s: float
    ) -> bool:
        """Whether the known trades explain the shares that the venue says are held now."""
        if self.sold_size(sale.order_id) >= sale.original_size:
            return True
        shares = await self._ask_shares(token_id)
        if self._kernel.clock.monotonic() >= until_s:
            return True
        new = [fill for fill in self._fills_of(token_id) if _key(fill) not in before.fills]
        sold = sum(fill.size for fill in new if fill.side is Side.SELL)
        # A purchase that is reported late may be part of what was held before.
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
