"""One sale of a conditional order, from the wish to what it brought, however that is told of."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from pmtui.domain.conditional import Conditional, Trigger, sale_of
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.market import Market, MarketTerms, Side
from pmtui.domain.money import ZERO, Micros
from pmtui.domain.order import Order, OrderStatus
from pmtui.domain.own_orders import OwnOrders
from pmtui.domain.verdict import Accepted, Rejected
from pmtui.records import dataclass
from pmtui.service.desk import Desk
from pmtui.service.kernel import Kernel
from pmtui.service.own_bids import OwnBids, Tell
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView

TELLING_S = 1.0
"""Trades of one sale may be told of one by one, and some after its end."""
READ_AGAIN_S = 1.0

_IN_DOUBT = frozenset(
    {OrderStatus.PENDING, OrderStatus.SENT, OrderStatus.UNKNOWN, OrderStatus.DELAYED}
)


@dataclass(frozen=True, slots=True)
class Sale:
    """How one ended."""

    sold: Micros
    problem: str = ""
    """Why nothing was sold."""


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
    ) -> None:
        self._kernel = kernel
        self._desk = desk
        self._account = account
        self._market_of = market_of
        self._own = own
        self._own_bids = OwnBids(kernel, desk, own)
        self._left: dict[TokenId, list[OrderId]] = {}
        """The sales of this session."""
        self._moved = asyncio.Event()

    def on_order(self, _: Order) -> None:
        """Hear that something is known of an order of ours."""
        self._moved.set()

    def is_any_in_doubt(self, token_id: TokenId) -> bool:
        """Whether nobody knows how many shares there are to sell, because of an open sale."""
        return any(sale.status in _IN_DOUBT for sale in _sales(self._account(), token_id))

    def brought(self, order_id: OrderId) -> Micros:
        """Return what a sale is known to have sold so far."""
        return self._own.matched_size(order_id)

    def failed(self, order_id: OrderId) -> Micros:
        """Return how much of a sale was matched by trades that failed on chain."""
        return self._own.failed_size(order_id)

    async def learn_end(self, order_id: OrderId, *, since: datetime) -> bool:
        """Read what a sale brought that nobody waited for; whether that is known now."""
        order = self._own.order(order_id)
        if order is not None and order.status.is_open:
            return False
        return await self._desk.read_fills(order_id, since=since)

    async def sell(
        self,
        selling: Conditional,
        trigger: Trigger,
        *,
        leaving: Callable[[PreparedOrder], str],
        tell: Tell,
    ) -> Sale:
        """Sell once; returns what was sold and why nothing was.

        Args:
            selling: what is to be sold.
            trigger: which price was reached.
            leaving: hears of the order that is about to leave, and says why it must not.
            tell: hears what else is done for it.
        """
        _, terms = self._market_of(selling.condition_id)
        if terms is None:
            return Sale(ZERO, "the market's trading terms are not loaded")
        account, token_id = self._account(), selling.token_id
        held = Micros(held_of(account, token_id) - self._unbooked(token_id))
        intent = sale_of(selling, trigger, held=held, tick=terms.tick_size)
        if intent is None:
            return Sale(ZERO, "no shares are held that could be sold")
        order = self._desk.prepare(intent)
        if isinstance(order, Rejected):
            return Sale(ZERO, order.reason)
        await self._own_bids.clear(intent, tell)
        left: list[OrderId] = []

        def last_word(fitted: PreparedOrder) -> str:
            reason = leaving(fitted)
            if not reason:
                left.append(fitted.unsigned.order_id)
                self._left.setdefault(token_id, []).append(fitted.unsigned.order_id)
            return reason

        in_the_way = _sales(account, token_id)
        if account.sellable(token_id) - self._unbooked(token_id) >= intent.size:
            in_the_way = ()
        verdict = await self._desk.verdict(
            self._desk.flatten(order, in_the_way, last_word=last_word)
        )
        if isinstance(verdict, Rejected):
            return Sale(ZERO, verdict.reason)
        if isinstance(verdict, Accepted) and not verdict.status.is_open and verdict.filled_size:
            return Sale(verdict.filled_size)
        return await self._end_of(left[-1]) if left else Sale(ZERO, "it was stopped")

    def _unbooked(self, token_id: TokenId) -> int:
        """Return what was sold of a token by answers of which the trades are not told yet."""
        own = self._own
        return sum(own.matched_size(i) - own.booked_size(i) for i in self._left.get(token_id, ()))

    async def _end_of(self, order_id: OrderId) -> Sale:
        """Wait until it is known what a sale brought, however long that takes."""
        order = await self._ended(order_id)
        if order.status is not OrderStatus.FILLED:
            await self._kernel.clock.sleep(TELLING_S)
            while not await self._desk.read_fills(order_id, since=order.created_at):
                await self._kernel.clock.sleep(READ_AGAIN_S)
        return Sale(self.brought(order_id), order.reason or "nobody bought it")

    async def _ended(self, order_id: OrderId) -> Order:
        while True:
            order = self._own.order(order_id)
            if order is not None and not order.status.is_open:
                return order
            self._moved.clear()
            await self._moved.wait()


def held_of(account: AccountView, token_id: TokenId) -> Micros:
    """Return the shares held, those that open sales speak for included."""
    return account.held(token_id)


def _sales(account: AccountView, token_id: TokenId) -> tuple[Order, ...]:
    return tuple(o for o in account.orders_at(token_id) if o.side is Side.SELL)
