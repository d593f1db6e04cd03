"""One sale of a conditional order, from the decision to its result.

Nothing else is sold before the result of a sale is known. A refusal proves nothing by itself: the venue once
filled an order after replying with an error (docs/wire.md#refusals). So a sent order is ruled out only by
complete trades, read later than the venue's lag, which must agree with the venue's report of held shares.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from pmtui.domain.answers import Failure
from pmtui.domain.conditionals.conditional import ConditionalOrder, Trigger, sale_of
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
from pmtui.service.views import AccountView, Level, Load

PATIENCE_S = 2.0
"""Seconds that a sale waits for the cancel's reply: the same venue has to accept the sale."""
POLL_S = 0.1

Report = Callable[[str, Level], None]


class OwnBids:
    """Cancels our own bids before a sale would trade with them."""

    def __init__(self, kernel: Kernel, desk: Desk, own: OwnOrders) -> None:
        self._kernel = kernel
        self._desk = desk
        self._own = own

    async def clear(self, sale: LimitIntent, report: Report) -> None:
        """Cancel the own bids that a sale may trade with, and report any that may remain."""
        met = own_bids_from(sale, self._own.open_orders())
        if not met:
            return
        report(f"cancels {_describe(met)} first: it would self-trade", Level.WARNING)
        await self._cancel(met)
        ids = {order.order_id for order in met}
        left = [o for o in own_bids_from(sale, self._own.open_orders()) if o.order_id in ids]
        if left:
            size = count_shares(Micros(sum(order.remaining_size for order in left)))
            text = f"{_describe(tuple(left))} may still be there: up to {size} sold to yourself"
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


def _describe(orders: tuple[Order, ...]) -> str:
    first = f"your own {describe_own_order(orders[0])}"
    more = len(orders) - 1
    return f"{first} and {more} more" if more else first


SALE_LAG_S = 5.0
"""How long the venue's trades and balances may lag behind a reply: lists need several polls of half a
second, the cached balance some seconds (docs/wire.md#reading-orders-and-trades and #balances, November
2026), and a replica was seen four seconds behind."""
READ_AGAIN_S = 1.0
GONE_AGAIN_S = 10.0
"""Seconds between two queries about shares that seem to be gone."""
MOST_DOUBT_S = 30.0
"""How long trades and held shares may disagree before complete trades alone decide: shares may
also leave the wallet without a trade."""

AskShares = Callable[[TokenId], Awaitable[Micros | Failure]]
"""Asks the venue, bypassing its cache, how many shares of a token are held."""

_IN_DOUBT = IN_DOUBT | {OrderStatus.DELAYED}


@dataclass(frozen=True, slots=True)
class Sale:
    """The result of one sale."""

    sold: Micros
    problem: str = ""
    """Why nothing was sold."""
    has_left: bool = True
    """Whether it was sent; a sale refused before that certainly sold nothing."""
    average: Micros | None = None
    """Dollars per share; None if unknown."""


@dataclass(frozen=True, slots=True)
class SaleHooks:
    """Callbacks of a sale in progress."""

    allowed_size: Callable[[Micros], Micros]
    """Returns how many of the held shares may be sold."""
    record_order: Callable[[PreparedOrder], str]
    """Records the order before it is sent; returns why it must not be, or "" if it may."""
    why_unwanted: Callable[[], str]
    """Returns why the sale is no longer wanted; called again when its bytes are sent."""
    on_unconfirmed: Callable[[str], None]
    """Called with the reason if the reply does not show what was sold."""
    report: Report
    """Logs further actions for the sale."""


class _Before(NamedTuple):
    """What was known of a token's shares before a sale was sent."""

    least: Micros
    """The minimum holding."""
    fills: frozenset[tuple[TradeId, OrderId]]
    at: datetime
    """By the venue's clock."""


