"""Finds out what became of orders without a known end: of lost replies and of sessions cut off.

An order is looked for by its id among the open orders, by itself, and in the own trades, until it
is found or ruled out. It is ruled out only by several complete looks that find nothing, the last
of them well after it can have been on its way; a list with a row that cannot be read, or that was
not read to its end, is not complete. Nothing is ever sent again by itself: the venue
refuses identical bytes as a duplicate while it remembers the order, but nobody says for how long it
remembers one that is filled or cancelled, so sending again could double it.
"""

import asyncio
from dataclasses import replace
from datetime import timedelta

from pmtui.domain.failure import Failure
from pmtui.domain.ids import OrderId
from pmtui.domain.order import Fill, Order, OrderStatus
from pmtui.domain.order_life import IN_DOUBT
from pmtui.domain.plurals import count
from pmtui.records import dataclass
from pmtui.service.feeds.account import AccountFeed
from pmtui.service.hosts import Account
from pmtui.service.kernel import Kernel
from pmtui.service.order_history import OrderHistory
from pmtui.service.views import Level, OwnList
from pmtui.service.words import say_order_end

PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Between looks; the last one again and again."""
RULED_OUT_AFTER_S = 30.0
"""How long nothing must be found of an order; the listing may lag by seconds (WIRE_CLOB §8.1)."""
FEWEST_LOOKS = 3
CLOCK_MARGIN = timedelta(days=1)
"""How far our clock may differ from the one that dates trades."""


@dataclass(slots=True)
class Doubt:
    """An order that may or may not be at the venue."""

    order: Order
    title: str
    since_s: float
    """By the clock that is never set."""
    is_known: bool
    """Whether the venue has spoken of it in an earlier session."""
    is_restored: bool
    looks: int = 0
    """Complete ones that found nothing."""


class OrderSearch:
    """One search for all orders in doubt."""

    def __init__(
        self,
        kernel: Kernel,
        feed: AccountFeed,
        history: OrderHistory,
        *,
        ruled_out_after_s: float = RULED_OUT_AFTER_S,
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._history = history
        self._ruled_out_after_s = ruled_out_after_s
        self._doubts: dict[OrderId, Doubt] = {}
        self._step = 0
        self._added = asyncio.Event()

    async def restore(self) -> None:
        """Take up the orders that the journal knows no end of; they count as resting."""
        unsettled = await self._history.restore()
        for journaled in unsettled:
            reason = "checking what became of it"
            self._feed.apply_order(
                replace(journaled.order, status=OrderStatus.UNKNOWN, reason=reason), is_news=False
            )
            self._add(
                Doubt(
                    journaled.order,
                    journaled.title,
                    since_s=self._kernel.clock.monotonic(),
                    is_known=journaled.is_known,
                    is_restored=True,
                )
            )
        if unsettled:
            text = f"Checking {count(len(unsettled), 'order')} of the last session"
            self._kernel.log.notice(Level.WARNING, text)

    def look_for(self, order: Order, title: str) -> None:
        """Look for an order whose answer was lost."""
        now_s = self._kernel.clock.monotonic()
        self._add(Doubt(order, title, since_s=now_s, is_known=False, is_restored=False))

    def _add(self, doubt: Doubt) -> None:
        self._doubts[doubt.order.order_id] = doubt
        self._step = 0
        self._added.set()

    async def run(self) -> None:
        """Look for whatever comes into doubt, for as long as the session lasts."""
        await self._feed.opened.wait()
        while True:
            if not self._doubts:
                self._added.clear()
                await self._added.wait()
            await self._pause()
            account = self._feed.account
            if account is not None:
                await self._look(account)

    async def _pause(self) -> None:
        """Wait for the next look; an order that comes into doubt meanwhile makes it soon."""
        self._added.clear()
        pause = PAUSES_S[min(self._step, len(PAUSES_S) - 1)]
        self._step += 1
        sleeping = asyncio.ensure_future(self._kernel.clock.sleep(pause))
        waking = asyncio.ensure_future(self._added.wait())
        try:
            await asyncio.wait({sleeping, waking}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
            waking.cancel()

    async def _look(self, account: Account) -> None:
        await self._take_found()
        asked = tuple(self._doubts.values())
        if not asked:
            return
        after = min(doubt.order.created_at for doubt in asked) - CLOCK_MARGIN
        listed, fills = await asyncio.gather(
            account.host.open_orders(), account.host.fills(after=after)
        )
        is_complete = True
        if isinstance(fills, Failure):
            is_complete = False
        else:
            self._feed.lists.tell(OwnList.FILLS, fills)
            is_complete &= fills.is_complete
            self._apply_fills(fills.items)
        if isinstance(listed, Failure):
            is_complete = False
        else:
            self._feed.lists.tell(OwnList.ORDERS, listed)
            is_complete &= listed.is_complete
            for order in listed.items:
                if order.order_id in self._doubts:
                    self._feed.apply_order(order)
        for doubt in asked:
            if self._is_in_doubt(doubt):
                await self._look_at(account, doubt, is_complete=is_complete)
        await self._take_found()
        for doubt in tuple(self._doubts.values()):
            if self._is_ruled_out(doubt):
                await self._rule_out(doubt)

    async def _look_at(self, account: Account, doubt: Doubt, *, is_complete: bool) -> None:
        answer = await account.host.order(doubt.order.order_id)
        if isinstance(answer, Order):
            self._feed.apply_order(answer)
        elif answer is None and is_complete:
            doubt.looks += 1

    def _apply_fills(self, fills: tuple[Fill, ...]) -> None:
        for fill in reversed(fills):
            if fill.order_id in self._doubts:
                self._feed.apply_fill(fill, is_news=True)

    def _is_in_doubt(self, doubt: Doubt) -> bool:
        known = self._feed.own.order(doubt.order.order_id)
        return known is None or known.status in IN_DOUBT

    def _is_ruled_out(self, doubt: Doubt) -> bool:
        waited_s = self._kernel.clock.monotonic() - doubt.since_s
        return doubt.looks >= FEWEST_LOOKS and waited_s >= self._ruled_out_after_s

    async def _take_found(self) -> None:
        """Let go of the orders that something has been heard of, whoever told."""
        for order_id, doubt in tuple(self._doubts.items()):
            known = self._feed.own.order(order_id)
            if known is None or known.status in IN_DOUBT:
                continue
            del self._doubts[order_id]
            await self._history.write("found", known.status.value, order_id)
            if doubt.is_restored:
                text = f"Found: {say_order_end(known, doubt.title)}"
                self._kernel.log.add(Level.INFO, "order", text, order_id=order_id)
            else:
                text = f"It did arrive. {say_order_end(known, doubt.title)}"
                self._kernel.log.notice(Level.GOOD, text, order_id=order_id)

    async def _rule_out(self, doubt: Doubt) -> None:
        order_id = doubt.order.order_id
        del self._doubts[order_id]
        if doubt.is_known:
            status, reason = OrderStatus.CANCELLED, "no longer at the venue"
        else:
            status, reason = OrderStatus.REJECTED, "never reached the venue, or was refused there"
        await self._history.write("ruled out", "not at the venue, not in the trades", order_id)
        fact = replace(doubt.order, status=status, reason=reason)
        self._feed.apply_order(fact, is_news=False, is_guess=True)
        text = say_order_end(fact, doubt.title)
        self._kernel.log.notice(Level.WARNING, text, order_id=order_id)
