"""Searches for orders without a reply, and for orders that are no longer listed.

An order is searched for by its id among the open orders, by its own route, and in the own trades. What
a failed search proves is decided in `domain/orders/own_orders.py`; a list with an unreadable row, or
one that was not read to its end, proves nothing. Nothing is ever resent automatically: the venue
refuses identical bytes as a duplicate while it remembers the order, but for how long it remembers a
filled or cancelled one is undocumented, so resending could double it.

Orders that were ruled out are remembered, even in later sessions: the request may arrive after all,
and then the venue's lists and trades reopen the order.
"""

import asyncio
from dataclasses import dataclass, replace

from pmtui.domain.answers import Failure
from pmtui.domain.backoff import Backoff
from pmtui.domain.formats import count
from pmtui.domain.ids import OrderId
from pmtui.domain.orders.life import IN_DOUBT
from pmtui.domain.orders.order import Fill, Order, OrderStatus
from pmtui.service.account.account import AccountFeed
from pmtui.service.kernel import Kernel
from pmtui.service.orders.order_history import OrderHistory
from pmtui.service.ports import Account
from pmtui.service.views import Level, OwnList
from pmtui.service.words import describe_order_end

MISSING_PAUSE_S = 5.0
"""The longest pause while an order is missing that was at the venue."""
GONE = "no longer at the venue"
NEVER_ARRIVED = "never reached the venue, or was refused there"


@dataclass(slots=True)
class Doubt:
    """An order that may or may not be at the venue."""

    order: Order
    title: str
    is_restored: bool
    """Whether it is from an earlier session."""
    is_news: bool = True
    """Whether the trader has not heard yet that the venue has it."""