class ConditionalSales:
    """Executes sales of conditional orders, through the desk like every order."""

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
            account: returns current holdings and open orders.
            market_of: returns a market with its terms.
            own: own orders and fills.
            ask_shares: asks the venue for the holding.
            least_held: returns the minimum holding according to all reports.
            lag_s: how long the venue's lists may lag behind its replies.
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
        """Return the known sold size of a sale."""
        return self._own.matched_size(order_id)

    def failed_size(self, order_id: OrderId) -> Micros:
        """Return the size of a sale that was matched by trades that failed on chain."""
        return self._own.failed_size(order_id)

    def held(self, token_id: TokenId) -> Micros:
        """Return the shares held, less those sold according to replies whose trades are not reported yet."""
        return Micros(max(self._account().held(token_id) - self._unbooked(token_id), 0))

    def held_of_other(self, each: ConditionalOrder) -> Micros:
        """Return the shares held of the other outcome of a conditional order's market."""
        other = self.other_of(each)
        return ZERO if other is None else self.held(other)

    def other_of(self, each: ConditionalOrder) -> TokenId | None:
        """Return the other outcome's token of a conditional order's market; None if that is not known."""
        _, terms = self._market_of(each.condition_id)
        others = [t for t in terms.token_ids if t != each.token_id] if terms is not None else []
        return others[0] if len(others) == 1 else None

    def has_nothing_for(self, each: ConditionalOrder) -> bool:
        """Whether a conditional order has nothing to sell: for `all`, nothing but pairs either."""
        account = self._account()
        if not each.is_all or account.load is not Load.READY:
            return account.has_none(each.token_id)
        return size_floor(account.unpaired(each.token_id)) <= 0

    def sold_since(self, each: ConditionalOrder) -> tuple[Micros, bool]:
        """Return the shares sold by own trades since an order began, and whether these trades are final.

        For `all` purchases of the other outcome count as well: they pair the shares.
        """
        other = self.other_of(each) if each.is_all else None
        tokens = (each.token_id,) if other is None else (each.token_id, other)
        fills = [f for t in tokens for f in self._fills_of(t) if f.matched_at >= each.created_at]
        net = sum(
            fill.size
            if (fill.side is Side.SELL) is (fill.token_id == each.token_id)
            else -fill.size
            for fill in fills
        )
        return Micros(max(net, 0)), all(fill.status.is_final for fill in fills)

    async def is_gone(self, token_id: TokenId) -> bool:
        """Whether the venue reports, and confirms after its lag, that nothing of a token is held.

        Where the account has shares of it, these are taken as gone if the venue holds them in pairs only.
        """
        if not await self._has_none(token_id):
            return False
        await self._kernel.clock.sleep(self._lag_s)
        return await self._has_none(token_id)

    async def _has_none(self, token_id: TokenId) -> bool:
        account = self._account()
        others = () if account.has_none(token_id) else account.others_of(token_id)
        shares = await self._ask_shares(token_id)
        paired = [await self._ask_shares(other) for other in others]
        known = [each for each in (shares, *paired) if not isinstance(each, Failure)]
        if len(known) <= len(others):
            return False
        left, *of_other = known
        return size_floor(Micros(max(left - sum(of_other), 0))) <= 0

    async def cool_off(
        self, token_id: TokenId, seconds: float, *, is_wanted: Callable[[], bool]
    ) -> None:
        """Wait before retrying a sale that was never sent.

        While nothing seems to be held the wait continues, as the venue is queried meanwhile.

        Args:
            token_id: of the shares.
            seconds: the minimum wait.
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
        """Read the fills of a sale that no task waits for; return whether its result is now known."""
        # Its reply may be very recent, and its trades lag like any others.
        await self._kernel.clock.sleep(self._lag_s)
        order = self._own.order(order_id)
        if order is not None and order.status.is_open:
            return False
        return await self._desk.read_fills(order_id, since=since)

    async def sell(
        self,
        selling: ConditionalOrder,
        trigger: Trigger,
        hooks: SaleHooks,
    ) -> Sale:
        """Sell once; return what was sold, or why nothing was.

        Args:
            selling: the conditional order.
            trigger: the price that was reached.
            hooks: the callbacks for the sale in progress.
        """
        planned = await self._plan(selling, trigger, hooks.allowed_size)
        if isinstance(planned, Rejected):
            return Sale(ZERO, planned.reason, has_left=False)
        order, intent = planned
        account, token_id = self._account(), selling.token_id
        await self._own_bids.clear(intent, hooks.report)
        admitted: list[OrderId] = []

        def why_not(fitted: PreparedOrder) -> Rejected | None:
            if reason := hooks.record_order(fitted):
                return Rejected(reason)
            admitted.append(fitted.order_id)
            return None

        in_the_way = self._in_the_way(intent, account)
        before = self._state_before(token_id)
        verdict = await self._desk.verdict(
            self._desk.flatten(order, in_the_way, why_not=why_not, why_unwanted=hooks.why_unwanted)
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
        """Return the open sales that reserve the shares to be sold.

        Unconfirmed sales are left out: it is unknown when they can be cancelled.
        """
        if account.sellable(sale.token_id) - self._unbooked(sale.token_id) >= sale.size:
            return ()
        sales = _sales(account, sale.token_id)
        return tuple(each for each in sales if each.status not in _IN_DOUBT)

    def _state_before(self, token_id: TokenId) -> _Before:
        fills = frozenset(_key(fill) for fill in self._fills_of(token_id))
        return _Before(self._least_held(token_id), fills, self._kernel.venue_now())

    async def _plan(
        self, selling: ConditionalOrder, trigger: Trigger, allowed_size: Callable[[Micros], Micros]
    ) -> tuple[PreparedOrder, LimitIntent] | Rejected:
        """Return the order to send now, or why nothing can be sold.

        Shares that may already be sold are not offered: such a sale would be refused, and its
        result would have to be checked first.
        """
        _, terms = self._market_of(selling.condition_id)
        if terms is None:
            return Rejected("the trading terms are not loaded")
        token_id = selling.token_id
        held = self._least_held(token_id)
        if size_floor(held) <= 0 or (selling.is_all and selling.counted):
            # Our own count proves neither that nothing is held nor that the rest is unsold.
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

    def unbooked_sales(self, token_id: TokenId) -> dict[OrderId, int]:
        """Return the sizes sold according to replies whose trades are not reported yet."""
        own = self._own
        orders = (own.order(order_id) for order_id in self._posted)
        sizes = {
            order.order_id: own.matched_size(order.order_id) - own.booked_size(order.order_id)
            for order in orders
            if order is not None and order.token_id == token_id and order.side is Side.SELL
        }
        return {order_id: size for order_id, size in sizes.items() if size > 0}

    def _unbooked(self, token_id: TokenId) -> int:
        return sum(self.unbooked_sales(token_id).values())

    def _doubted(self, token_id: TokenId) -> int:
        """Return how many shares may have been sold by unconfirmed orders."""
        sales = _sales(self._account(), token_id)
        return sum(sale.remaining_size for sale in sales if sale.status in _IN_DOUBT)

    async def _end_of(self, order_id: OrderId, token_id: TokenId, before: _Before) -> Sale:
        """Wait until the result of a sale is known, however long that takes."""
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
        """Whether the known trades explain the shares that the venue reports as held."""
        if self.sold_size(sale.order_id) >= sale.original_size:
            return True
        shares = await self._ask_shares(token_id)
        if self._kernel.clock.monotonic() >= until_s:
            return True
        new = [fill for fill in self._fills_of(token_id) if _key(fill) not in before.fills]
        sold = sum(fill.size for fill in new if fill.side is Side.SELL)
        # A purchase that is reported late may be part of the earlier holding.
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