class LostOrderSearch:
    """One search for all unconfirmed orders, and all that are missing from the venue's lists."""

    def __init__(self, kernel: Kernel, feed: AccountFeed, history: OrderHistory) -> None:
        self._kernel = kernel
        self._feed = feed
        self._history = history
        self._doubts: dict[OrderId, Doubt] = {}
        self._missing: set[OrderId] = set()
        """Orders known to have been at the venue, but missing from its last list."""
        feed.on_missing(self._add_missing)
        self._backoff = Backoff(first_s=0.5, longest_s=8.0)
        self._added = asyncio.Event()

    async def restore(self) -> frozenset[OrderId]:
        """Restore the journaled orders without a known end; they count as resting.

        Orders that were recently ruled out are restored as well, as conclusions.

        Returns:
            The orders that were to be cancelled.
        """
        unsettled = await self._history.restore()
        now_s = self._kernel.clock.monotonic()
        ruled_out = await self._history.restore_ruled_out()
        for journaled in ruled_out:
            status = OrderStatus(journaled.state or OrderStatus.REJECTED)
            reason = GONE if journaled.is_known else NEVER_ARRIVED
            order = replace(journaled.order, status=status, reason=reason)
            # Not reported: it is no news before something contradicts it.
            _ = self._feed.endings.apply_conclusion(order, now_s)
        for journaled in unsettled:
            reason = "checking its outcome"
            order = replace(journaled.order, status=OrderStatus.UNKNOWN, reason=reason)
            self._feed.apply_order(order, is_news=False)
            self._feed.endings.start_search(order.order_id, now_s, was_at_venue=journaled.is_known)
            is_news = not journaled.is_known
            self._add(Doubt(journaled.order, journaled.title, is_restored=True, is_news=is_news))
        if unsettled:
            text = f"Checking {count(len(unsettled), 'order')} from the last session"
            self._kernel.log.notice(Level.WARNING, text)
        both = (*unsettled, *ruled_out)
        return frozenset(each.order.order_id for each in both if each.is_unwanted)

    def search_for(self, order: Order, title: str) -> None:
        """Search for an order whose reply was lost."""
        self._feed.endings.start_search(order.order_id, self._kernel.clock.monotonic())
        self._add(Doubt(order, title, is_restored=False))

    def _add(self, doubt: Doubt) -> None:
        self._doubts[doubt.order.order_id] = doubt
        self._backoff.reset()
        self._added.set()

    def _add_missing(self, order_ids: tuple[OrderId, ...]) -> None:
        if not self._missing.issuperset(order_ids):
            self._missing.update(order_ids)
            self._backoff.reset()
            self._added.set()

    async def run(self) -> None:
        """Search for every unconfirmed order, for the whole session."""
        await self._feed.opened.wait()
        while True:
            if not self._doubts and not self._missing:
                self._added.clear()
                await self._added.wait()
            await self._pause()
            account = self._feed.account
            if account is not None:
                await self._search_once(account)

    async def _pause(self) -> None:
        """Wait for the next search; a newly unconfirmed order shortens the wait."""
        self._added.clear()
        pause = self._backoff.next_s()
        if self._missing:
            pause = min(pause, MISSING_PAUSE_S)
        now_s, endings = self._kernel.clock.monotonic(), self._feed.endings
        if any(endings.is_due(order_id, now_s) for order_id in self._doubts):
            pause = min(pause, endings.policy.spacing_s)
        _ = await self._kernel.within(pause, self._added.wait())

    async def _search_once(self, account: Account) -> None:
        await self._drop_found()
        asked = tuple(self._doubts.values())
        wanted = {doubt.order.order_id for doubt in asked} | self._missing
        if not wanted:
            return
        asked_s = self._kernel.clock.monotonic()
        is_complete = await self._read_lists(account, wanted, asked_s)
        await self._rule_on_doubts(account, asked, asked_s, is_complete=is_complete)
        await self._rule_on_missing(account, asked_s, is_complete=is_complete)
        await self._drop_found()

    async def _read_lists(self, account: Account, wanted: set[OrderId], asked_s: float) -> bool:
        """Read and apply the open orders and trades; return whether both lists were complete."""
        created = [known.created_at for i in wanted if (known := self._feed.own.order(i))]
        after = self._feed.session_start.bound_for_trades(*created)
        listed, fills = await asyncio.gather(
            account.host.open_orders(), account.host.fills(after=after)
        )
        is_complete = True
        if isinstance(fills, Failure):
            is_complete = False
        else:
            self._feed.lists.report(OwnList.FILLS, fills)
            is_complete &= fills.is_complete
            self._apply_fills(fills.items, wanted)
        if isinstance(listed, Failure):
            is_complete = False
        else:
            self._feed.lists.report(OwnList.ORDERS, listed)
            is_complete &= listed.is_complete
            self._feed.apply_listing(listed, asked_s=asked_s)
            self._missing.difference_update(order.order_id for order in listed.items)
        return is_complete

    async def _rule_on_doubts(
        self, account: Account, asked: tuple[Doubt, ...], asked_s: float, *, is_complete: bool
    ) -> None:
        for doubt in asked:
            if self._is_in_doubt(doubt):
                # A long history of trades is read from its end: old ones arrive late.
                proves = is_complete and (not doubt.is_restored or self._feed.has_read_fills)
                status = await self._ask_for(
                    account, doubt.order.order_id, asked_s, is_complete=proves
                )
                if status is not None:
                    self._rule_out(doubt, status)

    async def _rule_on_missing(
        self, account: Account, asked_s: float, *, is_complete: bool
    ) -> None:
        for order_id in tuple(self._missing):
            status = await self._ask_for(account, order_id, asked_s, is_complete=is_complete)
            if status is not None:
                self._end_missing(order_id, status)
        self._drop_ended()

    async def _ask_for(
        self, account: Account, order_id: OrderId, list_asked_s: float, *, is_complete: bool
    ) -> OrderStatus | None:
        """Query one order; return how it ended if its absence proves that."""
        asked_s = self._kernel.clock.monotonic()
        answer = await account.host.order(order_id)
        if isinstance(answer, Order):
            self._feed.apply_order(answer, asked_s=asked_s)
            self._missing.discard(order_id)
        elif answer is None and is_complete:
            now_s = self._kernel.clock.monotonic()
            return self._feed.endings.apply_absence(order_id, asked_s=list_asked_s, at_s=now_s)
        return None

    def _apply_fills(self, fills: tuple[Fill, ...], wanted: set[OrderId]) -> None:
        for fill in reversed(fills):
            if fill.order_id in wanted:
                self._feed.apply_fill(fill, is_news=True)

    def _is_in_doubt(self, doubt: Doubt) -> bool:
        known = self._feed.own.order(doubt.order.order_id)
        return known is None or known.status in IN_DOUBT

    def _drop_ended(self) -> None:
        own = self._feed.own
        self._missing = {
            i for i in self._missing if (known := own.order(i)) is not None and known.status.is_open
        }

    def _end_missing(self, order_id: OrderId, status: OrderStatus) -> None:
        """Conclude that an order has ended that the venue neither lists nor knows."""
        known = self._feed.own.order(order_id)
        if known is not None:
            self._history.record_ruled_out(f"{GONE}: {status.value}", order_id)
            self._feed.apply_order(replace(known, status=status), is_conclusion=True)

    async def _drop_found(self) -> None:
        """Drop the orders that are no longer unconfirmed, whatever source reported them."""
        for order_id, doubt in tuple(self._doubts.items()):
            known = self._feed.own.order(order_id)
            if known is None or known.status in IN_DOUBT:
                continue
            del self._doubts[order_id]
            await self._history.write("found", known.status.value, order_id)
            said = describe_order_end(known, doubt.title)
            found = f"Found {said[0].lower()}{said[1:]}"
            text = found if doubt.is_restored else f"Confirmed at the venue. {said}"
            if doubt.is_news:
                self._kernel.log.notice(Level.GOOD, text, order_id=order_id)
            else:
                self._kernel.log.add(Level.INFO, "order", text, order_id=order_id)

    def _rule_out(self, doubt: Doubt, status: OrderStatus) -> None:
        order_id = doubt.order.order_id
        del self._doubts[order_id]
        reasons = {OrderStatus.REJECTED: NEVER_ARRIVED, OrderStatus.CANCELLED: GONE}
        known = self._feed.own.order(order_id) or doubt.order
        fact = replace(known, status=status, reason=reasons.get(status, ""))
        self._history.record_ruled_out("not at the venue, not in the trades", order_id)
        self._feed.apply_order(fact, is_news=False, is_conclusion=True)
        text = describe_order_end(fact, doubt.title)
        self._kernel.log.notice(Level.WARNING, text, order_id=order_id)
